/* SPDX-License-Identifier: MIT */
/*
 * A root as the server sees it: its memory, its processes, its events, and the buffers that
 * record them.  The server has one thread, so nothing here is shared between threads, and
 * only that thread calls these functions.
 *
 * Values that were copied from shared memory (offsets, counts, formats) were checked when
 * they were copied.  Values that are read from shared memory later are checked where they
 * are read.
 *
 * Functions that return int return 0 or -errno, unless stated otherwise.
 */
#ifndef ULF_SERVER_ROOT_H
#define ULF_SERVER_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "abi/control.h"
#include "server/core/budget.h"
#include "server/core/error_log.h"
#include "server/core/now.h"
#include "server/functions/functions.h"
#include "server/core/server.h"
#include "server/rules/soft.h"

struct mapping;
struct root;
struct roots;
struct comms;
struct event_filter;
struct event_format;
struct function_mod;
struct function_probe;
struct print_program;
struct printk_formats;
struct looks;
struct objects;
struct symbols;
struct text;

/* ---- instances: a buffer and its settings.  Number 0 is the top instance. ---- */

/* A block of the arena that was retired.  Writers may still use it until every live process
 * has applied @generation. */
struct extent {
	uint64_t off, bytes;
	uint32_t generation;
};

/* A change of settings that processes may not have applied yet. */
struct apply {
	struct root *root;		/* NULL: nothing to wait for */
	uint32_t generation;
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC; do not wait longer */
};

struct instance {
	struct root *root;
	int refs;			/* held by the root and by each node; the top
					 * instance is freed with its root */
	uint64_t serial;		/* unique in the server's life; the top instance
					 * has the serial of its root */
	char *name;			/* NULL: the top instance */
	bool is_gone;			/* the instance was removed */
	uint32_t nr_open;		/* number of open files; while there are any, the
					 * instance cannot be removed */
	uint32_t number;		/* row of abi_buffer, and bit of abi_event.wanted */
	struct abi_buffer *abi;		/* in shared memory */
	struct instance_ring *rings;	/* rings that abi->side refers to */
	uint32_t nr_rings;
	uint64_t sides[ABI_CPUS / 64];	/* bitmap: the side that each CPU recorded to at
					 * the last instance_sync() */
	uint64_t rings_serial;		/* changes when rings are replaced, swapped or
					 * cleared */
	uint64_t reads_serial;		/* changes when records are consumed */
	LIST_HEAD(, merge) staged;	/* merges that have staged records: merge_stage() */
	uint64_t pipe_cpus[ABI_CPUS / 64];	/* bitmap: CPUs with an open trace_pipe */
	uint32_t expire_next[ABI_PIDS_LISTS];	/* thread at which pids_expire()
					 * continues */
	struct event_filter *filters;	/* [nr_filters] filters, by row of the event */
	struct soft_event **softs;	/* [nr_filters] by row of the event; NULL: the event
					 * is not in soft mode */
	uint32_t nr_filters;		/* number of events when a filter or trigger was last
					 * set */
	struct soft_event print;	/* triggers of ftrace:print, which is always
					 * recorded */
	uint64_t *slots;		/* [ABI_SLOTS / 64] bitmap: rule words in use */
	uint32_t next_slot;		/* rule word at which the search for a free one
					 * begins */
	struct function_probe *probes;	/* commands of set_ftrace_filter, newest first */
	struct function_mod *mods;	/* entries of set_ftrace_filter and
					 * set_ftrace_notrace that wait for a module,
					 * newest first */
	struct abi_ring_ref rules;	/* block that abi->rules refers to */
	struct error_log errors;
	uint32_t nr_pauses;		/* number of open `trace` files that pause recording */
	struct apply spare_apply;	/* settings with the spare side that a program has
					 * asked for; the program waits until they are
					 * applied */
	bool is_dumped;			/* print lines as with latency-format, except those
					 * of the graph tracer */
};

/* ---- processes ---- */

#define PROCESS_CREATOR	ABI_PROCESSES	/* slot number of the process that made the root,
					 * until it claims a slot in shared memory */

/* A process in a slot. */
struct process {
	struct root *root;
	uint32_t slot;
	uint32_t pid;
	int pidfd;			/* -1: dead, or belongs to another root now */
	uint64_t stack;			/* start of its stack, which exec() changes */
};

/* ---- events ---- */

struct event {
	uint32_t row;			/* row of root->events_table */
	uint32_t module;		/* row of its module */
	uint32_t name_place;		/* index in root->by_name */
	uint32_t system_number;		/* index in root->systems */
	bool is_present;		/* a process has loaded its module */
	bool is_visible;		/* present, and the newest event of its name */
	bool is_compiled;		/* event_program() has been called */
	bool is_booted;			/* the triggers of the boot settings were set */
	struct event_format *format;
	struct print_program *program;	/* compiled print format; NULL: print the fields */
};

/* The stack tracer's block, which abi_control.stack refers to. */
struct root_stack {
	struct mapping *map;		/* NULL: there is no block */
	struct abi_ring_ref piece;	/* offset and size of the block */
	struct budget budget;		/* budget of stack_tracer_tick() */
	uint32_t next;			/* slot of the process that stack_tracer_tick()
					 * inspects next */
};

/*
 * A dead root is asleep unless it is used.  A root that is asleep has no mapping, no
 * descriptor and no data that were read from its memory: `memory` is NULL, and only `info`
 * is known.  root_is_usable() wakes it.
 */
struct root {
	struct server *server;
	const struct server_parts *parts;	/* parts of the server */
	bool is_loading;		/* root_load() must be called again */
	size_t nr_loaded;		/* number of parts whose load() has ended */
	struct root *next_loading;	/* next root that waits for a parser, in a list of
					 * server.c */
	struct root *next_of_hash;	/* this and the next four members belong to roots.c */
	TAILQ_ENTRY(root) link;
	TAILQ_ENTRY(root) awake_link;	/* valid if the root is awake */
	TAILQ_ENTRY(root) dead_link;	/* valid if is_in_dead is set */
	bool is_in_dead;
	int refs;			/* held by the server and by each node */
	int users;			/* number of users: the server and each open file;
					 * see root_use() */
	bool is_gone;			/* the directory was removed */
	bool was_opened;		/* a file of the root was opened */
	bool is_empty;			/* dead when it was found, and it never recorded
					 * anything */
	enum server_root_state state;
	uint64_t serial;		/* unique in the server's life */
	uint32_t tick;			/* number of the last server tick in which the root
					 * had its turn */
	char *name;
	int fd;				/* descriptor of the file `memory`; -1: closed */
	dev_t dev;			/* device and inode of `memory`, from stat() */
	ino_t ino;
	dev_t map_dev;			/* device and inode of `memory`, from /proc/PID/maps */
	ino_t map_ino;
	uint64_t found_ns;		/* CLOCK_MONOTONIC when the root was found */
	struct timespec found;		/* CLOCK_REALTIME when the root was found */
	uint64_t used_ns;		/* CLOCK_MONOTONIC when root_is_usable() was last
					 * called */
	struct timespec died;		/* mtime of `memory`: the server sets it when all
					 * processes are gone */
	uint64_t file_bytes;		/* space that the file `memory` took at that time */
	struct server_root_info info;	/* figures when the root fell asleep; without the
					 * name */
	bool has_info;			/* info is complete; else it only has values of
					 * `struct abi_control` */

	struct mapping *memory;		/* bytes [0, arena_off) of the file; NULL: asleep,
					 * or corrupt */
	uint32_t nr_mapped;		/* number of rings that are mapped */
	uint32_t opens_left;		/* number of rings that the root may still map now */
	uint64_t opens_ns;		/* CLOCK_MONOTONIC when opens_left was computed */
	struct budget retire_budget;	/* budget of instance_retire() */
	struct abi_control *control;	/* this and the tables below point into `memory` */
	struct abi_process *processes;
	struct abi_module *modules_table;
	struct abi_object *objects_table;	/* NULL: the program has no such table */
	struct abi_comm *comms_table;
	struct abi_event *events_table;
	uint64_t heap_off, arena_off, map_bytes;
	uint32_t nr_cpus;

	struct process **process;	/* [PROCESS_CREATOR + 1], by slot; NULL: never used */
	uint32_t nr_live;		/* number of processes that are alive */
	bool is_blind;			/* the last scan ran out of descriptors, or has not
					 * ended yet */
	/* The scan of the slots. */
	struct {
		uint32_t left;		/* number of slots that are left to scan; 0: the scan
					 * has ended */
		uint32_t next;		/* the first of these slots */
		uint32_t forks_done;	/* abi_control.forks_done when the scan began */
		uint32_t round;		/* number of the server's last round in which this
					 * scan had its turn */
	} scan;
	struct looks *looks;		/* results of process_look.c; NULL: none yet */
	struct budget budget;		/* budget for work whose amount the processes
					 * decide */
	uint64_t fork_ns;		/* CLOCK_MONOTONIC since when no process is left
					 * except, perhaps, a forked child without a slot;
					 * 0: there is a process, or certainly no such
					 * child */

	struct event **events;		/* [nr_events] events by row; NULL: the row is
					 * invalid */
	uint32_t nr_events;		/* number of rows that were read */
	uint32_t nr_booted;		/* number of rows that boot_follow() has handled */
	bool is_booted;			/* boot_apply() has run */
	struct budget boot_budget;	/* budget of boot_follow(): triggers of many
					 * events */
	uint64_t names_left;		/* limit: bytes of names that filters.c may still
					 * search now */
	uint64_t names_ns;		/* CLOCK_MONOTONIC when names_left was computed */
	bool is_name_missed;		/* since filters_env(), some names were not searched,
					 * because of names_left */
	struct budget suggest_budget;	/* budget of suggest.c, which searches for names that
					 * are similar to a wrong one */
	struct event **visible;		/* [nr_visible] events that are visible, sorted by
					 * system and name */
	uint32_t nr_visible;
	struct event **by_name;		/* [nr_by_name] all valid events, sorted by system
					 * and name; of one name the newest first */
	uint32_t nr_by_name;
	uint64_t formats_taken;		/* bytes used of the limit BLOB_FORMATS_BYTES */
	char **systems;			/* names of systems, by number; only grows */
	uint32_t nr_systems;
	uint32_t *system_index;		/* 1 + number of a system, by hash of its name; 0:
					 * free */
	uint32_t system_index_size;	/* a power of two, at least 2 * nr_systems */
	uint64_t modules_seen[ABI_MODULES / 64];	/* bitmap: modules at the last
					 * events_refresh() */
	uint32_t tables_seen;		/* value of abi_control.tables_changed at that time */

	struct extent *pending;		/* [nr_pending] retired blocks */
	size_t nr_pending;
	bool is_arena_known;		/* shared memory or @pending lists every block that a
					 * live process may use */
	struct comms *comms;
	struct objects *objects;
	struct symbols *symbols;
	bool is_parsing;		/* a result is missing, because a file is still being
					 * parsed; a caller clears this before it asks for
					 * a result */
	struct functions functions;
	struct root_stack stack;
	struct printk_formats *printk;	/* NULL: not needed yet */
	uint64_t rules_taken;		/* size of the rules that were loaded, which is
					 * limited */
	uint64_t filters_taken;		/* size of the filters that were compiled for loaded
					 * or inherited triggers, which is limited */
	uint64_t triggers_taken;	/* number of loaded or inherited triggers, which is
					 * limited; counted for each row */
	struct instance top;		/* the top instance */
	struct instance *instances[ABI_BUFFERS];	/* instances by number; number 0 is
							 * &top */
};

/* ---- root.c ---- */

/*
 * Open the root @dirfd/@name.  A live root is mapped and loaded; a dead one is only
 * inspected, and is asleep then.  If the result has is_loading set, the caller must call
 * root_load() later.  A root whose memory is invalid is returned as well, with state
 * CORRUPT or FOREIGN and without memory.
 * Returns 0; -ENOENT, -ENOTDIR or -ELOOP if this is no root; -ENOMEM, -ENOSPC, -EMFILE or
 * -ENFILE: try again later.  The caller gets a reference, and is a user: root_use().
 */
int root_new(struct server *server, int dirfd, const char *name,
	     uint64_t serial, struct root **ret_root);
/*
 * Continue to load a root that root_new() has returned with is_loading set.  Returns 0 if it
 * is loaded or corrupt; -ERESTART while a parser is working; -ENOMEM, -EMFILE, ... if
 * the server lacks memory or descriptors.
 */
int root_load(struct root *root);
/* Take a reference.  Returns @root. */
struct root *root_get(struct root *root);
/* Release a reference.  The last one frees the root.  NULL is allowed. */
void root_put(struct root *root);
/*
 * Begin to use the root's memory and the data that were read from it.  The server and each
 * open file are users.  Nodes are not users, they only hold a reference: the kernel may keep
 * nodes of a removed root for a long time.  The server is a user until it forgets the root
 * and sets is_gone.
 */
void root_use(struct root *root);
/* End the use of the root.  The last user unmaps its memory. */
void root_leave(struct root *root);
/*
 * Return true if the root's memory may be used now.  Wakes a root that is asleep; that may
 * put another one to sleep if too many dead roots are awake, and may wait up to 60 ms for a
 * parser.  Also notices a file that was cut short; such a root becomes corrupt.
 */
bool root_is_usable(struct root *root);
/* Like root_is_usable(), but returns false for a root that is asleep and does not wake it.
 * For the regular work of the server. */
bool root_is_ready(struct root *root);
/* Return true if the root is dead, awake, and has no user but the server. */
bool root_can_sleep(const struct root *root);
/* Release everything but the name and the figures.  root_can_sleep() must be true. */
void root_sleep(struct root *root);
/* Return true if a root that is asleep is still dead for certain.  Does not wake it. */
bool root_is_still_dead(struct root *root);
/*
 * (root_check.c) Check @control, which must be a private copy.  Returns 0 if its offsets are
 * valid, -EBADMSG if not, -EPROTONOSUPPORT for another version.
 */
int root_check_control(const struct abi_control *control);

/* ---- root_peek.c ---- */

/* The data of a root that can be read without mapping it. */
struct root_peek {
	struct abi_control control;	/* a copy; checked */
	bool is_dead;			/* for certain: no process is left, and no child is
					 * about to claim a slot */
	bool has_recorded;		/* the root has records, or may have */
};

/* Inspect the file `memory`, open as @fd, without mapping it.  Returns 0 or an error of
 * root_check_control(). */
int root_peek(int fd, struct root_peek *ret_peek);

/* ---- root_info.c ---- */

/* Fill in all but the name of a root that is awake, for `ulf ls`. */
void root_info_fill(struct root *root, struct server_root_info *ret_info);
/* Return true if any part has recorded something, or may have.  The root must be awake. */
bool root_has_recorded(const struct root *root);
/* Return true if sleep would lose data that only the server's memory has. */
bool root_has_unsaved(const struct root *root);
/*
 * (root.c) Allocate memory for @bytes at @start, a part of the tables that the program may
 * not have touched yet.  Call it before writing there: the file is sparse, and a write
 * without memory would be a SIGBUS.  Returns 0 or -ENOSPC.
 */
int root_reserve(struct root *root, const void *start, uint64_t bytes);

/* ---- instance.c ---- */

/* Load the top instance, and the instances that the previous server had.  Returns 0 or the
 * -errno of a part. */
int instances_load(struct root *root);
/* Release all instances of a root.  Does not change shared memory. */
void instances_done(struct root *root);
/* Return the instance of that name, or NULL.  Does not find the top instance. */
struct instance *instance_find(const struct root *root, const char *name);
/* Return the next instance, from number *@at on, or NULL. */
static inline struct instance *instance_next(const struct root *root, uint32_t *at)
{
	while (*at < ABI_BUFFERS && !root->instances[*at])
		++*at;
	return *at < ABI_BUFFERS ? root->instances[*at] : NULL;
}
#define for_each_instance(instance, root)				\
	for (uint32_t i_ = 0; ((instance) = instance_next(root, &i_)); i_++)
/*
 * Make an instance, as mkdir does.  Returns 0; -EEXIST; -ENAMETOOLONG; -ENODEV if the root
 * is dead; -ENOSPC if there are too many instances (reported in error_log) or no memory in
 * the root's file system; or -ENOMEM.
 */
int instance_make(struct root *root, const char *name);
/*
 * Remove an instance, as rmdir does, and wait up to APPLY_WAIT_NS for the processes.
 * Returns 0, -ENOENT, or -EBUSY if a file of the instance is open.
 */
int instance_remove(struct root *root, const char *name);
/* Take a reference.  Returns @instance. */
struct instance *instance_get(struct instance *instance);
/* Release a reference.  The last one frees the instance, except the top instance.  NULL is
 * allowed. */
void instance_put(struct instance *instance);

/* ---- process.c ---- */

/* Find out how mappings of the root's memory look in /proc/PID/maps, by which its processes
 * are recognised.  The memory must be mapped. */
void process_init(struct root *root);
/*
 * Scan all slots for processes that have started or ended.  Returns false if the root's
 * budget was spent, or no descriptor was left: is_blind is set then, and slots that were not
 * scanned keep their old state.
 */
bool process_scan(struct root *root);
/* Continue a scan that has not ended.  Returns true if all slots were scanned since the last
 * process_scan(). */
bool process_scan_more(struct root *root);
/*
 * Return true if no process of the root is left, and no child is about to claim a slot.
 * Scans all slots; returns false if some could not be scanned.
 */
bool process_all_gone(struct root *root);
/* Return true if the process is alive and has not called exec() meanwhile. */
bool process_is_current(const struct process *process);
/* Open /proc/PID/maps of the process.  The caller closes it.  NULL: see errno. */
FILE *process_maps_open(const struct process *process);
#define PROCESS_PATH_BYTES	64u
/* Get the path of /proc/PID/maps of the process. */
void process_maps_path(const struct process *process, char path[PROCESS_PATH_BYTES]);
/* The pidfd of @process was readable: the process has ended.  Closes the pidfd. */
void process_died(struct process *process);
/* Close the pidfds of all processes of the root, and free what is known of them. */
void process_done(struct root *root);

/* ---- events.c ---- */

/* root_part.init: bring root->events and root->visible up to date.  Also scans the
 * processes if the tables have changed.  Returns 0 or -ENOMEM. */
int events_refresh(struct root *root);
/* root_part.done: free all events. */
void events_done(struct root *root);
/* (events_info.c) root_part.add_info: count the events, and those that are on. */
void events_add_info(struct root *root, struct server_root_info *info);
/* Return the visible event of that name, or NULL. */
struct event *events_find(struct root *root, const char *system,
			  const char *name);
/* Return the event with the id of a record, visible or not, or NULL. */
struct event *events_by_id(struct root *root, uint32_t id);
/* Return true if a visible event is in @system. */
bool events_has_system(const struct root *root, const char *system);
/* Return the number of a system in root->systems, or -ENOENT. */
int events_system(const struct root *root, const char *name);
/* Return the next older event with the name of @event, in any module.  NULL: none. */
struct event *event_elder(const struct root *root, const struct event *event);
/* Return the newest event with the name of @event, which may be @event itself. */
struct event *event_youngest(const struct root *root, const struct event *event);
/* Return the compiled print format.  NULL: it cannot be compiled; print the fields. */
const struct print_program *event_program(struct event *event);
/* Return true if the setting of the event is on, and no process has failed to apply it.  In
 * soft mode the setting is always on. */
bool event_is_enabled(const struct instance *instance,
		      const struct event *event);
/* Set in shared memory whether the probe of an event must be registered, and clear an old
 * failure.  The caller must call apply_start(). */
void event_want(struct instance *instance, uint32_t row, bool is_on);
/*
 * Return true if both events have the same system and name.  Events of several modules with
 * one name are one event to the user.
 */
bool event_is_named_as(const struct event *event, const struct event *other);

/* The events that a line of set_event selects.  NULL: any. */
struct event_match {
	const char *system;
	const char *name;
	const char *either;		/* either the system or the name of the event */
};
/*
 * Enable or disable all events that match.  The caller must call apply_start(); the change
 * is in force when apply_wait() returns 0.
 * Returns 0; -EINVAL if no event matches; -ENODEV to enable events of a dead root; or an
 * error of instance_need_rings().
 */
int events_set(struct instance *instance, const struct event_match *match,
	       bool is_on);

/* ---- apply.c ---- */

/*
 * Check that a process has an agent, before settings are switched on.  Returns 0, or the
 * -errno with which a process failed to start its agent.  That failure is reported in
 * error_log, also if other processes have agents.  @file: name of the file that is written.
 */
int apply_check(struct instance *instance, const char *file);
/* Raise the generation, and notify the processes that settings have changed. */
void apply_start(struct root *root, struct apply *ret_apply);
/*
 * Wait up to @wait_ns until all live processes have applied the settings.  Returns 0 if they
 * have, or if the deadline has passed; -EINPROGRESS if not: call again; or the -errno of a
 * process that has failed to apply them.  Processes that are stopped are not waited for.
 */
int apply_wait(struct apply *apply, uint64_t wait_ns);
#define APPLY_WAIT_NS		2000000u
/* Return true if every live process has applied @generation, and uses no rings and blocks
 * from before it. */
bool apply_is_settled(const struct root *root, uint32_t generation);

/* ---- server.c: functions for the files above ---- */

/* Have server_dispatch() call process_died() when the pidfd of @process is readable. */
void server_watch_process(struct server *server, struct process *process);
/* Stop watching @process.  The caller must call it before it closes the pidfd: while a child
 * of the server has the pidfd open, close() would leave an epoll entry that points to
 * @process. */
void server_unwatch_process(struct server *server, struct process *process);

/* A scan has not ended: make the next tick come soon and continue it. */
void server_continue_scan(struct server *server);

/* Return the address of the pointer in which tracefs keeps its tree. server_free() calls
 * @free_tree for a tree that is not NULL. */
void **server_tree(struct server *server, void (*free_tree)(void *tree));
/* Return the roots of the server. */
struct roots *server_roots(struct server *server);
/* Open DIR/roots.  Returns a descriptor, which the caller closes, or -errno. */
int server_open_roots(const struct server *server);
/* Return the root of that name, or NULL.  Takes no reference. */
struct root *server_find_root(struct server *server, const char *name);
/* Iterate over all roots, newest first.  @after NULL: return the first one.  Takes no
 * reference. */
struct root *server_next_root(struct server *server, struct root *after);

/* Return a number for a root or an instance that was never used before. */
uint64_t server_next_serial(struct server *server);

#endif
