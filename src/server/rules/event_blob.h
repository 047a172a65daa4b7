/* SPDX-License-Identifier: MIT */
/* Read the description of an event (struct abi_format) from the memory that the server
 * shares with the program. */
#ifndef ULF_SERVER_EVENT_BLOB_H
#define ULF_SERVER_EVENT_BLOB_H

#include <stdint.h>

struct event_format;

/*
 * blob_to_format - copy and check the description of an event at @shared
 * @left: number of bytes that the root may still use for formats.  The call subtracts
 *	what it uses, or stores 0 if this format does not fit: then no later format
 *	fits, either.  The limit is needed because a hostile program can let thousands
 *	of rows refer to one description, and thousands of fields to one text.
 *
 * Returns NULL if the description is malformed or does not fit.  The caller frees the
 * result with event_format_free().
 */
struct event_format *blob_to_format(const void *shared, uint64_t bytes,
				    uint32_t id, uint64_t *left);
#define BLOB_FORMATS_BYTES	(64ull << 20)

#endif
