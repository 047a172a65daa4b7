/* SPDX-License-Identifier: MIT */
/*
 * Wrap pthread_create(), for the option event-fork.  There is no other way to find out
 * which thread has started a thread.  If no list of threads has that option, libulf's
 * function only calls the next pthread_create(): that of libc, or of a sanitizer or an
 * allocator.
 *
 * Only libulf.so has this function.  A program that is linked with libulf.a, or that
 * loads libulf by dlopen(), calls the next pthread_create() directly, and its threads
 * inherit nothing.  Threads inherit nothing under a sanitizer either, because its code
 * must run first in each thread.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "arch/arch.h"
#include "runtime/agent.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/buffer/pids.h"
#include "runtime/function/object.h"
#include <ulf/event.h>

const char object_is_library = 1;

typedef int create_fn(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*routine)(void *), void *arg);

static create_fn *next;			/* the next pthread_create(); set by the first
					 * find_next() */

static create_fn *find_next(void)
{
	create_fn *found = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!found) {
		*(void **)&found = dlsym(RTLD_NEXT, "pthread_create");
		__atomic_store_n(&next, found, __ATOMIC_RELAXED);
	}
	return found;
}

/* Find the next pthread_create() early: in a child of fork(), the lock of the dynamic
 * linker may be held for ever by a thread that does not exist in the child. */
__attribute__((constructor(101))) static void find_early(void)
{
	find_next();
}

/* Arguments of start_thread(), which frees them. */
struct start {
	void *(*routine)(void *arg);
	void *arg;
	uint32_t creator;		/* id of the thread that creates the new
					 * thread */
};

static void *start_thread(void *arg)
{
	struct start start = *(struct start *)arg;
	const struct ulf_thread *thread = ulf_probe_enter();

	memory_free(arg);
	if (thread) {
		pids_inherit(start.creator, thread->tid);
		ulf_probe_exit();
	}
	return start.routine(start.arg);
}

/* Create a thread, and add it to the lists of threads that contain its creator
 * (pids_inherit()).  If there is no memory for struct start, the thread is not
 * added. */
static int create_heir(create_fn *create, pthread_t *thread,
		       const pthread_attr_t *attr, void *(*routine)(void *),
		       void *arg)
{
	struct start *start = memory_alloc(sizeof(*start));
	int r;

	if (!start)
		return create(thread, attr, routine, arg);
	*start = (struct start){
		.routine = routine,
		.arg = arg,
		.creator = (uint32_t)arch_syscall0(SYS_gettid),
	};
	r = create(thread, attr, start_thread, start);
	if (r)
		memory_free(start);
	return r;
}

__attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	       void *(*routine)(void *), void *arg)
{
	create_fn *create = find_next();

	if (!create)
		return EAGAIN;
	if (root_control && pids_are_inherited() && !agent_is_watched())
		return create_heir(create, thread, attr, routine, arg);
	return create(thread, attr, routine, arg);
}
