/* SPDX-License-Identifier: MIT */
/*
 * ftrace_dump() prints the buffer to stderr and stops recording, also in signal handlers.
 * The program does not see the child that prints.  With ULF_DUMP_ON_CRASH a program that dies
 * of a signal prints the buffer before.
 *
 * no-sanitize: address it has handlers for deadly signals itself
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"
#include <ulf/tracing.h>

#define HITS	50

static struct driver d;
static char out_path[4096];
static char text[1 << 20];

/* ---- the output ---- */

static int real_stderr;

/* Redirect stderr to the file until printed() reads it. */
static void catch_stderr(void)
{
	int fd = open(out_path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(dup2(fd, 2), 2);
	close(fd);
}

static const char *printed(void)
{
	int fd = open(out_path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	dup2(real_stderr, 2);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static int count(const char *all, const char *what)
{
	int nr = 0;

	while ((all = strstr(all, what))) {
		all += strlen(what);
		nr++;
	}
	return nr;
}

static void check_dump(int nr_hits)
{
	const char *all = printed();

	if (strncmp(all, "Dumping ftrace buffer:\n---------------------------------\n", 57) ||
	    count(all, "---------------------------------\n") != 2)
		fail("this is no dump:\n%s", all);
	CHECK_EQ(count(all, ": rt_hit: who="), nr_hits);
}

/* ---- on request ---- */

static int nr_sigchld;

static void on_sigchld(int sig)
{
	(void)sig;
	nr_sigchld++;
}

static void on_usr1(int sig)
{
	(void)sig;
	ftrace_dump(DUMP_ALL);
}

static void open_root(void)
{
	trace_open(&d, getpid());
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
}

static void hit_on(int cpu, int nr)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < nr; i++)
		trace_rt_hit(i, cpu);
}

/* Find two CPUs that may be used, or the same CPU twice if there is only one. */
static void find_cpus(int cpus[2])
{
	cpu_set_t set;
	int nr = 0;

	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < CPU_SETSIZE && nr < 2; i++) {
		if (CPU_ISSET(i, &set))
			cpus[nr++] = i;
	}
	if (nr == 1)
		cpus[1] = cpus[0];
}

static void on_request(void)
{
	int cpus[2], fd;

	find_cpus(cpus);
	open_root();
	fd = open("/", O_PATH);
	signal(SIGCHLD, on_sigchld);
	signal(SIGUSR1, on_usr1);
	catch_stderr();
	hit_on(cpus[0], HITS);
	hit_on(cpus[1], HITS);

	ftrace_dump(DUMP_NONE);
	CHECK(tracing_is_on());
	CHECK_STR(printed(), "");

	catch_stderr();
	errno = 4711;
	ftrace_dump(DUMP_ALL);
	CHECK_EQ(errno, 4711);
	CHECK(!tracing_is_on());
	check_dump(2 * HITS);

	catch_stderr();
	ftrace_dump(DUMP_ORIG);
	check_dump(cpus[0] == cpus[1] ? 2 * HITS : HITS);

	tracing_on();
	hit_on(cpus[1], 1);
	catch_stderr();
	raise(SIGUSR1);
	check_dump(2 * HITS + 1);

	CHECK_EQ(nr_sigchld, 0);
	CHECK_EQ(wait(NULL), -1);
	CHECK_EQ(errno, ECHILD);
	CHECK_EQ(open("/", O_PATH), fd + 1);	/* no descriptor is left open */
	/* The dump has not consumed the records. */
	CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), 2 * HITS + 1);
}

/* ---- in separate programs ---- */

static int empty(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	catch_stderr();
	ftrace_dump(DUMP_ALL);
	CHECK_STR(printed(), "Dumping ftrace buffer:\n   (ftrace buffer empty)\n");
	return 0;
}

/* If stderr is closed, nothing may be printed to stdout. */
static int closed(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	catch_stderr();
	CHECK_EQ(dup2(2, 1), 1);
	close(2);
	ftrace_dump(DUMP_ALL);
	CHECK_STR(printed(), "");
	return 0;
}

/* Overwrite the environment, as a program does that sets its title. */
static int overwrites(int argc, char **argv)
{
	for (char **e = environ; *e; e++)
		memset(*e, 'x', strlen(*e));
	return empty(argc, argv);
}

static int lost(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	catch_stderr();
	ftrace_dump(DUMP_ALL);
	CHECK(strstr(printed(), "has not found the program `ulf`"));
	return 0;
}

static volatile int zero;

static __attribute__((noinline)) int overflow(int n)
{
	volatile char room[4096];

	room[n % 4096] = (char)n;
	return n > 1 << 30 ? 0 : overflow(n + 1) + room[n % 4096];
}

static void touch_cut_file(void)
{
	int fd = memfd_create("cut", MFD_CLOEXEC);
	volatile char *mem;

	CHECK_EQ(ftruncate(fd, 4096), 0);
	mem = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(mem != MAP_FAILED);
	CHECK_EQ(ftruncate(fd, 0), 0);
	mem[0] = 1;
}

static void *touch_nothing(void *arg)
{
	*(volatile int *)arg = 1;
	return arg;
}

static void in_thread(void)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, touch_nothing, NULL), 0);
	pthread_join(thread, NULL);
}

static void die_of(const char *what)
{
	if (!strcmp(what, "segv"))
		touch_nothing(NULL);
	else if (!strcmp(what, "overflow"))
		overflow(1);
	else if (!strcmp(what, "thread"))
		in_thread();
	else if (!strcmp(what, "bus"))
		touch_cut_file();
	else if (!strcmp(what, "ill"))
		__builtin_trap();
	else if (!strcmp(what, "fpe"))
		zero = 12345 / zero;
	else if (!strcmp(what, "abort"))
		abort();
	else if (!strcmp(what, "trap"))
		__asm__ volatile("int3");
	else if (!strcmp(what, "sys"))
		raise(SIGSYS);
}

static int dies(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };

	CHECK_EQ(argc, 1);
	setrlimit(RLIMIT_CORE, &no_core);
	open_root();
	for (int i = 0; i < HITS; i++)
		trace_rt_hit(i, 0);
	catch_stderr();
	die_of(argv[0]);
	return 0;
}

static int dies_on(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };
	int cpus[2];

	CHECK_EQ(argc, 1);
	setrlimit(RLIMIT_CORE, &no_core);
	open_root();
	find_cpus(cpus);
	hit_on(cpus[0], 1);
	hit_on(cpus[1], HITS);
	catch_stderr();
	die_of(argv[0]);
	return 0;
}

static int ignores(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	catch_stderr();
	raise(SIGTRAP);			/* ignored from the start */
	CHECK_STR(printed(), "");
	return 0;
}

static const struct self_role roles[] = {
	{ "empty", empty }, { "closed", closed }, { "overwrites", overwrites },
	{ "lost", lost }, { "dies", dies },
	{ "dies_on", dies_on }, { "ignores", ignores }, { NULL, NULL },
};

static int run(const char *role, const char *arg)
{
	struct self self = self_start(role, arg);

	return self_wait(&self);
}

static void crashes(void)
{
	static const struct {
		const char *how;
		int sig;
	} deaths[] = {
		{ "segv", SIGSEGV }, { "overflow", SIGSEGV }, { "thread", SIGSEGV },
		{ "bus", SIGBUS }, { "ill", SIGILL }, { "fpe", SIGFPE },
		{ "abort", SIGABRT }, { "trap", SIGTRAP }, { "sys", SIGSYS },
	};

	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		CHECK_EQ(run("dies", deaths[i].how), 128 + deaths[i].sig);
		check_dump(HITS);
	}
	CHECK_EQ(run("dies", "not"), 0);
	CHECK_STR(printed(), "");
	signal(SIGTRAP, SIG_IGN);
	CHECK_EQ(run("ignores", NULL), 0);
	signal(SIGTRAP, SIG_DFL);
}

int main(int argc, char **argv)
{
	int cpus[2];
	const char *dir = getenv("TMPDIR"), *path = getenv("PATH");
	char *saved = strdup(path ? path : "");

	real_stderr = dup(2);
	snprintf(out_path, sizeof(out_path), "%s/printed", dir ? dir : "/tmp");
	self_role(argc, argv, roles);
	CHECK_EQ(run("empty", NULL), 0);
	CHECK_EQ(run("closed", NULL), 0);
	CHECK_EQ(run("overwrites", NULL), 0);
	setenv("PATH", "relative:/nosuch", 1);
	if (access("/usr/local/bin/ulf", F_OK))
		CHECK_EQ(run("lost", NULL), 0);
	setenv("PATH", saved, 1);

	CHECK_EQ(run("dies", "segv"), 128 + SIGSEGV);
	CHECK_STR(printed(), "");		/* not requested */
	setenv("ULF_DUMP_ON_CRASH", "1", 1);
	crashes();
	setenv("ULF_DUMP_ON_CRASH", "0", 1);
	CHECK_EQ(run("dies", "segv"), 128 + SIGSEGV);
	CHECK_STR(printed(), "");
	setenv("ULF_TRACE", "ftrace_dump_on_oops", 1);
	CHECK_EQ(run("dies", "segv"), 128 + SIGSEGV);
	check_dump(HITS);
	find_cpus(cpus);
	setenv("ULF_TRACE", "ftrace_dump_on_oops=orig_cpu", 1);
	CHECK_EQ(run("dies_on", "segv"), 128 + SIGSEGV);
	check_dump(cpus[0] == cpus[1] ? HITS + 1 : HITS);
	on_request();
	free(saved);
	return 0;
}
