/* SPDX-License-Identifier: MIT */
/*
 * The instances to which roots are recorded that exist already, one in each root.  The name is
 * `record.PID`, with the process id of the recorder.  An instance that a killed recorder has
 * left is removed by the next recording of the root.
 */
#ifndef ULF_CLI_RECORD_INSTANCE_H
#define ULF_CLI_RECORD_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/conn.h"

/* Kinds of settings. */
enum record_kind {
	RECORD_EVENT,
	RECORD_FILTER,			/* filter of the event that stands before it on the
					 * command line */
	RECORD_FUNCTIONS,
	RECORD_TRACER,
};

struct record_setting {
	enum record_kind kind;
	const char *value;
};

/* A recording of roots that exist.  The caller sets all members to 0 first. */
struct record_instance {
	struct record_setting *list;	/* settings, in the order of the command line */
	uint32_t nr;
	uint64_t kb;			/* size of the ring of each CPU, KiB; 0: the default */
	char **roots;			/* full names of the roots in which the instance was
					 * made, an array of @nr_roots */
	uint32_t nr_roots;
	char name[32];			/* name of the instance */
};

/* Add a setting.  The caller keeps @value.  Returns 0 or -errno; prints errors. */
int record_instance_add(struct record_instance *instance, enum record_kind kind,
			const char *value);
/* Return true if there is a setting of this kind. */
bool record_instance_has(const struct record_instance *instance, enum record_kind kind);
/* Return the default size of the rings of a recording, in KiB for each CPU.  @dir: the ulf
 * directory, on whose file system the rings are. */
uint64_t record_instance_default_kb(const char *dir);
/*
 * Find the root that @word names, and make the instance in it.  @word may also be the process
 * id or the name of a program that has no root yet: then `ulf attach` is run for it.  @word
 * NULL: use the only root that is alive.  A root that has the instance already is left as it
 * is.  Returns 0 or -errno; prints errors.
 */
int record_instance_make(struct conn *conn, const char *word, struct record_instance *instance);
/* Apply the settings to the instance in each root.  From then on events are recorded.  Returns
 * 0, or -errno after the first error; prints errors. */
int record_instance_begin(struct conn *conn, const struct record_instance *instance);
/* Turn recording off in each root. */
void record_instance_stop(struct conn *conn, const struct record_instance *instance);
/* Remove the instance from each root in which record_instance_make() has made it.  Prints
 * errors. */
void record_instance_remove(struct conn *conn, const struct record_instance *instance);
/* Free the memory. */
void record_instance_done(struct record_instance *instance);

#endif
