/* SPDX-License-Identifier: MIT */
/*
 * Histograms of events: prepare the programs of the commands `hist` and `event_probe`,
 * which come from shared memory.  The tables of histograms are in the root's memory; the
 * agent checks their addresses once, and keeps their geometry in private memory.
 * hist_hit.c runs the programs.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "abi/control.h"
#include "abi/rules.h"
#include "hist/quick.h"
#include "ring/ring.h"
#include "runtime/base/memory.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/buffer/buffer.h"
#include "runtime/event/dynamic.h"
#include "runtime/event/hist.h"
#include "runtime/event/plan.h"
#include "runtime/event/trigger.h"
#include <ulf/event.h>

#define PEEK_MAX	4096u		/* if a field contains an address, an event
					 * probe may read this number of bytes from this
					 * address on */

static bool reads_memory;		/* true: ULF_READ_MEMORY is set to a value
					 * other than 0;
					 * hist_init() sets this variable */

/* ---- check the programs of an event ---- */

/* Returns the program of trigger @at, or NULL if its command has none. */
static const struct hist_program *program_of(const struct abi_triggers *list, uint32_t at)
{
	const struct abi_trigger *trigger = &list->triggers[at];

	if (!trigger_has_hist(trigger))
		return NULL;
	return (const void *)((const char *)list + trigger->data);
}

/* Set up the view of a histogram's table.  @ref: in private memory, with a
 * valid geometry. */
static int make_view(const struct hist_table_ref *ref, struct hist_view *view)
{
	int r;

	if (ref->off % HIST_TABLE_ALIGN || ref->off < ABI_ARENA_OFF)
		return -EINVAL;
	r = root_populate(ref->off, ref->bytes);
	if (!r)
		hist_view_init(view, root_at(ref->off), &ref->geometry);
	return r;
}

/* Returns true if register @reg contains an address before instruction number @at,
 * because its value was loaded from a field that the program declares as a pointer. */
static bool is_address(const struct ulf_event *event, const struct hist_program *program,
		       uint32_t at, uint32_t reg)
{
	const struct hist_insn *insns = hist_insns(program);

	while (at--) {
		if (insns[at].dst == reg)
			return insns[at].op == HIST_OP_LOAD_U64 &&
			       event_has_pointer(event, insns[at].offset, false);
	}
	return false;
}

/*
 * Check each address that a histogram program reads from.  Another process of the root can
 * write any histogram program to shared memory, also one that takes a number for an
 * address.  So a field that is read as an address must be declared as a string or as a
 * pointer.  Only the first PEEK_MAX bytes from a pointer on may be read.  ULF_READ_MEMORY
 * allows more.
 */
static bool are_addresses_valid(const struct ulf_event *event, const struct hist_program *program)
{
	const struct hist_insn *insns = hist_insns(program);

	for (uint32_t i = 0; i < program->nr_insns; i++) {
		switch (insns[i].op) {
		case HIST_OP_STR_PTR:
			if (!event_has_pointer(event, insns[i].offset, true))
				return false;
			break;
		case HIST_OP_PEEK:
		case HIST_OP_PEEK_STR:
			if (!reads_memory && (insns[i].value >= PEEK_MAX ||
					      !is_address(event, program, i, insns[i].a)))
				return false;
			break;
		}
	}
	return true;
}

/* Mark the dynamic events that the histogram program @program records as
 * used. */
static int use_events(const struct hist_program *program)
{
	int r = 0;

	for (uint32_t i = 0; i < program->nr_actions && !r; i++) {
		if (hist_actions(program)[i].kind == HIST_DO_TRACE)
			r = dynamic_use(hist_actions(program)[i].row);
	}
	return r;
}

static int make_hist(const struct ulf_event *event, const struct buffer *buffer,
		     const struct hist_program *program, struct hist_view *views,
		     struct event_hist *hist)
{
	static const uint64_t never = 0;
	int r = use_events(program);

	if (!are_addresses_valid(event, program))
		return -EINVAL;
	for (uint32_t i = 0; i < program->nr_tables && !r; i++)
		r = make_view(&hist_tables(program)[i], &views[i]);
	hist_unit_init(&hist->unit, program, views);
	hist->has_rseq = root_has_rseq();
	hist->context = program->flags & HIST_PROG_EVENT_PROBE ? &hist_probe_context :
			&hist_context;
	hist->paused = program->paused ? &buffer->shared->slots[program->paused - 1] : &never;
	return r;
}

int hists_make(const struct ulf_event *event, const struct buffer *buffer,
	       const struct abi_triggers *list, struct event_hist **ret_hists)
{
	size_t nr_hists = 0, nr_views = 0;
	const struct hist_program *program;
	struct event_hist *hists;
	struct hist_view *views;
	int r = 0;

	*ret_hists = NULL;
	for (uint32_t i = 0; i < list->nr; i++) {
		program = program_of(list, i);
		nr_hists += program != NULL;
		nr_views += program ? program->nr_tables : 0;
	}
	if (!nr_hists)
		return 0;
	hists = memory_alloc(list->nr * sizeof(*hists) + nr_views * sizeof(*views));
	if (!hists)
		return -ENOMEM;
	views = (struct hist_view *)&hists[list->nr];
	for (uint32_t i = 0; i < list->nr && !r; i++) {
		program = program_of(list, i);
		if (!program)
			continue;
		r = make_hist(event, buffer, program, views, &hists[i]);
		views += program->nr_tables;
	}
	if (r)
		memory_free(hists);
	else
		*ret_hists = hists;
	return r;
}

/* ---- the short path ---- */

/* ulf_event.set points to a set of rings or to a struct hist_quick.  commit.S reads these two
 * members before it knows which of the two structs it is. */
static_assert(offsetof(struct hist_quick, nr_cpus) == offsetof(struct ring_set, nr_cpus) &&
	      offsetof(struct hist_quick, small_max) == offsetof(struct ring_set, small_max),
	      "a histogram in the place of a set");
static_assert(HIST_QUICK_SET < sizeof(struct trace_entry), "no record is that small");

/* The struct is allocated as a set of rings is, because a thread without rseq may still
 * read its first words after it was freed: see set_new() in buffer.c. */
static int make_quick(struct event_use *use)
{
	struct hist_quick quick;

	hist_quick_init(&quick, &use->solo->unit);
	if (quick.kind == HIST_QUICK_NOT || !root_has_rseq())
		return 0;
	quick.soft = use->soft;
	quick.paused = use->solo->paused;
	use->quick = memory_alloc_stable(sizeof(quick));
	if (!use->quick)
		return -ENOMEM;
	*use->quick = quick;
	return 0;
}

int hist_solo_make(struct event_use *use)
{
	const struct abi_triggers *list = use->triggers;

	if (!use->hists || list->nr != 1 || list->triggers[0].program ||
	    list->triggers[0].counter || use->buffer->has_pids)
		return 0;
	use->solo = &use->hists[0];
	return make_quick(use);
}

/* ---- the setting ---- */

void hist_init(void)
{
	const char *value = secure_getenv("ULF_READ_MEMORY");

	reads_memory = value && *value && !(value[0] == '0' && !value[1]);
	hist_after_claim(false);
}

void hist_after_claim(bool is_late)
{
	(void)is_late;
	__atomic_store_n(&process_slot->reads_memory, reads_memory, __ATOMIC_RELAXED);
}
