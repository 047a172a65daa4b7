/* SPDX-License-Identifier: MIT */
#include "runtime/sched/task_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "arch/arch.h"

#define PATH_BYTES	64u

/* Write "/proc/self/task/TID/NAME" to @path. */
static void task_path(char path[PATH_BYTES], uint32_t tid, const char *name)
{
	char digits[10];
	int nr = 0;
	char *at = stpcpy(path, "/proc/self/task/");

	do {
		digits[nr++] = (char)('0' + tid % 10);
		tid /= 10;
	} while (tid);
	while (nr)
		*at++ = digits[--nr];
	*at++ = '/';
	strcpy(at, name);
}

long task_file_read(uint32_t tid, const char *name, char *buf, size_t size)
{
	char path[PATH_BYTES];
	long bytes;
	int fd;

	task_path(path, tid, name);
	fd = (int)arch_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	bytes = arch_syscall3(SYS_read, fd, buf, size);
	arch_syscall1(SYS_close, fd);
	return bytes;
}
