/* SPDX-License-Identifier: MIT */
/*
 * pthread_atfork(), so that our handlers are the first that libc knows, and the last
 * that it calls before fork().  Ours takes the runtime's lock; those of libraries
 * take locks of theirs.  A thread that has one of these and is in dlopen() or
 * dlclose() would else wait for the lock that fork() has, and fork() for the thread.
 *
 * Libraries that are linked to the program have their constructors called before
 * libulf's.  In libulf.so alone, and of glibc, whose pthread_atfork() is a call of this.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "runtime/runtime.h"

typedef int register_fn(void (*prepare)(void), void (*parent)(void),
			void (*child)(void), void *object);

register_fn __register_atfork;

/* A sanitizer may call it before what code that is watched needs is there. */
__attribute__((visibility("default"), no_sanitize_address, no_sanitize_thread))
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *object)
{
	static register_fn *next;	/* by whoever looks first */
	register_fn *found = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!found) {
		*(void **)&found = dlsym(RTLD_NEXT, "__register_atfork");
		__atomic_store_n(&next, found, __ATOMIC_RELAXED);
	}
	if (!found)
		return ENOSYS;
	/* What starts an agent in a child needs a sanitizer's handlers before it. */
	if (!agent_is_watched())
		runtime_watch_forks();
	return found(prepare, parent, child, object);
}
