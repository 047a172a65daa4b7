/* SPDX-License-Identifier: MIT */
/*
 * Plans: to which buffers the records of an event go, through which filter, and which
 * triggers the event has in each buffer.  A plan is a list of uses (struct event_use),
 * one for each buffer, in one block of memory.  It is replaced as a whole [event.plan]
 * and freed after a grace period.
 *
 * An event that goes to one buffer, without filter, triggers, stack or list of threads,
 * is plain.  Its plan is the use that is part of the buffer (buffer.use), and its set of
 * rings (ulf_event.set) is that of the buffer.  So ulf_event_commit() does everything.
 * Any other event has a set without rings, so each of its hits reaches
 * event_commit_slowly(), which walks the plan.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "abi/filter.h"
#include "abi/rules.h"
#include "base/bits.h"
#include "event/option.h"
#include "filter/run.h"
#include "hist/quick.h"
#include "ring/ring.h"
#include "runtime/base/grace.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/buffer/buffer.h"
#include "runtime/event/event.h"
#include "runtime/event/hist.h"
#include "runtime/event/plan.h"
#include "runtime/event/trigger.h"
#include <ulf/event.h>
#include <ulf/record.h>

/* ---- find out what the settings require for an event ---- */

#define TWINS_MAX	256u		/* maximum number of twins of an event's row
					 * that find_rule() looks at */

/* The settings of an event in one buffer. */
struct setting {
	struct buffer *buffer;
	struct rules_bytes program, triggers;
	const uint64_t *soft;		/* rule word for soft mode; NULL: the event is
					 * not in soft mode */
	bool has_stack;
};

bool rules_has_row(const struct rules *rules, uint32_t row,
		   struct abi_rule *ret_rule)
{
	uint32_t low = 0, high = rules->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		*ret_rule = rules->shared->rules[middle];
		/* From here on use the copy, because another process may change the rule
		 * in shared memory. */
		__asm__ volatile("" : "+m"(*ret_rule));
		if (ret_rule->row == row)
			return true;
		if (ret_rule->row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Find the rule of the event in row @row.  If that row has no rule, take the rule of
 * its next older twin that has one.  A twin (abi_event.twin) is a row of an event
 * with an equal name and format.  Returns false if there is no rule. */
static bool find_rule(const struct rules *rules, uint32_t row,
		      struct abi_rule *ret_rule)
{
	for (uint32_t i = 0; rules->nr && i < TWINS_MAX; i++) {
		uint32_t twin = __atomic_load_n(&root_event(row)->twin, __ATOMIC_RELAXED);

		if (rules_has_row(rules, row, ret_rule))
			return true;
		if (!twin || twin > row)
			break;
		row = twin - 1;
	}
	return false;
}

int rules_find(const struct rules *rules, uint32_t at, uint32_t nr,
	       struct rules_bytes *ret_bytes)
{
	if (!at)
		return 0;
	if (at % ABI_RULES_ALIGN || at > rules->bytes || nr > rules->bytes - at ||
	    !nr)
		return -EINVAL;
	*ret_bytes = (struct rules_bytes){ (const char *)rules->shared + at, nr };
	return 0;
}

static int fill_setting(struct setting *setting, uint32_t row)
{
	const struct rules *rules = &setting->buffer->rules;
	struct abi_rule rule;
	int r;

	if (!find_rule(rules, row, &rule))
		return 0;
	if (rule.soft > rules->nr_slots || (rule.triggers && !rule.soft))
		return -EINVAL;
	if (rule.soft)
		setting->soft = &setting->buffer->shared->slots[rule.soft - 1];
	r = rules_find(rules, rule.program, rule.program_bytes, &setting->program);
	return r ? r : rules_find(rules, rule.triggers, rule.triggers_bytes,
				  &setting->triggers);
}

static bool is_stack_wanted(const struct buffer *buffer)
{
	return __atomic_load_n(&buffer->shared->options, __ATOMIC_RELAXED) &
	       OPTION_STACKTRACE;
}

/* Fill in one element of @settings for each buffer of @wanted, in the order of the
 * buffers.  Returns the number of elements, or -errno. */
static int fill_settings(uint32_t row, uint32_t wanted,
			 struct setting settings[ABI_BUFFERS])
{
	int nr = 0, r;

	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		if (!(wanted >> i & 1))
			continue;
		settings[nr] = (struct setting){ .buffer = buffer_get(i) };
		if (!settings[nr].buffer)
			return -ENOMEM;
		settings[nr].has_stack = is_stack_wanted(settings[nr].buffer);
		r = fill_setting(&settings[nr], row);
		if (r)
			return r;
		nr++;
	}
	return nr;
}

/* Returns true if @plan is the plan that all plain events of a buffer share, which is a part of
 * struct buffer (buffer.use). */
static bool is_plain(const struct event_use *plan)
{
	return plan && plan == &plan->buffer->use;
}

/* Returns true if an event with these settings is plain, so that it can use the shared plan
 * buffer.use: its records go to one buffer, without filter, soft mode, stacks and lists of
 * threads. */
static bool is_plain_setting(const struct setting *settings, int nr)
{
	return nr == 1 && !settings[0].program.nr && !settings[0].soft &&
	       !settings[0].has_stack && !settings[0].buffer->has_pids;
}

bool rules_is_same(const void *used, size_t nr, const struct rules_bytes *bytes)
{
	return nr == bytes->nr && (!nr || !memcmp(used, bytes->at, nr));
}

/* Returns true if the plan that begins with @use already does what the @nr settings
 * require. */
static bool is_applied(const struct event_use *use, const struct setting *setting,
		       int nr)
{
	if (is_plain(use) != is_plain_setting(setting, nr))
		return false;
	for (; use && nr; use = use->next, setting++, nr--) {
		size_t bytes = use->filter ? filter_program_bytes(use->filter) : 0;

		if (use->buffer != setting->buffer || use->soft != setting->soft ||
		    use->has_stack != setting->has_stack ||
		    (use->solo && setting->buffer->has_pids) ||
		    !rules_is_same(use->filter, bytes, &setting->program) ||
		    !rules_is_same(use->triggers, use->triggers_bytes, &setting->triggers))
			return false;
	}
	return !use && !nr;
}

/* ---- make and publish a plan ---- */

/* Returns the size of the fixed part of the event's records. */
static uint32_t fixed_bytes(const struct ulf_event *event)
{
	const struct ulf_field *field = event_fields(event);

	while (field->name)
		field++;
	return field->size;
}

static bool is_string_type(const struct ulf_field *field)
{
	if (field->filter == FILTER_PTR_STRING)
		return true;
	return field->filter == FILTER_OTHER && (!strcmp(field->type, "char *") ||
						 !strcmp(field->type, "const char *"));
}

/* Without this check another process could store a filter that takes a number for an
 * address, and so make this process read any address. */
bool event_has_pointer(const struct ulf_event *event, uint32_t offset, bool to_string)
{
	for (const struct ulf_field *field = event_fields(event); field->name; field++) {
		if (field->offset == offset && field->size == sizeof(uint64_t))
			return is_string_type(field) ||
			       (!to_string && strchr(field->type, '*'));
	}
	return false;
}

/* Check that each field that @program reads as the address of a string is declared as
 * one.  @program: a private, verified copy.  Returns 0 or -EINVAL. */
static int check_pointers(const struct ulf_event *event,
			  const struct filter_program *program)
{
	for (uint32_t i = 0; i < program->nr_insns; i++) {
		const struct filter_insn *insn = &program->insns[i];

		if (insn->op == FILTER_OP_STR_PTR &&
		    !event_has_pointer(event, insn->offset, true))
			return -EINVAL;
	}
	return 0;
}

static int check_trigger_pointers(const struct ulf_event *event,
				  const struct abi_triggers *list)
{
	int r = 0;

	for (uint32_t i = 0; i < list->nr && !r; i++) {
		if (list->triggers[i].program)
			r = check_pointers(event, (const struct filter_program *)
				((const char *)list + list->triggers[i].program));
	}
	return r;
}

/* Copy the bytes that @from describes to *@at, and move *@at to the end of the
 * copy.  Returns the address of the copy, or NULL if there are no bytes. */
static void *copy_part(const struct rules_bytes *from, char **at)
{
	void *to = *at;

	if (!from->nr)
		return NULL;
	memcpy(to, from->at, from->nr);
	*at += ALIGN_UP(from->nr, ABI_RULES_ALIGN);
	return to;
}

/* Fill in @use, one entry of a plan, and verify it.  *@at: address of the space for
 * the copies of its filter and its triggers.  Returns 0 or -errno. */
static int use_fill(struct event_use *use, const struct setting *setting,
		    const struct ulf_event *event, char **at)
{
	uint32_t nr_slots = setting->buffer->rules.nr_slots;
	uint32_t record_bytes = fixed_bytes(event);
	int r = 0;

	use->buffer = setting->buffer;
	use->filter = copy_part(&setting->program, at);
	use->soft = setting->soft;
	use->has_stack = setting->has_stack;
	use->triggers = copy_part(&setting->triggers, at);
	use->triggers_bytes = setting->triggers.nr;
	if (use->filter)
		r = filter_verify(use->filter, setting->program.nr, record_bytes);
	if (!r && use->filter)
		r = check_pointers(event, use->filter);
	if (!r && use->triggers) {
		r = triggers_verify(use->triggers, use->triggers_bytes, nr_slots,
				    record_bytes);
		r = r ? r : check_trigger_pointers(event, use->triggers);
		use->is_conditional = !r &&
				      triggers_are_conditional(use->triggers);
		r = r ? r : hists_make(event, use->buffer, use->triggers,
				       (struct event_hist **)&use->hists);
	}
	return r;
}

/* Free a plan unless it is plain.  @free: memory_free(), or grace_free() to
 * free it after a grace period. */
static void plan_free(struct event_use *plan, void (*free)(void *ptr))
{
	for (struct event_use *use = plan; use; use = (struct event_use *)use->next) {
		if (use->hists)
			free((void *)use->hists);
		if (use->quick)
			free(use->quick);
	}
	free(plan);
}

static int plan_make(const struct ulf_event *event, const struct setting *settings,
		     int nr, struct event_use **ret_plan)
{
	size_t bytes = (size_t)nr * sizeof(struct event_use);
	struct event_use *plan;
	char *at;

	for (int i = 0; i < nr; i++)
		bytes += ALIGN_UP(settings[i].program.nr, ABI_RULES_ALIGN) +
			 ALIGN_UP(settings[i].triggers.nr, ABI_RULES_ALIGN);
	plan = memory_alloc(bytes);
	if (!plan)
		return -ENOMEM;
	at = (char *)&plan[nr];
	for (int i = 0; i < nr; i++) {
		int r = use_fill(&plan[i], &settings[i], event, &at);

		if (i)
			plan[i - 1].next = &plan[i];
		plan[i].event = event;
		if (r) {
			plan_free(plan, memory_free);
			return r;
		}
	}
	if (nr == 1 && !plan->soft)
		plan->only = plan->filter;
	*ret_plan = plan;
	if (nr > 1 || !hist_solo_make(plan))
		return 0;
	plan_free(plan, memory_free);
	return -ENOMEM;
}

static void publish_plan(struct ulf_event *event, struct event_use *plan)
{
	struct event_use *old = event->plan;

	/* release: the plan is complete; mate: commit.c [event.plan] */
	__atomic_store_n((struct event_use **)&event->plan, plan,
			 __ATOMIC_RELEASE);
	plan_use_set(event);
	if (old && !is_plain(old))
		plan_free(old, grace_free);
}

/* Store the address of the set of rings in the event itself, which saves a load at each
 * hit.  For a quick histogram that assembly can count, store the address of the histogram
 * instead. */
void plan_use_set(struct ulf_event *event)
{
	const struct event_use *plan = event->plan;
	void *set = &buffer_no_rings;

	if (is_plain(plan))
		set = plan->buffer->set;
	else if (plan && plan->quick && plan->quick->load)
		set = plan->quick;
	/* release: the set is complete; mate: commit.S [event.set] */
	__atomic_store_n(&event->set, set, __ATOMIC_RELEASE);
}

int plan_apply(struct ulf_event *event, uint32_t wanted)
{
	struct setting settings[ABI_BUFFERS];
	int nr = fill_settings(event->row, wanted, settings), r;
	struct event_use *plan;

	if (nr < 0)
		return nr;
	if (is_applied(event->plan, settings, nr))
		return 0;
	if (is_plain_setting(settings, nr)) {
		publish_plan(event, &settings[0].buffer->use);
		return 0;
	}
	r = plan_make(event, settings, nr, &plan);
	if (!r)
		publish_plan(event, plan);
	return r;
}

void plan_forget(struct ulf_event *event)
{
	publish_plan(event, NULL);
}
