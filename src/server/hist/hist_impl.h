/* SPDX-License-Identifier: MIT */
/*
 * Histograms, for the files of this room.
 *
 *	trigger (rules/triggers.h)	one line of a `trigger` file
 *	  state: struct hist_trigger	one for each trigger, with the word that pauses it
 *	    struct histogram		definition and table; triggers whose definitions have
 *					the same name (name=NAME) share one, also in several
 *					instances
 *
 * A histogram exists as long as it has triggers.
 */
#ifndef ULF_SERVER_HIST_IMPL_H
#define ULF_SERVER_HIST_IMPL_H

#include "abi/control.h"
#include "hist/lang.h"
#include "server/hist/hists.h"

#define HIST_TRIGGERS_MAX	1024u	/* maximum number of `hist` triggers of a root */
#define HIST_SAVED_MAX		64u	/* maximum number of histograms that one definition
					 * makes for fields of other events, as in the
					 * kernel */

struct hist_more;
struct trigger_mark;

/* A `hist` trigger.  trigger.state points to this struct. */
struct hist_trigger {
	struct hist_trigger *next;	/* next newer trigger of the histogram; while it is
					 * being loaded: next in root_hists.loaded */
	struct histogram *histogram;	/* NULL while the trigger is being loaded or made */
	struct trigger *trigger;
	struct instance *instance;
	uint32_t row;			/* row of the trigger's event in the event table; or
					 * ABI_ROW_PRINT */
	uint32_t paused;		/* 1 + number of the rule word; the histogram does
					 * not count hits of this trigger while the word is
					 * not 0 */
	bool is_leaving;		/* true: the trigger is about to be removed */
	struct hist_more *more;		/* the text and table that the previous server has
					 * published; NULL unless the trigger is being loaded */
};

/* A histogram: a definition, and a table that counts hits as the definition says. */
struct histogram {
	struct histogram *next;		/* next newer histogram of the root */
	struct hist_trigger *triggers;	/* triggers of this histogram, the oldest first; NULL
					 * while the histogram is made or freed */
	struct hist_def *def;
	char *text;			/* the definition as it was written, without the
					 * filter */
	uint64_t serial;		/* serial number, greater than those of all older
					 * histograms */
	uint64_t owner;			/* serial of the histogram for which this one saves
					 * a field (synthetic_FIELD); 0: a user has written
					 * it */
	struct abi_ring_ref block;	/* block of the table; off is 0 while there is no table */
	struct abi_ring_ref stale;	/* block of an older table that a process may still
					 * use, because the rules could not be published; off
					 * is 0 if there is none */
	struct hist_table_ref table;	/* offset and geometry of the table */
	uint32_t readers;		/* number of struct hist_source that refer to this
					 * histogram */
	bool is_gone;			/* true: the histogram was removed, and is freed when
					 * its last reader has ended */
};

/* A write of a `hist` trigger while it is handled: ctx of struct hist_env. */
struct hist_write {
	struct instance *instance;
	const struct event *event;
	const struct event *written;	/* the event whose file was written; differs from
					 * @event for a histogram that is made for a field */
	struct hist_errors errors;	/* mistakes that error_log does not have yet */
	bool is_loading;		/* true: the text comes from the previous server, so
					 * no histogram is made for a field */
	uint64_t saved[HIST_SAVED_MAX];	/* serials of the histograms that this write has
					 * made for fields of other events */
	uint32_t nr_saved;
};

/* Return the event of @hist. */
const struct event *hist_event(const struct hist_trigger *hist);

/* ---- hist_table.c: histograms and their tables ---- */

/*
 * Make a histogram without triggers and without a table, and add it to the list of the root.
 * @def: complete (hist_create_actions()); the histogram owns it from then on, unless this
 *	function fails.
 * @text: copied.
 * Returns NULL if there is no memory.
 */
struct histogram *histogram_new(struct root *root, struct hist_def *def, const char *text);
/* Free a histogram that has no triggers, after its last reader.  Its table stays as it is. */
void histogram_free(struct root *root, struct histogram *histogram);
/* Free @histogram if histogram_free() was called for it, and it has no reader. */
void histogram_release(struct histogram *histogram);
/* Do what histogram_free() does, and retire the table.  The caller must call apply_start(). */
void histogram_retire(struct root *root, struct histogram *histogram);
/* Allocate an empty table for @histogram.  Returns 0; -ENOMEM if the table would be too large
 * or the arena is full; -ENOSPC if the file system is full; or another -errno. */
int histogram_alloc_table(struct root *root, struct histogram *histogram);
/* Return the histogram with the name @name, or NULL. */
struct histogram *histogram_find_name(const struct root *root, const char *name);
/* Return the histogram with the serial @serial, or NULL. */
struct histogram *histogram_find(const struct root *root, uint64_t serial);
/* Append @hist to the triggers of @histogram. */
void histogram_add_trigger(struct histogram *histogram, struct hist_trigger *hist);
/* Take @hist from the triggers of its histogram, if it has one. */
void histogram_remove_trigger(struct hist_trigger *hist);
/* Return true if another histogram of @root refers to a variable of @histogram. */
bool histogram_is_used(const struct root *root, const struct histogram *histogram);
/* Return @trigger or the first trigger after it, in the order of the file `trigger`, that is a
 * `hist` trigger; NULL: there is none.  @trigger: as from triggers_first(); NULL is allowed. */
struct trigger *hist_next(struct trigger *trigger);
/* Return the definition of the histogram of @trigger, a `hist` trigger. */
const struct hist_def *hist_def_of(const struct trigger *trigger);
/* Compile @trigger for records of @event (trigger_lang.compile). */
int hist_compile_for(struct instance *instance, const struct trigger *trigger,
		     const struct event *event, void **ret_data, uint32_t *ret_bytes);

/* ---- hist_clear.c ---- */

/*
 * Give @histogram an empty table.  The caller must call apply_start().
 * Returns 0; -ENODEV (the root is dead), -ENOMEM, -ENOSPC or another -errno: then the old table
 * stays.
 */
int histogram_clear(struct root *root, struct histogram *histogram);

/* ---- hist_clock.c ---- */

/* Return true if the clock of @instance counts ns. */
bool hist_clock_counts_ns(const struct instance *instance);

/* ---- hist_env.c: find what a definition names ---- */

/* Return the environment in which the text of @write is parsed. */
struct hist_env hist_env_of(struct hist_write *write);

/* ---- hist_store.c: add and remove triggers ---- */

/*
 * Add a trigger of a new histogram to write->event, as hist_lang.store does.
 * @text: the definition, without the filter; @filter: text of the filter; NULL: none.
 * @owner: histogram.owner.
 * Returns 0 or -errno.
 */
int hist_add(struct hist_write *write, const char *text, const char *filter, uint64_t owner,
	     struct histogram **ret_histogram);
/* Print @trigger as the file `trigger` does (trigger_lang.show). */
void hist_show_trigger(const struct instance *instance, const struct trigger *trigger,
		       struct text *out);
/* Free the state of @trigger, and take it from its histogram (trigger_lang.free). */
void hist_free(struct trigger *trigger);
/* Return true if the histogram does not count hits of @hist now. */
bool hist_is_paused(const struct hist_trigger *hist);
/* Allocate the state of a trigger of @event.  Returns NULL if there is no memory. */
struct hist_trigger *hist_trigger_new(struct instance *instance, const struct event *event);

/* ---- hist_errors.c: report mistakes ---- */

/* Report write->errors in error_log, and empty the list.  Returns true if there was an error. */
bool hist_log(struct hist_write *write);
/* Report a wrong write for which the kernel returns EINVAL without a message in its error_log. */
void hist_log_silent(const struct hist_write *write);

/* ---- hist_restart.c: survive a restart of the server ---- */

/* Methods put_more, load and link of hist_lang: see struct trigger_lang. */
void hist_put_more(const struct instance *instance, const struct trigger *trigger,
		   struct text *out);
int hist_load(struct instance *instance, const struct event *event, struct trigger *trigger,
	      const void *more, uint32_t bytes);
void hist_link(struct instance *instance);

/* ---- hist_enable.c: enable_hist and disable_hist ---- */

/* Compile the enable_hist and disable_hist triggers of @instance again whose target is
 * @event.  Called when @event gets or loses a `hist` trigger.  Returns 0 or -ENOMEM. */
int hist_update_enablers(struct instance *instance, const struct event *event);

/* ---- hist_mark.c: count markers ---- */

/* Method mark of hist_lang: see struct trigger_lang. */
bool hist_mark(struct instance *instance, const struct trigger *trigger,
	       struct trigger_mark *mark);

#endif
