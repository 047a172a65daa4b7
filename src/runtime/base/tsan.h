/* SPDX-License-Identifier: MIT */
/*
 * Annotations for programs that are built with ThreadSanitizer.  It sees the program's
 * half of our protocols, which is in headers, but not the half in libulf, and would
 * report correct accesses as races.  In such programs the weak functions exist; in others
 * these calls do nothing.
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
