/* SPDX-License-Identifier: MIT */
/* Open and map roots, with the checks on which all other code relies.  Let dead roots
 * sleep, and wake them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/control.h"
#include "server/core/beat.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/part.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/root_info.h"
#include "server/core/root_peek.h"
#include "server/core/roots.h"
#include "server/core/server.h"
#include "server/core/server_roots.h"
#include "server/core/shm.h"
#include "symbols/parse.h"

#define WAKE_NS			60000000u	/* maximum time that the server waits for
						 * parsers when it wakes a dead root, ns */
#define WAKE_STEP_MS		5

/* Open the file @dirfd/NAME/memory of a root.  The file must belong to this user, and no
 * part of the path may be a symbolic link. */
static int open_memory(struct root *root, int dirfd)
{
	int dir = openat(dirfd, root->name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	if (dir < 0)
		return -errno;
	root->fd = openat(dir, "memory", O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	r = root->fd < 0 ? -errno : 0;
	close(dir);
	if (r < 0)
		return r;
	if (fstat(root->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return -EBADMSG;
	if (root->ino && (st.st_ino != root->ino || st.st_dev != root->dev))
		return -ENOENT;		/* another root now has the directory with this name */
	root->dev = st.st_dev;
	root->ino = st.st_ino;
	root->died = st.st_mtim;
	roots_set_bytes(server_roots(root->server), root, (uint64_t)st.st_blocks * 512);
	return 0;
}

/* Load the state of parts and instances that the previous server left.  Returns
 * -ERESTART if the caller must call again later. */
static int load_parts(struct root *root)
{
	const struct server_parts *parts = root->parts;
	int r = 0;

	while (!r && root->nr_loaded < parts->nr_roots) {
		const struct root_part *part = &parts->roots[root->nr_loaded];

		if (part->load)
			r = part->load(root);
		root->nr_loaded += !r;
	}
	if (!r)
		r = instances_load(root);
	root->is_loading = r == -ERESTART;
	return r;
}

static int root_attach(struct root *root)
{
	const struct root_part *part;
	struct abi_control control;
	char *base;
	int r;

	if (pread(root->fd, &control, sizeof(control), 0) != sizeof(control))
		return -EBADMSG;
	r = root_check_control(&control);
	if (r < 0)
		return r;
	r = mapping_new_sparse(root->fd, control.arena_off, &root->memory);
	if (r < 0)
		return r;
	base = root->memory->addr;
	root->control = root->memory->addr;
	root->processes = (void *)(base + control.processes_off);
	root->modules_table = (void *)(base + control.modules_off);
	if (control.objects_off)
		root->objects_table = (void *)(base + control.objects_off);
	root->comms_table = (void *)(base + control.comms_off);
	root->events_table = (void *)(base + control.events_off);
	root->heap_off = control.heap_off;
	root->arena_off = control.arena_off;
	root->map_bytes = control.map_bytes;
	/* Refuse a number of CPUs that differs from the earlier one.  Nodes of the file
	 * tree refer to CPUs by number, and they stay while a root is asleep. */
	if (root->nr_cpus && root->nr_cpus != control.nr_cpus)
		return -EBADMSG;
	root->nr_cpus = control.nr_cpus;
	root->top.abi = (void *)(base + control.buffers_off);
	root->process = calloc(PROCESS_CREATOR + 1, sizeof(*root->process));
	if (!root->process)
		return -ENOMEM;
	process_init(root);
	if (process_all_gone(root))
		root->state = SERVER_ROOT_DEAD;
	for_each_root_part(part, root->parts, init) {
		r = part->init(root);
		if (r)
			return r;
	}
	return load_parts(root);
}

/* Restore the modification time of `memory`, which is the time of the root's death.
 * fallocate() in root_attach() has changed this time. */
static void keep_age(const struct root *root)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, root->died };

	if (root->state == SERVER_ROOT_DEAD)
		futimens(root->fd, times);
}

/* Release all data of @root except its name and its figures for `ulf ls`.  May be called
 * twice. */
static void root_detach(struct root *root)
{
	const struct server_parts *parts = root->parts;

	root->awaited = NULL;
	if (root->process)
		process_done(root);
	free(root->process);
	root->process = NULL;
	instances_done(root);
	for (size_t i = parts->nr_roots; root->part_state && i--; )
		if (parts->roots[i].done)
			parts->roots[i].done(root);
	free(root->pending);
	root->pending = NULL;
	root->nr_pending = 0;
	mapping_put(root->memory);
	root->memory = NULL;
	root->control = NULL;
	if (root->fd >= 0)
		close(root->fd);
	root->fd = -1;
}

/*
 * Let the program continue, because the server lacks memory or descriptors for this
 * root and must try again later.  Until then the program must not wait, neither at its
 * start (hold) nor for an answer (asked).
 */
static void release_program(struct root *root)
{
	struct abi_control *control = root->control;

	if (!control)
		return;
	if (shm_load(&control->hold)) {
		shm_store(&control->hold, 0);
		shm_wake(&control->hold);
	}
	shm_store(&control->answered, shm_load(&control->asked));
	shm_wake(&control->answered);
}

/* Return true if the result @r means that the server lacks descriptors or memory, so that
 * a later attempt may succeed. */
static bool is_shortage(int r)
{
	return r == -ENOMEM || r == -ENOSPC || r == -EMFILE || r == -ENFILE;
}

static void give_up(struct root *root, int r)
{
	root_detach(root);
	root->is_loading = false;
	root->state = r == -EPROTONOSUPPORT ? SERVER_ROOT_FOREIGN : SERVER_ROOT_CORRUPT;
}

/* Let the root begin asleep if it is certainly dead.  Most dead roots are never used,
 * so mapping them would be work for nothing.  Returns false if it is not certain that
 * the root is dead. */
static bool begin_asleep(struct root *root)
{
	struct root_peek peek;

	if (root_peek(root->fd, &peek) || !peek.is_dead)
		return false;
	root->state = SERVER_ROOT_DEAD;
	root->is_empty = !peek.has_recorded;
	root->info = (struct server_root_info){
		.state = SERVER_ROOT_DEAD,
		.pid = peek.control.pid,
		.started_ns = peek.control.started_ns,
		.run_id = peek.control.run_id,
	};
	root_detach(root);
	return true;
}

/* Handle the result @r of root_attach() or load_parts().  If the directory is not that of a
 * root, or if memory or descriptors are lacking, returns @r.  If @r is another error than
 * -ERESTART, marks the root as corrupt (or of another version), and returns 0. */
static int settle_result(struct root *root, int r)
{
	if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP || is_shortage(r))
		return r;
	if (r < 0 && r != -ERESTART)
		give_up(root, r);
	return 0;
}

int root_load(struct root *root)
{
	int r = load_parts(root);

	keep_age(root);
	if (r == -ERESTART)
		return r;
	r = settle_result(root, r);
	if (r)
		release_program(root);
	return r;
}

int root_new(struct server *server, int dirfd, const char *name,
	     uint64_t serial, struct root **ret_root)
{
	struct root *root = calloc(1, sizeof(*root));
	int r;

	if (!root)
		return -ENOMEM;
	root->server = server;
	root->parts = server_parts(server);
	root->refs = 1;
	root->users = 1;
	root->serial = serial;
	root->top.root = root;
	root->top.serial = serial;
	root->fd = -1;
	root->found_ns = server_now_ns();
	clock_gettime(CLOCK_REALTIME, &root->found);
	root->name = strdup(name);
	root->part_state = root_states_alloc(root->parts);
	root->top.part_state = instance_states_alloc(root->parts);
	r = root->name && root->part_state && root->top.part_state ?
	    open_memory(root, dirfd) : -ENOMEM;
	if (!r && !begin_asleep(root)) {
		r = root_attach(root);
		keep_age(root);
	}
	r = settle_result(root, r);
	if (r) {
		release_program(root);
		root_put(root);
		return r;
	}
	*ret_root = root;
	return 0;
}

/* ---- functions that put dead roots to sleep, and wake them ---- */

static bool is_asleep(const struct root *root)
{
	return root->state == SERVER_ROOT_DEAD && !root->memory;
}

bool root_can_sleep(const struct root *root)
{
	if (root->state != SERVER_ROOT_DEAD || !root->memory || root->users > 1 ||
	    root->nr_live)
		return false;
	/*
	 * Keep the root awake if an instance is still in use: the nodes of the instance
	 * in the file tree would refer to memory that is freed when the root falls
	 * asleep.
	 */
	for (uint32_t i = 1; i < ABI_BUFFERS; i++)
		if (root->instances[i] && root->instances[i]->refs > 1)
			return false;
	return true;
}

/* Set the members of @root that depend on its memory to zero, as root_attach() expects
 * them in a new root.  Nodes of the file tree keep their references to the top instance. */
static void forget_attached(struct root *root)
{
	instance_states_clear(root->parts, root->top.part_state);
	root->top = (struct instance){
		.root = root,
		.refs = root->top.refs,
		.serial = root->serial,
		.part_state = root->top.part_state,
	};
	root->objects_table = NULL;
	root->is_blind = false;
	root->fork_ns = 0;
	memset(root->modules_seen, 0, sizeof(root->modules_seen));
	root->is_arena_known = false;
}

void root_sleep(struct root *root)
{
	struct roots *roots = server_roots(root->server);
	struct stat st;

	root_info_fill(root, &root->info);
	root->has_info = true;
	if (!fstat(root->fd, &st))
		roots_set_bytes(roots, root, (uint64_t)st.st_blocks * 512);
	roots_asleep(roots, root);
	root_detach(root);
	forget_attached(root);
}

static int root_reopen(struct root *root)
{
	struct timespec died = root->died;
	int dir = server_open_roots(root->server);
	int r = dir < 0 ? dir : open_memory(root, dir);

	if (dir >= 0)
		close(dir);
	root->died = died;
	return r;
}

/*
 * Load a dead root whose files must be parsed.  The root is woken in the middle of a request,
 * so this function must wait for the parsers.  The wait is limited to WAKE_NS, because other
 * clients must wait, too.  Lists of functions whose files are not parsed by then are missing
 * until the root is woken again.
 */
static int load_dead(struct root *root)
{
	const struct server_parts *parts = root->parts;
	uint64_t end_ns = server_now_ns() + WAKE_NS;
	const struct root_part *part;
	int r = -ERESTART;

	while (r == -ERESTART && server_now_ns() < end_ns) {
		struct pollfd parser = { .fd = parse_poll_fd(), .events = POLLIN };

		beat();
		poll(&parser, 1, WAKE_STEP_MS);
		parse_dispatch();
		for_each_root_part(part, parts, parsed)
			part->parsed(root);
		r = load_parts(root);
	}
	for_each_root_part(part, parts, stop_waiting)
		part->stop_waiting(root);
	while (r == -ERESTART) {
		root->nr_loaded++;
		r = load_parts(root);
	}
	return r;
}

static int try_wake(struct root *root)
{
	int r = root_reopen(root);

	root->nr_loaded = 0;
	if (!r)
		r = root_attach(root);
	if (r == -ERESTART)
		r = load_dead(root);
	if (!r) {
		keep_age(root);
		return 0;
	}
	root_detach(root);
	forget_attached(root);
	root->is_loading = false;
	return r;
}

/* Wake a root.  Returns 0; or -errno if the root is still asleep, or corrupt.  If a process
 * has claimed a slot meanwhile, the next tick of the server finds it. */
static int root_wake(struct root *root)
{
	struct roots *roots = server_roots(root->server);
	int r = try_wake(root);

	/* If the server lacks descriptors or memory, put another root to sleep and try
	 * again.  This would not help if a tmpfs is full (-ENOSPC). */
	while (is_shortage(r) && r != -ENOSPC && roots_sleep_one(roots))
		r = try_wake(root);
	if (!r) {
		roots_awake(roots, root);
	} else if (!is_shortage(r) && r != -ENOENT) {
		give_up(root, r);
		roots_not_dead(roots, root);
	}
	return r;
}

bool root_is_still_dead(struct root *root)
{
	struct root_peek peek;
	bool is_dead = !root_reopen(root) && !root_peek(root->fd, &peek) && peek.is_dead;

	root_detach(root);
	return is_dead;
}

struct root *root_get(struct root *root)
{
	root->refs++;
	return root;
}

void root_put(struct root *root)
{
	if (!root || --root->refs)
		return;
	root_detach(root);
	instance_states_free(root->parts, root->top.part_state);
	root_states_free(root->parts, root->part_state);
	free(root->name);
	free(root);
}

/* Note that a file of @root was opened.  Such a root is kept when its program ends. */
static void note_opened(struct root *root)
{
	uint32_t *used = &root->top.abi->used;

	root->was_opened = true;
	if (shm_load(used) == ABI_USED_UNASKED)
		shm_store(used, ABI_USED);
}

void root_use(struct root *root)
{
	root->users++;
	if (root->state == SERVER_ROOT_ALIVE)
		note_opened(root);
}

void root_leave(struct root *root)
{
	if (!--root->users)
		root_detach(root);
}

void root_want_objects(struct root *root, uint32_t why, bool is_wanted)
{
	uint32_t wants = shm_load(&root->control->wants_objects) & ~why;

	shm_store(&root->control->wants_objects, wants | (is_wanted ? why : 0));
}

int root_reserve(struct root *root, const void *start, uint64_t bytes)
{
	return mapping_reserve(root->memory, start, bytes);
}

bool root_is_ready(struct root *root)
{
	if (root->is_gone || is_asleep(root))
		return false;
	if (root->state < SERVER_ROOT_CORRUPT)
		mapping_mend(root->memory);
	if (root->state < SERVER_ROOT_CORRUPT && root->memory->is_lost) {
		process_done(root);
		root->state = SERVER_ROOT_CORRUPT;
		roots_not_dead(server_roots(root->server), root);
	}
	return root->state < SERVER_ROOT_CORRUPT;
}

bool root_is_usable(struct root *root)
{
	root->used_ns = server_now_ns();
	if (!root->is_gone && is_asleep(root) && root_wake(root))
		return false;
	return root_is_ready(root);
}
