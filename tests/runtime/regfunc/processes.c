/* SPDX-License-Identifier: MIT */
/* Such events in children, and in programs that end. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "regfunc.h"

/* ---- fork ---- */

static void obey(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1) {
		c = (char)('0' + nr_reg * 2 + nr_unreg);
		if (write(out, &c, 1) != 1)
			break;
	}
	_exit(0);
}

static char ask(int to, int from)
{
	char c;

	CHECK_EQ(write(to, "?", 1), 1);
	CHECK_EQ(read(from, &c, 1), 1);
	return c;
}

/* Each process has its own functions, and its own thread that calls them. */
void test_fork(void)
{
	int to[2], from[2];
	pid_t pid;

	CHECK_EQ(pipe(to), 0);
	CHECK_EQ(pipe(from), 0);
	nr_reg = nr_unreg = 0;
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		close(to[1]);
		obey(to[0], from[1]);
	}
	trace_wait_agent(&d, pid);
	want("fn_hit", true);
	CHECK_EQ(nr_reg, 1);
	CHECK_EQ(ask(to[1], from[0]), '2');
	want("fn_hit", false);
	CHECK_EQ(nr_unreg, 1);
	CHECK_EQ(ask(to[1], from[0]), '3');
	close(to[1]);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	close(to[0]);
	close(from[0]);
	close(from[1]);
}

/* ---- the end of the program, with the event on ---- */

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

/* The last thread of the program is not the one that libulf has. */
static int leave_main(int argc, char **argv)
{
	static pthread_t self, other;

	(void)argc;
	(void)argv;
	self = pthread_self();
	pthread_create(&other, NULL, outlive, &self);
	pthread_exit(NULL);
}

/* For scripts: hits now and then; the function fails while argv[0] exists. */
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
