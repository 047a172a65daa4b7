/* SPDX-License-Identifier: MIT */
/*
 * The file from which a process reads a table of moved functions (moved.h).  The server writes
 * it to DIR/moved/ID, under a temporary name first, and never changes it afterwards.  ID is the
 * number in abi_function_object.table, as 16 hexadecimal digits.
 *
 * A process uses the file only if its owner is the owner of DIR, nobody else may write it, and
 * dev_major, dev_minor and ino are those of the process's own mapping.  Another process of the
 * root can store a wrong ID, but only the kernel says which file is mapped.
 *
 *	struct abi_moved_file
 *	the table, table_bytes bytes
 */
#ifndef ULF_ABI_MOVED_FILE_H
#define ULF_ABI_MOVED_FILE_H

#include <assert.h>
#include <stdint.h>

#define ABI_MOVED_FILE_MAGIC	0x3166766du	/* the bytes "mvf1" */

struct abi_moved_file {
	uint32_t magic;			/* ABI_MOVED_FILE_MAGIC */
	uint32_t head_bytes;		/* sizeof(struct abi_moved_file) */
	uint32_t dev_major, dev_minor;	/* device and inode of the object's file, as
					 * /proc/PID/maps shows them */
	uint64_t ino;
	uint64_t bytes;			/* size of the object's file, and the times of its last
					 * change (st_mtim, st_ctim) when it was analysed */
	uint64_t mtime_ns, ctime_ns;
	uint64_t table_bytes;
	uint64_t reserved;
};

static_assert(sizeof(struct abi_moved_file) == 64, "ABI");

#endif
