/* SPDX-License-Identifier: MIT */
/*
 * Find out which rings of a buffer threads must write to, switch recording on and
 * off, and take snapshots.  The caller of each function must be in a probe; any
 * context.
 */
#ifndef ULF_RUNTIME_BUFFER_SWITCH_H
#define ULF_RUNTIME_BUFFER_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

struct abi_ring;
struct buffer;
struct ring_set;

/* Make the entries of @set for this CPU point to the rings to which threads must write.
 * Returns true if records of this CPU go to the buffer now. */
bool ring_set_refresh(const struct buffer *buffer, struct ring_set *set);
/* Set tracing_on of the buffer.  Returns true if the value has changed. */
bool buffer_set_recording(const struct buffer *buffer, bool on);
/* Returns true if tracing_on of the buffer is 1. */
bool buffer_is_recording(const struct buffer *buffer);
/* Take a snapshot: swap the sides.  If there is no spare side, write two lines that
 * report this to the trace and stop recording, as the kernel does.  Does nothing while a
 * latency tracer uses the spare side. */
void buffer_snapshot(const struct buffer *buffer);
/* Swap the sides, if there is a spare side and recording is not paused.  Returns false if there
 * is no spare side. */
bool buffer_swap(const struct buffer *buffer);
/* Make the entries of @set for @cpu point to the rings of @side.  Returns the fast
 * ring, or NULL if @cpu has none. */
struct abi_ring *ring_set_point(struct ring_set *set, uint32_t cpu,
				uint32_t side);

#endif
