/* SPDX-License-Identifier: MIT */
/* Memory that does not come from libc's malloc(). */
#ifndef ULF_RUNTIME_BASE_MEMORY_H
#define ULF_RUNTIME_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns @bytes bytes, all 0, or NULL.  Takes the runtime's lock. */
void *memory_alloc(size_t bytes);
/* Returns @bytes bytes, or NULL.  After memory_free(), only memory_alloc_stable() uses
 * this memory again.  Reused memory has its old content, not zeroes.  Takes the
 * runtime's lock. */
void *memory_alloc_stable(size_t bytes);
/* Free memory of memory_alloc() or memory_alloc_stable().  @ptr may be NULL.  Takes the
 * runtime's lock. */
void memory_free(void *ptr);
/* Reserve @bytes bytes of address space without access rights.  The caller can then map
 * memory there.  Returns NULL if there is no space. */
void *memory_reserve(uint64_t bytes);
/* Returns a table of @bytes bytes, all 0, or NULL.  The kernel allocates a memory page
 * of the table at the first access to the page.  The table cannot be freed. */
void *memory_alloc_table(uint64_t bytes);
/*
 * memory_note_large - note a range that mlockall() must not lock with the program's
 *	memory.  Only one thread at a time may call this.  Returns false if there are too
 *	many ranges.
 * memory_is_large - returns true if @addr is in a range of memory_note_large().
 * memory_is_in - returns true if @addr is in the range [@start, @end).
 * The last two functions lower *@until to the end of the addresses for which the answer
 * is valid.  They take no locks.
 */
bool memory_note_large(void *mem, uint64_t bytes);
bool memory_is_large(uint64_t addr, uint64_t *until);
bool memory_is_in(uint64_t start, uint64_t end, uint64_t addr, uint64_t *until);
/*
 * Collect memory of memory_alloc() in a list, to free it later.  An empty list is NULL.
 *
 * memory_defer - add @ptr, which may be NULL, to *@list.
 * memory_defer_all - move everything in the list @more to *@list.
 * memory_free_deferred - free everything in @list.
 */
void memory_defer(void **list, void *ptr);
void memory_defer_all(void **list, void *more);
void memory_free_deferred(void *list);

#endif
