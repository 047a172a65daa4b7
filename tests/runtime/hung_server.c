/* SPDX-License-Identifier: MIT */
/*
 * A program starts in time even if its server hangs: a server that sleeps, one that uses all
 * of a CPU, and one that has shown signs of life before.  The program does not wait again
 * later, in a dlopen() of a module that needs the server.  It does wait for a server that
 * shows signs of life.
 *
 * The servers here are processes that listen where a server listens, and only write beats.
 * The wait for a hung server is compared with the wait for a server that shows signs of life,
 * on this machine, at this time.  The shortest wait of some starts counts, so that a busy
 * machine does not matter.
 *
 * waits: until programs stop waiting for the server
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
#define BEAT_MS		400		/* time of beats of the server that hangs later */
#define WAIT_MS		1500		/* shortest wait while there are beats */

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the program ---- */

/* Load a module that uses trace_printk(), before there are rings. */
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

/* Beat for BEAT_MS from the moment when a program connects, then sleep. */
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

/* Start the program while the server behaves as @kind says.  Returns the shortest time from
 * start to end, in ms. */
static long test(enum kind kind, const char *words)
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
	return ms;
}

int main(int argc, char **argv)
{
	static const char *const words[] = {
		NULL, "trace_event=rt:*", "ftrace=function",
		"trace_event=rt:* trace_trigger=rt_hit.traceoff:1",
	};
	long longest;

	self_role(argc, argv, roles);
	longest = test(BEATS, words[0]);
	if (longest < WAIT_MS)
		fail("the program did not wait for the server");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (enum kind kind = 0; kind < BEATS; kind++) {
			long ms = test(kind, words[i]);

			if (kind == BEATS_THEN_SLEEPS && ms < BEAT_MS)
				fail("the program did not wait while the server was alive");
			if (ms >= longest)
				fail("the program waited as for a server that is alive");
		}
	}
	return 0;
}
