/* SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_H
#define BASE_CONTAINER_H

#include <stddef.h>

/* The structure of which @ptr is the given member. */
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#endif
