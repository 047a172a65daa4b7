/* SPDX-License-Identifier: MIT */
/*
 * Plans: to which buffers the records of an event go, and through which filter
 * each.  A plan is a list of uses in one piece of memory, replaced as a whole
 * [event.plan] and freed after a grace period.
 *
 * An event that goes to one buffer, without a filter and whoever hits it, has
 * the buffer's own use for a plan and the buffer's rings for a set, and
 * ulf_event_commit() does it all.  Any other has a set without rings: so each of
 * its hits gets to event_commit_slowly(), which walks the plan.
 */
#include <errno.h>
#include <string.h>

#include "abi/rules.h"
#include "base/bits.h"
#include "filter/numbers.h"
#include "runtime/runtime.h"
#include <ulf/record.h>

/* ---- the path of an event ---- */

static const struct event_use *plan_of(const struct ulf_event *event)
{
	/* mate: publish() [event.plan] */
	return __atomic_load_n((struct event_use **)&event->plan,
			       __ATOMIC_ACQUIRE);
}

/* Of a filter that asks for more than numbers, from instruction @at on. */
static __attribute__((noinline)) uint32_t
run_on(const struct filter_program *filter, const void *entry, size_t bytes,
       uint32_t at)
{
	const struct filter_context context = {
		.cpu = thread_cpu(),
		.tid = ulf_this_thread->tid,
		.get_comm = comm_get,
	};

	return filter_run_on(filter, entry, bytes, &context, at);
}

/* @at: the instruction to go on with. */
static inline bool is_kept(const struct filter_program *filter,
			   const void *entry, size_t bytes, uint32_t at)
{
	if (!filter)
		return true;
	if (bytes < filter->record_bytes)
		return false;
	at = filter_run_numbers(filter, entry, at);
	if (at < filter->nr_insns)
		at = run_on(filter, entry, bytes, at);
	return at != filter->nr_insns;
}

static inline bool is_ignored(const struct buffer *buffer)
{
	return __atomic_load_n(&buffer->has_pids, __ATOMIC_RELAXED) &&
	       pids_ignore(buffer, ulf_this_thread->tid);
}

/* Walk the plan; of the first use's filter instruction @at is the next. */
static __attribute__((noinline)) void deliver(const struct event_use *use,
					      void *entry, size_t bytes,
					      uint32_t at)
{
	for (; use; use = use->next) {
		if (is_kept(use->filter, entry, bytes, at) &&
		    !is_ignored(use->buffer))
			buffer_write(use->buffer, entry, bytes);
		at = 0;
	}
	ulf_probe_exit();
}

static __attribute__((noinline)) void commit_first(const struct ulf_event *event,
						   void *entry, size_t bytes)
{
	if (ulf_thread_attach())
		event_commit_slowly(event, entry, bytes);
	else
		__atomic_add_fetch(&root_buffer(0)->no_ring, 1,
				   __ATOMIC_RELAXED);
}

/*
 * ulf_event_commit() is in assembly (arch/x86_64/commit.S) and comes here when
 * a record is large, a page is full, the section was aborted, or the plan is
 * to be asked.  What is dropped for its numbers alone is dropped here, without
 * a call.
 */
void event_commit_slowly(const struct ulf_event *event, void *entry,
			 size_t bytes)
{
	const struct filter_program *filter;
	const struct event_use *use;
	struct trace_entry *head = entry;
	uint32_t at = 0;

	if (__builtin_expect(!ulf_this_thread, 0)) {
		commit_first(event, entry, bytes);
		return;
	}
	*head = (struct trace_entry){
		.type = (unsigned short)event->id,
		.pid = (int)ulf_probe_enter()->tid,
	};
	use = plan_of(event);
	filter = use ? use->filter : NULL;
	if (filter && bytes >= filter->record_bytes) {
		at = filter_run_numbers(filter, entry, 0);
		if (at == filter->nr_insns && !use->next) {
			ulf_probe_exit();
			return;
		}
	}
	deliver(use, entry, bytes, at);
}

/* What a filter would say of a record that there cannot be is not known. */
void ulf_event_too_big(const struct ulf_event *event)
{
	if (!ulf_probe_enter())
		return;
	for (const struct event_use *use = plan_of(event); use; use = use->next)
		if (!is_ignored(use->buffer))
			buffer_drop(use->buffer);
	ulf_probe_exit();
}

static_assert(ULF_RECORD_MAX == RING_PAYLOAD_MAX, "a record fits a page");

/* ---- what is wished for ---- */

/* A use as it should be.  The program is in shared memory, and not checked. */
struct wish {
	struct buffer *buffer;
	const void *program;
	uint32_t program_bytes;		/* 0: no filter */
};

static bool has_row(const struct rules *rules, uint32_t row,
		    struct abi_rule *ret_rule)
{
	uint32_t low = 0, high = rules->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		*ret_rule = rules->shared->rules[middle];
		if (ret_rule->row == row)
			return true;
		if (ret_rule->row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* The rule of a row, or of the twins that it has it from. */
static bool find_rule(const struct rules *rules, uint32_t row,
		      struct abi_rule *ret_rule)
{
	while (rules->nr) {
		uint32_t twin = root_event(row)->twin;

		if (has_row(rules, row, ret_rule))
			return true;
		if (!twin || twin > row)
			break;
		row = twin - 1;
	}
	return false;
}

static int fill_wish(struct wish *wish, uint32_t row)
{
	const struct rules *rules = &wish->buffer->rules;
	struct abi_rule rule;

	if (!find_rule(rules, row, &rule) || !rule.program)
		return 0;
	if (rule.program % ABI_RULES_ALIGN || rule.program > rules->bytes ||
	    rule.program_bytes > rules->bytes - rule.program ||
	    !rule.program_bytes)
		return -EINVAL;
	wish->program = (const char *)rules->shared + rule.program;
	wish->program_bytes = rule.program_bytes;
	return 0;
}

/* The buffers of @wanted, in their order; returns how many, or -errno. */
static int fill_wishes(uint32_t row, uint32_t wanted,
		       struct wish wishes[ABI_BUFFERS])
{
	int nr = 0, r;

	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		if (!(wanted >> i & 1))
			continue;
		wishes[nr] = (struct wish){ .buffer = buffer_get(i) };
		if (!wishes[nr].buffer)
			return -ENOMEM;
		r = fill_wish(&wishes[nr], row);
		if (r)
			return r;
		nr++;
	}
	return nr;
}

/* Is it a buffer's own? */
static bool is_plain(const struct event_use *plan)
{
	return plan && plan == &plan->buffer->use;
}

/* Can it be one? */
static bool is_plain_wish(const struct wish *wishes, int nr)
{
	return nr == 1 && !wishes[0].program_bytes && !wishes[0].buffer->has_pids;
}

static bool is_fulfilled(const struct event_use *use, const struct wish *wish,
			 int nr)
{
	if (is_plain(use) != is_plain_wish(wish, nr))
		return false;
	for (; use && nr; use = use->next, wish++, nr--) {
		if (use->buffer != wish->buffer ||
		    !use->filter != !wish->program_bytes)
			return false;
		if (use->filter &&
		    (filter_program_bytes(use->filter) != wish->program_bytes ||
		     memcmp(use->filter, wish->program, wish->program_bytes)))
			return false;
	}
	return !use && !nr;
}

/* ---- making them so ---- */

static uint32_t fixed_bytes(const struct ulf_event *event)
{
	const struct ulf_field *field = event->fields();

	while (field->name)
		field++;
	return field->size;
}

/* A private copy, checked. */
static int copy_program(const struct wish *wish, uint32_t record_bytes, void *to)
{
	if (!wish->program_bytes)
		return 0;
	memcpy(to, wish->program, wish->program_bytes);
	return filter_verify(to, wish->program_bytes, record_bytes);
}

static int plan_make(const struct ulf_event *event, const struct wish *wishes,
		     int nr, struct event_use **ret_plan)
{
	size_t bytes = (size_t)nr * sizeof(struct event_use);
	uint32_t record_bytes = fixed_bytes(event);
	struct event_use *plan;
	char *at;

	for (int i = 0; i < nr; i++)
		bytes += ALIGN_UP(wishes[i].program_bytes, ABI_RULES_ALIGN);
	plan = memory_alloc(bytes);
	if (!plan)
		return -ENOMEM;
	at = (char *)&plan[nr];
	for (int i = 0; i < nr; i++) {
		int r = copy_program(&wishes[i], record_bytes, at);

		if (r) {
			memory_free(plan);
			return r;
		}
		plan[i].next = i + 1 < nr ? &plan[i + 1] : NULL;
		plan[i].buffer = wishes[i].buffer;
		plan[i].filter = wishes[i].program_bytes ? (void *)at : NULL;
		at += ALIGN_UP(wishes[i].program_bytes, ABI_RULES_ALIGN);
	}
	*ret_plan = plan;
	return 0;
}

static void publish(struct ulf_event *event, struct event_use *plan)
{
	struct event_use *old = event->plan;

	/* mate: plan_of() [event.plan] */
	__atomic_store_n((struct event_use **)&event->plan, plan,
			 __ATOMIC_RELEASE);
	plan_use_set(event);
	if (old && !is_plain(old))
		grace_free(old);
}

/* Events have the set themselves: a load less on their path. */
void plan_use_set(struct ulf_event *event)
{
	const struct event_use *plan = event->plan;

	/* mate: commit.S [event.set] */
	__atomic_store_n((struct ring_set **)&event->set,
			 is_plain(plan) ? plan->buffer->set : &buffer_no_rings,
			 __ATOMIC_RELEASE);
}

int plan_follow(struct ulf_event *event, uint32_t wanted)
{
	struct wish wishes[ABI_BUFFERS];
	int nr = fill_wishes(event->row, wanted, wishes), r;
	struct event_use *plan;

	if (nr < 0)
		return nr;
	if (is_fulfilled(event->plan, wishes, nr))
		return 0;
	if (is_plain_wish(wishes, nr)) {
		publish(event, &wishes[0].buffer->use);
		return 0;
	}
	r = plan_make(event, wishes, nr, &plan);
	if (!r)
		publish(event, plan);
	return r;
}

void plan_forget(struct ulf_event *event)
{
	publish(event, NULL);
}
