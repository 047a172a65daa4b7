/* SPDX-License-Identifier: MIT */
/*
 * Latency tracers keep the trace around the longest latency.  When a latency is found that is
 * longer than all before it, the sides of the buffer are swapped.
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
 * Report that this thread had a latency of @ns, which has just ended.
 * If it is the longest so far, and @buffer records, returns a claim: the caller must write a
 * record about the latency, and then call latency_keep().  Otherwise returns 0.
 */
uint64_t latency_claim(const struct buffer *buffer, uint64_t ns);
/* Keep the trace of @buffer on the spare side, unless another thread has made a claim since
 * @claim. */
void latency_keep(const struct buffer *buffer, uint64_t claim);

#endif
