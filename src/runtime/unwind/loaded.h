/* SPDX-License-Identifier: MIT */
/* The object that is loaded at an address, described from private memory; see loaded.c. */
#ifndef ULF_RUNTIME_LOADED_H
#define ULF_RUNTIME_LOADED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/unwind/image.h"

struct loaded {
	struct image image;
	uint64_t text, text_end;	/* addresses of the start and the end of the
					 * object's first executable segment, without
					 * bytes that are not in the file */
	uint32_t id_bytes;		/* size of the build id; 0 if the object has
					 * none */
	uint8_t id[32];			/* the build id, followed by zeroes */
};

/*
 * loaded_find - describe the object that is loaded at @addr.
 *
 * Uses no memory that another process can write.  The object may be unmapped at any
 * time: this function reads it with codemem_read().  A signal handler must not call it.
 *
 * Returns 0, -ENOENT (no object is loaded there, the object is being unloaded, or it
 * has no text) or another error of codemem_read().
 */
int loaded_find(uint64_t addr, struct loaded *ret);

#endif
