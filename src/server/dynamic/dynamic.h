/* SPDX-License-Identifier: MIT */
/*
 * Dynamic events: events that users define by text, in the files synthetic_events and
 * dynamic_events.  Each is a row of the table of events below ABI_DYNAMIC, which only the
 * server writes.  The row refers to one block of the arena with the event's format, for the
 * processes, and its definition, for the next server.  A kind of dynamic events is a
 * struct dynamic_kind.
 *
 *	abi_event		block of the arena
 *	blob ---------------->	struct abi_format, fields, texts
 *	names --------------->	definition, with a NUL
 *
 * abi_event.blob is stored last when an event is made, and cleared first when it is removed.  So
 * SIGKILL of the server leaves a whole event or none.
 *
 * A row is used again only after all processes have applied the removal of its event.  A buffer
 * that may have records of the removed event (abi_event.was_wanted) is cleared before: so no
 * record is printed as one of another event.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno, unless stated otherwise.
 */
#ifndef ULF_SERVER_DYNAMIC_H
#define ULF_SERVER_DYNAMIC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "abi/control.h"
#include "server/core/root.h"
#include "server/part_numbers.h"
#include "server/rules/events.h"

struct dynamic_event;
struct event_format;
struct extent_list;
struct instance;
struct text;
struct words;

#define DYNAMIC_DEFINITION_MAX	8192u	/* maximum size of the definition of a dynamic
					 * event, with its NUL, bytes */
#define DYNAMIC_NAME_MAX	128u	/* maximum length of the name of a dynamic event
					 * or of its system, bytes */

/* A kind of dynamic events, with its methods: an element of dynamic_kinds. */
struct dynamic_kind {
	char letter;			/* letter with which the definition of an event of
					 * this kind begins, before the colon */
	/*
	 * Method create: handle a command of dynamic_events that makes an event; such
	 * a command does not begin with `-' or `!'.  Reports a mistake in error_log.
	 * Returns 0; -ECANCELED if the command is for another kind; or another -errno.
	 */
	int (*create)(struct root *root, const char *command);
	/* Method load: parse a definition that define() has written, and that a hostile program
	 * may have changed.  Returns 0 or -errno. */
	int (*load)(const char *definition, void **ret_def);
	/* Method define: append the definition of the event, as load() reads it, to @out. */
	void (*define)(const void *def, struct text *out);
	/* Method show: append the line of the event in dynamic_events to @out, without a
	 * newline. */
	void (*show)(const void *def, struct text *out);
	/* Method format: return the format of the event; NULL if there is no memory.  The
	 * caller frees the format. */
	struct event_format *(*format)(const void *def, uint32_t id);
	event_print_fn *print;
	event_settle_fn *settle;	/* function that is called after the event's
					 * setting has changed; NULL if there is nothing
					 * to do */
	/*
	 * Optional method link: called once for each event.  For a new event, this is
	 * after it was made; for an event of the previous server, after all events were
	 * loaded.
	 */
	void (*link)(struct root *root, struct dynamic_event *event);
	/* Method is_match: return true if the command `-:[SYSTEM/]NAME ARGUMENTS' names
	 * this event.  @system is NULL if the command contains no system. */
	bool (*is_match)(const struct event_format *format, const void *def,
			 const char *system, const char *name,
			 const struct words *arguments);
	/* Optional method unlink: called before an event is removed.  If it returns
	 * -errno, the event is not removed.  An event that is in use is never removed. */
	int (*unlink)(struct root *root, struct dynamic_event *event);
	void (*free)(void *def);
};

/* The kinds of dynamic events.  A command is offered to them in this order. */
extern const struct dynamic_kind *const dynamic_kinds[];
extern const uint32_t nr_dynamic_kinds;

struct dynamic_event {
	TAILQ_ENTRY(dynamic_event) link;
	const struct dynamic_kind *kind;
	void *def;			/* definition of the event; its type depends on the
					 * event's kind */
	uint32_t row;
	uint32_t order;			/* abi_event.order */
	uint32_t refs;			/* number of actions of histograms that record the
					 * event; while it is not 0, the event cannot be
					 * removed */
	uint32_t nr_probes;		/* number of event probes whose target is this
					 * event; while it is not 0, the event cannot be
					 * removed */
	bool has_target;		/* for an event probe: true if @nr_probes of its
					 * target, the dynamic event in row @target_row,
					 * counts this probe */
	uint32_t target_row;
	struct abi_ring_ref block;	/* block of the arena with the event's format and
					 * definition */
};

/* The server's data for one of the rows that are reserved for dynamic events: the first
 * ABI_DYNAMIC rows of the table of events. */
struct dynamic_row {
	bool is_used;			/* true: a dynamic event uses the row */
	uint32_t generation;		/* generation that all processes must have applied
					 * before the row can be used again */
};

/* The dynamic events of a root.  This struct is the state of ROOT_PART_DYNAMIC;
 * dynamic_init() allocates it. */
struct dynamic_events {
	TAILQ_HEAD(dynamic_list, dynamic_event) list;	/* events, the oldest first */
	struct dynamic_row rows[ABI_DYNAMIC];
	uint32_t next_order;		/* order number (abi_event.order) for the next
					 * event that is made */
};

/* Return the state of ROOT_PART_DYNAMIC of @root. */
static inline struct dynamic_events *root_dynamic(const struct root *root)
{
	return root->part_state[ROOT_PART_DYNAMIC];
}

/* Method root_part.init: read the dynamic events from the rows that the previous server
 * has left. */
int dynamic_init(struct root *root);
/* Method root_part.done: free all dynamic events in the server's memory. */
void dynamic_done(struct root *root);
/* Method root_part.list_blocks: report the blocks of the dynamic events' rows. */
void dynamic_list_blocks(const struct root *root, struct extent_list *list);
/* Method instance_part.drop: note that the buffer of @instance has no records of any
 * dynamic event now. */
void dynamic_drop(struct instance *instance);

/*
 * Make a dynamic event.  If the call succeeds, the event owns @def.  Returns 0; -ENODEV
 * if the root is dead; -ENAMETOOLONG; -E2BIG if the definition is too long; -ENOSPC if
 * all rows are in use, or if the root's file system has no space; or -ENOMEM.
 */
int dynamic_add(struct root *root, const struct dynamic_kind *kind, void *def);
/* Return the dynamic event in row @row, or NULL if there is none. */
struct dynamic_event *dynamic_of(const struct root *root, uint32_t row);
/* Return the dynamic event @system:@name of the kind @kind (NULL: of any kind), or NULL
 * if there is none. */
struct dynamic_event *dynamic_find(const struct root *root, const struct dynamic_kind *kind,
				   const char *system, const char *name);
/* Return the server's copy of the row of @event, which includes the event's format. */
struct event *dynamic_row_of(const struct root *root, const struct dynamic_event *event);
/* Return true if @event is in use: it is on in an instance, or histograms or event probes
 * refer to it. */
bool dynamic_is_busy(const struct root *root, const struct dynamic_event *event);
/* Remove a dynamic event.  The caller must call apply_start().  Returns 0; -EBUSY if the
 * event is in use; or an error of rules_publish(). */
int dynamic_remove(struct root *root, struct dynamic_event *event);
/*
 * Remove all dynamic events of @kind (NULL: of all kinds), as opening a file with O_TRUNC
 * does.  Returns 0; -EBUSY if an event is in use; or another -errno.  After an error, some
 * events may already be removed, as in the kernel.  The caller must call apply_start().
 */
int dynamic_remove_all(struct root *root, const struct dynamic_kind *kind);
/* Clear all buffers that possibly have records of removed dynamic events. */
void dynamic_clear_stale(struct root *root);

/* Note that an action of a histogram uses the dynamic event in row @row.  The event
 * cannot be removed until dynamic_put() is called. */
void dynamic_get(struct root *root, uint32_t row);
/* End a use of the dynamic event in row @row, which dynamic_get() has begun. */
void dynamic_put(struct root *root, uint32_t row);

#endif
