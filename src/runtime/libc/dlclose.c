/* SPDX-License-Identifier: MIT */
/*
 * Wrap dlclose(), so that no library is unmapped while the agent patches its function
 * sites, and so that libulf forgets the library before another one is mapped at the same
 * address.  The rest is libc's dlclose().
 *
 * Only libulf.so has this function.  A program that is linked with libulf.a, or that
 * loads libulf by dlopen(), calls libc's dlclose() directly.  Also, a dlopen() that
 * fails unmaps libraries without dlclose().  In these cases the agent may notice the
 * unmapping too late: see "Limits" in docs/design/functions.md.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "runtime/function/ftrace.h"
#include "runtime/usdt/usdt.h"

typedef int close_fn(void *handle);

static close_fn *next;			/* libc's dlclose(); the first call of
					 * libulf's dlclose() sets this pointer */

static close_fn *find_next(void)
{
	close_fn *found = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!found) {
		*(void **)&found = dlsym(RTLD_NEXT, "dlclose");
		__atomic_store_n(&next, found, __ATOMIC_RELAXED);
	}
	return found;
}

__attribute__((visibility("default"))) int dlclose(void *handle)
{
	close_fn *close = find_next();
	int r;

	if (!close)
		return -1;
	ftrace_unload_begin();
	r = close(handle);
	ftrace_unload_end();
	usdt_objects_changed();
	return r;
}
