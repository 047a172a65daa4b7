/* SPDX-License-Identifier: MIT */
/* libc's own backtrace(): that of a sanitizer finds itself, too. */
#ifndef TESTS_LIB_BACKTRACE_H
#define TESTS_LIB_BACKTRACE_H

#include <dlfcn.h>
#include <stdlib.h>

static int (*libc_backtrace)(void **pcs, int nr);

/* The first call of it loads what it needs. */
static inline void libc_backtrace_init(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *pcs[1];

	if (libc)
		*(void **)&libc_backtrace = dlsym(libc, "backtrace");
	if (!libc_backtrace)
		abort();
	libc_backtrace(pcs, 1);
}

#endif
