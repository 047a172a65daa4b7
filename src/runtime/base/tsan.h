/* SPDX-License-Identifier: MIT */
/*
 * Annotations for programs that are built with ThreadSanitizer.  ThreadSanitizer sees
 * the accesses of code that the program compiles from libulf's headers, but not the
 * accesses in libulf.  So it would report a race although both parts together are
 * correct.  The weak functions exist only in such programs; in other programs
 * tsan_acquire() and tsan_release() do nothing.
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
