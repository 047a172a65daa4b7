/* SPDX-License-Identifier: MIT */
/*
 * The events of the system ulf_libc, and the functions of libc that they are about.
 *
 * A process finds the functions: their addresses are those to which its own references to them are
 * bound (abi_control.libcalls).  The server reads the addresses, has the objects analysed in which
 * they are, and gives the functions the user ABI_FUNCTIONS_LIBC.
 */
#ifndef ULF_ABI_LIBC_EVENTS_H
#define ULF_ABI_LIBC_EVENTS_H

/* The events: X(id, name). */
#define LIBCALL_EVENTS(X)							\
	X(MALLOC, malloc)							\
	X(FREE, free)								\
	X(CALLOC, calloc)							\
	X(REALLOC, realloc)							\
	X(MEMALIGN, memalign)							\
	X(MUTEX_CONTENDED, mutex_contended)					\
	X(THREAD_CREATE, thread_create)						\
	X(THREAD_START, thread_start)						\
	X(THREAD_END, thread_end)

#define LIBCALL_EVENT_ENUM(id, name) LIBCALL_EVENT_##id,
enum libcall_event_id {
	LIBCALL_EVENTS(LIBCALL_EVENT_ENUM)
		LIBCALL_NR_EVENTS,
};

/*
 * The functions: X(number, id, name, event).  A number never changes.  LIBCALLS_BOUND lists
 * functions to which references of the program are bound.  LIBCALLS_OWN lists functions that
 * must be found in libc by name: libulf.so has a pthread_create(), too, and programs do not
 * refer to the other two.
 */
#define LIBCALLS_BOUND(X)								\
	X(0, MALLOC, malloc, MALLOC)						\
	X(1, FREE, free, FREE)							\
	X(2, CALLOC, calloc, CALLOC)						\
	X(3, REALLOC, realloc, REALLOC)						\
	X(4, ALIGNED_ALLOC, aligned_alloc, MEMALIGN)				\
	X(5, MEMALIGN, memalign, MEMALIGN)					\
	X(6, POSIX_MEMALIGN, posix_memalign, MEMALIGN)				\
	X(7, VALLOC, valloc, MEMALIGN)						\
	X(8, PVALLOC, pvalloc, MEMALIGN)					\
	X(9, MUTEX_LOCK, pthread_mutex_lock, MUTEX_CONTENDED)			\
	X(10, MUTEX_TIMEDLOCK, pthread_mutex_timedlock, MUTEX_CONTENDED)	\
	X(11, MUTEX_CLOCKLOCK, pthread_mutex_clocklock, MUTEX_CONTENDED)
#define LIBCALLS_OWN(X)								\
	X(12, PTHREAD_CREATE, pthread_create, THREAD_CREATE)			\
	X(13, CTYPE_INIT, __ctype_init, THREAD_START)				\
	X(14, CALL_TLS_DTORS, __call_tls_dtors, THREAD_END)
#define LIBCALLS(X)	LIBCALLS_BOUND(X) LIBCALLS_OWN(X)

#define LIBCALL_ENUM(number, id, name, event) LIBCALL_##id = (number),
enum libcall_number {
	LIBCALLS(LIBCALL_ENUM)
		LIBCALL_NR,
};

#endif
