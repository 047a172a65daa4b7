/* SPDX-License-Identifier: MIT */
/* Histograms of events, as the traced program updates them. */
#ifndef ULF_RUNTIME_EVENT_HIST_H
#define ULF_RUNTIME_EVENT_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist/run.h"

struct abi_triggers;
struct buffer;
struct event_use;
struct trigger_hit;
struct ulf_event;

/* The histogram of a trigger `hist`, or the event probe of a trigger `event_probe`. */
struct event_hist {
	struct hist_unit unit;		/* program and tables; unit.program is NULL if
					 * the trigger has another command */
	const struct hist_context *context;	/* the callbacks that @unit calls */
	bool has_rseq;			/* see struct hist_context */
	const uint64_t *paused;		/* address of a word, which is a rule word or a
					 * constant 0; while it is not 0, hits do not
					 * count */
};

/*
 * Prepare the histograms of an event.  Checks that their tables lie in the arena, and that
 * their programs read addresses only from fields that the traced program declares as
 * addresses.  Marks the dynamic events that they emit as used.
 * @list: private, verified triggers, which must exist as long as the result.
 * @ret_hists: one element for each trigger, for memory_free(); NULL if no trigger has a
 *	histogram.
 * Lock held.  Returns 0, -ENOMEM, -EINVAL or another -errno of root_populate().
 */
int hists_make(const struct ulf_event *event, const struct buffer *buffer,
	       const struct abi_triggers *list, struct event_hist **ret_hists);
/*
 * The short path of an event whose only trigger is one histogram: see hist_hit.c.
 *
 * hist_solo_make - set event_use.solo and quick of @use, which is complete and the only entry
 *	of its plan, if the event has such a path.  Lock held.  Returns 0 or -ENOMEM.
 * hist_solo_commit - handle a hit, and end the probe.  use->solo is not NULL.  Must be called
 *	in a probe; any context.
 * hist_solo_hit - handle a hit.  @event, @depth: see struct trigger_hit.  Returns false if the
 *	plan must be walked.  Must be called in a probe; any context.
 */
int hist_solo_make(struct event_use *use);
void hist_solo_commit(const struct event_use *use, void *entry, size_t bytes);
bool hist_solo_hit(const struct event_use *use, void *entry, size_t bytes,
		   const struct ulf_event *event, uint32_t depth);
/* The callbacks of a histogram's program, and those of an event probe's
 * program. */
extern const struct hist_context hist_context, hist_probe_context;
/* Count a hit in a histogram, and run its actions.  Must be called in a probe; any context. */
void hist_hit(const struct event_hist *hist, struct trigger_hit *hit);

/* ---- methods of the part ---- */

/* Method runtime_part.init: read ULF_READ_MEMORY, which says whether event probes may read any
 * memory of this process. */
void hist_init(void);
/* Method runtime_part.after_claim: store in the process slot that was claimed whether event
 * probes may read any memory of this process. */
void hist_after_claim(bool is_late);

#endif
