/* SPDX-License-Identifier: MIT */
/*
 * A program that is not linked with libulf, and whose main thread calls fork() at each step of
 * the start of libulf.  A step is a call of one of the functions of libc that are replaced
 * here.  Each child checks itself.
 *
 * forking FILE: end when FILE exists, and print the number of steps
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GOOD		42
#define STEP_MS		200	/* longest wait of a step: it may hold a lock that fork() takes */

static unsigned int asked, forked;
static bool is_ending;

static void sleep_ms(long ms)
{
	const struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, NULL);
}

/* Let the main thread call fork() while this thread is here. */
static void step(void)
{
	unsigned int number;
	int saved = errno;

	if (syscall(SYS_gettid) == syscall(SYS_getpid) ||
	    __atomic_load_n(&is_ending, __ATOMIC_RELAXED))
		return;
	number = __atomic_add_fetch(&asked, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < STEP_MS && __atomic_load_n(&forked, __ATOMIC_SEQ_CST) < number; i++)
		sleep_ms(1);
	errno = saved;
}

/* ---- functions of libc that libulf calls when it starts ---- */

int mprotect(void *start, size_t bytes, int rights)
{
	step();
	return (int)syscall(SYS_mprotect, start, bytes, rights);
}

int madvise(void *start, size_t bytes, int advice)
{
	step();
	return (int)syscall(SYS_madvise, start, bytes, advice);
}

int ftruncate64(int fd, off_t bytes)
{
	step();
	return (int)syscall(SYS_ftruncate, fd, bytes);
}

int mkdir(const char *path, mode_t mode)
{
	step();
	return (int)syscall(SYS_mkdir, path, mode);
}

int rename(const char *from, const char *to)
{
	step();
	return (int)syscall(SYS_rename, from, to);
}

ssize_t readlink(const char *path, char *target, size_t bytes)
{
	step();
	return syscall(SYS_readlink, path, target, bytes);
}

uid_t geteuid(void)
{
	step();
	return (uid_t)syscall(SYS_geteuid);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	step();
	return (int)syscall(SYS_openat, -100, path, flags, mode);
}

/* ---- the program ---- */

/* Return a number that shows whether memory, files and threads of the child are as they should
 * be. */
static int check_child(void)
{
	char *memory = malloc(100000), *line = NULL;
	size_t bytes = 0;
	int status = GOOD;
	FILE *file;
	pid_t pid;

	memset(memory, 1, 100000);
	file = fopen("/proc/self/maps", "r");
	if (!file || getline(&line, &bytes, file) <= 0)
		return 1;
	fclose(file);
	free(memory);
	free(line);
	pid = fork();
	if (!pid)
		exit(GOOD);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}

/* Returns false if the child has crashed, or reports an error. */
static bool fork_one(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		exit(check_child());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		printf("fork: %s\n", strerror(errno));
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != GOOD)
		printf("child: wait status %#x\n", (unsigned int)status);
	else
		return true;
	return false;
}

int main(int argc, char **argv)
{
	unsigned int number, bad = 0;

	puts("ready");
	fflush(stdout);
	while (argc > 1 && access(argv[1], F_OK)) {
		number = __atomic_load_n(&asked, __ATOMIC_SEQ_CST);
		if (number == forked) {
			sleep_ms(1);
			continue;
		}
		bad += !fork_one();
		__atomic_store_n(&forked, number, __ATOMIC_SEQ_CST);
	}
	__atomic_store_n(&is_ending, true, __ATOMIC_RELAXED);
	printf("%u steps, %u bad children\n", forked, bad);
	return bad != 0;
}
