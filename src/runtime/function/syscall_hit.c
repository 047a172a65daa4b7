/* SPDX-License-Identifier: MIT */
/*
 * Record a system call whose record a hook of scall.S could not write.  This file uses general
 * registers only, because the vector registers hold values of the program.  If this code cannot
 * write the record either, for example because the event is not plain (plan.c), it calls C code
 * that may use any register through ftrace_call_slowly(), which saves the registers first.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/buffer/buffer.h"
#include "runtime/event/commit.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/syscall_events.h"
#include "runtime/function/syscalls.h"

/* If the event is plain (plan.c), make space for a record in the ring of the current CPU.
 * Returns the result of hit_make_space(), or -EINVAL. */
static int make_space(const struct ulf_event *event, uint32_t bytes)
{
	const struct event_use *use;
	int r = -EINVAL;

	if (!ulf_this_thread || !ulf_probe_enter())
		return r;
	use = event_plan(event);
	if (use && use == &use->buffer->use)
		r = hit_make_space(use->buffer, bytes);
	ulf_probe_exit();
	return r;
}

void syscall_hit_slowly(const struct ulf_event *event, struct scall_record *record,
			uint32_t bytes)
{
	int r = bytes == SCALL_SLOWLY ? -EINVAL : make_space(event, bytes);

	if (r == -ENOBUFS || (!r && arch_event_append(event, record, bytes)))
		return;
	ftrace_call_slowly(syscall_events.hit, (uint64_t)event, (uint64_t)record, 0);
}
