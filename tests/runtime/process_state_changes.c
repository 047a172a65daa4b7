/* SPDX-License-Identifier: MIT */
/*
 * Programs that close all descriptors, block all signals, call chroot(), drop their rights,
 * lock their memory, and so on.  Each is traced and switched before and after it does so.
 *
 * no-sanitize: address its run-time looks at /proc, needs descriptors and rights
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE		65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

#define NOBODY	65534

/* ---- the changes: return 0, or the errno why it cannot be done here ---- */

/* libulf must have no descriptor that the program could close. */
static void look_at_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char to[4096];
	ssize_t n;

	while (dir && (entry = readdir(dir))) {
		n = readlinkat(dirfd(dir), entry->d_name, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = '\0';
		if (strstr(to, "/roots/"))
			fail("descriptor %s is %s", entry->d_name, to);
	}
	if (dir)
		closedir(dir);
}

static int close_all(void)
{
	look_at_descriptors();
	return close_range(5, ~0u, 0) ? errno : 0;
}

static int no_more_files(void)
{
	struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_NOFILE, &none) ? errno : 0;
}

static int no_large_files(void)
{
	struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_FSIZE, &none) ? errno : 0;
}

static int no_more_processes(void)
{
	struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_NPROC, &none) ? errno : 0;
}

static int block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	return sigprocmask(SIG_SETMASK, &all, NULL) ? errno : 0;
}

static int ignore_signals(void)
{
	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_IGN);
	return 0;
}

static void enter_new_directory(char *path, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(path, size, "%s/habits-XXXXXX", tmp ? tmp : "/tmp");
	CHECK(mkdtemp(path));
	CHECK_EQ(chdir(path), 0);
}

static int leave_directory(void)
{
	char dir[4096];

	enter_new_directory(dir, sizeof(dir));
	CHECK_EQ(rmdir(dir), 0);
	return 0;
}

static int change_root(void)
{
	char dir[4096];

	enter_new_directory(dir, sizeof(dir));
	return chroot(".") ? errno : 0;
}

static int drop_rights(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		return errno;
	CHECK(access("/proc/self/mem", R_OK | W_OK));
	return 0;
}

static int not_dumpable(void)
{
	return prctl(PR_SET_DUMPABLE, 0) ? errno : 0;
}

static int write_xor_execute(void)
{
	return prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) ? errno : 0;
}

static int everything(void)
{
	return close_all() || block_signals() || change_root() ||
	       drop_rights() || no_more_files();
}

static const struct habit {
	const char *name;
	int (*take_up)(void);
} habits[] = {
	{ "close all descriptors", close_all },
	{ "open none", no_more_files },
	{ "no large files", no_large_files },
	{ "no more processes", no_more_processes },
	{ "block all signals", block_signals },
	{ "ignore all signals", ignore_signals },
	{ "a directory that is gone", leave_directory },
	{ "chroot", change_root },
	{ "drop rights", drop_rights },
	{ "not dumpable", not_dumpable },
	{ "no writable code", write_xor_execute },
	{ "all of them", everything },
};
#define NR_HABITS (sizeof(habits) / sizeof(habits[0]))

/* ---- the program: a: make the change, h: hit ---- */

static int program(int argc, char **argv)
{
	const struct habit *habit = NULL;
	char c;
	int r;

	CHECK_EQ(argc, 1);
	for (size_t i = 0; i < NR_HABITS; i++) {
		if (!strcmp(habits[i].name, argv[0]))
			habit = &habits[i];
	}
	CHECK(habit);
	self_say('r');
	while ((c = self_hear())) {
		if (c == 'a') {
			r = habit->take_up();
			if (r)
				printf("left out: %s: %s\n", habit->name,
				       strerror(r));
			fflush(NULL);
			self_say(r ? 'n' : 'y');
		} else {
			trace_rt_hit(1, 1);
			trace_rt_long("a long one");
			self_say('d');
		}
	}
	return 0;
}

static const struct self_role roles[] = {
	{ "program", program },
	{ NULL, NULL },
};

/* ---- the test ---- */

static void expect(struct driver *d, const struct self *self, size_t nr)
{
	struct trace trace;

	self_put(self, 'h');
	CHECK_EQ(self_get(self), 'd');
	trace_read(d, &trace);
	CHECK_EQ(trace_count(d, &trace, "rt", "rt_hit", self->pid), nr);
	CHECK_EQ(trace_count(d, &trace, "rt", "rt_long", self->pid), nr);
	trace_free(&trace);
}

static void want(struct driver *d, bool on)
{
	CHECK_EQ(driver_enable(d, "rt", "rt_hit", on), 0);
	CHECK_EQ(driver_enable(d, "rt", "rt_long", on), 0);
}

static void test_habit(const struct habit *habit, bool is_on_before)
{
	struct self self = self_start("program", habit->name);
	struct driver d;

	CHECK_EQ(self_get(&self), 'r');
	CHECK_EQ(driver_open(&d, self.pid), 0);
	if (is_on_before) {
		CHECK_EQ(driver_rings(&d, &trace_config), 0);
		want(&d, true);
		expect(&d, &self, 1);
	}
	self_put(&self, 'a');
	if (self_get(&self) == 'y') {
		if (!is_on_before)
			CHECK_EQ(driver_rings(&d, &trace_config), 0);
		else
			expect(&d, &self, 1);
		want(&d, true);
		expect(&d, &self, 1);
		want(&d, false);
		expect(&d, &self, 0);
		want(&d, true);
		expect(&d, &self, 1);
	}
	if (self_wait(&self))
		fail("%s: a bad end", habit->name);
	driver_close(&d);
}

int main(int argc, char **argv)
{
	self_role(argc, argv, roles);
	for (size_t i = 0; i < NR_HABITS; i++) {
		test_habit(&habits[i], false);
		test_habit(&habits[i], true);
	}
	return 0;
}
