/* SPDX-License-Identifier: MIT */
/* What the kernel leaves on the stack for a signal's handler. */
#ifndef ULF_ARCH_SIGNAL_H
#define ULF_ARCH_SIGNAL_H

#include <stdint.h>
#include <ucontext.h>

/* @place: where the handler's return address is. */

/* The stack pointer that was interrupted. */
static inline uint64_t arch_signal_sp(const uint64_t *place)
{
	const ucontext_t *context = (const void *)(place + 1);

	return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

/* The alternate stack, which need not be the one that it is on; ss_size 0: none. */
static inline const stack_t *arch_signal_stack(const uint64_t *place)
{
	const ucontext_t *context = (const void *)(place + 1);

	return &context->uc_stack;
}

#endif
