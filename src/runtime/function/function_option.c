/* SPDX-License-Identifier: MIT */
/*
 * The options of the function tracer:
 *
 * func-args		a record has the registers of arguments
 * func_stack_trace	a stack trace follows each record
 * func-no-repeats several calls of a function in a row, on one CPU, become one record,
 * which contains their number
 *
 * For func-no-repeats, the last call on each CPU is stored in private memory of this
 * process, under a lock.  No thread waits for this lock.  If the holder of the lock was
 * interrupted, another thread may find the lock taken: then it records its call in the
 * ordinary way.  So each call is either recorded or counted, and only once.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "event/clock.h"
#include "event/option.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/buffer_write.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/function_option.h"
#include "runtime/unwind/stack.h"
#include <ulf/event.h>

struct record {
	uint64_t headroom;		/* space before the record, of which
					 * buffer_write() uses RING_HEADROOM bytes */
	struct trace_entry entry;
	uint64_t ip, parent_ip;
	union {
		uint64_t args[FTRACE_ARGS];
		struct {
			uint16_t count;		/* number of repetitions of the call */
			/* Time from the last repetition to this record, in units of the
			 * buffer's clock: @top_delta << 32 | @bottom_delta. */
			uint16_t top_delta;
			uint32_t bottom_delta;
		} repeats;
	};
};

/* The last call on one CPU, as the option func-no-repeats remembers it. */
struct repeats {
	uint32_t is_taken;		/* the lock; 0: free */
	uint32_t count;			/* number of repetitions since the call was
					 * recorded */
	uint64_t ip, parent;		/* site and return address of the last call */
	uint64_t last;			/* time of the last repetition */
	uint64_t unused[4];		/* fills up the cache line, because two CPUs
					 * must not share one */
};

/* Returns the time of the buffer's clock. */
static uint64_t buffer_time(const struct buffer *buffer)
{
	const struct clock_row *clock = clock_get(__atomic_load_n(&buffer->shared->clock,
								  __ATOMIC_RELAXED));

	return clock_read(clock, root_control);
}

static struct record record_of(uint16_t type, uint64_t ip, uint64_t parent)
{
	return (struct record){
		.entry = { .type = type, .pid = (int)thread_tid() },
		.ip = ip, .parent_ip = parent,
	};
}

/* Write @record.  It ends in a union, of which only the first @bytes bytes are written. */
static void write_record(const struct buffer *buffer, struct record *record,
			 size_t bytes)
{
	buffer_write(buffer, &record->entry, offsetof(struct record, args) -
		     offsetof(struct record, entry) + bytes);
}

static void write_repeats(const struct buffer *buffer, const struct repeats *of)
{
	struct record record = record_of(ABI_EVENT_ID_FUNC_REPEATS, of->ip, of->parent);
	uint64_t delta = buffer_time(buffer) - of->last;

	record.repeats.count = (uint16_t)of->count;
	record.repeats.top_delta = (uint16_t)(delta >> 32);
	record.repeats.bottom_delta = (uint32_t)delta;
	write_record(buffer, &record, sizeof(record.repeats));
}

/* Count the call and return true if it is equal to the last call on this CPU.
 * Otherwise, record the repetitions that were counted before and return false: the
 * caller must record the call. */
static bool count_repeat(const struct buffer *buffer, uint64_t ip, uint64_t parent)
{
	uint32_t cpu = thread_cpu();
	struct repeats *state = &buffer->repeats[cpu], last;
	bool is_repeat;

	if (cpu >= root_nr_cpus() ||
	    __atomic_exchange_n(&state->is_taken, 1, __ATOMIC_ACQUIRE))	/* [repeat.taken] */
		return false;
	last = *state;
	is_repeat = last.ip == ip && last.parent == parent &&
		    last.count < UINT16_MAX;
	state->ip = ip;
	state->parent = parent;
	state->count = is_repeat ? last.count + 1 : 0;
	if (is_repeat)
		state->last = buffer_time(buffer);
	__atomic_store_n(&state->is_taken, 0, __ATOMIC_RELEASE);	/* [repeat.taken] */
	if (!is_repeat && last.count)
		write_repeats(buffer, &last);
	return is_repeat;
}

static void write_call(const struct buffer *buffer, const struct function_call *call,
		       bool has_args)
{
	struct record record = record_of(ABI_EVENT_ID_FUNCTION, call->ip, call->parent);

	if (has_args)
		memcpy(record.args, call->regs->args, sizeof(record.args));
	write_record(buffer, &record, has_args ? sizeof(record.args) : 0);
}

uint64_t ftrace_record_call(uint64_t buffer_arg, uint64_t call_arg, uint64_t c)
{
	const struct buffer *buffer = (const struct buffer *)buffer_arg;
	const struct function_call *call = (const struct function_call *)call_arg;
	uint64_t options = __atomic_load_n(&buffer->function_options,
					   __ATOMIC_ACQUIRE);	/* [function.options] */

	(void)c;
	if (!ulf_probe_enter())
		return 0;
	if (!(options & OPTION_FUNC_NO_REPEATS) ||
	    !count_repeat(buffer, call->ip, call->parent)) {
		write_call(buffer, call, options & OPTION_FUNC_ARGS);
		if (options & OPTION_FUNC_STACK)
			stack_record_function(buffer, call);
	}
	ulf_probe_exit();
	return 0;
}

int function_options_apply(struct buffer *buffer)
{
	const struct abi_buffer *shared = buffer->shared;
	uint32_t tracer = __atomic_load_n(&shared->tracer, __ATOMIC_RELAXED);
	/* A bit of the options is set if the option differs from its default. */
	uint64_t options = option_tracer_bits(tracer) &
			   __atomic_load_n(&shared->options, __ATOMIC_RELAXED);

	if (options & OPTION_FUNC_NO_REPEATS && !buffer->repeats) {
		buffer->repeats = memory_alloc(root_nr_cpus() *
					       sizeof(*buffer->repeats));
		if (!buffer->repeats)
			return -ENOMEM;
	}
	/* release: the state of the options is complete; mate: ftrace_record_call()
	 * [function.options] */
	__atomic_store_n(&buffer->function_options, options, __ATOMIC_RELEASE);
	return 0;
}

/* Release the locks of all struct repeats in a child of fork(), because their
 * holders may be threads that do not exist in the child. */
void function_options_after_fork(uint32_t old_tid)
{
	(void)old_tid;
	for (uint32_t i = 0; root_control && i < ABI_BUFFERS; i++) {
		const struct buffer *buffer = buffer_if_used(i);

		if (!buffer || !buffer->repeats)
			continue;
		for (uint32_t cpu = 0; cpu < root_nr_cpus(); cpu++)
			buffer->repeats[cpu].is_taken = 0;
	}
}
