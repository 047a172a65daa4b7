/* SPDX-License-Identifier: MIT */
/* An allocator for the tests of ulf_libc, which is preloaded: its malloc() and free() call libc's,
 * as those of tools that count do. */
#include <stddef.h>

void *__libc_malloc(size_t bytes);
void __libc_free(void *ptr);
void *malloc(size_t bytes);
void free(void *ptr);

__attribute__((noinline)) void *malloc(size_t bytes)
{
	void *ptr = __libc_malloc(bytes);

	__asm__ volatile("" : "+r"(ptr));	/* no tail call: two calls of malloc() are nested */
	return ptr;
}

void free(void *ptr)
{
	__libc_free(ptr);
	__asm__ volatile("");
}
