/* SPDX-License-Identifier: MIT */
/* trace_printk().  The caller of each function of this file holds runtime_lock(). */
#ifndef ULF_RUNTIME_EVENT_PRINTK_H
#define ULF_RUNTIME_EVENT_PRINTK_H

struct buffer;

/* Called when @buffer has a new set of rings.  If @buffer is the top buffer, let
 * trace_printk() use that set. */
void printk_use_set(const struct buffer *buffer);

#endif
