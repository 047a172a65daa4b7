/* SPDX-License-Identifier: MIT */
/*
 * Wrap the registration of atfork handlers, so that libulf's handlers are registered
 * first.  libc calls prepare handlers in reverse order, so libulf's is then the last
 * one before the fork.
 *
 * Why: libulf's prepare handler takes runtime_lock(); the handlers of libraries take
 * their own locks.  In any other order, fork() could deadlock.  The thread in fork()
 * would hold runtime_lock() and wait for a library's lock.  Meanwhile a thread in
 * dlopen() or dlclose() would hold that lock and wait for runtime_lock().
 *
 * libulf's constructor would be too late: the constructors of libraries that are linked
 * to the program run before it.
 *
 * Only libulf.so has this function, and only glibc calls it: glibc's pthread_atfork()
 * calls __register_atfork().
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "runtime/agent.h"
#include "runtime/fork.h"

typedef int register_fn(void (*prepare)(void), void (*parent)(void),
			void (*child)(void), void *object);

register_fn __register_atfork;

/* __register_atfork() is not instrumented, because a sanitizer may call it before the
 * sanitizer's data is set up. */
__attribute__((visibility("default"), no_sanitize_address, no_sanitize_thread))
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *object)
{
	static register_fn *next;	/* glibc's own __register_atfork(); the first
					 * call sets this pointer */
	register_fn *found = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!found) {
		*(void **)&found = dlsym(RTLD_NEXT, "__register_atfork");
		__atomic_store_n(&next, found, __ATOMIC_RELAXED);
	}
	if (!found)
		return ENOSYS;
	/* Under a sanitizer, do not register libulf's handlers now: the handler in the
	 * child starts an agent, and must run after the sanitizer's handler. */
	if (!agent_is_watched())
		fork_watch();
	return found(prepare, parent, child, object);
}
