/* SPDX-License-Identifier: MIT */
/*
 * Read the states of threads.  A stopped thread starts to run only if its tracer lets it, or
 * when the tracer is gone, and a stopped thread starts no other one.  So if all threads of one
 * walk over /proc/self/task are stopped, no thread runs.
 *
 *	/proc/self/task/TID/stat	TID (name) t ...	t: a tracer has stopped it
 *	/proc/self/task/TID/syscall	-1 SP IP		or NR ARG... SP IP in a system call
 */
#include "runtime/function/still_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/arch.h"

#define TASKS		"/proc/self/task"
#define NAME_BYTES	32u		/* space for a thread id and the name of a file */

/* An entry of a directory, as getdents64() returns it. */
struct entry {
	uint64_t ino;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

bool still_threads_are_none(void)
{
	struct stat st;

	/* A directory has two links, and one more for each directory in it. */
	return !arch_syscall4(SYS_newfstatat, AT_FDCWD, TASKS, &st, 0) && st.st_nlink == 3;
}

/* Read the file @name of the thread with the directory entry @tid.  Returns the number of
 * bytes, and a NUL after them, or -errno. */
static long read_file(long dir, const char *tid, const char *name, char *to, size_t room)
{
	size_t len = strnlen(tid, NAME_BYTES / 2);
	char path[NAME_BYTES];
	long fd, n;

	memcpy(path, tid, len);
	memcpy(path + len, name, strlen(name) + 1);
	fd = arch_syscall4(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	n = arch_syscall3(SYS_read, fd, to, room - 1);
	arch_syscall1(SYS_close, fd);
	to[n > 0 ? n : 0] = '\0';
	return n;
}

/* Returns the hexadecimal number after the last `0x' of @text, and cuts @text before it. */
static uint64_t take_last_number(char *text)
{
	char *at = NULL;
	uint64_t number = 0;

	for (char *next = strstr(text, "0x"); next; next = strstr(next + 2, "0x"))
		at = next;
	if (!at)
		return 0;
	for (const char *c = at + 2; (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'); c++)
		number = number << 4 | (uint64_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
	*at = '\0';
	return number;
}

static int see_thread(long dir, const char *tid, void (*see)(uint64_t ip, uint64_t sp))
{
	char text[512], *end = NULL;
	uint64_t ip, sp;
	long n = read_file(dir, tid, "/stat", text, sizeof(text));

	if (n < 0)
		return n == -ENOENT || n == -ESRCH ? 0 : (int)n;	/* it has ended */
	/* The state follows the last ')', because the name before it may contain any byte. */
	for (char *c = text; *c; c++)
		if (*c == ')')
			end = c;
	if (!end || end[1] != ' ')
		return -EBUSY;
	if (end[2] == 'Z' || end[2] == 'X')
		return 0;
	if (end[2] != 't')
		return -EBUSY;
	if (!see)
		return 0;
	n = read_file(dir, tid, "/syscall", text, sizeof(text));
	if (n < 0)
		return (int)n;
	ip = take_last_number(text);
	sp = take_last_number(text);
	if (!ip || !sp)
		return -EBUSY;
	see(ip, sp);
	return 0;
}

static bool is_number(const char *name, uint32_t number)
{
	uint32_t value = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		value = value * 10 + (uint32_t)(*name - '0');
	return !*name && value == number;
}

static int see_some(long dir, const char *entries, long bytes,
		    void (*see)(uint64_t ip, uint64_t sp))
{
	uint32_t self = (uint32_t)arch_syscall0(SYS_gettid);
	int r = 0;

	for (long at = 0; !r && at < bytes; ) {
		const struct entry *entry = (const void *)(entries + at);

		at += entry->bytes;
		if (entry->name[0] != '.' && !is_number(entry->name, self))
			r = see_thread(dir, entry->name, see);
	}
	return r;
}

int still_threads_see(void (*see)(uint64_t ip, uint64_t sp))
{
	long dir = arch_syscall4(SYS_openat, AT_FDCWD, TASKS,
				 O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	_Alignas(struct entry) char entries[2048];
	long n = dir;
	int r = 0;

	if (dir < 0)
		return (int)dir;
	while (!r && (n = arch_syscall3(SYS_getdents64, dir, entries, sizeof(entries))) > 0)
		r = see_some(dir, entries, n, see);
	arch_syscall1(SYS_close, dir);
	return r ? r : n < 0 ? (int)n : 0;
}
