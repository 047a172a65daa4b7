/* SPDX-License-Identifier: MIT */
/*
 * Histograms of a root: `hist` triggers, with their tables in the root's memory.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno.
 */
#ifndef ULF_SERVER_HISTS_H
#define ULF_SERVER_HISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "hist/run.h"
#include "server/core/root.h"
#include "server/part_numbers.h"

struct event;
struct extent_list;
struct hist_def;
struct histogram;
struct mapping;
struct text;
struct trigger;
struct trigger_lang;

/* The histograms of a root.  This is the state of ROOT_PART_HIST. */
struct root_hists {
	struct histogram *first;	/* oldest histogram of the root; NULL if there are
					 * no histograms */
	uint32_t nr_triggers;		/* number of `hist` triggers of the root;
					 * HIST_TRIGGERS_MAX at most */
	uint64_t next_serial;		/* serial number for the histogram that is made
					 * next */
	struct hist_trigger *loaded;	/* list of triggers that hist_load() has read and
					 * hist_link() must complete */
};

/* Return the state of ROOT_PART_HIST of @root. */
static inline struct root_hists *root_hists(const struct root *root)
{
	return root->part_state[ROOT_PART_HIST];
}

/* Two languages of trigger commands: the first for hist, the second for enable_hist and
 * disable_hist. */
extern const struct trigger_lang hist_lang, enable_hist_lang;

/* Method root_part.list_blocks: report the blocks that contain tables of histograms. */
void hists_list_blocks(const struct root *root, struct extent_list *list);
/* Method root_part.has_recorded: return true if the root has a histogram. */
bool hists_are_there(const struct root *root);
/* Method root_part.done: free all histograms in the server's memory.  The tables in
 * shared memory stay. */
void hists_done(struct root *root);
/* Method instance_part.drop: retire the tables of histograms that only @instance has
 * used.  Must run after rules_drop() has freed the triggers of the instance. */
void hists_drop(struct instance *instance);

/*
 * Set the clock of @instance and of its histograms to row @clock of clock_table, as
 * instance_set_clock() does.  The caller must call apply_start().  Returns 0 or -errno.  After
 * an error the old clock is set again, unless there is no memory for its rings.
 */
int hists_set_clock(struct instance *instance, uint32_t clock);

/* ---- functions that read histograms ---- */

/* A histogram of an event that is being printed. */
struct hist_source {
	struct histogram *histogram;	/* histogram that is printed; holds a reference,
					 * because the histogram may be removed meanwhile */
	const struct hist_def *def;
	char *line;			/* line of the file `trigger` that shows the
					 * histogram's trigger, without a newline */
};

/* The histograms of an event that are being printed. */
struct hist_sources {
	struct hist_source *list;	/* array of @nr histograms, in the order of the
					 * file `trigger` */
	uint32_t nr;
	uint32_t next;			/* index of the first histogram that is not
					 * printed yet; only the caller uses this member */
	uint32_t module;		/* number of the event's module, for
					 * symbols_print() */
};

/* Collect the histograms of @event.  The caller must call hist_sources_done() after success.
 * Returns 0 or -ENOMEM. */
int hist_sources_init(struct instance *instance, const struct event *event,
		      struct hist_sources *ret_sources);
void hist_sources_done(struct root *root, struct hist_sources *sources);
/*
 * Map the table of @source.  *@ret_view is a view of the table, valid as long as
 * *@ret_map.  *@ret_map is the mapping, which the caller releases with mapping_put().
 * Returns 0, -ENOMEM, or -EIO if the file was cut short.
 */
int hist_source_map(const struct root *root, const struct hist_source *source,
		    struct hist_view *ret_view, struct mapping **ret_map);
/* Return the number of hits of all histograms of @event together, including hits that
 * were dropped. */
uint64_t hists_count(const struct instance *instance, const struct event *event);

#endif
