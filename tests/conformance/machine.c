/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the shell that runs the kernel's self-tests.  It redirects to the sample
 * program what the shell does to its machine:
 *
 *    a fork        runs a command on the program's console before it returns
 *    a chdir       happens in the console, too
 *    a marker      is written by the console
 *    its own pid   /proc/self/stat is the file of the console's task
 *    its mounts    there is one tracefs; the real machine may have others
 *    a setting     of the stack tracer: the file among the program's files
 *
 * A fork takes longer than on a real machine.  So a process that opens a histogram waits until
 * the shell has done the fork of the next command in a pipe.
 *
 * MACHINE is a directory with the pipes `to' and `from' of the console, a `lock', and the
 * files that replace those of /proc.  TRACEFS is the directory of the program as the console
 * finds it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORK	"sleep 0.001\n"
#define PROMPT	"# "

typedef int openat_fn(int dir, const char *path, int flags, ...);
typedef pid_t fork_fn(void);
typedef int chdir_fn(const char *path);
typedef ssize_t write_fn(int fd, const void *data, size_t bytes);

static openat_fn *real_openat(void)
{
	return (openat_fn *)dlsym(RTLD_NEXT, "openat");
}

static write_fn *real_write(void)
{
	return (write_fn *)dlsym(RTLD_NEXT, "write");
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

/* Send @command, and read until the end of the next prompt. */
static void run_command(int to, int from, const char *command)
{
	char c;
	size_t at = 0;

	if (real_write()(to, command, strlen(command)) < 0)
		return;
	while (at < strlen(PROMPT) && read(from, &c, 1) == 1)
		at = c == PROMPT[at] ? at + 1 : 0;
}

/*
 * Let the program fork.  One process at a time uses the console, and no signal ends it
 * meanwhile: otherwise the next process would read the answer to this command as its own.
 */
static void run_in_program(const char *command)
{
	int lock = open_part("lock", O_RDWR), to, from;
	int saved_errno = errno;
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (lock >= 0 && flock(lock, LOCK_EX) == 0) {
		/* O_NONBLOCK: do not wait if there is no program at the other end. */
		to = open_part("to", O_WRONLY | O_NONBLOCK);
		from = to < 0 ? -1 : open_part("from", O_RDONLY);
		if (from >= 0)
			run_command(to, from, command);
		close(from);
		close(to);
	}
	close(lock);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved_errno;
}

pid_t fork(void)
{
	run_in_program(FORK);
	return ((fork_fn *)dlsym(RTLD_NEXT, "fork"))();
}

/* A function that returns cannot call vfork(), so fork instead. */
pid_t vfork(void)
{
	return fork();
}

int chdir(const char *path)
{
	char command[256];

	if (snprintf(command, sizeof(command), "cd %s\n", path) < (int)sizeof(command) &&
	    !strchr(path, '\n'))
		run_in_program(command);
	return ((chdir_fn *)dlsym(RTLD_NEXT, "chdir"))(path);
}

/* The path of @fd below the machine's tracefs, if that is a trace_marker. */
static bool is_marker(int fd, char *path, size_t bytes)
{
	static const char dir[] = "/sys/kernel/tracing", name[] = "/trace_marker";
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, bytes - 1);
	if (n < (ssize_t)(strlen(dir) + strlen(name)) || strncmp(path, dir, strlen(dir)))
		return false;
	path[n] = '\0';
	memmove(path, path + strlen(dir), (size_t)n - strlen(dir) + 1);
	return strcmp(path + strlen(path) - strlen(name), name) == 0;
}

/* Have the console write a marker.  Returns false if it cannot. */
static bool mark(const char *marker, const void *data, size_t bytes)
{
	const char *dir = getenv("TRACEFS");
	char name[32], path[4096], command[8300];
	int fd;

	snprintf(name, sizeof(name), "marker.%d", getpid());
	if (!dir || !place(name, path, sizeof(path)))
		return false;
	fd = real_openat()(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	if (real_write()(fd, data, bytes) == (ssize_t)bytes &&
	    snprintf(command, sizeof(command), "mark %s %s%s\n", path, dir, marker) <
	    (int)sizeof(command))
		run_in_program(command);
	close(fd);
	unlink(path);
	return true;
}

ssize_t write(int fd, const void *data, size_t bytes)
{
	int saved_errno = errno;
	char marker[4096];
	bool has_marked = is_marker(fd, marker, sizeof(marker)) && mark(marker, data, bytes);

	errno = saved_errno;
	return has_marked ? (ssize_t)bytes : real_write()(fd, data, bytes);
}

/* /proc/PID/comm */
static bool is_comm(const char *path)
{
	size_t digits;

	if (strncmp(path, "/proc/", 6))
		return false;
	digits = strspn(path + 6, "0123456789");
	return digits && strcmp(path + 6 + digits, "/comm") == 0;
}

static bool is_hist(const char *path)
{
	size_t len = strlen(path);

	return len > 5 && strcmp(path + len - 5, "/hist") == 0;
}

/* Wait until no process uses the console. */
static void wait_for_console(void)
{
	int saved_errno = errno, lock = open_part("lock", O_RDWR);

	flock(lock, LOCK_SH);
	close(lock);
	errno = saved_errno;
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

	if (is_hist(path))
		wait_for_console();
	if (is_comm(path) && place("comm", ours, sizeof(ours)))
		path = ours;
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

/* open() and openat() under their other names, which are equal on 64 bits. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));
