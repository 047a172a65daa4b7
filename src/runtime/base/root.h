/* SPDX-License-Identifier: MIT */
/* The shared memory of the root. */
#ifndef ULF_RUNTIME_BASE_ROOT_H
#define ULF_RUNTIME_BASE_ROOT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "event/boot.h"

/* The control block of the root; NULL if this process has no root.  Signal handlers and other
 * threads load it at any time [root.control]. */
extern struct abi_control *root_control;
/*
 * Functions that return the size and layout of the memory.  Tables are at the offsets
 * ABI_*_OFF.  The results are private copies that were made when the root was created,
 * because any process of the root can change the words of abi_control
 * (docs/design/trust.md).  Any context.
 */
uint64_t root_map_bytes(void);
uint32_t root_nr_cpus(void);
bool root_has_rseq(void);		/* returns true if the process that created the
					 * root could use rseq */
const char *root_exe(void);		/* returns the path of the program, a private
					 * copy of abi_control.exe */
const char *root_boot(void);		/* returns the boot settings, a private copy of
					 * abi_control.boot */
/*
 * Create the root in the ulf directory @dir.
 *
 * root_create - map the memory of a new root and fill in its control block.  No other
 *	process knows the root yet.
 * root_publish - give the root its name.  The caller has stored the boot settings in the
 *	control block.
 *
 * Both return 0 or -errno; then root_control is NULL.
 */
int root_create(const char *dir);
int root_publish(const char *dir);
/* Returns true if there is a boot setting whose number is @id.  Any context. */
bool root_has_boot(enum boot_id id);
/* Remove the root's directory if this is the root's last process and the root has
 * nothing that a user may want to see.  Called in exit(). */
void root_remove_if_unused(void);
/* Returns the path ULF_DIR/roots/NAME with which the root was created. */
const char *root_directory(void);
/* Returns true if the server has ever changed a setting of the root, which must exist.  Any
 * context. */
bool root_has_settings(void);
/*
 * Make the bytes from @off to before @off + @bytes of the memory usable, so that no
 * access raises SIGBUS later.  Any context.
 * Returns 0, -ENOMEM (outside of the mapping), -ENOSPC (some of these bytes have never
 * been written to, and the file system has no space for them) or another -errno of
 * mprotect() or madvise().
 */
int root_populate(uint64_t off, uint64_t bytes);
/* Call root_populate() for the memory page that contains the row @row of a table.  No
 * row crosses pages.  After a success, later calls for the same page do nothing.  Any
 * context. */
int root_populate_row(const void *row);
/* Make the first @bytes bytes of the heap usable.  Must be called before the heap is
 * read, with abi_control.table_lock held.  Returns 0, -EINVAL (the heap is smaller) or
 * -errno of root_populate(). */
int root_reach_heap(uint64_t bytes);
/* Returns the address of the @bytes bytes at offset @off of the heap.  Returns NULL if
 * some of these bytes are outside of the range that root_reach_heap() has made usable:
 * then another process has stored a wrong offset. */
void *root_heap_at(uint64_t off, uint64_t bytes);
/* Return an address in the root's memory: of the offset @off, of a row of the
 * table of events, or of a row of the table of buffers.  These functions do not
 * check their argument, and do not make the memory usable. */
void *root_at(uint64_t off);
struct abi_event *root_event(uint32_t row);
struct abi_buffer *root_buffer(uint32_t index);

#endif
