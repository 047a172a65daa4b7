/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the shell that runs the kernel's self-tests, so that what it does
 * to its machine it does to the sample program:
 *
 *   a fork        the program's console has a command run before it returns
 *   its own pid   /proc/self/stat is that of the console's task
 *   its mounts    there is one tracefs; on the real machine others may have theirs
 *   a setting     of the stack tracer, which the program has among its files
 *
 * MACHINE is a directory with the pipes `to' and `from' of the console, a `lock', and
 * the files that stand for those of /proc.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND	"sleep 0.001\n"
#define PROMPT	"# "

typedef int openat_fn(int dir, const char *path, int flags, ...);
typedef pid_t fork_fn(void);

static openat_fn *real_openat(void)
{
	return (openat_fn *)dlsym(RTLD_NEXT, "openat");
}

static const char *place(const char *name, char *path, size_t bytes)
{
	const char *machine = getenv("MACHINE");

	if (!machine || snprintf(path, bytes, "%s/%s", machine, name) >= (int)bytes)
		return NULL;
	return path;
}

static int open_part(const char *name, int flags)
{
	char path[4096];

	if (!place(name, path, sizeof(path)))
		return -1;
	return real_openat()(AT_FDCWD, path, flags | O_CLOEXEC);
}

/* The command, and all of the prompt that comes after it. */
static void run_command(int to, int from)
{
	char c;
	size_t at = 0;

	if (write(to, COMMAND, strlen(COMMAND)) < 0)
		return;
	while (at < strlen(PROMPT) && read(from, &c, 1) == 1)
		at = c == PROMPT[at] ? at + 1 : 0;
}

/*
 * One at a time has the console, and no signal ends him while he has: an answer that
 * nobody reads would be taken for the next one's.
 */
static void fork_in_program(void)
{
	int lock = open_part("lock", O_RDWR), to, from;
	int saved_errno = errno;
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (lock >= 0 && flock(lock, LOCK_EX) == 0) {
		/* Without a program nobody has the other end: no waiting for it. */
		to = open_part("to", O_WRONLY | O_NONBLOCK);
		from = to < 0 ? -1 : open_part("from", O_RDONLY);
		if (from >= 0)
			run_command(to, from);
		close(from);
		close(to);
	}
	close(lock);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved_errno;
}

pid_t fork(void)
{
	fork_in_program();
	return ((fork_fn *)dlsym(RTLD_NEXT, "fork"))();
}

/* A function that returns cannot call vfork(). */
pid_t vfork(void)
{
	return fork();
}

static int open_file(int dir, const char *path, int flags, mode_t mode)
{
	static const struct {
		const char *path, *name;
	} files[] = {
		{ "/proc/self/stat", "stat" },
		{ "/proc/mounts", "mounts" },
		{ "/proc/sys/kernel/stack_tracer_enabled", "stack_tracer" },
	};
	char ours[4096];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strcmp(path, files[i].path) == 0 &&
		    place(files[i].name, ours, sizeof(ours)))
			path = ours;
	return real_openat()(dir, path, flags, mode);
}

#define MODE(flags, mode)					\
	va_list args;						\
	mode_t mode = 0;					\
								\
	va_start(args, flags);					\
	if (flags & O_CREAT)					\
		mode = va_arg(args, mode_t);			\
	va_end(args)

int open(const char *path, int flags, ...)
{
	MODE(flags, mode);
	return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	MODE(flags, mode);
	return open_file(dir, path, flags, mode);
}

/* The same on 64 bits. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));
