/* SPDX-License-Identifier: MIT */
/* Hash pointers, so that %p does not print addresses of the program. */
#ifndef ULF_SERVER_PTRHASH_H
#define ULF_SERVER_PTRHASH_H

#include <stdint.h>

/* Return a hash of @pointer that has 32 bits.  Equal pointers have equal hashes as long
 * as the server runs.  A restart of the server changes all hashes. */
uint64_t ptrhash(uint64_t pointer);

#endif
