/* SPDX-License-Identifier: MIT */
/* Rows of the root's tables.  The caller holds runtime_lock(), unless a comment says
 * otherwise. */
#ifndef ULF_RUNTIME_EVENT_TABLE_H
#define ULF_RUNTIME_EVENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct table_object;
struct ulf_module;

/* Add rows for @module and its events, formats and strings.  @object: the result of
 * table_find_object().  Returns 0; -ENOSPC; or -EBUSY if the function could not
 * take abi_control.table_lock. */
int table_add_module(struct ulf_module *module, const struct table_object *object);
/* Report to the server that this process has refused a module because it was built with
 * another ULF_ABI_VERSION, @version.  Does nothing if this process has no process slot. */
void table_refuse_module(uint32_t version);
/* Note in the process slot that this process has unloaded @module. */
void table_remove_module(struct ulf_module *module);
/* Allocate @bytes bytes of the heap, which are never freed.  The caller must hold
 * abi_control.table_lock.  Returns the offset of the bytes, or 0 if there is no space. */
uint64_t table_heap_alloc(uint32_t bytes);
/* Returns the FNV-1a hash of the @bytes bytes at @data.  Needs no lock. */
uint32_t table_hash(const void *data, uint32_t bytes);
/* Returns true if @module belongs to the program itself, not to a library.  The caller may
 * hold runtime_lock() or not; the function takes no lock if libc has
 * _dl_find_object(). */
bool table_is_program(const struct ulf_module *module);

#endif
