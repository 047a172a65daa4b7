/* SPDX-License-Identifier: MIT */
/* TRACE_EVENT_FN in children, and in programs that end. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "regfunc.h"

/* ---- fork ---- */

static int to_child[2], from_child[2];

static void obey(void)
{
	char c;

	close(to_child[1]);
	while (read(to_child[0], &c, 1) == 1) {
		c = (char)('0' + nr_reg * 2 + nr_unreg);
		if (write(from_child[1], &c, 1) != 1)
			break;
	}
	_exit(0);
}

static void open_pipes(void)
{
	CHECK_EQ(pipe(to_child), 0);
	CHECK_EQ(pipe(from_child), 0);
	nr_reg = nr_unreg = 0;
}

static pid_t fork_child(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		unreg_does = NULL;
		obey();
	}
	return pid;
}

static char ask_child(void)
{
	char c;

	CHECK_EQ(write(to_child[1], "?", 1), 1);
	CHECK_EQ(read(from_child[0], &c, 1), 1);
	return c;
}

static void end_child(pid_t pid)
{
	close(to_child[1]);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	close(to_child[0]);
	close(from_child[0]);
	close(from_child[1]);
}

/* In each process the functions are called separately, by a thread of that process. */
void test_fork(void)
{
	pid_t pid;

	open_pipes();
	pid = fork_child();
	trace_wait_agent(&d, pid);
	want("fn_hit", true);
	CHECK_EQ(nr_reg, 1);
	CHECK_EQ(ask_child(), '2');
	want("fn_hit", false);
	CHECK_EQ(nr_unreg, 1);
	CHECK_EQ(ask_child(), '3');
	end_child(pid);
}

static void *switch_off(void *arg)
{
	want("fn_hit", false);
	return arg;
}

/* The child has no probe on the event.  If its parent is inside a function, this function
 * counts as called in the child. */
void test_fork_under_way(void)
{
	pthread_t thread;
	pid_t pid;

	open_pipes();
	want("fn_hit", true);
	unreg_does = take_long;
	CHECK_EQ(pthread_create(&thread, NULL, switch_off, NULL), 0);
	sem_wait(&has_begun);
	pid = fork_child();
	sem_post(&may_end);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	unreg_does = NULL;
	trace_wait_agent(&d, pid);
	CHECK_EQ(driver_apply(&d), 0);
	CHECK_EQ(ask_child(), '3');
	want("fn_hit", true);
	CHECK_EQ(ask_child(), '5');
	want("fn_hit", false);
	CHECK_EQ(ask_child(), '6');
	end_child(pid);
}

static pid_t helper;

static int start_helper(void)
{
	helper = fork_child();
	return 0;
}

/* The function itself starts a helper process.  There the event does not change, and nobody
 * waits for it. */
void test_fork_inside(void)
{
	open_pipes();
	reg_does = start_helper;
	want("fn_hit", true);
	reg_does = NULL;
	trace_wait_agent(&d, helper);
	want("fn_plain", true);
	want("fn_hit", false);
	want("fn_plain", false);
	CHECK_EQ(ask_child(), '0');
	end_child(helper);
}

/* ---- the end of a program while the event is on ---- */

static int leave(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	self_say('r');
	self_hear();
	return nr_reg == 1 && !nr_unreg ? 0 : 1;
}

static int wait_for_ever(void)
{
	self_say('b');
	return pause();
}

static int leave_under_way(int argc, char **argv)
{
	reg_does = wait_for_ever;
	(void)argc;
	(void)argv;
	self_say('r');
	self_hear();
	exit(0);
}

static void *outlive(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	self_say('r');
	while (self_hear())
		self_say((char)('0' + nr_reg * 2 + nr_unreg));
	return NULL;
}

/* The last thread of the program ends the process; libulf's thread does not count. */
static int leave_main(int argc, char **argv)
{
	static pthread_t self, other;

	(void)argc;
	(void)argv;
	self = pthread_self();
	pthread_create(&other, NULL, outlive, &self);
	pthread_exit(NULL);
}

/* For scripts: hit from time to time.  The function fails while the file argv[0] exists. */
static const char *omen;

static int fail_by_omen(void)
{
	return access(omen, F_OK) ? 0 : -EIO;
}

static int serve(int argc, char **argv)
{
	CHECK_EQ(argc, 1);
	omen = argv[0];
	reg_does = fail_by_omen;
	for (;;) {
		trace_fn_hit(1);
		usleep(10000);
	}
}

const struct self_role roles[] = {
	{ "serve", serve },
	{ "leave", leave },
	{ "leave_under_way", leave_under_way },
	{ "leave_main", leave_main },
	{ NULL, NULL },
};

static struct self start(const char *role)
{
	struct self self = self_start(role, NULL);

	CHECK_EQ(self_get(&self), 'r');
	trace_open(&d, self.pid);
	return self;
}

static void stop(struct self *self)
{
	CHECK_EQ(self_wait(self), 0);
	driver_close(&d);
}

static void test_exit(void)
{
	struct self self = start("leave");

	want("fn_hit", true);
	stop(&self);
}

static void *try_to_switch_on(void *arg)
{
	driver_enable(&d, "fn", "fn_hit", true);
	return arg;
}

static void test_exit_under_way(void)
{
	struct self self = start("leave_under_way");
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, try_to_switch_on, NULL), 0);
	CHECK_EQ(self_get(&self), 'b');
	CHECK_EQ(self_wait(&self), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	driver_close(&d);
}

static void test_exit_of_main(void)
{
	struct self self = start("leave_main");

	want("fn_hit", true);
	self_put(&self, 'h');
	CHECK_EQ(self_get(&self), '2');
	want("fn_hit", false);
	self_put(&self, 'h');
	CHECK_EQ(self_get(&self), '3');
	stop(&self);
}

void test_ends(void)
{
	test_exit();
	test_exit_under_way();
	test_exit_of_main();
}
