/* SPDX-License-Identifier: MIT */
/*
 * A program starts in time though the server that it would wait for hangs: one that sleeps,
 * one that uses all of a CPU, and one that has shown signs of life before.  Nor does it wait
 * again later, in a dlopen() of a module that needs the server.  A server that shows signs
 * of life is waited for.
 *
 * The servers here are processes that listen where a server would, and do nothing more than
 * write their beats.  Times are the least of some starts, so that a busy machine does not
 * matter; what is allowed is far from what a program waited once, 2 to 7 seconds.
 *
 * waits: until programs give the server up
 * no-sanitize: thread a start takes too long
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/beat.h"
#include "abi/control.h"
#include "lib/check.h"
#include "lib/command.h"
#include "lib/self.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define STARTS		3
#define HUNG_MS		900		/* at most; 100 are meant */
#define BEAT_MS		400		/* signs of life of the one that hangs later */
#define WAIT_MS		1500		/* at least, while there are signs */

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the program ---- */

/* With trace_printk() in it, and no rings yet. */
static void load_module(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/runtime-full-mod_says.so",
		 command_env("ULF_BUILD"));
	if (!dlopen(path, RTLD_NOW))
		fail("%s", dlerror());
}

static int program(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	trace_rt_hit(1, 1);
	load_module();
	return 0;
}

static const struct self_role roles[] = {
	{ "program", program },
	{ NULL, NULL },
};

/* ---- servers ---- */

static void beat(void)
{
	struct abi_beat beat = { ABI_VERSION, (uint32_t)getpid(), (uint64_t)now_ms() };
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/" ABI_BEAT_FILE, command_env("ULF_DIR"));
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(pwrite(fd, &beat, sizeof(beat), 0), sizeof(beat));
	close(fd);
}

static void sleep_only(void)
{
	beat();
	for (;;)
		pause();
}

static void spin(void)
{
	beat();
	for (;;)
		;
}

static void beat_always(void)
{
	for (;; usleep(20000))
		beat();
}

/* From the moment when a program connects. */
static void beat_then_sleep(int fd)
{
	for (;;) {
		int client = accept(fd, NULL, NULL);
		long end = now_ms() + BEAT_MS;

		for (; now_ms() < end; usleep(20000))
			beat();
		close(client);
	}
}

static int listen_here(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/server.sock",
		 command_env("ULF_DIR"));
	unlink(addr.sun_path);
	CHECK_EQ(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	CHECK_EQ(listen(fd, 64), 0);
	return fd;
}

enum kind { SLEEPS, SPINS, BEATS_THEN_SLEEPS, BEATS, KINDS };

static const char *const kind_names[KINDS] = {
	"sleeps", "uses a CPU", "hangs after signs of life", "shows signs of life",
};

static pid_t start_server(enum kind kind)
{
	int fd = listen_here();
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid) {
		close(fd);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (kind == SLEEPS)
		sleep_only();
	else if (kind == SPINS)
		spin();
	else if (kind == BEATS)
		beat_always();
	beat_then_sleep(fd);
	_exit(1);
}

static void stop_server(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- starts ---- */

static long start_ms(void)
{
	long start = now_ms();
	struct self self = self_start("program", NULL);

	CHECK_EQ(self_wait(&self), 0);
	return now_ms() - start;
}

static long least_ms(int nr)
{
	long least = start_ms();

	for (int i = 1; i < nr; i++) {
		long ms = start_ms();

		if (ms < least)
			least = ms;
	}
	return least;
}

static void test(enum kind kind, const char *words)
{
	pid_t pid = start_server(kind);
	long ms;

	if (words)
		setenv("ULF_TRACE", words, 1);
	else
		unsetenv("ULF_TRACE");
	ms = least_ms(kind == BEATS ? 1 : STARTS);
	stop_server(pid);
	printf("the server %s, %s: %ld ms\n", kind_names[kind],
	       words ? words : "trace_printk()", ms);
	if (kind == BEATS && ms < WAIT_MS)
		fail("it was not waited for");
	if (kind == BEATS_THEN_SLEEPS && ms < BEAT_MS)
		fail("it was not waited for while it showed signs of life");
	if (kind != BEATS && ms > HUNG_MS + (kind == BEATS_THEN_SLEEPS ? BEAT_MS : 0))
		fail("it was waited for too long");
}

int main(int argc, char **argv)
{
	static const char *const words[] = {
		NULL, "trace_event=rt:*", "ftrace=function",
		"trace_event=rt:* trace_trigger=rt_hit.traceoff:1",
	};

	self_role(argc, argv, roles);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (enum kind kind = 0; kind < BEATS; kind++)
			test(kind, words[i]);
	test(BEATS, words[0]);
	return 0;
}
