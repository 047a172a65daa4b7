/* SPDX-License-Identifier: MIT */
/*
 * dlclose(), so that no library goes while the entries of its functions are being
 * changed, and what was known of it is forgotten before another comes to its place.
 * Else it does nothing but call libc's.
 *
 * In libulf.so alone.  Where a program calls another one (it is linked with libulf.a,
 * or gets libulf by dlopen()), or dlopen() unmaps what it could not load, the agent
 * may be late: see "Limits" in docs/design/functions.md.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "runtime/function/ftrace.h"

typedef int close_fn(void *handle);

static close_fn *next;			/* by whoever looks first */

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
	return r;
}
