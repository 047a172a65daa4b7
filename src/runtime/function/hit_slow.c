/* SPDX-License-Identifier: MIT */
/*
 * The slow parts of a hit.  hit.c, which uses general registers only, calls these functions
 * through ftrace_call_slowly(), which saves all other registers.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/clock.h"
#include "runtime/buffer/buffer_write.h"
#include "runtime/function/ftrace.h"
#include <linux/ftrace.h>
#include <ulf/event.h>

uint64_t ftrace_attach(uint64_t a, uint64_t b, uint64_t c)
{
	(void)a;
	(void)b;
	(void)c;
	return (uint64_t)ulf_thread_attach();
}

static uint64_t now_ns(void)
{
	uint64_t ns = ftrace_ring_ns();

	return ns ? ns : clock_read(clock_get(0), NULL);
}

uint64_t ftrace_now(uint64_t a, uint64_t b, uint64_t c)
{
	(void)a;
	(void)b;
	(void)c;
	return now_ns();
}

uint64_t ftrace_write_slowly(uint64_t arg, uint64_t b, uint64_t c)
{
	const struct ftrace_write *write = (const struct ftrace_write *)arg;
	bool is_on;

	(void)b;
	(void)c;
	*write->ret_time = now_ns();
	if (!ulf_probe_enter())
		return true;
	is_on = buffer_write(write->buffer, write->entry, write->bytes);
	ulf_probe_exit();
	return is_on;
}

/* Begin a callback of the program.  Until callback_leave() this thread records no hits, and
 * the callback may change errno.  @ret_error: errno of the traced function's caller.
 * Returns false if the thread has no thread slot. */
static bool callback_enter(int *ret_error)
{
	*ret_error = errno;
	if (!ulf_probe_enter())
		return false;
	ftrace_this.is_in_callback = 1;
	ftrace_thread_named();
	return true;
}

/* End a callback.  The callback may have called fork(), so the thread id may have
 * changed.  For this reason ftrace_thread_named() computes the first words of
 * records again. */
static void callback_leave(int error)
{
	ftrace_this.is_in_callback = 0;
	ftrace_thread_named();
	ulf_probe_exit();
	errno = error;
}

/* Returns the users that are switched on.  Acquire; mate: set_active() in ftrace.c
 * [ftrace.active] */
static uint32_t active_users(void)
{
	return __atomic_load_n(&ftrace_state.active, __ATOMIC_ACQUIRE);
}

uint64_t ftrace_call_ops(uint64_t users, uint64_t ip, uint64_t parent)
{
	int error;

	if (!callback_enter(&error))
		return 0;
	users &= active_users();
	for (uint32_t i = 0; i < FTRACE_OPS_MAX; i++) {
		struct ftrace_ops *ops = ftrace_state.ops[i];

		if (users >> (FTRACE_OPS + i) & 1)
			ops->func(ip, parent, ops, NULL);
	}
	callback_leave(error);
	return 0;
}

static bool has_graph_ops(void)
{
	return active_users() >> FTRACE_GRAPH_OPS & 1;
}

uint64_t ftrace_call_graph_entry(uint64_t func, uint64_t depth, uint64_t c)
{
	struct ftrace_graph_ent ent = { .func = func, .depth = (int)depth };
	int error;
	bool is_wanted;

	(void)c;
	if (!callback_enter(&error))
		return 0;
	is_wanted = has_graph_ops() &&
		    ftrace_state.graph_ops->entryfunc(&ent, ftrace_state.graph_ops);
	callback_leave(error);
	return is_wanted ? now_ns() : 0;
}

uint64_t ftrace_call_graph_exit(uint64_t arg, uint64_t b, uint64_t c)
{
	struct ftrace_graph_ret *ret = (struct ftrace_graph_ret *)arg;
	int error;

	(void)b;
	(void)c;
	if (!callback_enter(&error))
		return 0;
	ret->rettime = now_ns();
	if (has_graph_ops())
		ftrace_state.graph_ops->retfunc(ret, ftrace_state.graph_ops);
	callback_leave(error);
	return 0;
}
