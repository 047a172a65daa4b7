/* SPDX-License-Identifier: MIT */
/* What %p shows of a pointer. */
#ifndef ULF_SERVER_PTRHASH_H
#define ULF_SERVER_PTRHASH_H

#include <stdint.h>

/* The same for the same pointer, while the server runs; 32 bits. */
uint64_t ptrhash(uint64_t pointer);

#endif
