/* SPDX-License-Identifier: MIT */
/*
 * A root as the server sees it: its memory, its processes, its instances, and the state of
 * its parts.  The server has one thread, so nothing here is shared between threads, and
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
#include <sys/queue.h>
#include <sys/types.h>
#include <time.h>

#include "abi/control.h"
#include "server/core/budget.h"
#include "server/core/instance.h"
#include "server/core/server.h"

struct extent;
struct inspections;
struct mapping;
struct process;
struct server_parts;

/*
 * A dead root is asleep unless it is used.  A root that is asleep has no mapping, no
 * descriptor and no data that were read from its memory: `memory` is NULL, and only `info`
 * is known.  root_is_usable() wakes it.
 */
struct root {
	struct server *server;
	const struct server_parts *parts;	/* parts of the server */
	void **part_state;		/* array with the state that each part keeps for this
					 * root; it has parts->nr_roots elements
					 * (server/part_numbers.h) */
	bool is_loading;		/* true: loading of the root has not ended, so
					 * root_load() must be called again */
	size_t nr_loaded;		/* number of parts whose method load() has
					 * finished */
	struct root *next_loading;	/* next root in the list of the roots that wait for a
					 * parser; server.c has the list */
	struct root *next_of_hash;	/* next root in its chain of the hash of all roots;
					 * only roots.c uses the members from here to
					 * @is_in_dead */
	TAILQ_ENTRY(root) link;
	TAILQ_ENTRY(root) awake_link;	/* link in the list of roots that are awake; valid
					 * if the root is awake */
	TAILQ_ENTRY(root) dead_link;	/* link in the list of dead roots; valid if
					 * @is_in_dead is set */
	bool is_in_dead;
	int refs;			/* number of references to this struct, held by
					 * the server and by each node of the file tree */
	int users;			/* number of users of the root's memory: the
					 * server and each open file; see root_use() */
	bool is_gone;			/* true: the directory of the root was removed */
	bool was_opened;		/* true: a file of the root was opened at some
					 * time */
	bool is_empty;			/* true: the root was dead when the
					 * server found it, and has no records */
	enum server_root_state state;
	uint64_t serial;		/* serial number of the root, unique among the
					 * roots and instances of this server */
	uint32_t tick;			/* number of the last slow tick in which the
					 * server has done the regular work of this root */
	char *name;
	int fd;				/* descriptor of the root's file `memory`; -1 if
					 * it is closed */
	dev_t dev;			/* device and inode numbers of the root's file
					 * `memory`, from stat() */
	ino_t ino;
	dev_t map_dev;			/* device and inode numbers of the root's file
					 * `memory`, from /proc/PID/maps */
	ino_t map_ino;
	uint64_t found_ns;		/* time when the server found the root,
					 * CLOCK_MONOTONIC */
	struct timespec found;		/* time when the server found the root,
					 * CLOCK_REALTIME */
	uint64_t used_ns;		/* time when root_is_usable() was last called for
					 * the root, CLOCK_MONOTONIC */
	struct timespec died;		/* modification time of the file `memory`, which
					 * the server sets when all processes are gone */
	uint64_t file_bytes;		/* space that the file `memory` took in the file
					 * system when it was last measured, bytes */
	struct server_root_info info;	/* figures that the root had when it fell asleep;
					 * the member `name` is not set */
	bool has_info;			/* true: @info is complete; false: it has only
					 * what `struct abi_control` says */

	struct mapping *memory;		/* mapping of the bytes [0, arena_off) of the file
					 * `memory`; NULL if the root is asleep or corrupt */
	/* Where the tables, the heap and the arena are in the memory (abi/control.h).  The
	 * offsets and @nr_cpus come from a copy of the control block that was checked,
	 * because the program can change the memory. */
	struct abi_control *control;	/* the control block; like the pointers to tables,
					 * it points into `memory` */
	struct abi_process *processes;
	struct abi_module *modules_table;
	struct abi_object *objects_table;	/* table of objects; NULL if the program
						 * has no such table */
	struct abi_comm *comms_table;
	struct abi_event *events_table;
	uint64_t heap_off, arena_off, map_bytes;
	uint32_t nr_cpus;

	struct process **process;	/* array of PROCESS_CREATOR + 1 pointers: the
					 * process in each slot; NULL if the slot was
					 * never used */
	uint32_t nr_live;		/* number of processes of the root that are alive */
	bool is_late;			/* true: the last write to a file has given up
					 * waiting before all processes had applied
					 * @late_generation */
	uint32_t late_generation;
	struct abi_process *awaited;	/* the process for which the last apply_wait() has returned
					 * -EINPROGRESS; NULL: there is none */
	uint32_t awaited_applied;	/* what it had applied then */
	uint64_t awaited_until_ns;	/* time until which apply_pause() waits, CLOCK_MONOTONIC */
	bool is_blind;			/* true: the last scan of the process
					 * slots has not ended yet, or was
					 * incomplete for lack of descriptors */
	/* Progress of the scan of the process slots. */
	struct {
		uint32_t left;		/* number of process slots that the scan must
					 * still check; 0 if no scan is running */
		uint32_t next;		/* first process slot that the scan must still
					 * check */
		uint32_t forks_done;	/* value that abi_control.forks_done had when the
					 * scan began */
		uint32_t round;		/* number of the last round of scans, over all
					 * roots, in which this root had its turn */
	} scan;
	struct inspections *inspections;	/* cached results of process_inspect.c;
						 * NULL if there are none yet */
	struct budget budget;		/* budget of the root for work whose amount its
					 * processes decide */
	uint64_t fork_ns;		/* time since when the root has no process with a
					 * slot, but possibly a forked child without a slot,
					 * CLOCK_MONOTONIC; 0 if there is a process with a
					 * slot, or no such child */

	uint64_t modules_seen[ABI_MODULES / 64];	/* bitmap of the modules that
							 * processes had loaded when the
							 * tables were last read */

	struct extent *pending;		/* array of @nr_pending blocks that were retired and
					 * that processes may still use */
	size_t nr_pending;
	bool is_arena_known;		/* true: every block that a live process may use
					 * is listed in shared memory or in @pending */
	struct instance top;		/* the top instance */
	struct instance *instances[ABI_BUFFERS];	/* instances of the root, indexed by their
							 * number; number 0 is &top */
};

/*
 * Open the root @dirfd/@name.  A live root is mapped and loaded.  A dead root is only
 * inspected, and begins asleep.  If root.is_loading of the result is true, the caller must
 * call root_load() later.  A root whose memory is invalid is returned as well, with state
 * CORRUPT or FOREIGN and without memory.  Returns 0.  Returns -ENOENT, -ENOTDIR or -ELOOP if
 * this is not a root.  After -ENOMEM, -ENOSPC, -EMFILE or -ENFILE the caller should try again
 * later.  The caller gets a reference, and is a user (root_use()).
 */
int root_new(struct server *server, int dirfd, const char *name,
	     uint64_t serial, struct root **ret_root);
/*
 * Continue to load a root that root_new() has returned with root.is_loading set to true.
 * Returns 0 if the root is loaded or corrupt, and -ERESTART while a parser is working.
 * Returns -ENOMEM, -EMFILE or the like if the server lacks memory or descriptors.
 */
int root_load(struct root *root);
/* Take a reference of @root.  Returns @root. */
struct root *root_get(struct root *root);
/* Release a reference of @root.  When the last reference is released, the root is
 * freed.  @root may be NULL. */
void root_put(struct root *root);
/*
 * Begin to use the root's memory and the data that were read from it.  The server and
 * each open file are users.  Nodes are not users, but only hold a reference, because
 * the kernel may keep nodes of a removed root for a long time and the root's memory
 * must be freed earlier.  The server is a user until it forgets the root and sets
 * is_gone.
 */
void root_use(struct root *root);
/* End the use of the root.  When the last user ends its use, the memory is unmapped. */
void root_leave(struct root *root);
/*
 * Return true if the root's memory may be used now.  Wakes a root that is asleep.  If
 * too many dead roots are awake afterwards, puts another one to sleep.  May wait up to
 * 60 ms for a parser.  Also checks whether the file was cut short; such a root becomes
 * corrupt.
 */
bool root_is_usable(struct root *root);
/*
 * Return true if the root's memory may be used now.  Unlike root_is_usable(), this function
 * does not wake a root that is asleep, but returns false.  The regular work of the server
 * uses this function.
 */
bool root_is_ready(struct root *root);
/* Return true if the root can be put to sleep: it is dead, awake, and has no user but the
 * server. */
bool root_can_sleep(const struct root *root);
/* Put @root to sleep: release everything except its name and its figures.
 * root_can_sleep() must be true. */
void root_sleep(struct root *root);
/* Return true if a root that is asleep is certainly still dead.  Does not wake the root. */
bool root_is_still_dead(struct root *root);
/*
 * Allocate memory in the root's file for the @bytes bytes at @start of a table.  Must
 * be called before the server writes to bytes that the program has possibly never
 * written: the file is sparse, and if the file system is full, such a write would
 * raise SIGBUS.  Returns 0 or -ENOSPC.
 */
int root_reserve(struct root *root, const void *start, uint64_t bytes);

/* Set or clear @why in the root's memory: one of the reasons (enum abi_wants) for which a
 * process that loads an object must ask the server. */
void root_want_objects(struct root *root, uint32_t why, bool is_wanted);

/* Return the instance of @root whose number is *@at, or else the one with the next higher
 * number.  Returns NULL if there is none. */
static inline struct instance *instance_next(const struct root *root, uint32_t *at)
{
	while (*at < ABI_BUFFERS && !root->instances[*at])
		++*at;
	return *at < ABI_BUFFERS ? root->instances[*at] : NULL;
}
#define for_each_instance(instance, root)				\
	for (uint32_t i_ = 0; ((instance) = instance_next(root, &i_)); i_++)

#endif
