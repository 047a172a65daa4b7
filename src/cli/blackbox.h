/* SPDX-License-Identifier: MIT */
/*
 * ulf blackbox: keep the trace around each hit of an event whose field passes a limit.
 *
 *	cmd_blackbox.c		the command line, and the loop that waits for incidents
 *	blackbox_tree.c		settings of the root: events, triggers, the snapshot
 *	blackbox_file.c		one file for each incident
 *
 * An incident is a hit of the event for which the limit is true.  The thread that hits the
 * event takes the snapshot itself, by the trigger `snapshot:1 if LIMIT`.  So no earlier
 * record is lost, however late this command notices the incident.  The trigger acts once.
 * This command writes the snapshot to a file, clears it and sets the trigger again:
 *
 *	armed -- incident --> fired -- file written --> cleared -- trigger set --> armed
 *
 * An incident that comes after another one, and before the trigger is set again, is missed.
 * The histogram `hist:keys=common_cpu if LIMIT` on the same event counts all incidents, so
 * the number of missed ones is exact.
 *
 * Functions that return int return 0 or -errno, unless stated otherwise.  All functions that use
 * the connection sleep while they wait for the server.
 */
#ifndef ULF_CLI_BLACKBOX_H
#define ULF_CLI_BLACKBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cli/conn.h"

#define BLACKBOX_FILES		10u	/* default of the option -k */
#define BLACKBOX_EVENTS		16	/* maximum number of options -e of a command line */
#define BLACKBOX_NAME_BYTES	64u	/* maximum size of the name of an incident's file,
					 * with the NUL */

struct blackbox {
	/* arguments of the command line */
	const char *root_word;		/* argument ROOT; NULL: the only root that is alive */
	const char *event_word;		/* argument EVENT */
	const char *limit;		/* arguments FIELD OP N of the command line, joined by
					 * blanks */
	const char *out_dir;		/* directory of the files */
	uint32_t max_files;		/* maximum number of incidents' files in @out_dir */
	const char *more[BLACKBOX_EVENTS];	/* arguments of the options -e */
	int nr_more;

	struct conn conn;
	char *dir;			/* path of the buffer that is watched: that of the
					 * root or of an instance */
	char *event;			/* SYSTEM:EVENT */
	char *event_dir;		/* path of the event's directory below @dir */

	/* changes that blackbox_restore() must undo */
	struct text enabled;		/* events that this command has enabled, one on each
					 * line */
	bool is_event_enabled;		/* true: this command has enabled the event of the
					 * incidents itself */
	bool has_allocated;		/* true: this command has allocated the rings of the
					 * snapshot */
	bool has_cleared;		/* true: the snapshot was empty at the start, so all
					 * records in it belong to this command */
	bool is_armed;			/* true: the trigger is set */
	bool is_counting;		/* true: the histogram that counts the incidents is
					 * set */

	uint32_t nr_fired;		/* number of incidents that have fired the trigger, so
					 * that a snapshot was taken */
	uint32_t nr_written;		/* number of incidents that were written to a file */
	uint64_t nr_missed;		/* number of missed incidents that were reported */
};

/* ---- blackbox_tree.c: settings of the root ---- */

/* Find the root and the event; sets dir, event and event_dir of @box.  Prints errors. */
int blackbox_find(struct blackbox *box);
/* Enable the events, check and clear the snapshot, and set both triggers.  Prints errors.
 * The caller must call blackbox_restore(), also after an error. */
int blackbox_start(struct blackbox *box);
/* Clear the snapshot, and set the trigger again after it has fired.  Prints errors, except
 * for -ENODEV, which says that the program has ended. */
int blackbox_rearm(struct blackbox *box);
/* Remove the trigger that takes the snapshot.  Prints nothing. */
void blackbox_disarm(struct blackbox *box);
/* Undo all that blackbox_start() has changed.  Prints nothing, because the program may have
 * ended. */
void blackbox_restore(struct blackbox *box);

/* Return 1 if the trigger has fired, else 0.  Prints errors, and returns -errno: -ENOENT if
 * somebody has removed the trigger or the root. */
int blackbox_has_fired(struct blackbox *box);
/* Return 1 if the snapshot has records, else 0. */
int blackbox_has_snapshot(struct blackbox *box);
/* Return true if the program has not ended.  If the server cannot say, returns true. */
bool blackbox_is_alive(struct blackbox *box);
/* Get the number of all incidents so far, including those that have fired the trigger.
 * Returns 0; or -ENODATA if incidents are not counted. */
int blackbox_count(struct blackbox *box, uint64_t *ret_nr);
/* Get the name of the clock from which the time stamps of records come. */
int blackbox_clock(struct blackbox *box, struct text *ret_clock);

/* blackbox_read - read a file of the buffer, as conn_file_text() does
 * @name: path of the file below box->dir
 *
 * If the server has ended, connects to the next server. */
int blackbox_read(struct blackbox *box, const char *name, struct text *ret_text);

/* ---- blackbox_file.c: the files of the incidents ---- */

/* Check that files can be written to box->out_dir.  Creates the directory if it does not
 * exist.  Prints errors. */
int blackbox_check_dir(const struct blackbox *box);
/*
 * blackbox_write - write an incident to a new file
 * @source: name of the buffer's file with the records: "snapshot" or "trace"
 * @nr_missed: incidents that were missed between the last one that was written and this one
 * @ret_name: name of the file in out_dir, BLACKBOX_NAME_BYTES bytes
 *
 * Removes the oldest files, so that there are at most max_files.  Prints errors; after an
 * error no file was written.
 */
int blackbox_write(struct blackbox *box, const char *source, uint64_t nr_missed, char *ret_name);

#endif
