/* SPDX-License-Identifier: MIT */
/*
 * A root as the server sees it: its memory, its processes, its events, and
 * the buffer that records them.  Nothing of this is shared between threads:
 * the server has one.
 *
 * What is copied out of the shared memory (offsets, counts, formats) was
 * checked when it was copied; what is read from it later is checked where it
 * is read.
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

/* ---- instances: a buffer and its settings.  Number 0 is the top one. ---- */

/* A piece of the arena that no reference names any more, but that writers may
 * still hold: until every live process has applied @generation. */
struct extent {
	uint64_t off, bytes;
	uint32_t generation;
};

/* A change that processes must still take in. */
struct apply {
	struct root *root;		/* NULL: nothing to wait for */
	uint32_t generation;
	uint64_t deadline_ns;
};

struct instance {
	struct root *root;
	int refs;			/* the root's and each node's; not of the top */
	uint64_t serial;		/* as a root's; the top's is its root's */
	char *name;			/* NULL: the top */
	bool is_gone;			/* it was removed */
	uint32_t nr_open;		/* files that keep it from being removed */
	uint32_t number;		/* abi_buffer row, bit in abi_event.wanted */
	struct abi_buffer *abi;
	struct instance_ring *rings;	/* what abi->side names */
	uint32_t nr_rings;
	uint64_t sides[ABI_CPUS / 64];	/* which are recorded to, at the last
					 * instance_sync() */
	uint64_t rings_serial;		/* bumped when they change, are swapped or
					 * cleared */
	uint64_t reads_serial;		/* bumped when records are consumed */
	LIST_HEAD(, merge) staged;	/* those with merge_stage() */
	uint64_t pipe_cpus[ABI_CPUS / 64];	/* with an open trace_pipe */
	uint32_t expire_next[ABI_PIDS_LISTS];	/* of pids_expire() */
	struct event_filter *filters;	/* by row, of the events that there
					 * were when one was last set */
	struct soft_event **softs;	/* the same; NULL: not in soft mode */
	uint32_t nr_filters;		/* rows of both */
	struct soft_event print;	/* ftrace:print; always recorded */
	uint64_t *slots;		/* [ABI_SLOTS / 64]: those of abi->slots in use */
	uint32_t next_slot;		/* where to look for a free one */
	struct function_probe *probes;	/* commands of functions, the newest
					 * first */
	struct function_mod *mods;	/* likewise; for modules to come */
	struct abi_ring_ref rules;	/* what abi->rules names */
	struct error_log errors;
	uint32_t nr_pauses;		/* open `trace` files that hold recording */
	struct apply spare_apply;	/* a spare that a program has asked for */
	bool is_dumped;			/* lines but the graph's are those of
					 * latency-format, whatever the options */
};

/* ---- processes ---- */

#define PROCESS_CREATOR	ABI_PROCESSES	/* a slot that is not in shared memory */

struct process {
	struct root *root;
	uint32_t slot;
	uint32_t pid;
	int pidfd;			/* -1: dead, or of another root now */
	uint64_t stack;			/* tells whether it called exec() */
};

/* ---- events ---- */

struct event {
	uint32_t row;
	uint32_t module;
	uint32_t name_place;		/* in root->by_name */
	uint32_t system_number;		/* of root->systems */
	bool is_present;		/* a process has its module */
	bool is_visible;		/* present, and the newest of its name */
	bool is_compiled;		/* program was tried */
	bool is_booted;			/* it got its triggers from the start */
	struct event_format *format;
	struct print_program *program;	/* NULL: print fields */
};

/* What abi_control.stack names; NULL: nothing. */
struct root_stack {
	struct mapping *map;
	struct abi_ring_ref piece;
	struct budget budget;		/* of stack_tracer_tick() */
	uint32_t next;			/* the slot that has its turn */
};

/*
 * A dead root sleeps unless somebody works with it: it has no mapping, no descriptor and
 * nothing that was made of its memory, `memory` is NULL, and `info` is what is said of it.
 * root_is_usable() wakes it.
 */
struct root {
	struct server *server;
	const struct server_parts *parts;	/* of the server */
	bool is_loading;		/* root_load() must be called again */
	size_t nr_loaded;		/* parts whose load() has ended */
	struct root *next_loading;	/* server.c: while it waits for a parser */
	struct root *next_of_hash;	/* roots.c has these five */
	TAILQ_ENTRY(root) link;
	TAILQ_ENTRY(root) awake_link;	/* if it is awake */
	TAILQ_ENTRY(root) dead_link;	/* if is_in_dead */
	bool is_in_dead;
	int refs;			/* the server's and each node's */
	int users;			/* the server and each open file */
	bool is_gone;			/* the directory is no more */
	bool was_opened;		/* somebody has opened a file of it */
	bool is_empty;			/* dead when it was found, and it never recorded
					 * anything */
	enum server_root_state state;
	uint64_t serial;		/* never used twice in a server's life */
	uint32_t tick;			/* the server's tick that it had last */
	char *name;
	int fd;				/* of `memory` */
	dev_t dev;			/* by stat() */
	ino_t ino;
	dev_t map_dev;			/* by /proc/PID/maps */
	ino_t map_ino;
	uint64_t found_ns;		/* CLOCK_MONOTONIC when it was found */
	struct timespec found;		/* CLOCK_REALTIME */
	uint64_t used_ns;		/* CLOCK_MONOTONIC when root_is_usable() was last
					 * called */
	struct timespec died;		/* mtime of `memory`: the server sets it when all
					 * processes are gone */
	uint64_t file_bytes;		/* memory that `memory` took then */
	struct server_root_info info;	/* when it fell asleep; without the name */
	bool has_info;			/* all of that; else no more than what
					 * `struct abi_control` says */

	struct mapping *memory;		/* [0, arena_off) */
	uint32_t nr_mapped;		/* rings */
	uint32_t opens_left;		/* rings that may be mapped now */
	uint64_t opens_ns;		/* when that was computed */
	struct budget retire_budget;	/* of instance_retire() */
	struct abi_control *control;
	struct abi_process *processes;
	struct abi_module *modules_table;
	struct abi_object *objects_table;	/* NULL: there is none */
	struct abi_comm *comms_table;
	struct abi_event *events_table;
	uint64_t heap_off, arena_off, map_bytes;
	uint32_t nr_cpus;

	struct process **process;	/* [PROCESS_CREATOR + 1], by slot; NULL: never used */
	uint32_t nr_live;
	bool is_blind;			/* the last scan found no descriptors to look with,
					 * or has not ended yet */
	struct {
		uint32_t left;		/* slots that it has still to look at */
		uint32_t next;		/* the first of them */
		uint32_t forks_done;	/* of abi_control, when it began */
		uint32_t round;		/* of the server, in which it had a turn last */
	} scan;
	struct looks *looks;		/* of process_look.c; NULL: none yet */
	struct budget budget;		/* for all that the processes can make more */
	uint64_t fork_ns;		/* since when nobody is left but a child without a
					 * slot; 0: it is not so */

	struct event **events;		/* by row; NULL: unreadable */
	uint32_t nr_events;		/* rows looked at */
	uint32_t nr_booted;		/* rows that boot_follow() has seen */
	bool is_booted;			/* boot_apply() has been done */
	struct budget boot_budget;	/* of boot_follow(): triggers for many events */
	uint64_t names_left;		/* bytes that filters.c may search for names */
	uint64_t names_ns;		/* when that was computed */
	bool is_name_missed;		/* since filters_env(): some were not searched */
	struct budget suggest_budget;	/* of suggest.c: names compared with a wrong one */
	struct event **visible;		/* by system and name */
	uint32_t nr_visible;
	struct event **by_name;		/* all that are readable: by system and name, of
					 * one name the newest first */
	uint32_t nr_by_name;
	uint64_t formats_taken;		/* bytes, of BLOB_FORMATS_BYTES */
	char **systems;			/* names, by number; only grows */
	uint32_t nr_systems;
	uint32_t *system_index;		/* number + 1 by hash of the name; 0: free */
	uint32_t system_index_size;	/* a power of two, at least 2 * nr_systems */
	uint64_t modules_seen[ABI_MODULES / 64];
	uint32_t tables_seen;

	struct extent *pending;		/* arena to be freed later */
	size_t nr_pending;
	bool is_arena_known;		/* all live processes are known to have
					 * forgotten what is not referred to */
	struct comms *comms;
	struct objects *objects;
	struct symbols *symbols;
	bool is_parsing;		/* since somebody cleared it an answer was not
					 * there, as a file is still being parsed */
	struct functions functions;
	struct root_stack stack;
	struct printk_formats *printk;	/* NULL: not asked for yet */
	uint64_t rules_taken;		/* bytes of rules that were loaded */
	uint64_t filters_taken;		/* bytes of filters of triggers that were compiled then */
	uint64_t triggers_taken;	/* of rows, that were loaded or inherited */
	struct instance top;
	struct instance *instances[ABI_BUFFERS];	/* by number; 0: the top */
};

/* ---- root.c ---- */

/* Attach to @dirfd/@name, or only look at it if it is dead: then it sleeps.  A root that
 * cannot be trusted is returned too, with state CORRUPT and without memory; -errno if there
 * is nothing to show. */
int root_new(struct server *server, int dirfd, const char *name,
	     uint64_t serial, struct root **ret_root);
/* Continue to load a root that root_new() has returned with is_loading set.  Returns 0 if it
 * is loaded or corrupt, -ERESTART while a parser is at work, -ENOMEM. */
int root_load(struct root *root);
struct root *root_get(struct root *root);
void root_put(struct root *root);
/*
 * Who works with what it has, its memory and all that was made of it.  Nodes do
 * not: the kernel may remember those of a root that has gone for as long as it
 * likes.  The server's own use ends with the root, and is_gone is true by then.
 */
void root_use(struct root *root);
void root_leave(struct root *root);
/* May it be used?  Wakes a root that sleeps, and puts another one to sleep if too many
 * dead ones are awake.  Also notices a file that was cut short. */
bool root_is_usable(struct root *root);
/* The same for the server's own rounds: a root that sleeps may not be used, and sleeps on. */
bool root_is_ready(struct root *root);
/* Can a dead root sleep?  Not while somebody works with it. */
bool root_can_sleep(const struct root *root);
/* Release all but the name and the figures; root_can_sleep() is true. */
void root_sleep(struct root *root);
/* Is a root that sleeps certainly dead, still?  Does not wake it. */
bool root_is_still_dead(struct root *root);
/* (root_check.c) Check @control, a copy: its offsets may be used if the answer is 0.  -EBADMSG, or
 * -EPROTONOSUPPORT for another version. */
int root_check_control(const struct abi_control *control);

/* ---- root_peek.c ---- */

struct root_peek {
	struct abi_control control;	/* a copy; checked */
	bool is_dead;			/* certainly: no process is left, nor on its way */
	bool has_recorded;		/* or it may have */
};

/* Look at the `memory` that @fd is, without a mapping.  -errno of root_check_control(). */
int root_peek(int fd, struct root_peek *ret_peek);

/* ---- root_info.c ---- */

/* Fill in all but the name of a root that is awake, for `ulf ls`. */
void root_info_fill(struct root *root, struct server_root_info *ret_info);
/* Is there, or was there, anything to be recorded?  It is awake. */
bool root_has_recorded(const struct root *root);
/* Would sleep lose something that is in the server's memory alone? */
bool root_has_unsaved(const struct root *root);
/* Memory for a part of the tables that the program need not have touched, before
 * something is written there: the file is sparse.  -ENOSPC */
int root_reserve(struct root *root, const void *start, uint64_t bytes);

/* ---- instance.c ---- */

/* Those that the last server knew, and the top one. */
int instances_load(struct root *root);
void instances_done(struct root *root);
struct instance *instance_find(const struct root *root, const char *name);
/* Returns the next instance, from number *@at on, or NULL. */
static inline struct instance *instance_next(const struct root *root, uint32_t *at)
{
	while (*at < ABI_BUFFERS && !root->instances[*at])
		++*at;
	return *at < ABI_BUFFERS ? root->instances[*at] : NULL;
}
#define for_each_instance(instance, root)				\
	for (uint32_t i_ = 0; ((instance) = instance_next(root, &i_)); i_++)
/* What mkdir and rmdir answer. */
int instance_make(struct root *root, const char *name);
int instance_remove(struct root *root, const char *name);
struct instance *instance_get(struct instance *instance);
void instance_put(struct instance *instance);

/* ---- process.c ---- */

/* How processes of the root are known; its memory is mapped. */
void process_init(struct root *root);
/* Look at all slots: who came, who went.  False: the root's budget did not suffice, or there
 * is no descriptor left; what is known of the rest is older, and is_blind is set. */
bool process_scan(struct root *root);
/* Go on with a scan that has not ended.  True: all slots have been looked at since the
 * last process_scan(). */
bool process_scan_more(struct root *root);
/* Is nobody left of the root, nor about to come?  Looks at all slots; false as long as
 * some have not been looked at. */
bool process_all_gone(struct root *root);
/* Is it alive, and has not called exec() meanwhile? */
bool process_is_current(const struct process *process);
/* Its /proc/PID/maps; NULL: errno says why. */
FILE *process_maps_open(const struct process *process);
#define PROCESS_PATH_BYTES	64u
void process_maps_path(const struct process *process, char path[PROCESS_PATH_BYTES]);
/* Its pidfd says that it is dead. */
void process_died(struct process *process);
void process_done(struct root *root);

/* ---- events.c ---- */

/* Bring root->events and root->visible up to date; root_part.init. */
int events_refresh(struct root *root);
void events_done(struct root *root);
/* root_part.add_info (events_info.c) */
void events_add_info(struct root *root, struct server_root_info *info);
/* NULL if there is none that is visible. */
struct event *events_find(struct root *root, const char *system,
			  const char *name);
struct event *events_by_id(struct root *root, uint32_t id);
bool events_has_system(const struct root *root, const char *system);
/* The number of a system of that name, in root->systems; -ENOENT. */
int events_system(const struct root *root, const char *name);
/* The next older event of its name, in any module; the newest one.  NULL: there is none. */
struct event *event_elder(const struct root *root, const struct event *event);
struct event *event_youngest(const struct root *root, const struct event *event);
/* The printing program, or NULL if its print fmt is not understood. */
const struct print_program *event_program(struct event *event);
/* Is its probe to be registered?  In soft mode that is always so. */
bool event_is_enabled(const struct instance *instance,
		      const struct event *event);
/* Have it so, or not. */
void event_want(struct instance *instance, uint32_t row, bool is_on);
/* A name that several modules bring is one event to the user. */
bool event_is_named_as(const struct event *event, const struct event *other);

/* What a line of set_event means; NULL: any. */
struct event_match {
	const char *system;
	const char *name;
	const char *either;		/* system or name */
};
/* Switch all that match.  -EINVAL if nothing does; -errno if there is no
 * room for rings.  The change is in force when apply_wait() says so. */
int events_set(struct instance *instance, const struct event_match *match,
	       bool is_on);

/* ---- apply.c ---- */

/* Can processes be asked to switch something on?  Else why one of them could not start
 * its agent.  error_log says so, also if others could.  @file: that is written to. */
int apply_check(struct instance *instance, const char *file);
/* Tell the processes that wishes changed. */
void apply_start(struct root *root, struct apply *ret_apply);
/* 0: in force everywhere; -EINPROGRESS; or the errno of a process that could
 * not follow.  Waits up to @wait_ns. */
int apply_wait(struct apply *apply, uint64_t wait_ns);
#define APPLY_WAIT_NS		2000000u
/* Has every live process left the rings of before @generation? */
bool apply_is_settled(const struct root *root, uint32_t generation);

/* ---- server.c, for the parts above ---- */

void server_watch_process(struct server *server, struct process *process);
/* The caller must do it before it closes the pidfd: while a child of the server has the
 * pidfd open, close() would leave an entry that names @process. */
void server_unwatch_process(struct server *server, struct process *process);

/* The scan of a root has not ended: the next tick, which is soon, goes on with it. */
void server_continue_scan(struct server *server);

/* What the tree hangs off the server, and how it goes. */
void **server_tree(struct server *server, void (*free_tree)(void *tree));
struct roots *server_roots(struct server *server);
/* DIR/roots, opened; -errno */
int server_open_roots(const struct server *server);
struct root *server_find_root(struct server *server, const char *name);
struct root *server_next_root(struct server *server, struct root *after);

/* For a root or an instance: never used twice. */
uint64_t server_next_serial(struct server *server);

#endif
