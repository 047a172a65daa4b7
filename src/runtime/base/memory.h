/* SPDX-License-Identifier: MIT */
/* Memory that does not come from libc's malloc(). */
#ifndef ULF_RUNTIME_BASE_MEMORY_H
#define ULF_RUNTIME_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns @bytes bytes, all 0, or NULL.  Takes the runtime's lock. */
void *memory_alloc(size_t bytes);
/* Returns memory as memory_alloc() does, but only this function uses the memory again after
 * memory_free(). Memory that is used again has its old content, not zeroes. */
void *memory_alloc_stable(size_t bytes);
/* Free memory of memory_alloc() or memory_alloc_stable().  @ptr may be NULL.  Takes the
 * runtime's lock. */
void memory_free(void *ptr);
/* Reserve address space without access rights, over which the caller maps memory. Returns
 * NULL if there is no space. */
void *memory_reserve(uint64_t bytes);
/* Returns a large table, all 0, or NULL.  Pages of the table take memory only when they are
 * used.  The table cannot be freed. */
void *memory_alloc_table(uint64_t bytes);
/*
 * memory_note_large - note a range that mlockall() must not lock with the program's
 *	memory.  Only one thread at a time may call this.  Returns false if there are too
 *	many ranges.
 * memory_is_large - returns true if @addr is in such a range, or in the graph tracer's
 *	bodies.  *@until is lowered to the address up to which the answer holds.
 */
bool memory_note_large(void *mem, uint64_t bytes);
bool memory_is_large(uint64_t addr, uint64_t *until);
/*
 * Collect blocks of memory_alloc() in a list, to free them together later.  *@list is
 * NULL at first.
 *
 * memory_defer - add @ptr, which may be NULL, to *@list.
 * memory_defer_all - move all blocks of the list @more to *@list.
 * memory_free_deferred - free all blocks of @list.
 */
void memory_defer(void **list, void *ptr);
void memory_defer_all(void **list, void *more);
void memory_free_deferred(void *list);

#endif
