/* SPDX-License-Identifier: MIT */
/* The mappings of this process, from /proc/self/maps. */
#ifndef ULF_RUNTIME_BASE_MAPS_H
#define ULF_RUNTIME_BASE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* A mapping, and the file that is mapped. */
struct maps_line {
	uint64_t start, end;		/* first address, and the address after the end */
	uint64_t dev_major, dev_minor;
	uint64_t ino;			/* inode of the file; 0: no file is mapped */
	uint64_t offset;		/* offset in the file of the first byte */
	bool is_code;			/* true: the rights are those of code, r-xp */
};

/*
 * maps_walk - call @see for each mapping, in the order of addresses, until it returns true
 *
 * Uses system calls only, and allocates nothing.  A signal handler must not call this.
 * Returns 0, or -errno if /proc/self/maps cannot be read.
 */
typedef bool maps_see(const struct maps_line *line, void *arg);
int maps_walk(maps_see *see, void *arg);

#endif
