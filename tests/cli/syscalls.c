/* SPDX-License-Identifier: MIT */
/*
 * A program that makes system calls, for tests/cli/syscalls.sh.
 *
 *	cli-syscalls list	make a fixed list of calls between umask(0101) and umask(0102)
 *	cli-syscalls special	interrupt calls by signals, cancel a thread in a call, start
 *				programs by vfork() and posix_spawn(), and print what happened
 *	cli-syscalls threads	threads call, fork and take signals until the end of the standard
 *				input, and check all results.  For each line of the input, print
 *				whether the code of libc is that of its file
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS	5

static void check(bool is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "wrong: %s: %m\n", what);
	abort();
}
#define CHECK(condition)	check(condition, #condition)

static void on_signal(int number)
{
	int saved = errno;

	(void)number;
	CHECK(lseek(-1, 77, SEEK_END) == -1 && errno == EBADF);
	errno = saved;
}

/* Wait for a child that must exit with @status. */
static void wait_for(pid_t child, int status)
{
	int seen = 0;

	CHECK(child > 0 && waitpid(child, &seen, 0) == child);
	CHECK(WIFEXITED(seen) && WEXITSTATUS(seen) == status);
}

static void *run_thread(void *arg)
{
	CHECK(dup3(2, 2, 0) == -1 && errno == EINVAL);
	return arg;
}

static void call_with_children(void)
{
	pthread_t thread;
	pid_t child = fork();

	if (!child) {
		CHECK(getppid() > 0 && lseek(0, 1, 99) == -1);
		_exit(3);
	}
	wait_for(child, 3);
	child = vfork();
	if (!child)
		_exit(4);
	wait_for(child, 4);
	CHECK(!pthread_create(&thread, NULL, run_thread, NULL) && !pthread_join(thread, NULL));
}

static int make_list(void)
{
	char line[16];
	struct stat st;
	int pair[2], file;

	CHECK(getppid() > 0);
	file = open("/dev/null", O_WRONLY | O_CLOEXEC);
	CHECK(file >= 0 && write(file, "abc", 3) == 3 && !fstat(file, &st));
	CHECK(fcntl(file, F_GETFD) == FD_CLOEXEC && dup2(file, 9) == 9);
	CHECK(!close(9) && close(9) == -1 && errno == EBADF);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	CHECK(send(pair[0], "12345", 5, MSG_NOSIGNAL) == 5);
	CHECK(read(pair[1], line, sizeof(line)) == 5 && read(-1, line, 1) == -1);
	CHECK(getpriority(PRIO_PROCESS, 0) < 20 && sched_yield() == 0 && alarm(0) == 0);
	CHECK(kill(getpid(), 0) == 0 && access("/nowhere", R_OK) == -1);
	/* The dynamic linker makes these calls. */
	CHECK(!dlopen("libulf-nowhere.so", RTLD_NOW));
	signal(SIGUSR1, on_signal);
	CHECK(raise(SIGUSR1) == 0);
	call_with_children();
	return 0;
}

/* ---- calls that do not simply return ---- */

static int pipe_ends[2];

static void on_timer(int number)
{
	int saved = errno;

	(void)number;
	CHECK(write(pipe_ends[1], "x", 1) == 1);
	errno = saved;
}

/* Let on_timer() run again and again from now on, or no more. */
static void set_timer(int flags, bool is_on)
{
	const struct itimerval soon = { { 0, 10000 }, { 0, 10000 } }, off = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_timer, .sa_flags = flags };
	char byte;

	CHECK(!sigaction(SIGALRM, &action, NULL));
	CHECK(!setitimer(ITIMER_REAL, is_on ? &soon : &off, NULL));
	while (!is_on && recv(pipe_ends[0], &byte, 1, MSG_DONTWAIT) == 1)
		;
}

static void report(const char *what, long result)
{
	printf("%s: %s\n", what, result >= 0 ? "returned" : strerrorname_np(errno));
}

/* Make blocking calls while signals come.  @flags: of the handler. */
static void interrupt_calls(int flags)
{
	const struct timespec day = { 86400, 0 };
	int other[2];
	char byte;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, other));
	set_timer(flags, true);
	report("read", read(flags ? pipe_ends[0] : other[0], &byte, 1));
	report("recv", recv(flags ? pipe_ends[0] : other[0], &byte, 1, 0));
	report("pause", pause());
	report("nanosleep", nanosleep(&day, NULL));
	report("poll", poll(&(struct pollfd){ other[0], POLLIN, 0 }, 1, -1));
	set_timer(flags, false);
	close(other[0]);
	close(other[1]);
}

static void note_cleanup(void *arg)
{
	*(bool *)arg = true;
}

static void *sleep_for_ever(void *arg)
{
	char byte;

	pthread_cleanup_push(note_cleanup, arg);
	while (read(pipe_ends[0], &byte, 1) >= 0)
		;
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel_thread(void)
{
	bool was_cleaned = false;
	pthread_t thread;
	void *result = NULL;

	CHECK(!pthread_create(&thread, NULL, sleep_for_ever, &was_cleaned));
	CHECK(!pthread_cancel(thread) && !pthread_join(thread, &result));
	printf("cancelled: %d, cleaned: %d\n", result == PTHREAD_CANCELED, was_cleaned);
}

static int make_special(void)
{
	char *const args[] = { "sh", "-c", "exit 6", NULL }, *const env[] = { NULL };
	pid_t child;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pipe_ends));
	interrupt_calls(0);
	interrupt_calls(SA_RESTART);
	cancel_thread();
	child = vfork();
	if (!child) {
		execve("/bin/sh", args, env);
		_exit(9);
	}
	wait_for(child, 6);
	CHECK(!posix_spawn(&child, "/bin/sh", NULL, NULL, args, env));
	wait_for(child, 6);
	puts("spawned");
	exit(5);
}

/* ---- threads ---- */

static bool has_ended;

static void *call_all(void *arg)
{
	const struct timespec short_time = { 0, 100000 };
	pid_t parent = getppid();
	long number = (long)arg;
	double sum = number;

	for (unsigned int i = 0; !__atomic_load_n(&has_ended, __ATOMIC_RELAXED); i++) {
		double before = sum;

		CHECK(getppid() == parent);
		CHECK(lseek(-1, i, SEEK_SET) == -1 && errno == EBADF);
		sum += i;
		CHECK(sum == before + i);
		if (number == 0)
			raise(SIGUSR1);
		if (number == 1)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL);
		if (number == 2 && i % 500 == 0) {
			pid_t child = fork();

			if (!child)
				_exit(getppid() > 0 ? 7 : 8);
			wait_for(child, 7);
		}
	}
	return NULL;
}

/* Print how many bytes of libc's code differ from its file. */
static void compare_code(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t start, end, offset, function = (uint64_t)&getppid, nr = 0;
	char line[1024], path[512] = "";
	int file;
	uint8_t *code;

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %511s", &start,
			   &end, &offset, path) == 4 && function >= start && function < end)
			break;
	fclose(maps);
	file = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(file >= 0);
	code = mmap(NULL, end - start, PROT_READ, MAP_PRIVATE, file, (off_t)offset);
	CHECK(code != MAP_FAILED);
	for (uint64_t i = 0; i < end - start; i++)
		nr += code[i] != ((const uint8_t *)start)[i];
	munmap(code, end - start);
	close(file);
	printf("%s\n", nr ? "changed" : "original");
	fflush(stdout);
}

static int run_threads(void)
{
	pthread_t threads[THREADS];
	char line[16];

	signal(SIGUSR1, on_signal);
	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, call_all, (void *)i));
	while (fgets(line, sizeof(line), stdin))
		compare_code();
	__atomic_store_n(&has_ended, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "threads"))
		return run_threads();
	if (argc == 2 && !strcmp(argv[1], "special"))
		return make_special();
	umask(0101);
	make_list();
	umask(0102);
	return 0;
}
