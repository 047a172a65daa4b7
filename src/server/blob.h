/* SPDX-License-Identifier: MIT */
/* An event's description as the program left it in shared memory. */
#ifndef ULF_SERVER_BLOB_H
#define ULF_SERVER_BLOB_H

#include <stdint.h>

struct event_format;

/* Copy and check the blob at @shared.  NULL if it makes no sense. */
struct event_format *blob_to_format(const void *shared, uint64_t bytes,
				    uint32_t id);

#endif
