/* SPDX-License-Identifier: MIT */
/*
 * A latency tracer keeps the trace of the longest latency that it finds.  When a latency is longer
 * than all before it, the sides of the buffer are swapped: the spare side then has its trace.
 *
 * These functions must be called in a probe; any context.
 */
#ifndef ULF_RUNTIME_BUFFER_LATENCY_H
#define ULF_RUNTIME_BUFFER_LATENCY_H

#include <stdint.h>

struct buffer;

/* Returns the buffers that have the tracer @tracer (enum tracer_number), one bit for each
 * buffer. */
uint32_t latency_buffers(uint32_t tracer);
/*
 * Called when a latency of this thread, @ns long, has just ended.  Returns 0 if the latency is
 * too short to be kept, or if @buffer does not record.  Otherwise stores the latency as the
 * longest one and returns a number that stands for it, the claim: the caller must write a
 * record about the latency, and then call latency_keep().
 */
uint64_t latency_claim(const struct buffer *buffer, uint64_t ns);
/* Swap the sides of @buffer, so that the spare side keeps the trace of the latency of @claim.
 * Does nothing if another thread has got a claim since then. */
void latency_keep(const struct buffer *buffer, uint64_t claim);

#endif
