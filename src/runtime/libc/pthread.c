/* SPDX-License-Identifier: MIT */
/*
 * pthread_create(), for the option event-fork: who has started a thread can be
 * learned nowhere else.  Unless there is a list with that option it does nothing
 * but call libc's, or whose it is: sanitizers and allocators have one, too.
 *
 * In libulf.so alone.  A program that is linked with libulf.a, or gets libulf by
 * dlopen(), calls another one, and its threads inherit nothing; nor do they under
 * a sanitizer, which must be the first to see a thread.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "arch/arch.h"
#include "runtime/function/object.h"
#include "runtime/runtime.h"

const char object_is_library = 1;

typedef int create_fn(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*routine)(void *), void *arg);

static create_fn *next;			/* by whoever looks first */

static create_fn *find_next(void)
{
	create_fn *found = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!found) {
		*(void **)&found = dlsym(RTLD_NEXT, "pthread_create");
		__atomic_store_n(&next, found, __ATOMIC_RELAXED);
	}
	return found;
}

/* Early: in a child of fork() the dynamic linker may be locked. */
__attribute__((constructor(101))) static void look_early(void)
{
	find_next();
}

struct start {
	void *(*routine)(void *arg);
	void *arg;
	uint32_t creator;
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

static int create_heir(create_fn *create, pthread_t *thread,
		       const pthread_attr_t *attr, void *(*routine)(void *),
		       void *arg)
{
	struct start *start = memory_alloc(sizeof(*start));
	int r;

	if (!start)
		return create(thread, attr, routine, arg);
	*start = (struct start) {
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
