/* SPDX-License-Identifier: MIT */
/*
 * ulf watch: show the events of a root in a terminal.
 *
 *	cmd_watch.c	the command line, the loop, keys
 *	watch_root.c	the instance in the root: events, rates, records
 *	watch_screen.c	the picture
 *
 * The command works in an instance of its own, watch.PID, so other users of the root see no
 * change and lose no records.  For each event that is on in this instance it sets the trigger
 * hist:keys=common_cpu.  The hits of this histogram give the rate.  The program counts them
 * itself, even if the small rings of the instance have no space for the records.
 */
#ifndef ULF_CLI_WATCH_H
#define ULF_CLI_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "cli/conn.h"

/* ---- watch_root.c ---- */

struct watch_event {
	char *name;			/* SYSTEM:EVENT */
	bool is_on;			/* true: on in the instance */
	char *filter;			/* NULL: none */
	uint64_t hits;			/* number of hits of the event since it was switched
					 * on */
	double rate;			/* number of hits of the event per second, in the last
					 * interval */
};

struct watch_root {
	struct conn *conn;
	char *root;			/* full name */
	char *instance;			/* path of the command's instance; NULL: it was not
					 * made */
	struct watch_event *events;	/* sorted by name */
	uint32_t nr;
	uint64_t read_ns;		/* time at which the hits were read last */
	bool is_alive;
	struct text names;		/* text of `available_events`, from which @events was
					 * made */
	struct text tail;		/* the records of the instance, as `trace` shows them */
};

/* Find the root, make the instance, and switch on the events that are on in the root, with
 * their filters.  @word: name of the root as for root_path(); NULL: the only root that is
 * alive.  Prints errors.  The caller must call watch_root_stop(), also after an error. */
int watch_root_start(struct watch_root *watch, struct conn *conn, const char *word);
/* Remove the command's instance, and free the memory. */
void watch_root_stop(struct watch_root *watch);
/* Read the list of events, their hits, and the records.  Returns 0; -ENOENT if the root is
 * gone; or another -errno. */
int watch_root_read(struct watch_root *watch);
/* Switch an event on or off in the instance.  Returns 0; or -errno, with the reason in @why. */
int watch_root_switch(struct watch_root *watch, struct watch_event *event, bool is_on,
		      struct text *why);
/* Set the filter of an event in the instance; "": remove the filter.  Returns 0; or -errno,
 * with the reason in @why. */
int watch_root_filter(struct watch_root *watch, struct watch_event *event, const char *filter,
		      struct text *why);
/* Append the names of the event's fields, without the common fields, separated by blanks. */
void watch_root_fields(struct watch_root *watch, const struct watch_event *event,
		       struct text *out);

/* ---- watch_screen.c ---- */

struct watch_view {
	struct watch_event **list;	/* array of the events that are shown, sorted */
	uint32_t nr;
	uint32_t selected, first;	/* @selected: index of the selected event; @first:
					 * index of the first event on the screen */
	uint32_t page;			/* number of events that fit on the screen */
	char name[256];			/* name of the event that was selected when the screen
					 * was last drawn */
	char search[64];		/* text to search for: only events whose names contain
					 * it are shown */
	bool is_by_rate;		/* true: events are sorted by rate; false: by name */
	bool is_paused;
	bool has_tail;			/* true: the last records are shown below the events */
};

/* Choose and sort the events that are shown, after watch_root_read() or a change of the
 * view.  The selected event remains selected.  Returns 0 or -ENOMEM. */
int watch_view_sort(struct watch_view *view, const struct watch_root *watch);
/* Return the selected event; NULL if no event is selected. */
struct watch_event *watch_view_selected(const struct watch_view *view);
/* Draw the screen.  @status: text of the last line */
void watch_view_show(struct watch_view *view, const struct watch_root *watch, const char *status);

#endif
