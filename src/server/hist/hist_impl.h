/* SPDX-License-Identifier: MIT */
/*
 * Histograms: what only the files of server/hist use.
 *
 *	trigger (rules/triggers.h)	one line of a `trigger` file
 *	  state: struct hist_trigger	one for each trigger, with the word that pauses it
 *	    struct histogram		definition and table; triggers whose definitions have
 *					the same name (name=NAME) share one histogram, also in
 *					several instances
 *
 * A histogram exists as long as it has triggers.
 */
#ifndef ULF_SERVER_HIST_IMPL_H
#define ULF_SERVER_HIST_IMPL_H

#include "abi/control.h"
#include "hist/lang.h"
#include "server/hist/hists.h"

#define HIST_TRIGGERS_MAX	1024u	/* maximum number of `hist` triggers of one root */
#define HIST_SAVED_MAX		64u	/* maximum number of histograms that the server
					 * makes for one definition to save fields of
					 * other events, as in the kernel */

struct hist_more;
struct trigger_mark;

/* A `hist` trigger.  trigger.state points to this struct. */
struct hist_trigger {
	struct hist_trigger *next;	/* next newer trigger of the same histogram; while
					 * the trigger is being loaded: next trigger in
					 * root_hists.loaded */
	struct histogram *histogram;	/* histogram of the trigger; NULL while the
					 * trigger is being loaded or made */
	struct trigger *trigger;
	struct instance *instance;
	uint32_t row;			/* row of the trigger's event in the table of
					 * events; ABI_ROW_PRINT for ftrace:print */
	uint32_t paused;		/* 1 + number of a rule word; while the word is
					 * not 0, hits of this trigger are not counted */
	bool is_leaving;		/* true: the trigger is being removed */
	struct hist_more *more;		/* definition and table of the trigger, as a
					 * server that has ended had published them; NULL
					 * except while this server loads the trigger */
};

/* A histogram: a definition, and a table in which hits are counted as the definition
 * says. */
struct histogram {
	struct histogram *next;		/* next newer histogram of the same root */
	struct hist_trigger *triggers;	/* triggers of this histogram, the oldest first;
					 * NULL while the histogram is being made or freed */
	struct hist_def *def;
	char *text;			/* text of the definition as it was written,
					 * without the filter */
	uint64_t serial;		/* serial number of the histogram; newer
					 * histograms have greater numbers */
	uint64_t owner;			/* serial number of the histogram for which this
					 * one saves a field (synthetic_FIELD); 0 if a
					 * user has written this one */
	struct abi_ring_ref block;	/* block with the histogram's table; its member @off
					 * is 0 while there is no table */
	struct abi_ring_ref stale;	/* block with an older table that a process may still
					 * use, because the new rules could not be published;
					 * its member @off is 0 if there is none */
	struct hist_table_ref table;	/* offset and geometry of the histogram's table */
	uint32_t readers;		/* number of struct hist_source that hold a
					 * reference to this histogram */
	bool is_gone;			/* true: the histogram was removed, and is freed
					 * when no hist_source refers to it */
};

/* The state of one write of a `hist` trigger; @ctx of struct hist_env points to it. */
struct hist_write {
	struct instance *instance;
	const struct event *event;
	const struct event *written;	/* event to whose `trigger` file the user has
					 * written; differs from @event if a histogram is
					 * made to save a field */
	struct hist_errors errors;	/* mistakes of the definition that are not in
					 * error_log yet */
	bool is_loading;		/* true: the text comes from the previous server,
					 * so no new histogram is made to save a field */
	uint64_t saved[HIST_SAVED_MAX];	/* serial numbers of the histograms that this
					 * write has made to save fields of other events */
	uint32_t nr_saved;
};

/* Return the event to which the trigger @hist belongs. */
const struct event *hist_event(const struct hist_trigger *hist);

/* ---- functions that are defined in hist_table.c: histograms and their tables ---- */

/*
 * Make a histogram without triggers and without a table, and add it to the list of the root.
 * @def: the complete definition (hist_create_actions()), which the histogram owns
 * afterwards, unless this function fails.
 * @text: text of the definition, which is copied.
 * Returns NULL if there is no memory.
 */
struct histogram *histogram_new(struct root *root, struct hist_def *def, const char *text);
/* Free a histogram without triggers, as soon as no hist_source refers to it.  Its table
 * in shared memory is not freed. */
void histogram_free(struct root *root, struct histogram *histogram);
/* Free @histogram if histogram_free() was called for it and no hist_source refers to it. */
void histogram_release(struct histogram *histogram);
/* Free a histogram as histogram_free() does, and retire its table.  The caller must call
 * apply_start(). */
void histogram_retire(struct root *root, struct histogram *histogram);
/* Allocate an empty table for @histogram.  Returns 0; -ENOMEM if the table would be too large
 * or the arena is full; -ENOSPC if the file system is full; or another -errno. */
int histogram_alloc_table(struct root *root, struct histogram *histogram);
/* Return the histogram of @root with the name @name, or NULL if there is none. */
struct histogram *histogram_find_name(const struct root *root, const char *name);
/* Return the histogram of @root with the serial number @serial, or NULL if there is
 * none. */
struct histogram *histogram_find(const struct root *root, uint64_t serial);
/* Append @hist to the triggers of @histogram, as the newest one. */
void histogram_add_trigger(struct histogram *histogram, struct hist_trigger *hist);
/* Remove @hist from the triggers of its histogram, if it has a histogram. */
void histogram_remove_trigger(struct hist_trigger *hist);
/* Return true if another histogram of @root refers to a variable of @histogram. */
bool histogram_is_used(const struct root *root, const struct histogram *histogram);
/* Return the first `hist` trigger among @trigger and the triggers after it, in the order
 * of the file `trigger`; NULL if there is none.  @trigger may be NULL. */
struct trigger *hist_next(struct trigger *trigger);
/* Return the definition of the histogram of @trigger, a `hist` trigger. */
const struct hist_def *hist_def_of(const struct trigger *trigger);
/* Compile @trigger, a `hist` trigger, for records of @event (trigger_lang.compile). */
int hist_compile_for(struct instance *instance, const struct trigger *trigger,
		     const struct event *event, void **ret_data, uint32_t *ret_bytes);

/* ---- hist_clear.c ---- */

/*
 * Give @histogram a new, empty table.  The caller must call apply_start().  Returns 0,
 * -ENODEV (the root is dead), -ENOMEM, -ENOSPC or another -errno.  After an error the old
 * table stays.
 */
int histogram_clear(struct root *root, struct histogram *histogram);

/* ---- hist_clock.c ---- */

/* Return true if the clock of @instance counts ns. */
bool hist_clock_counts_ns(const struct instance *instance);

/* ---- function that is defined in hist_env.c ---- */

/* Return the environment (struct hist_env) for parsing the text of @write. */
struct hist_env hist_env_of(struct hist_write *write);

/* ---- functions that are defined in hist_store.c: add and remove triggers ---- */

/*
 * Add a trigger of a new histogram to write->event, as hist_lang.store does.
 * @text: the definition, without the filter; @filter: text of the filter, or NULL.
 * @owner: value for histogram.owner.  Returns 0 or -errno.
 */
int hist_add(struct hist_write *write, const char *text, const char *filter, uint64_t owner,
	     struct histogram **ret_histogram);
/* Print @trigger, a `hist` trigger, as the file `trigger` does (trigger_lang.show). */
void hist_show_trigger(const struct instance *instance, const struct trigger *trigger,
		       struct text *out);
/* Free the state of the `hist` trigger @trigger, and remove the trigger from its
 * histogram (trigger_lang.free). */
void hist_free(struct trigger *trigger);
/* Return true if hits of the `hist` trigger @hist are not counted now, because the trigger is
 * paused. */
bool hist_is_paused(const struct hist_trigger *hist);
/* Allocate the state of a `hist` trigger of @event.  Returns NULL if there is no memory. */
struct hist_trigger *hist_trigger_new(struct instance *instance, const struct event *event);

/* ---- functions that are defined in hist_errors.c: report mistakes ---- */

/* Report the mistakes in write->errors in error_log, and empty write->errors.  Returns
 * true if there was a mistake. */
bool hist_log(struct hist_write *write);
/* Report in error_log a wrong write for which the kernel only returns EINVAL, without an
 * entry in its error_log. */
void hist_log_silent(const struct hist_write *write);

/* ---- functions that are defined in hist_restart.c: survive a restart of the server ---- */

/* Methods put_more, load and link of hist_lang: see struct trigger_lang. */
void hist_put_more(const struct instance *instance, const struct trigger *trigger,
		   struct text *out);
int hist_load(struct instance *instance, const struct event *event, struct trigger *trigger,
	      const void *more, uint32_t bytes);
void hist_link(struct instance *instance);

/* ---- function that is defined in hist_enable.c ---- */

/* Compile the enable_hist and disable_hist triggers of @instance again whose target is
 * @event.  Called when @event gets or loses a `hist` trigger.  Returns 0 or -ENOMEM. */
int hist_update_enablers(struct instance *instance, const struct event *event);

/* ---- function that is defined in hist_mark.c ---- */

/* Method mark of hist_lang: see struct trigger_lang. */
bool hist_mark(struct instance *instance, const struct trigger *trigger,
	       struct trigger_mark *mark);

#endif
