/* SPDX-License-Identifier: MIT */
/* Record stacks.  These functions must be called in a probe; any context. */
#ifndef ULF_RUNTIME_UNWIND_STACK_H
#define ULF_RUNTIME_UNWIND_STACK_H

#include <stdint.h>

struct buffer;
struct ftrace_regs;
struct ulf_event;

/* A call of a traced function, as it is recorded. */
struct function_call {
	uint64_t ip;			/* address of the function's site */
	uint64_t parent;		/* return address of the call */
	const uint64_t *place;		/* address on the stack at which the return
					 * address is stored */
	const struct ftrace_regs *regs;	/* registers at the call */
};

/*
 * Get the stack of the function that has hit @event.
 * @depth: see struct trigger_hit: how many dynamic events lie between @event and this call.
 * @max: maximum number of return addresses.
 * Returns the number of return addresses.
 */
uint32_t stack_save(const struct ulf_event *event, uint32_t depth, uint64_t *ret_ips,
		    uint32_t max);
/* Write a record with the stack of the function that has hit @event. */
void stack_record(const struct buffer *buffer, const struct ulf_event *event, uint32_t depth);
/* Write a record with the stack of a traced function that was called. */
void stack_record_function(const struct buffer *buffer,
			   const struct function_call *call);

#endif
