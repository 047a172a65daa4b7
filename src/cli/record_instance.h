/* SPDX-License-Identifier: MIT */
/*
 * The instance to which a root that runs already is recorded: `record.PID`, with the process id of
 * the recorder.  If a recorder was killed its instance stays; the next recording of the root
 * removes it.
 */
#ifndef ULF_CLI_RECORD_INSTANCE_H
#define ULF_CLI_RECORD_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/conn.h"

/* Kinds of settings. */
enum record_kind {
	RECORD_EVENT,
	RECORD_FILTER,			/* filter of the event before it */
	RECORD_FUNCTIONS,
	RECORD_TRACER,
};

struct record_setting {
	enum record_kind kind;
	const char *value;
};

/* The caller sets all members to 0. */
struct record_instance {
	struct record_setting *list;	/* settings, in the order of the command line */
	uint32_t nr;
	uint64_t kb;			/* size of a CPU's ring, KiB; 0: the default */
	char *root;			/* full name of the root */
	char name[32];			/* name of the instance */
	bool is_made;
};

/* Add a setting.  The caller keeps @value.  Returns 0 or -errno; prints errors. */
int record_instance_add(struct record_instance *instance, enum record_kind kind,
			const char *value);
/* Return true if there is a setting of this kind. */
bool record_instance_has(const struct record_instance *instance, enum record_kind kind);
/* Return a size of rings for a recording, in KiB for each CPU.  @dir: the ulf directory. */
uint64_t record_instance_default_kb(const char *dir);
/*
 * Find the root that @word names, which may be the pid or the name of a program to attach to, and
 * make the instance.  @word NULL: the only root that is alive.  Returns 0 or -errno; prints
 * errors.
 */
int record_instance_make(struct conn *conn, const char *word, struct record_instance *instance);
/* Apply the settings, so that recording begins.  Returns 0 or -errno; prints errors. */
int record_instance_begin(struct conn *conn, struct record_instance *instance);
/* Turn recording off. */
void record_instance_stop(struct conn *conn, const struct record_instance *instance);
/* Remove the instance, if it was made.  Prints errors. */
void record_instance_remove(struct conn *conn, struct record_instance *instance);
/* Free the memory. */
void record_instance_done(struct record_instance *instance);

#endif
