/* SPDX-License-Identifier: MIT */
/* Read the frame that the kernel puts on the stack for a signal handler. */
#ifndef ULF_ARCH_SIGNAL_H
#define ULF_ARCH_SIGNAL_H

#include <stdint.h>
#include <ucontext.h>

/* Parameter @place of arch_signal_sp() and arch_signal_stack(): the address of the
 * handler's return address on the stack. */

/* Returns the stack pointer of the interrupted code. */
static inline uint64_t arch_signal_sp(const uint64_t *place)
{
	const ucontext_t *context = (const void *)(place + 1);

	return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

/* Returns the alternate signal stack of the thread, whether or not the handler runs on it.
 * If ss_size is 0, the thread has no alternate stack. */
static inline const stack_t *arch_signal_stack(const uint64_t *place)
{
	const ucontext_t *context = (const void *)(place + 1);

	return &context->uc_stack;
}

#endif
