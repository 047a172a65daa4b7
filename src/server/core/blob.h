/* SPDX-License-Identifier: MIT */
/* An event's description as the program left it in shared memory. */
#ifndef ULF_SERVER_BLOB_H
#define ULF_SERVER_BLOB_H

#include <stdint.h>

struct event_format;

/*
 * Copy and check the blob at @shared.  NULL if it makes no sense.
 * @left: bytes that the root may still have for formats, which becomes less; 0 if this one
 * does not fit, and then none does any more.  Rows of a hostile root can name one blob,
 * and its fields one text, thousands of times.
 */
struct event_format *blob_to_format(const void *shared, uint64_t bytes,
				    uint32_t id, uint64_t *left);
#define BLOB_FORMATS_BYTES	(64ull << 20)

#endif
