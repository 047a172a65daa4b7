/* SPDX-License-Identifier: MIT */
/* Stacks as records: ftrace:kernel_stack. */
#include "arch/x86_64/ftrace.h"
#include "runtime/runtime.h"
#include "runtime/unwind/unwind.h"
#include <ulf/tracing.h>

#define FRAMES_MAX	128
/* How far from us the probe may be, and its caller from it. */
#define PROBE_STEPS	12
#define CALLER_STEPS	2

/* As the kernel has it; the fields stand in event/ftrace_event.c. */
struct stack_entry {
	struct trace_entry entry;
	int32_t size;			/* of callers */
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
		image_tell(&unwind->image);
	return has_caller;
}

/* What the graph tracer has put between a function and its caller is none. */
static void add_caller(struct stack_entry *stack, uint64_t pc)
{
	if (!ftrace_is_body(pc))
		stack->callers[stack->size++] = pc;
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

/* Is it one of those that run between the tracepoint and us?  Without a table
 * for it, the first one is taken to be. */
static bool is_probe(const struct ulf_event *event, uint64_t function,
		     bool is_first)
{
	const struct tracepoint *tp =
		__atomic_load_n(&event->tracepoint, __ATOMIC_RELAXED);

	return function == (uint64_t)event->probe ||
	       function == (uint64_t)event->direct ||
	       function == (uint64_t)tp->iter || (is_first && !function);
}

void stack_record(const struct buffer *buffer, const struct ulf_event *event)
{
	struct stack_record record;
	int steps = 0, last = PROBE_STEPS;
	struct unwind unwind;
	uint64_t function;

	if (!buffer_is_recording(buffer))
		return;
	record.stack.size = 0;
	unwind_start(&unwind);
	while (record.stack.size < FRAMES_MAX && stack_step(&unwind, &function)) {
		/* what came so far was ours, and the probe's */
		if (++steps <= last &&
		    is_probe(event, function, last == PROBE_STEPS)) {
			record.stack.size = 0;
			last = steps + CALLER_STEPS;
		}
		if (unwind.is_interrupted)
			last = 0;	/* it may have been in a probe, too */
		add_caller(&record.stack, unwind_pc(&unwind));
	}
	write_stack(buffer, &record.stack);
}

/* Its caller's frame begins behind its return address: what is below is ours.  In
 * the kernel, too, the function itself is where its tracer returns to. */
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

/* Our own caller is the first one. */
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
