/* SPDX-License-Identifier: MIT */
/* Read the description of an event (struct abi_format) from the memory that the server
 * shares with the program.  Also write such a description for an event of the server. */
#ifndef ULF_SERVER_EVENT_BLOB_H
#define ULF_SERVER_EVENT_BLOB_H

#include <stdint.h>

struct event_format;
struct text;

/*
 * blob_to_format - copy and check the description of an event at @shared
 * @left: number of bytes that the root may still use for formats.  The function
 *	subtracts the number of bytes that it uses.  If this format does not fit,
 *	the function stores 0, so that no later format fits, either.  The limit is
 *	needed because a hostile program can let thousands of rows refer to one
 *	description, and thousands of fields to one text.
 *
 * Returns NULL if the description is malformed or does not fit.  The caller frees the
 * result with event_format_free().
 */
struct event_format *blob_to_format(const void *shared, uint64_t bytes,
				    uint32_t id, uint64_t *left);
#define BLOB_FORMATS_BYTES	(64ull << 20)
/* Append the description (struct abi_format) of @format, which the server has made, to @out.
 * @format must have no values (event_format.values).  If there is no memory, out->error is
 * set. */
void blob_from_format(const struct event_format *format, struct text *out);

#endif
