/* SPDX-License-Identifier: MIT */
/* trace_printk().  The caller of each function of this file holds the lock. */
#ifndef ULF_RUNTIME_EVENT_PRINTK_H
#define ULF_RUNTIME_EVENT_PRINTK_H

struct buffer;

/* Let trace_printk() use the new set of rings of @buffer, which has been replaced. */
void printk_use_set(const struct buffer *buffer);

#endif
