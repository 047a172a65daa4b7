/* SPDX-License-Identifier: MIT */
/*
 * The commands of set_ftrace_filter, which run when a function is called, even if no
 * tracer traces the function.  Commands are triggers (trigger.c).  Each buffer has a
 * list of commands, sorted by the address of the function's site.  A new list replaces
 * the old one as a whole [buffer.probes]; the old list is freed after a grace period.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "abi/rules.h"
#include "event/command.h"
#include "runtime/base/grace.h"
#include "runtime/base/memory.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"
#include "runtime/event/plan.h"
#include "runtime/event/trigger.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/function_probe.h"
#include "runtime/unwind/stack.h"
#include <ulf/event.h>

#define PROBES_MAX	4096u		/* maximum number of commands of one function,
					 * because a call runs all of them */

/* ---- run the commands of a function ---- */

/* Returns true if the command @trigger must do nothing at this hit.  The rules for
 * its counter differ from those for the counter of an event's trigger. */
static bool is_idle(const struct buffer *buffer, const struct abi_trigger *trigger)
{
	uint64_t left;

	if (!trigger->counter)
		return false;
	left = __atomic_load_n(&buffer->shared->slots[trigger->counter - 1],
			       __ATOMIC_RELAXED);
	if (COMMANDS_RECORDING >> trigger->command & 1)
		return !buffer_is_recording(buffer);
	return COMMANDS_SIGNED >> trigger->command & 1 && (int64_t)left < 0;
}

/* Returns the index of the first command in @list whose function has its site at @ip or
 * at a higher address. */
static uint32_t find_probe(const struct abi_probes *list, uint64_t ip)
{
	uint32_t low = 0, high = list->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list->probes[middle].ip < ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void run_probes(const struct abi_probes *list, struct trigger_hit *hit)
{
	for (uint32_t i = find_probe(list, hit->call->ip);
	     i < list->nr && list->probes[i].ip == hit->call->ip; i++) {
		const struct abi_trigger *trigger = &list->probes[i].trigger;

		if (!is_idle(hit->use->buffer, trigger))
			trigger_fire(hit, trigger);
	}
}

uint64_t ftrace_run_probes(uint64_t call, uint64_t b, uint64_t c)
{
	struct event_use use = { .next = NULL };
	struct trigger_hit hit = {
		.use = &use, .call = (const struct function_call *)call,
	};

	(void)b;
	(void)c;
	if (!ulf_probe_enter())
		return 0;
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		const struct buffer *buffer = buffer_if_used(i);
		const struct abi_probes *list = NULL;

		/* acquire: the list is complete; mate: probes_apply() [buffer.probes] */
		if (buffer)
			list = __atomic_load_n(&buffer->probes, __ATOMIC_ACQUIRE);
		use.buffer = buffer;
		if (list)
			run_probes(list, &hit);
	}
	ulf_probe_exit();
	return 0;
}

/* ---- apply the server's list of commands ---- */

/* Check @list, a private copy of a buffer's list of commands.  Returns 0 or -EINVAL. */
static int verify_probes(const struct abi_probes *list, uint32_t bytes,
			 uint32_t nr_slots)
{
	if (bytes < sizeof(*list) ||
	    list->nr > (bytes - sizeof(*list)) / sizeof(list->probes[0]))
		return -EINVAL;
	for (uint32_t i = 0; i < list->nr; i++) {
		if (i >= PROBES_MAX && list->probes[i].ip == list->probes[i - PROBES_MAX].ip)
			return -EINVAL;
		if (!trigger_is_valid(&list->probes[i].trigger, nr_slots) ||
		    !(COMMANDS_OF_FUNCTIONS >> list->probes[i].trigger.command & 1) ||
		    list->probes[i].trigger.program ||
		    (i && list->probes[i].ip < list->probes[i - 1].ip))
			return -EINVAL;
	}
	return 0;
}

/* Make a private, checked copy of the list of commands in @from.  *@ret_list is NULL
 * if the list is empty.  Returns 0, -ENOMEM or -EINVAL. */
static int make_probes(const struct rules_bytes *from, uint32_t nr_slots,
		struct abi_probes **ret_list)
{
	int r;

	*ret_list = NULL;
	if (!from->nr)
		return 0;
	*ret_list = memory_alloc(from->nr);
	if (!*ret_list)
		return -ENOMEM;
	memcpy(*ret_list, from->at, from->nr);
	r = verify_probes(*ret_list, from->nr, nr_slots);
	if (r)
		memory_free(*ret_list);
	return r;
}

int probes_apply(struct buffer *buffer)
{
	struct abi_probes *old = buffer->probes, *new;
	struct rules_bytes wanted = { NULL, 0 };
	struct abi_rule rule;
	int r = 0;

	if (rules_has_row(&buffer->rules, ABI_ROW_FUNCTIONS, &rule))
		r = rules_find(&buffer->rules, rule.triggers,
			       rule.triggers_bytes, &wanted);
	if (r || rules_is_same(old, buffer->probes_bytes, &wanted))
		return r;
	r = make_probes(&wanted, buffer->rules.nr_slots, &new);
	if (r)
		return r;
	/* release: the list is complete; mate: ftrace_run_probes() [buffer.probes] */
	__atomic_store_n(&buffer->probes, new, __ATOMIC_RELEASE);
	buffer->probes_bytes = wanted.nr;
	if (old)
		grace_free(old);
	return 0;
}
