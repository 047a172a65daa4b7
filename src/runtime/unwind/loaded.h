/* SPDX-License-Identifier: MIT */
/* What the loader has mapped, as the mapping itself says: loaded.c. */
#ifndef ULF_RUNTIME_LOADED_H
#define ULF_RUNTIME_LOADED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/unwind/image.h"

struct loaded {
	struct image image;
	uint64_t text, text_end;	/* of its first executable segment's file bytes */
	uint32_t id_bytes;		/* of its build id; 0: it has none */
	uint8_t id[32];			/* zeroes behind it */
};

/*
 * loaded_find - the object that is loaded at @addr.
 * 0; -ENOENT: there is none, or it is being unloaded; other errors: memory cannot be read.
 * Nothing that another process can write is looked at; memory is read so that it may go at
 * any time.  Not in a signal handler.
 */
int loaded_find(uint64_t addr, struct loaded *ret);

#endif
