/* SPDX-License-Identifier: MIT */
/*
 * Languages of trigger commands: the methods of a command that has more than a target, a count
 * and a filter.  A `hist` trigger, for example, has a text of its own and data that processes
 * use (abi_trigger.data). triggers.c, rules.c and rules_load.c call the methods; they contain
 * no code for a single such command.
 *
 * Every method is optional and runs in the server's thread.  None may block.
 */
#ifndef ULF_SERVER_TRIGGER_LANG_H
#define ULF_SERVER_TRIGGER_LANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "event/command.h"

struct event;
struct instance;
struct root;
struct text;
struct trigger;

/* A record that the server has written, for which triggers run: a marker (ftrace:print), or an
 * event that a user has injected. */
struct trigger_mark {
	uint32_t row;			/* row of the record's event; ABI_ROW_PRINT stands
					 * for ftrace:print */
	uint32_t depth;			/* nesting depth: 0 if a user has written the
					 * record; 1 if a trigger of such a record has
					 * recorded it; and so on */
	const void *rec;		/* the record */
	size_t bytes;			/* length of the record */
	pid_t tid;			/* thread of the user */
	uint32_t cpu;			/* number of the CPU on which the thread @tid runs */
	const char *comm;		/* name of the thread @tid, padded with NULs to
					 * FILTER_COMM_LEN bytes */
	uint64_t time;			/* time of the record, by the clock of the instance */
	bool wants_snapshot;		/* true: take a snapshot after all triggers have
					 * run; set by the method mark */
};

struct trigger_lang {
	bool is_last;			/* true: a new trigger is put after the older
					 * triggers of the event; false: before them */
	/*
	 * Method store: handle a write of this command to the `trigger` file of @event.
	 * @params: text after "COMMAND:" or "COMMAND ", which the method may change; NULL if
	 * there is no such text.
	 * @is_removal: true if a `!' came before the command.  The method itself reports
	 * mistakes in error_log.  The method sets *@ret_is_changed if the caller must call
	 * apply_start().  Returns 0 or -errno.  Without this method the command is written as
	 * COMMAND[:SYSTEM:EVENT][:COUNT] [if FILTER].
	 */
	int (*store)(struct instance *instance, const struct event *event, char *params,
		     bool is_removal, bool *ret_is_changed);
	/*
	 * Method show: print @trigger as the file `trigger` does, with its filter and a
	 * newline.  Without this method the trigger is printed as the command was
	 * written.
	 */
	void (*show)(const struct instance *instance, const struct trigger *trigger,
		     struct text *out);
	/*
	 * Method compile: make the data of @trigger for records of @event, one of the rows
	 * that have the name of the trigger's event.  The core keeps these data, and frees
	 * them with free().
	 * Returns 0; -EINVAL if the trigger does not fit the fields of @event, and so never
	 * acts on its records; or -ENOMEM.
	 */
	int (*compile)(struct instance *instance, const struct trigger *trigger,
		       const struct event *event, void **ret_data, uint32_t *ret_bytes);
	/* Method put_more: append to @out the data that the method load of the next
	 * server needs for @trigger. */
	void (*put_more)(const struct instance *instance, const struct trigger *trigger,
			 struct text *out);
	/*
	 * Method load: set trigger->state from the @bytes bytes at @more, which put_more() of
	 * the previous server has written.  The bytes come from shared memory and may be
	 * hostile; @more is a private copy, aligned to 8 bytes.
	 * Returns 0 or -errno; after an error the trigger is not added.
	 */
	int (*load)(struct instance *instance, const struct event *event,
		    struct trigger *trigger, const void *more, uint32_t bytes);
	/* Method link: called once for @instance after all load().  Completes the state of
	 * the triggers.  A trigger whose state must be given up gets the state NULL, and is
	 * removed afterwards. */
	void (*link)(struct instance *instance);
	/* Method remove_all: remove all triggers with this command from @event, because the
	 * file `trigger` was opened with O_TRUNC.  Sets *@ret_is_changed if the caller must
	 * call apply_start().  Returns 0 or -errno. */
	int (*remove_all)(struct instance *instance, const struct event *event,
			  enum command_number command, bool *ret_is_changed);
	/* Method mark: run @trigger for a record that the server has written.  Returns
	 * true if the trigger has changed something. */
	bool (*mark)(struct instance *instance, const struct trigger *trigger,
		     struct trigger_mark *mark);
	/* Method free: free trigger->state.  Does not change shared memory. */
	void (*free)(struct trigger *trigger);
};

/* Return the language of @command, or NULL if the command has none. */
const struct trigger_lang *trigger_lang_of(const struct root *root,
					   enum command_number command);

#endif
