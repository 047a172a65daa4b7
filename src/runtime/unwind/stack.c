/* SPDX-License-Identifier: MIT */
/* Record stack traces as the event ftrace:kernel_stack. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "ring/ring.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"
#include "runtime/buffer/buffer_write.h"
#include "runtime/unwind/stack.h"
#include "runtime/unwind/unwind.h"
#include <ulf/tracing.h>

#define FRAMES_MAX	128
#define PROBE_STEPS	24	/* maximum number of frames from stack_save() up to
				 * the probe */
#define EMIT_STEPS	20	/* maximum number of further frames of libulf for each
				 * dynamic event between the hit and the record */
#define CALLER_STEPS	2	/* maximum number of frames of the tracepoint's code,
				 * which follow those of the probe */

/* A record with a stack, in the kernel's layout.  event/ftrace_event.c describes the fields. */
struct stack_entry {
	struct trace_entry entry;
	int32_t size;			/* number of elements of @callers */
	uint32_t reserved;
	uint64_t callers[FRAMES_MAX];
};

struct stack_record {
	char headroom[RING_HEADROOM];
	struct stack_entry stack;
} __attribute__((aligned(16)));

bool stack_step(struct unwind *unwind, uint64_t *ret_function)
{
	uint64_t last = unwind->image.start;
	bool has_caller = !unwind_step(unwind, ret_function);

	if (unwind->image.start && unwind->image.start != last)
		image_report(&unwind->image);
	return has_caller;
}

/* Add @pc to a stack of @nr addresses, unless @pc is in a body, which the graph tracer
 * has put between a function and its caller.  Returns the new number of addresses. */
static uint32_t add_pc(uint64_t *ips, uint32_t nr, uint64_t pc)
{
	if (ftrace_is_body(pc))
		return nr;
	ips[nr] = pc;
	return nr + 1;
}

static void add_caller(struct stack_entry *stack, uint64_t pc)
{
	stack->size = (int32_t)add_pc(stack->callers, (uint32_t)stack->size, pc);
}

static void write_stack(const struct buffer *buffer, struct stack_entry *stack)
{
	stack->entry = (struct trace_entry){
		.type = ABI_EVENT_ID_STACK,
		.pid = (int)thread_tid(),
	};
	stack->reserved = 0;
	buffer_write(buffer, stack, offsetof(struct stack_entry, callers) +
		     (size_t)stack->size * sizeof(stack->callers[0]));
}

/*
 * Returns true if @function runs between the tracepoint and stack_save(): it is a
 * probe, or the function that calls the probes.  @function is 0 if no unwind table
 * describes the function.  Then the function counts as the probe if no probe was found
 * before it (@is_first).
 */
static bool is_probe(const struct ulf_event *event, uint64_t function,
		     bool is_first)
{
	const struct tracepoint *tp =
		__atomic_load_n(&event->tracepoint, __ATOMIC_RELAXED);

	return function == (uint64_t)event->probe ||
	       function == (uint64_t)event->direct ||
	       function == (uint64_t)tp->iter || (is_first && !function);
}

/* Returns true if the frame that was unwound last is one of libulf.so. */
static bool is_in_libulf(const struct unwind *unwind)
{
	uint64_t here = (uint64_t)stack_save;

	return here >= unwind->image.start && here < unwind->image.end;
}

/* Returns true if a hook of libulf.so hits @event.  Then its tracepoint is no function of the
 * program, and all frames of libulf.so before the first one of the program are those of the hit. */
static bool is_hooked(const struct ulf_event *event)
{
	return event->direct && event->direct == event->tracepoint->iter;
}

uint32_t stack_save(const struct ulf_event *event, uint32_t depth, uint64_t *ret_ips,
		    uint32_t max)
{
	uint32_t steps = 0, first = PROBE_STEPS + depth * EMIT_STEPS, last = first, nr = 0;
	bool is_ours = is_hooked(event);
	struct unwind unwind;
	uint64_t function;

	if (thread_is_late())
		return 0;	/* a late event has no stack, because its thread has
				 * continued since */
	unwind_start(&unwind);
	while ((nr < max || steps < last) && stack_step(&unwind, &function)) {
		/* Drop all frames that were added so far, because they belong to
		 * libulf and to the probe. */
		if (++steps <= last && is_probe(event, function, last == first)) {
			nr = 0;
			last = steps + CALLER_STEPS;
		}
		is_ours = is_ours && is_in_libulf(&unwind);
		if (is_ours)
			nr = 0;
		if (unwind.is_interrupted)
			last = 0;	/* keep all frames from here on, even if the
					 * signal interrupted another probe */
		if (nr < max)
			nr = add_pc(ret_ips, nr, unwind_pc(&unwind));
	}
	return nr;
}

void stack_record(const struct buffer *buffer, const struct ulf_event *event, uint32_t depth)
{
	struct stack_record record;

	if (!buffer_is_recording(buffer) || thread_is_late())
		return;
	/* cppcheck-suppress uninitvar ; stack_save() fills callers */
	record.stack.size = (int32_t)stack_save(event, depth, record.stack.callers, FRAMES_MAX);
	write_stack(buffer, &record.stack);
}

/* Record the stack of a traced function.  The caller's frame begins above the return
 * address of the traced function; all lower frames are libulf's.  As in the kernel, the
 * first entry is an address in the traced function: the one to which the tracer
 * returns. */
void stack_record_function(const struct buffer *buffer,
			   const struct function_call *call)
{
	struct stack_record record;
	struct unwind unwind;
	bool is_ours = true;
	uint64_t function;

	if (!buffer_is_recording(buffer))
		return;
	record.stack.size = 0;
	record.stack.callers[record.stack.size++] = call->ip + FSITE_BYTES;
	unwind_start(&unwind);
	while (record.stack.size < FRAMES_MAX && stack_step(&unwind, &function)) {
		if (unwind.regs[ARCH_UNWIND_SP] > (uint64_t)call->place)
			is_ours = false;
		if (!is_ours)
			add_caller(&record.stack, unwind_pc(&unwind));
	}
	write_stack(buffer, &record.stack);
}

/* Record the stack of the caller of trace_dump_stack(), without its first @skip frames.
 * With @skip 0 the first entry is the caller itself. */
void trace_dump_stack(int skip)
{
	const struct buffer *buffer = buffer_top();
	struct stack_record record;
	struct unwind unwind;
	uint64_t function;

	if (!buffer || !buffer_is_recording(buffer) || !ulf_probe_enter())
		return;
	record.stack.size = 0;
	unwind_start(&unwind);
	while (record.stack.size < FRAMES_MAX && stack_step(&unwind, &function)) {
		if (skip > 0)
			skip--;
		else
			add_caller(&record.stack, unwind_pc(&unwind));
	}
	write_stack(buffer, &record.stack);
	ulf_probe_exit();
}
