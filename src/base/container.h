/* SPDX-License-Identifier: MIT */
/* container_of(), as in the kernel. */
#ifndef BASE_CONTAINER_H
#define BASE_CONTAINER_H

#include <stddef.h>

/* Return a pointer to the structure whose member @member is at @ptr. */
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#endif
