/* SPDX-License-Identifier: MIT */
/*
 * For programs that are built with ThreadSanitizer: it sees their half of our
 * protocols (they are in headers) but not ours, and would take what is in
 * order for a race.  There these exist; elsewhere they are nothing.
 */
#ifndef ULF_RUNTIME_TSAN_H
#define ULF_RUNTIME_TSAN_H

extern void __tsan_acquire(void *addr) __attribute__((weak));
extern void __tsan_release(void *addr) __attribute__((weak));

static inline void tsan_acquire(void *addr)
{
	if (__tsan_acquire)
		__tsan_acquire(addr);
}

static inline void tsan_release(void *addr)
{
	if (__tsan_release)
		__tsan_release(addr);
}

#endif
