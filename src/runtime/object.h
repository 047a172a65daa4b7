/* SPDX-License-Identifier: MIT */
/* The objects of this process whose functions can be traced. */
#ifndef ULF_RUNTIME_OBJECT_H
#define ULF_RUNTIME_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/fsite.h"

struct object {
	struct object *next;
	uint64_t base, text;		/* addresses */
	bool is_there;			/* object_scan() has seen it */
	struct fsites sites;		/* nr 0: none */
};

struct object *object_first(void);	/* lock held */
/* See what has come and gone.  A thread of libc's, lock not held. */
void object_scan(void);

#endif
