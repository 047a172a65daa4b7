/* SPDX-License-Identifier: MIT */
/*
 * Write records to a buffer.  These functions must be called in a probe
 * (ulf_probe_enter()); any context.
 */
#ifndef ULF_RUNTIME_BUFFER_WRITE_H
#define ULF_RUNTIME_BUFFER_WRITE_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/*
 * Write a record.
 * @entry: begins with a struct trace_entry and has RING_HEADROOM writable bytes before
 * it.
 * @bytes: a multiple of 4, at most RING_PAYLOAD_MAX.
 * Returns false if recording is off.  Returns true even if the record is lost, because
 * then it is counted.
 */
bool buffer_write(const struct buffer *buffer, void *entry, size_t bytes);
/* Count a record that is too big to be written, unless recording is off. */
void buffer_drop(const struct buffer *buffer);

#endif
