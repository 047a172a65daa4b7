/* SPDX-License-Identifier: MIT */
/*
 * The events of a root: their formats and names, and whether they are enabled.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0
 * or -errno, unless stated otherwise.
 */
#ifndef ULF_SERVER_EVENTS_H
#define ULF_SERVER_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/core/root.h"
#include "server/part_numbers.h"

struct event;
struct event_format;
struct instance;
struct print_env;
struct print_program;
struct text;

/*
 * Print a record of a dynamic event as the kernel prints it, without the event's name and a
 * newline.  @is_verbose: true if the option verbose is on.  Returns 0, or -EBADMSG if the
 * record is too short.
 */
typedef int event_print_fn(const struct event *event, const void *rec, size_t bytes,
			   const struct print_env *env, bool is_verbose, struct text *out);

/*
 * Do what must follow after the setting of a dynamic event has changed, or has possibly
 * changed.  An event probe is attached to its target or detached.  If the result is not
 * 0, the event has been disabled.
 */
typedef int event_settle_fn(struct instance *instance, const struct event *event);

/* The server's copy of one row of the table of events, to which the program writes. */
struct event {
	uint32_t row;			/* number of the event's row in root->events_table */
	uint32_t number;		/* number of the event's directory in the file
					 * tree; unlike the number of a row, it is never
					 * used again for another event */
	uint32_t module;		/* row of the event's module in the table of
					 * modules; ABI_MODULE_DYNAMIC if the event has no
					 * module */
	uint32_t name_place;		/* index in events.by_name */
	uint32_t system_number;		/* index in events.systems */
	bool is_present;		/* true: a process has loaded the event's
					 * module */
	bool is_visible;		/* true: @is_present is set, and no newer event
					 * with @is_present set has this system and name */
	bool is_compiled;		/* true: event_program() has been called, so
					 * @program has its value */
	bool is_late;			/* true: agents record the event, some time after it
					 * has happened (ABI_EVENT_LATE) */
	bool is_own;			/* true: the event is one of libulf's own
					 * (ABI_EVENT_OWN) */
	bool is_booted;			/* true: the boot settings have already added
					 * their triggers to the event */
	struct event_format *format;
	struct print_program *program;	/* compiled print format of the event; NULL if
					 * `trace` prints the fields of records instead */
	event_print_fn *print;		/* function that prints records of a dynamic event
					 * in lines of `trace`; NULL if @program prints
					 * the records */
	const void *def;		/* definition of a dynamic event, which the
					 * function @print uses */
	event_settle_fn *settle;	/* method of a dynamic event that is called after
					 * a change of its setting; NULL if there is none */
};

/* Return true if @event is a synthetic event or an event probe. */
static inline bool event_is_dynamic(const struct event *event)
{
	return event->row < ABI_DYNAMIC;
}

/*
 * Limit of the numbers of events' directories (event.number), which are all smaller.  The
 * smallest numbers are rows of the table of events; above them are the numbers of dynamic
 * events.
 */
#define EVENT_NUMBERS		(1u << 23)

/* The events of a root.  This is the state of ROOT_PART_EVENTS. */
struct events {
	struct event **rows;		/* array of @nr events, indexed by row of the
					 * table of events; NULL if the row is invalid */
	uint32_t nr;			/* number of rows of the table of events that the
					 * server has read */
	struct event **visible;		/* array of @nr_visible events that are visible,
					 * sorted by system and name */
	uint32_t nr_visible;
	struct event **by_name;		/* array of the @nr_by_name valid events, sorted by
					 * system and name; of several events with one name,
					 * the newest comes first */
	uint32_t nr_by_name;
	uint64_t formats_taken;		/* number of bytes that the formats of the root's
					 * events have used; BLOB_FORMATS_BYTES at most */
	char **systems;			/* array of names of systems, indexed by number of
					 * the system; it never becomes smaller */
	uint32_t nr_systems;
	uint32_t *system_index;		/* hash index by which a system is found by its
					 * name; an element is 1 + number of the system,
					 * or 0 if the element is free */
	uint32_t system_index_size;	/* number of elements of @system_index; a power of
					 * two, at least 2 * @nr_systems */
	uint32_t tables_seen;		/* value that abi_control.tables_changed had at
					 * the last events_refresh() */
	bool has_refused;		/* true: error_log of the root says already that a
					 * process has refused a module */
};

/* Return the state of ROOT_PART_EVENTS of @root. */
static inline struct events *root_events(const struct root *root)
{
	return root->part_state[ROOT_PART_EVENTS];
}

/* Method root_part.init: read new rows of the table of events, and update which events
 * are visible.  Also scans the processes if tables of the root have changed.  Returns 0
 * or -ENOMEM. */
int events_refresh(struct root *root);
/* Method root_part.done: free all events. */
void events_done(struct root *root);
/* Method instance_part.reset: disable all events in buffer @number. */
void events_reset(struct root *root, uint32_t number);
/* Method instance_part.drop: disable all events in the buffer of @instance. */
void events_drop(struct instance *instance);
/* Method root_part.add_info: store in @info how many events there are, and how many are
 * on (events_info.c). */
void events_add_info(struct root *root, struct server_root_info *info);
/* Return the visible event @system:@name, or NULL if there is none. */
struct event *events_find(struct root *root, const char *system,
			  const char *name);
/* Return the newest event @system:@name, visible or not; NULL if there is none. */
struct event *events_find_any(const struct root *root, const char *system, const char *name);
/* Call the method settle of all dynamic events of @instance.  Returns 0 or the first
 * error. */
int events_settle(struct instance *instance);
/* Return the event whose records have the id @id, visible or not; NULL if there is
 * none. */
struct event *events_by_id(struct root *root, uint32_t id);
/* Return the event whose directory has the number @number (event.number), visible or not;
 * NULL if there is none. */
struct event *events_by_number(const struct root *root, uint32_t number);
/*
 * Add a dynamic event in row what->row, which must be free.  Its members @row,
 * @format, @print, @def and @settle are those of @what; the event owns @format if the
 * call succeeds.  @order: abi_event.order, from which event.number is computed.
 * Returns 0 or -ENOMEM.
 */
int events_add_dynamic(struct root *root, const struct event *what, uint32_t order);
/*
 * Put a dynamic event in its row as events_add_dynamic() does, but leave it out of
 * lists and of searches by name.  A caller that adds many events calls
 * events_show_dynamic() afterwards.  Returns 0 or -ENOMEM.
 */
int events_put_dynamic(struct root *root, const struct event *what, uint32_t order);
/* Make the dynamic events of the rows @first to @end - 1, which events_put_dynamic()
 * has added, visible in lists and in searches by name.  Returns 0 or -ENOMEM. */
int events_show_dynamic(struct root *root, uint32_t first, uint32_t end);
/* Remove and free the dynamic event in row @row. */
void events_remove_dynamic(struct root *root, uint32_t row);
/* Return true if a visible event is in @system. */
bool events_has_system(const struct root *root, const char *system);
/* Return the index of the system @name in events.systems, or -ENOENT. */
int events_system(const struct root *root, const char *name);
/* Return the next older event with the system and name of @event, in any module; NULL
 * if there is none. */
struct event *event_elder(const struct root *root, const struct event *event);
/* Return the newest event with the system and name of @event, which may be @event
 * itself. */
struct event *event_youngest(const struct root *root, const struct event *event);
/* Return the compiled print format of @event.  Returns NULL if the format cannot be
 * compiled; then the caller must print the fields instead. */
const struct print_program *event_program(struct event *event);
/* Prepare what @event needs before it is switched on in @instance: call the methods
 * event_need() of all parts, and make rings.  The caller must call apply_start().  Returns 0
 * or -errno. */
int event_need(struct instance *instance, const struct event *event);
/* Return true if @event appears in lists of events because it is visible.  An event of libulf's
 * own, which every program has, appears only after it was switched on for the first time. */
bool event_is_listed(const struct root *root, const struct event *event);
/*
 * Return true if the setting of @event is on, and no process has failed to apply it.
 * For an event in soft mode, the setting is always on, even while its records are
 * dropped.
 */
bool event_is_enabled(const struct instance *instance,
		      const struct event *event);
/*
 * Store in row @row of the table of events whether processes must register the probe of
 * the event.  Also clear the error that a process has stored in this row.  The caller
 * must call apply_start().
 */
void event_want(struct instance *instance, uint32_t row, bool is_on);
/*
 * Return true if the two events have the same system and the same name.  To the user,
 * events with the same name in several modules are one event.
 */
bool event_is_named_as(const struct event *event, const struct event *other);

/* Report in error_log the events that a process could not switch on, and why.  @file: name of the
 * file that was written (events_failed.c). */
void events_log_failed(struct root *root, const char *file);

/* The events that one line of set_event selects.  A member that is NULL matches every
 * name. */
struct event_match {
	const char *system;
	const char *name;
	const char *either;		/* name that the event or its system must have */
};
/*
 * Enable or disable all events that match.  A late event is enabled in two cases:
 * @match names its system; or @match names the event itself and no other event
 * matches.  The caller must call apply_start(); the change is in force when
 * apply_wait() returns 0.  Returns 0; -EINVAL if no event matches; -ENODEV if events
 * of a dead root cannot be enabled; or an error of instance_need_rings().
 */
int events_set(struct instance *instance, const struct event_match *match,
	       bool is_on);

#endif
