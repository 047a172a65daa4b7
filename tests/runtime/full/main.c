/* SPDX-License-Identifier: MIT */
/*
 * The tmpfs of the roots has K free pages, K from 0 to 64, before the start of a program or
 * at a later step of its life.  The short form tries every K at the start with half of the
 * setups, the long form (make torture) with all.  The program must never die of a signal,
 * with any settings, with a server and without.
 *
 * The test mounts a tmpfs of its own in a mount namespace.  An ordinary user needs a user
 * namespace, too.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ftrace.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/command.h"
#include "lib/self.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"
#include <ulf/tracing.h>

#define PAGES_MAX	64
#define TMPFS_MB	8
#define PAGE		4096ll
#define GOOD		42
#define NO_STEP		-1

/* ---- free pages ---- */

static int fill_fd(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/fill", command_env("ULF_DIR"));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		fail("%s: %s", path, strerror(errno));
	return fd;
}

static long free_pages(int fd)
{
	struct statfs fs;

	CHECK_EQ(fstatfs(fd, &fs), 0);
	return (long)fs.f_bfree;
}

/* Let the tmpfs have @pages free pages.  Other processes may free or take pages meanwhile, so
 * the result is only approximate. */
static void set_free(long pages)
{
	int fd = fill_fd();
	struct stat st;
	long more;

	for (int i = 0; i < 3; i++) {
		CHECK_EQ(fstat(fd, &st), 0);
		more = free_pages(fd) - pages;
		if (more > 0)
			(void)!posix_fallocate(fd, st.st_size, more * PAGE);
		else if (more < 0 && st.st_size)
			CHECK_EQ(ftruncate(fd, st.st_size > -more * PAGE ?
					   st.st_size + more * PAGE : 0), 0);
		else
			break;
	}
	close(fd);
}

static void empty(void)
{
	int fd = fill_fd();

	CHECK_EQ(ftruncate(fd, 0), 0);
	close(fd);
}

/* ---- the program ---- */

__attribute__((noinline, patchable_function_entry(5))) static int traced(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void callback(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		     struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent;
	(void)ops;
	(void)regs;
}

static void hit(void)
{
	for (int i = 0; i < 3; i++) {
		trace_rt_hit(1, i);
		trace_rt_long("text");
		trace_rt_bytes(3000);
		traced(i);
	}
}

static void *hit_in_thread(void *arg)
{
	hit();
	return arg;
}

static void do_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 5; i++)
		if (!pthread_create(&thread, NULL, hit_in_thread, NULL))
			pthread_join(thread, NULL);
}

/* Fork grandchildren, so that more slots are needed than one page holds. */
static void do_forks(void)
{
	int status;
	pid_t pid;

	for (int i = 0; i < 4; i++) {
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			hit();
			exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
}

static void do_module(const char *name)
{
	void (*say)(int value);
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/tests/%s.so", command_env("ULF_BUILD"), name);
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		fail("%s", dlerror());
	*(void **)&say = dlsym(handle, "full_say");
	if (say)
		say(2);
	dlclose(handle);
}

static void do_modules(void)
{
	do_module("runtime-mod_events");
	do_module("runtime-full-mod_says");
}

static void do_functions(void)
{
	struct ftrace_ops ops = { .func = callback };

	ftrace_set_filter(&ops, (unsigned char *)"traced*", 7, 0);
	if (!register_ftrace_function(&ops)) {
		hit();
		unregister_ftrace_function(&ops);
	}
	ftrace_free_filter(&ops);
}

static void do_switches(void)
{
	tracing_off();
	hit();
	tracing_on();
	tracing_snapshot();
	trace_dump_stack(0);
	hit();
}

/* Write settings as a user does.  A write may fail because there is no space. */
static void do_settings(void)
{
	if (!getenv("FULL_SERVED"))
		return;
	command("exec 2>/dev/null; root=runtime-full.%d; ulf echo 1 $root/events/rt/enable; "
		"ulf echo 'who > 0' $root/events/rt/rt_hit/filter; "
		"ulf echo function_graph $root/current_tracer; "
		"ulf echo 1 $root/function_profile_enabled", (int)getpid());
	hit();
}

static void (*const steps[])(void) = {
	hit, do_settings, do_switches, do_threads, do_forks, do_modules, do_functions, hit,
};
#define NR_STEPS	(int)(sizeof(steps) / sizeof(steps[0]))

/* life STEP PAGES: before this step, let the tmpfs have PAGES free pages. */
static int life(int argc, char **argv)
{
	int full_step = argc > 1 ? atoi(argv[0]) : NO_STEP;

	for (int i = 0; i < NR_STEPS; i++) {
		if (i == full_step)
			set_free(atoi(argv[1]));
		steps[i]();
	}
	return GOOD;
}

/* Start, hit events, and end. */
static int brief(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	hit();
	do_threads();
	return GOOD;
}

static const struct self_role roles[] = {
	{ "life", life },
	{ "brief", brief },
	{ NULL, NULL },
};

/* ---- the tests ---- */

struct setup {
	const char *name;
	const char *words;		/* value of ULF_TRACE; NULL: not set */
	bool has_printk;		/* preload mod_says */
	bool has_server;
};

#define BUFFER "trace_buf_size=8k "
static const struct setup setups[] = {
	{ "plain", NULL, false, false },
	{ "printk", NULL, true, false },
	{ "words", BUFFER "trace_event=rt:*", false, false },
	{ "instances", BUFFER "trace_instance=a,rt:* trace_instance=b,rt:rt_hit",
	  false, false },
	{ "plain, served", NULL, false, true },
	{ "printk, served", NULL, true, true },
	{ "events, served", BUFFER "trace_event=rt:*,mod:*", true, true },
	{ "instances, served", BUFFER "trace_event=rt:rt_hit trace_instance=a,rt:* "
	  "trace_instance=b,rt:rt_hit", false, true },
	{ "functions, served", BUFFER "ftrace=function_graph stacktrace alloc_snapshot",
	  false, true },
	{ "triggers, served", BUFFER "trace_event=rt:* trace_options=stacktrace "
	  "trace_trigger=\"rt_hit.traceoff:1 if who == 1,rt_long.stacktrace:2,"
	  "rt_bytes.snapshot:1\"", true, true },
};
#define NR_SETUPS	(int)(sizeof(setups) / sizeof(setups[0]))

static const char *exe, *build;
static int nr_runs, nr_failed;

static void start_as(const struct setup *setup, char *const argv[])
{
	char path[4096];

	if (setup->has_server)
		setenv("FULL_SERVED", "1", 1);
	if (setup->words)
		setenv("ULF_TRACE", setup->words, 1);
	if (setup->has_printk) {
		snprintf(path, sizeof(path), "%s/tests/runtime-full-mod_says.so", build);
		setenv("LD_PRELOAD", path, 1);
	}
	execv(exe, argv);
	_exit(1);
}

static void run(const struct setup *setup, int step, int pages)
{
	char step_text[16], pages_text[16];
	char *argv[] = { "full", step == NO_STEP ? "brief" : "life", step_text, pages_text,
			 NULL };
	int status;
	pid_t pid;

	snprintf(step_text, sizeof(step_text), "%d", step);
	snprintf(pages_text, sizeof(pages_text), "%d", pages);
	empty();
	if (setup->has_server)
		command("ulf rm --dead >/dev/null 2>&1");
	if (step == NO_STEP)
		set_free(pages);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		start_as(setup, argv);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	nr_runs++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == GOOD)
		return;
	nr_failed++;
	printf("%s, step %d, %d free pages: %s %d\n", setup->name, step, pages,
	       WIFSIGNALED(status) ? "signal" : "exit status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Returns the pid of the server, which serves all programs, and must survive them all. */
static pid_t server_pid(void)
{
	char *text = command_output("cat \"$ULF_DIR/server.lock\"");
	pid_t pid = atoi(text);

	free(text);
	return pid;
}

/* Test one setup.  The short form tries every second number of pages at the start, and every
 * 16th at each later step; the first number differs between setups. */
static void test_setup(int index)
{
	bool is_long = getenv("ULF_TORTURE");
	int start_stride = is_long ? 1 : 2, stride = is_long ? 1 : 16;

	for (int pages = index % start_stride; pages <= PAGES_MAX; pages += start_stride)
		run(&setups[index], NO_STEP, pages);
	for (int step = 0; step < NR_STEPS; step++)
		for (int pages = (index + step) % stride; pages <= PAGES_MAX; pages += stride)
			run(&setups[index], step, pages);
}

/* Enter the namespace by another program: this process has an agent, so two threads, and a
 * process with two threads cannot enter a user namespace. */
static void enter_namespace(void)
{
	const char *options = geteuid() ? "-rm" : "-m";

	if (command("unshare %s true 2>/dev/null", options))
		skip("no mount namespace here: unshare %s fails", options);
	execlp("unshare", "unshare", options, exe, "inside", NULL);
	fail("unshare: %s", strerror(errno));
}

static void mount_tmpfs(const char *dir)
{
	char options[64];

	snprintf(options, sizeof(options), "size=%dm,mode=0700", TMPFS_MB);
	if (mount("ulf", dir, "tmpfs", MS_NOSUID | MS_NODEV, options))
		skip("no tmpfs on %s: %s", dir, strerror(errno));
}

int main(int argc, char **argv)
{
	static char path[4096];
	pid_t server = 0;

	CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	exe = path;
	if (argc < 2)
		enter_namespace();
	if (strcmp(argv[1], "inside"))
		self_role(argc, argv, roles);
	build = command_env("ULF_BUILD");
	mount_tmpfs(command_env("ULF_DIR"));
	for (int i = 0; i < NR_SETUPS; i++) {
		if (setups[i].has_server && !server) {
			empty();
			command_ok("ulf ls >/dev/null");
			server = server_pid();
		}
		test_setup(i);
	}
	CHECK_EQ(server_pid(), server);
	CHECK_EQ(kill(server, 0), 0);
	command("ulf stop >/dev/null 2>&1");
	printf("score: %d starts, %d deaths\n", nr_runs, nr_failed);
	return nr_failed != 0;
}
