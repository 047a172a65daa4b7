/* SPDX-License-Identifier: MIT */
/* Read the description of an event that the program has stored in shared memory. */
#ifndef ULF_SERVER_BLOB_H
#define ULF_SERVER_BLOB_H

#include <stdint.h>

struct event_format;

/*
 * blob_to_format - copy and check the description at @shared
 * @left: bytes that the root may still use for formats; the call subtracts what it uses.
 *	0 if this format does not fit, and then no other one does.  The limit is needed
 *	because a hostile root can let thousands of rows name one description, and
 *	thousands of fields one text.
 *
 * Returns NULL if the description is malformed or does not fit.  The caller frees the
 * result with event_format_free().
 */
struct event_format *blob_to_format(const void *shared, uint64_t bytes,
				    uint32_t id, uint64_t *left);
#define BLOB_FORMATS_BYTES	(64ull << 20)

#endif
