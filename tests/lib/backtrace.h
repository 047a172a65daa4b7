/* SPDX-License-Identifier: MIT */
/* Calls libc's own backtrace().  A sanitizer's backtrace() also lists its own frames. */
#ifndef TESTS_LIB_BACKTRACE_H
#define TESTS_LIB_BACKTRACE_H

#include <dlfcn.h>
#include <stdlib.h>

static int (*libc_backtrace)(void **pcs, int nr);

/* Find backtrace() and call it once, because its first call loads a library. */
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
