/* SPDX-License-Identifier: MIT */
/*
 * Instances for recording roots that exist already, one in each root.  Their name is
 * `record.PID`, where PID is the process id of the recorder.  If a recorder was killed, the
 * next recording of the root removes its instance.
 */
#ifndef ULF_CLI_RECORD_INSTANCE_H
#define ULF_CLI_RECORD_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/conn.h"

/* Kinds of settings. */
enum record_kind {
	RECORD_EVENT,
	RECORD_FILTER,			/* a filter, for the event that stands before the
					 * filter on the command line */
	RECORD_TRIGGER,			/* a trigger: "SYSTEM/EVENT TRIGGER" */
	RECORD_FUNCTIONS,
	RECORD_TRACER,
};

struct record_setting {
	enum record_kind kind;
	const char *value;
};

/* A recording of roots that exist.  The caller sets all members to 0 first. */
struct record_instance {
	struct record_setting *list;	/* settings of the recording, in the order of the
					 * command line */
	uint32_t nr;
	uint64_t kb;			/* size of the ring of each CPU, KiB; 0: use the
					 * default */
	char **roots;			/* array of @nr_roots names: full names of the roots
					 * in which the instance was made */
	uint32_t nr_roots;
	char name[32];			/* name of the instance */
	const char *attach_option;	/* option for `ulf attach` of a program that has no root;
					 * NULL: none */
};

/* Add a setting of the command line.  @value must stay valid.  Returns 0 or -errno; prints
 * errors. */
int record_instance_add(struct record_instance *instance, enum record_kind kind,
			const char *value);
/* Return true if there is a setting of the kind @kind. */
bool record_instance_has(const struct record_instance *instance, enum record_kind kind);
/* Return the default size of the rings of a recording, in KiB for each CPU.  @dir: the ulf
 * directory, on whose file system the rings are. */
uint64_t record_instance_default_kb(const char *dir);
/*
 * Find the root that @word names, and make the instance in it.  @word may also be the process
 * id or the name of a program that has no root yet; then this function runs `ulf attach` for
 * the program.  @word NULL: use the only root that is alive.  Does nothing if the root has
 * the instance already.  Returns 0 or -errno; prints errors.
 */
int record_instance_make(struct conn *conn, const char *word, struct record_instance *instance);
/* Apply the settings to the instance in each root, so that events are recorded from then on.
 * Returns 0, or -errno after the first error; prints errors. */
int record_instance_begin(struct conn *conn, const struct record_instance *instance);
/* Write a line to the file trace_marker of each root's instance.  Prints no errors. */
void record_instance_mark(struct conn *conn, const struct record_instance *instance,
			  const char *line);
/* Turn recording off in the instance of each root. */
void record_instance_stop(struct conn *conn, const struct record_instance *instance);
/* Turn recording on again after record_instance_stop(). */
void record_instance_continue(struct conn *conn, const struct record_instance *instance);
/* Remove the instance from each root in which record_instance_make() has made it.  Prints
 * errors. */
void record_instance_remove(struct conn *conn, const struct record_instance *instance);
/* Free the memory. */
void record_instance_done(struct record_instance *instance);

#endif
