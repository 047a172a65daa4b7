/* SPDX-License-Identifier: MIT */
/*
 * Access to words of shared memory that other processes change at the same time.  Each
 * function makes one load or one store, so that the server uses exactly the value that it
 * has checked.
 */
#ifndef ULF_SERVER_SHM_H
#define ULF_SERVER_SHM_H

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define shm_load(word)		__atomic_load_n((word), __ATOMIC_ACQUIRE)
#define shm_store(word, value)	__atomic_store_n((word), (value), __ATOMIC_RELEASE)

/* Wake all threads that wait for a change of @word.  If this fails, waiters continue
 * after their time limit. */
static inline void shm_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Sleep while *@word equals @value, for at most @ns nanoseconds. */
static inline void shm_wait(uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec limit = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

#endif
