/* SPDX-License-Identifier: MIT */
/* Find roots, and remove them.  The server watches DIR/roots with inotify, and each process
 * with a pidfd; both make the server's epoll descriptor readable. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/clock.h"
#include "server/core/apply.h"
#include "server/core/arena.h"
#include "server/core/beat.h"
#include "server/core/dead_limits.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/part.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/root_delete.h"
#include "server/core/root_info.h"
#include "server/core/roots.h"
#include "server/core/server.h"
#include "server/core/server_roots.h"
#include "server/core/shm.h"
#include "server/core/timebase.h"
#include "symbols/parse.h"

#define SLOW_TICK_NS	1000000000u	/* time between two slow ticks, ns; each root has
					 * its turn once in a slow tick */
#define TICK_NS		40000000u	/* maximum CPU time of one tick, ns;
					 * after it the server serves clients */
#define SLEEP_AFTER_NS	10000000000u	/* time after which a dead root that was not used
					 * falls asleep, ns */
#define ROUND_NS	20000000u	/* maximum time for removing dead roots in one
					 * call of limit_dead(), ns */
#define LOADING_NS	2000000000u	/* maximum time that server_open() waits until all
					 * roots are loaded, ns */
#define DAY_SECONDS	(24 * 3600)

struct server {
	const struct server_parts *parts;
	bool is_view;
	int epoll;
	int inotify;			/* descriptor of inotify; -1 if this server is a
					 * view, which watches nothing */
	char *roots_path;
	struct roots roots;
	struct dead_limits limits;
	uint64_t next_serial;
	uint64_t slow_tick_ns;		/* time when the last slow tick began,
					 * CLOCK_MONOTONIC */
	uint32_t tick;			/* number of the slow tick; root->tick gets this
					 * value when the root has its turn */
	bool is_ticking;		/* true: the slow tick has not ended */
	bool is_scanning;		/* true: the scan of some root's process slots has
					 * not ended */
	uint32_t scan_round;		/* number of the round of scans of process slots;
					 * a root whose root->scan.round is another number
					 * has not had its turn yet */
	struct root *loading;		/* list of the roots that are being loaded and
					 * wait for a parser; see load_roots() */
	void *tree;			/* tree of files of tracefs; may be NULL */
	void (*free_tree)(void *tree);	/* frees @tree */
};

void **server_tree(struct server *server, void (*free_tree)(void *tree))
{
	server->free_tree = free_tree;
	return &server->tree;
}

struct root *server_find_root(struct server *server, const char *name)
{
	return roots_find(&server->roots, name);
}

struct roots *server_roots(struct server *server)
{
	return &server->roots;
}

int server_open_roots(const struct server *server)
{
	int fd = open(server->roots_path, O_DIRECTORY | O_CLOEXEC);

	/* cppcheck-suppress resourceLeak ; the caller gets the descriptor */
	return fd < 0 ? -errno : fd;
}

struct root *server_next_root(struct server *server, struct root *after)
{
	return after ? TAILQ_NEXT(after, link) : TAILQ_FIRST(&server->roots.all);
}

uint64_t server_next_serial(struct server *server)
{
	return server->next_serial++;
}

void server_watch_process(struct server *server, struct process *process)
{
	struct epoll_event event = {
		.events = EPOLLIN,
		.data.ptr = process,
	};

	/* Ignore an error of epoll_ctl(): then only the slow tick notices that the
	 * process has ended. */
	epoll_ctl(server->epoll, EPOLL_CTL_ADD, process->pidfd, &event);
}

void server_unwatch_process(struct server *server, struct process *process)
{
	epoll_ctl(server->epoll, EPOLL_CTL_DEL, process->pidfd, NULL);
}

/* ---- functions that serve programs that wait for the server ---- */

static bool is_asked(const struct root *root)
{
	return shm_load(&root->control->asked) != shm_load(&root->control->answered);
}

/* Answer the processes of @root that have loaded an object and wait for the server, up to
 * question number @asked.  The next call answers later questions.  While files of the program
 * are being parsed, no process gets an answer, and server_parsed() tries again. */
static void answer_program(struct root *root, uint32_t asked)
{
	const struct root_part *part;

	for_each_root_part(part, root->parts, answer)
		if (!part->answer(root))
			return;
	shm_store(&root->control->answered, asked);		/* [boot.answer] */
	shm_wake(&root->control->answered);
}

/* Apply all settings that a waiting program needs, then let the program continue. */
static void make_ready(struct root *root)
{
	struct abi_control *control = root->control;
	uint32_t asked = shm_load(&control->asked);		/* [boot.ask] */
	const struct root_part *part;

	if (root->state != SERVER_ROOT_ALIVE)
		return;
	for_each_root_part(part, root->parts, prepare)
		if (part->prepare(root))
			return;	/* server_parsed() tries again when a parser has ended */
	if (asked != shm_load(&control->answered))
		answer_program(root, asked);
	if (!shm_load(&control->hold))
		return;
	shm_store(&control->hold, 0);				/* [boot.hold] */
	shm_wake(&control->hold);
}

/* ---- remove roots ---- */

static void forget_root(struct server *server, struct root *root)
{
	roots_remove(&server->roots, root);
	root->is_gone = true;
	process_done(root);	/* close pidfds now: clients may use struct root for long */
	root_leave(root);
	root_put(root);
}

static int delete_files(struct server *server, const struct root *root)
{
	int roots = server_open_roots(server);
	int r = roots < 0 ? roots : root_delete_files(root, roots);

	if (roots >= 0)
		close(roots);
	return r;
}

static int remove_root(struct server *server, struct root *root)
{
	int r = delete_files(server, root);

	if (!r)
		forget_root(server, root);
	return r;
}

static bool is_mapped(const struct root *root)
{
	int roots = server_open_roots(root->server);
	bool is_used = roots >= 0 && root_is_mapped(root, roots);

	if (roots >= 0)
		close(roots);
	return is_used;
}

/* Return 0 if @root can be removed: it is corrupt, or no process is left and no child is about to
 * claim a slot.  Return -EBUSY if a process may be left; -EMFILE if this could not be checked,
 * because descriptors are lacking or the scan of the slots has not ended. */
static int check_dead(struct root *root)
{
	if (root->state == SERVER_ROOT_FOREIGN)
		return is_mapped(root) ? -EBUSY : 0;
	if (root->state == SERVER_ROOT_DEAD && !root->memory && root_is_still_dead(root))
		return 0;
	if (!root_is_usable(root))
		return root->state == SERVER_ROOT_DEAD ? -EMFILE : 0;
	if (process_all_gone(root))
		return 0;
	return root->is_blind ? -EMFILE : -EBUSY;
}

int server_root_remove(struct server *server, const char *name)
{
	struct root *root;
	int r;

	server_dispatch(server);	/* notice processes that have ended */
	root = server_find_root(server, name);
	if (!root)
		return -ENOENT;
	r = check_dead(root);
	return r ? r : remove_root(server, root);
}

static void root_died(struct root *root)
{
	struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
	struct roots *roots = server_roots(root->server);
	struct stat st;

	root->state = SERVER_ROOT_DEAD;
	root->used_ns = server_now_ns();
	futimens(root->fd, now);	/* the age of the dead root counts from now */
	if (!fstat(root->fd, &st)) {
		root->died = st.st_mtim;
		roots_set_bytes(roots, root, (uint64_t)st.st_blocks * 512);
	}
	roots_dead(roots, root);
}

static void root_lives(struct root *root)
{
	root->state = SERVER_ROOT_ALIVE;
	roots_not_dead(server_roots(root->server), root);
}

static bool is_too_old(const struct server *server, const struct root *root)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - root->died.tv_sec > (time_t)server->limits.days * DAY_SECONDS;
}

/* Return true if there are too many dead roots, or they are too large.  Always keep the root that
 * died last, even if it is too large, because the user may be about to read it. */
static bool has_too_many(const struct server *server, const struct root *root)
{
	return TAILQ_NEXT(root, dead_link) &&
	       (server->roots.nr_dead > server->limits.roots ||
		server->roots.dead_bytes > server->limits.bytes);
}

/* Remove the oldest dead roots beyond the limits of ulf.conf.  Stops after ROUND_NS;
 * the next call continues. */
static void limit_dead(struct server *server)
{
	uint64_t end_ns = server_now_ns() + ROUND_NS;
	struct root *root, *next;

	for (root = roots_oldest(&server->roots); root; root = next) {
		next = TAILQ_NEXT(root, dead_link);
		if (!is_too_old(server, root) && !has_too_many(server, root))
			break;
		/* Keep a root while it has open files: besides the server, each open file
		 * is a user. */
		if (root->users == 1 && !check_dead(root))
			remove_root(server, root);
		if (server_now_ns() > end_ns)
			break;
	}
}

/* Find roots that have died; let dead roots sleep, or remove them.  The function frees
 * roots, so the caller must have handled all epoll events that point to processes. */
static void check_roots(struct server *server)
{
	struct root *root, *next;

	for (root = TAILQ_FIRST(&server->roots.awake); root && !server->is_view; root = next) {
		next = TAILQ_NEXT(root, awake_link);
		beat();
		if (!root_is_ready(root))
			continue;
		if (root->state == SERVER_ROOT_ALIVE && !root->nr_live) {
			if (process_all_gone(root))
				root_died(root);
		} else if (root->state == SERVER_ROOT_DEAD && root->nr_live) {
			root_lives(root);
		}
		if (root->state == SERVER_ROOT_DEAD && !root_has_recorded(root))
			remove_root(server, root);
		else if (server_now_ns() - root->used_ns > SLEEP_AFTER_NS &&
			 root_can_sleep(root) && !root_has_unsaved(root))
			root_sleep(root);
	}
	if (server->is_view)
		return;
	roots_limit_awake(&server->roots);
	limit_dead(server);
}

/* ---- add roots ---- */

static void link_root(struct server *server, struct root *root)
{
	if (root->is_empty && !server->is_view && !delete_files(server, root)) {
		root_put(root);
		return;
	}
	if (roots_add(&server->roots, root)) {
		server->roots.missed = -ENOMEM;
		root_put(root);
		return;
	}
	if (root_is_ready(root) && !server->is_view)
		make_ready(root);
}

static void add_root(struct server *server, int dirfd, const char *name)
{
	struct root *root;
	int r;

	beat();
	r = root_new(server, dirfd, name, server_next_serial(server), &root);
	if (r) {
		if (r != -ENOENT && r != -ENOTDIR && r != -ELOOP)
			server->roots.missed = r;
		return;
	}
	if (root->is_loading) {
		root->next_loading = server->loading;
		server->loading = root;
		return;
	}
	link_root(server, root);
}

/* Continue to load the roots in server->loading: their lists or filters name functions,
 * so files must be parsed first.  A root is not shown before it is loaded completely. */
static void load_roots(struct server *server)
{
	struct root **at = &server->loading, *root;

	while ((root = *at)) {
		int r = root_load(root);

		if (r == -ERESTART) {
			at = &root->next_loading;
			continue;
		}
		*at = root->next_loading;
		if (!r) {
			link_root(server, root);
			continue;
		}
		server->roots.missed = r;
		root_put(root);
	}
}

/* ---- functions that watch DIR/roots ---- */

static bool is_same_directory(const struct root *root, int dirfd)
{
	struct stat st;
	char path[300];

	if (strlen(root->name) > 255)
		return false;
	strcpy(path, root->name);
	strcat(path, "/memory");
	return !fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) &&
	       (!root->ino || (st.st_ino == root->ino && st.st_dev == root->dev));
}

/* Drop those roots that are being loaded and whose directory was removed.  @dirfd: DIR/roots; -1:
 * drop all roots that are being loaded. */
static void forget_loading(struct server *server, int dirfd)
{
	struct root **at = &server->loading, *root;

	while ((root = *at)) {
		if (dirfd >= 0 && is_same_directory(root, dirfd)) {
			at = &root->next_loading;
			continue;
		}
		*at = root->next_loading;
		root_put(root);
	}
}

static bool is_loading(const struct server *server, const char *name)
{
	const struct root *root = server->loading;

	while (root && strcmp(root->name, name))
		root = root->next_loading;
	return root;
}

static void answer_if_asked(struct root *root)
{
	if (root_is_ready(root) && (shm_load(&root->control->hold) || is_asked(root)))
		make_ready(root);
}

static void add_roots(struct server *server, DIR *dir)
{
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    !server_find_root(server, entry->d_name) &&
		    !is_loading(server, entry->d_name))
			add_root(server, dirfd(dir), entry->d_name);
}

/* Try again to add the roots for which descriptors or memory were missing the last time. */
static void add_missed(struct server *server)
{
	DIR *dir = opendir(server->roots_path);

	if (!dir)
		return;
	server->roots.missed = 0;
	add_roots(server, dir);
	closedir(dir);
}

/* Compare the directory DIR/roots with the roots that are known, and add or remove
 * roots. */
static void scan_roots(struct server *server)
{
	struct root *root, *next;
	DIR *dir;

	/* mkdir() and inotify_add_watch() do nothing if the directory exists and is
	 * watched. */
	mkdir(server->roots_path, 0700);
	inotify_add_watch(server->inotify, server->roots_path,
			  IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB |
			  IN_ONLYDIR |
			  IN_DELETE_SELF | IN_MOVE_SELF);
	dir = opendir(server->roots_path);
	server->roots.missed = dir ? 0 : -errno;
	if (!dir)
		return;
	for (root = TAILQ_FIRST(&server->roots.all); root; root = next) {
		next = TAILQ_NEXT(root, link);
		beat();
		if (!is_same_directory(root, dirfd(dir)))
			forget_root(server, root);
	}
	forget_loading(server, dirfd(dir));
	add_roots(server, dir);
	closedir(dir);
	for (root = TAILQ_FIRST(&server->roots.awake); root; root = next) {
		next = TAILQ_NEXT(root, awake_link);
		beat();
		answer_if_asked(root);
	}
}

/* Handle a change of DIR/roots/@name.  Either a root appeared, was removed or replaced,
 * or its program waits for the server. */
static void scan_name(struct server *server, int dirfd, const char *name)
{
	struct root *root = server_find_root(server, name);

	forget_loading(server, dirfd);
	if (root && !is_same_directory(root, dirfd)) {
		forget_root(server, root);
		root = NULL;
	}
	if (root)
		answer_if_asked(root);
	else if (name[0] != '.' && !is_loading(server, name))
		add_root(server, dirfd, name);
}

/* Handle inotify events.  Returns false if there were events without a name, so that
 * the caller must call scan_roots(). */
static bool scan_events(struct server *server, const char *events, size_t bytes)
{
	const struct inotify_event *event;
	bool is_all = true;
	int dirfd = server_open_roots(server);

	for (size_t at = 0; at < bytes; at += sizeof(*event) + event->len) {
		event = (const void *)(events + at);
		if (event->len && dirfd >= 0)
			scan_name(server, dirfd, event->name);
		else
			is_all = false;	/* an inotify event without a name: DIR/roots has
					 * changed, or events were lost */
	}
	if (dirfd >= 0)
		close(dirfd);
	return is_all;
}

static void scan_changes(struct server *server)
{
	char events[16384] __attribute__((aligned(8)));
	bool is_all = true;
	ssize_t n;

	while ((n = read(server->inotify, events, sizeof(events))) > 0)
		is_all &= scan_events(server, events, (size_t)n);
	if (!is_all)
		scan_roots(server);
}

/* ---- functions that start and run the server ---- */

static int server_alloc(const char *dir, const struct server_parts *parts,
			struct server **ret_server)
{
	struct server *server = calloc(1, sizeof(*server));
	int r;

	if (!server)
		return -ENOMEM;
	server->parts = parts;
	roots_init(&server->roots);
	timebase_start();
	mapping_init();
	server->next_serial = 1;
	server->scan_round = 1;
	server->inotify = -1;
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll < 0 ||
	    asprintf(&server->roots_path, "%s/roots", dir) < 0) {
		r = server->epoll < 0 ? -errno : -ENOMEM;
		server_free(server);
		return r;
	}
	*ret_server = server;
	return 0;
}

/* Wait for roots that are being loaded, before the first client is served: the command
 * that has started the server may need one of these roots at once. */
static void wait_for_loading(struct server *server)
{
	uint64_t until_ns = server_now_ns() + LOADING_NS;

	while (server->loading && server_now_ns() < until_ns) {
		struct pollfd fd = { .fd = parse_poll_fd(), .events = POLLIN };

		poll(&fd, 1, 10);
		beat();
		if (parse_dispatch())
			server_parsed(server);
	}
}

int server_open(const char *dir, const struct server_parts *parts, struct server **ret_server)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct server *server;
	int r = server_alloc(dir, parts, &server);

	if (r)
		return r;
	dead_limits_load(dir, &server->limits, NULL);
	server->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (server->inotify < 0 ||
	    epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->inotify, &event)) {
		r = -errno;
		server_free(server);
		return r;
	}
	scan_roots(server);
	wait_for_loading(server);
	check_roots(server);
	*ret_server = server;
	return 0;
}

int server_open_view(const char *dir, const char *name, const struct server_parts *parts,
		     struct server **ret_server)
{
	struct server *server;
	DIR *roots;
	int r = server_alloc(dir, parts, &server);

	if (r)
		return r;
	mapping_be_private();
	server->is_view = true;
	roots = opendir(server->roots_path);
	if (roots && name)
		add_root(server, dirfd(roots), name);
	else if (roots)
		add_roots(server, roots);
	if (roots)
		closedir(roots);
	*ret_server = server;
	return 0;
}

void server_free(struct server *server)
{
	if (!server)
		return;
	if (server->tree)
		server->free_tree(server->tree);
	forget_loading(server, -1);
	while (!TAILQ_EMPTY(&server->roots.all))
		forget_root(server, TAILQ_FIRST(&server->roots.all));
	roots_done(&server->roots);
	if (server->inotify >= 0) {
		epoll_ctl(server->epoll, EPOLL_CTL_DEL, server->inotify, NULL);
		close(server->inotify);
	}
	if (server->epoll >= 0)
		close(server->epoll);
	free(server->roots_path);
	free(server);
}

const struct server_parts *server_parts(const struct server *server)
{
	return server->parts;
}

int server_poll_fd(const struct server *server)
{
	return server->epoll;
}

void server_dispatch(struct server *server)
{
	struct epoll_event events[64];
	bool has_changed = false;
	int nr;

	nr = epoll_wait(server->epoll, events, 64, 0);
	for (int i = 0; i < nr; i++) {
		if (events[i].data.ptr)
			process_died(events[i].data.ptr);
		else
			has_changed = true;
	}
	if (nr > 0 || roots_have_ended(&server->roots))
		check_roots(server);
	if (has_changed)
		scan_changes(server);
}

/* Do the regular work of one root.  If its scan of process slots has not ended, because the root
 * has too many processes for its budget, continue the scan. */
static void tick_root(struct root *root)
{
	const struct root_part *root_part;
	const struct instance_part *part;
	struct instance *instance;

	if (root->scan.left)
		process_scan_more(root);
	else
		process_scan(root);
	apply_tick(root);
	timebase_update(root);
	for_each_root_part(root_part, root->parts, tick)
		root_part->tick(root);
	make_ready(root);
	for_each_instance(instance, root)
		for_each_instance_part(part, root->parts, tick)
			part->tick(instance);
	arena_reap(root);
}

/* Return the CPU time that the server's thread has used. */
static uint64_t cpu_ns(void)
{
	return clock_posix_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Continue scans of process slots that have not ended.  Roots take turns: a root that had its turn
 * in this round waits until all others had theirs.  Returns true if a scan has still not ended. */
static bool continue_scans(struct server *server, uint64_t until_ns)
{
	bool is_left = false, is_over = false;
	struct root *root;

	TAILQ_FOREACH(root, &server->roots.awake, awake_link) {
		if (!root->scan.left || !root_is_ready(root))
			continue;
		if (!is_over && root->scan.round != server->scan_round) {
			root->scan.round = server->scan_round;
			process_scan_more(root);
			is_over = cpu_ns() >= until_ns;
		}
		is_left |= root->scan.left != 0;
	}
	if (!is_over)
		server->scan_round++;
	return is_left;
}

/* Do the regular work of each root that is awake.  Returns true if time has run out. */
static bool tick_roots(struct server *server, uint64_t until_ns)
{
	struct root *root;

	TAILQ_FOREACH(root, &server->roots.awake, awake_link) {
		if (root->tick == server->tick || !root_is_ready(root))
			continue;
		root->tick = server->tick;
		beat();
		tick_root(root);
		if (TAILQ_NEXT(root, awake_link) && cpu_ns() >= until_ns)
			return true;
	}
	return false;
}

void server_tick(struct server *server)
{
	uint64_t now = server_now_ns(), until = cpu_ns() + TICK_NS;

	if (server->is_scanning)
		server->is_scanning = continue_scans(server, until);
	if (server->loading && !parse_is_running())	/* loading waits for a budget */
		load_roots(server);
	if (!server->is_ticking) {
		if (now - server->slow_tick_ns < SLOW_TICK_NS)
			return;
		server->slow_tick_ns = now;
		server->tick++;
		load_roots(server);
	}
	server->is_ticking = tick_roots(server, until);
	if (server->is_ticking)
		return;
	check_roots(server);
	if (server->roots.missed)
		add_missed(server);
}

void server_continue_scan(struct server *server)
{
	server->is_scanning = true;
}

bool server_is_busy(const struct server *server)
{
	return server->is_ticking || server->is_scanning ||
	       (server->loading && !parse_is_running());
}

/* Continue the work that waits for a parser's result.  Each parser's job belongs to a
 * root. */
void server_parsed(struct server *server)
{
	const struct root_part *part;
	bool is_loading = false, is_awaited;
	struct root *root;

	while ((root = parse_next_ended())) {
		is_loading |= root->is_loading;
		for_each_root_part(part, server->parts, parsed)
			part->parsed(root);
		if (root->is_loading || !root_is_ready(root))
			continue;
		is_awaited = shm_load(&root->control->hold) || is_asked(root) ||
			     shm_load(&root->control->boot_state) != ABI_BOOT_DONE;
		for_each_root_part(part, server->parts, settled)
			part->settled(root, is_awaited);
		if (is_awaited)
			make_ready(root);
	}
	if (is_loading)
		load_roots(server);
}
