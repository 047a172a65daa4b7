/* SPDX-License-Identifier: MIT */
/*
 * A library to preload: ulf sees a kernel with Yama.
 *
 *	YAMA_SCOPE	a file, in place of /proc/sys/kernel/yama/ptrace_scope.  Nobody may trace,
 *			so nobody may open the memory of a process either
 *	YAMA_TRACERS	a file: which process allows which other one to trace it
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (getenv("YAMA_SCOPE") && !fnmatch("/proc/[0-9]*/mem", path, 0)) {
		errno = EACCES;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	const char *scope = getenv("YAMA_SCOPE");

	if (scope && !strcmp(path, "/proc/sys/kernel/yama/ptrace_scope"))
		path = scope;
	return fopen(path, mode);
}

int prctl(int option, ...)
{
	const char *name = getenv("YAMA_TRACERS");
	unsigned long arg[4];
	va_list args;
	FILE *file;

	va_start(args, option);
	for (int i = 0; i < 4; i++)
		arg[i] = va_arg(args, unsigned long);
	va_end(args);
	if (option != PR_SET_PTRACER || !name)
		return (int)syscall(SYS_prctl, option, arg[0], arg[1], arg[2], arg[3]);
	file = fopen(name, "a");
	fprintf(file, "%d %d\n", getpid(), (int)arg[0]);
	fclose(file);
	return 0;
}
