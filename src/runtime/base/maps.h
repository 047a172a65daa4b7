/* SPDX-License-Identifier: MIT */
/* The mappings of this process, from /proc/self/maps. */
#ifndef ULF_RUNTIME_BASE_MAPS_H
#define ULF_RUNTIME_BASE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* A mapping of this process, and the file that is mapped. */
struct maps_line {
	uint64_t start, end;		/* address of the first byte, and the address
					 * after the last byte */
	uint64_t dev_major, dev_minor;
	uint64_t ino;			/* inode of the file; 0: no file is mapped */
	uint64_t offset;		/* offset in the file of the mapping's first
					 * byte */
	bool is_code;			/* true: the access rights are those of code,
					 * r-xp */
};

/*
 * maps_walk - call @see for each mapping, in the order of addresses, until it returns true
 *
 * Uses only system calls, and allocates nothing.  A signal handler must not call this
 * function.
 * Returns 0, or -errno if /proc/self/maps cannot be read.
 */
typedef bool maps_see(const struct maps_line *line, void *arg);
int maps_walk(maps_see *see, void *arg);

#endif
