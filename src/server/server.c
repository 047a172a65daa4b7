/* SPDX-License-Identifier: MIT */
/*
 * Which roots there are.  DIR/roots is watched with inotify, each process with
 * a pidfd; both make the server's epoll descriptor readable.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/clock.h"
#include "server/comm.h"
#include "server/mapping.h"
#include "server/objects.h"
#include "server/parse.h"
#include "server/pids.h"
#include "server/printk.h"
#include "server/profile.h"
#include "server/rings.h"
#include "server/root.h"
#include "server/rules.h"
#include "server/shm.h"
#include "server/soft.h"
#include "server/stack_tracer.h"
#include "server/timebase.h"

#define SLOW_TICK_NS	1000000000u
#define LOADING_NS	2000000000u	/* waited for roots, at the start */
#define DEAD_SECONDS	(7 * 24 * 3600)	/* then a dead root goes */

struct server {
	bool is_view;
	int epoll;
	int inotify;			/* -1: a view */
	char *roots_path;
	struct root *roots;
	uint64_t next_serial;
	uint64_t slow_tick_ns;		/* when it was done last */
	struct root *loading;		/* that wait for a parser; see load_roots() */
	void *tree;			/* of tracefs/ */
	void (*free_tree)(void *tree);
};

uint64_t server_now_ns(void)
{
	return clock_posix_ns(CLOCK_MONOTONIC);
}

void **server_tree(struct server *server, void (*free_tree)(void *tree))
{
	server->free_tree = free_tree;
	return &server->tree;
}

struct root *server_find_root(struct server *server, const char *name)
{
	struct root *root = server->roots;

	while (root && strcmp(root->name, name))
		root = root->next;
	return root;
}

struct root *server_next_root(struct server *server, struct root *after)
{
	return after ? after->next : server->roots;
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

	/* If it cannot be watched, the slow tick finds it dead. */
	epoll_ctl(server->epoll, EPOLL_CTL_ADD, process->pidfd, &event);
}

/* ---- roots come ---- */

/* Nobody need ask for what trace_printk() says.  Whether the program has it is not
 * known before its constructors have run, and one that waits for us is about to
 * run them. */
static void make_printk_rings(struct root *root)
{
	struct apply apply;

	if ((shm_load(&root->control->hold) || printk_has_formats(root)) &&
	    !instance_has_rings(&root->top) && !instance_need_rings(&root->top))
		apply_start(root, &apply);
}

static bool is_asked(const struct root *root)
{
	return shm_load(&root->control->asked) != shm_load(&root->control->answered);
}

/* A process that asks after this look is answered the next time.  While files of the
 * program are still being parsed nobody is answered: server_parsed() does it. */
static void answer(struct root *root, uint32_t asked)
{
	if (functions_tick(root))
		return;
	shm_store(&root->control->answered, asked);
	shm_wake(&root->control->answered);
}

/* Then a program that waits for it may go on. */
static void make_ready(struct root *root)
{
	struct abi_control *control = root->control;
	uint32_t asked = shm_load(&control->asked);

	if (root->state != SERVER_ROOT_ALIVE)
		return;
	if (boot_apply(root))
		return;			/* server_parsed() */
	if (boot_follow(root))
		return;
	make_printk_rings(root);
	if (asked != shm_load(&control->answered))
		answer(root, asked);
	if (!shm_load(&control->hold))
		return;
	shm_store(&control->hold, 0);
	shm_wake(&control->hold);
}

static void link_root(struct server *server, struct root *root)
{
	root->next = server->roots;
	server->roots = root;
	if (root_is_usable(root) && !server->is_view)
		make_ready(root);
}

static void add_root(struct server *server, int dirfd, const char *name)
{
	struct root *root;

	if (root_new(server, dirfd, name, server_next_serial(server), &root))
		return;
	if (root->load_step != ROOT_LOADED) {
		root->next = server->loading;
		server->loading = root;
		return;
	}
	link_root(server, root);
}

/* Go on with roots in which the last server left lists of functions: their files are
 * parsed first.  Such a root is not shown before all of it is loaded. */
static void load_roots(struct server *server)
{
	struct root **at = &server->loading, *root;

	while ((root = *at)) {
		int r = root_load(root);

		if (r == -ERESTART) {
			at = &root->next;
			continue;
		}
		*at = root->next;
		if (r)
			root_put(root);
		else
			link_root(server, root);
	}
}

/* ---- roots go ---- */

static void forget_root(struct server *server, struct root *root)
{
	struct root **at = &server->roots;

	while (*at != root)
		at = &(*at)->next;
	*at = root->next;
	root->is_gone = true;
	root_leave(root);
	root_put(root);
}

/* The files of a root in @dir, if that is still the one: a program that has called exec()
 * gives its name to a new root, and a number to the old one. */
static int delete_memory(const struct root *root, int dir)
{
	struct stat st;

	if (fstatat(dir, "memory", &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (root->ino && (st.st_ino != root->ino || st.st_dev != root->dev))
		return -EBUSY;
	unlinkat(dir, "memory", 0);
	return 0;
}

static int delete_files(struct server *server, const struct root *root)
{
	int roots = open(server->roots_path, O_DIRECTORY | O_CLOEXEC);
	int r = 0, dir;

	if (roots < 0)
		return -errno;
	dir = openat(roots, root->name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir >= 0) {
		r = delete_memory(root, dir);
		close(dir);
	}
	if (!r && unlinkat(roots, root->name, AT_REMOVEDIR) && errno != ENOENT)
		r = -errno;
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

int server_root_remove(struct server *server, const char *name)
{
	struct root *root;

	server_dispatch(server);	/* who has died by now is dead */
	root = server_find_root(server, name);
	if (!root)
		return -ENOENT;
	if (root_is_usable(root) && !process_all_gone(root))
		return -EBUSY;
	return remove_root(server, root);
}

static void root_died(struct root *root)
{
	struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };

	root->state = SERVER_ROOT_DEAD;
	futimens(root->fd, now);	/* it ages from here */
}

/* Is there, or was there, anything to be recorded? */
static bool has_recorded(const struct root *root)
{
	const struct instance *instance;

	if (root->stack.map || profile_is_there(root))
		return true;
	for_each_instance(instance, root)
		if (instance_has_rings(instance))
			return true;
	return false;
}

/* Was it dead for so long, or did it never record anything? */
static bool has_to_go(const struct root *root)
{
	struct timespec now;
	struct stat st;

	if (root->state != SERVER_ROOT_DEAD || !root->memory)
		return false;
	if (!has_recorded(root))
		return true;
	clock_gettime(CLOCK_REALTIME, &now);
	return !fstat(root->fd, &st) &&
	       now.tv_sec - st.st_mtim.tv_sec > DEAD_SECONDS;
}

/* Who died; which roots are to go.  Frees roots: no event may be left that
 * names a process of theirs. */
static void check_roots(struct server *server)
{
	struct root *next;

	for (struct root *root = server->roots; root && !server->is_view; root = next) {
		next = root->next;
		if (!root_is_usable(root))
			continue;
		if (root->state == SERVER_ROOT_ALIVE && !root->nr_live) {
			if (process_all_gone(root))
				root_died(root);
		} else if (root->state == SERVER_ROOT_DEAD && root->nr_live) {
			root->state = SERVER_ROOT_ALIVE;
		}
		if (has_to_go(root))
			remove_root(server, root);
	}
}

/* ---- the directory ---- */

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

/* Drop loading roots whose directory is gone; @dirfd -1: all of them. */
static void forget_loading(struct server *server, int dirfd)
{
	struct root **at = &server->loading, *root;

	while ((root = *at)) {
		if (dirfd >= 0 && is_same_directory(root, dirfd)) {
			at = &root->next;
			continue;
		}
		*at = root->next;
		root_put(root);
	}
}

static bool is_loading(const struct server *server, const char *name)
{
	const struct root *root = server->loading;

	while (root && strcmp(root->name, name))
		root = root->next;
	return root;
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

static void scan_roots(struct server *server)
{
	struct root *next;
	DIR *dir;

	/* Both do nothing if all is as it was. */
	mkdir(server->roots_path, 0700);
	inotify_add_watch(server->inotify, server->roots_path,
			  IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB |
			  IN_ONLYDIR |
			  IN_DELETE_SELF | IN_MOVE_SELF);
	dir = opendir(server->roots_path);
	if (!dir)
		return;
	for (struct root *root = server->roots; root; root = next) {
		next = root->next;
		if (!is_same_directory(root, dirfd(dir)))
			forget_root(server, root);
	}
	forget_loading(server, dirfd(dir));
	add_roots(server, dir);
	closedir(dir);
	for (struct root *root = server->roots; root; root = root->next)
		if (root_is_usable(root) &&
		    (shm_load(&root->control->hold) || is_asked(root)))
			make_ready(root);
}

/* ---- the outside ---- */

static int server_alloc(const char *dir, struct server **ret_server)
{
	struct server *server = calloc(1, sizeof(*server));
	int r;

	if (!server)
		return -ENOMEM;
	timebase_start();
	mapping_init();
	server->next_serial = 1;
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

/* Wait for loading roots before the first client is served: the command that started the
 * server may ask for one of them at once. */
static void wait_for_loading(struct server *server)
{
	uint64_t until_ns = server_now_ns() + LOADING_NS;

	while (server->loading && server_now_ns() < until_ns) {
		struct pollfd fd = { .fd = parse_poll_fd(), .events = POLLIN };

		poll(&fd, 1, 10);
		if (parse_dispatch())
			server_parsed(server);
	}
}

int server_new(const char *dir, struct server **ret_server)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct server *server;
	int r = server_alloc(dir, &server);

	if (r)
		return r;
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

int server_view(const char *dir, const char *name, struct server **ret_server)
{
	struct server *server;
	DIR *roots;
	int r = server_alloc(dir, &server);

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
	while (server->roots)
		forget_root(server, server->roots);
	if (server->inotify >= 0)
		close(server->inotify);
	if (server->epoll >= 0)
		close(server->epoll);
	free(server->roots_path);
	free(server);
}

int server_poll_fd(const struct server *server)
{
	return server->epoll;
}

void server_dispatch(struct server *server)
{
	struct epoll_event events[64];
	bool has_changed = false;
	char drain[4096];
	int nr;

	nr = epoll_wait(server->epoll, events, 64, 0);
	for (int i = 0; i < nr; i++) {
		if (events[i].data.ptr) {
			process_died(events[i].data.ptr);
			continue;
		}
		while (read(server->inotify, drain, sizeof(drain)) > 0)
			;
		has_changed = true;
	}
	if (nr > 0)
		check_roots(server);
	if (has_changed)
		scan_roots(server);
}

void server_tick(struct server *server)
{
	uint64_t now = server_now_ns();
	struct instance *instance;

	if (now - server->slow_tick_ns < SLOW_TICK_NS)
		return;
	server->slow_tick_ns = now;
	load_roots(server);
	for (struct root *root = server->roots; root; root = root->next) {
		if (!root_is_usable(root))
			continue;
		process_scan(root);
		boot_follow(root);
		functions_tick(root);
		stack_tracer_tick(root);
		timebase_follow(root);
		make_ready(root);
		for_each_instance(instance, root) {
			rules_refresh(instance);
			pids_expire(instance);
			instance_retire(instance);
			if (root->state == SERVER_ROOT_ALIVE)
				instance_answer_spare(instance);
		}
		arena_reap(root);
		if (root->nr_live && has_recorded(root))
			comms_refresh(root);
	}
	check_roots(server);
}

/* The owners of parsers are roots. */
void server_parsed(struct server *server)
{
	bool is_loading = false;
	struct root *root;

	while ((root = parse_next_ended())) {
		is_loading |= root->load_step != ROOT_LOADED;
		functions_settle(root);
		if (root->load_step != ROOT_LOADED || !root_is_usable(root))
			continue;
		objects_settle(root);
		if (shm_load(&root->control->hold) || is_asked(root) ||
		    shm_load(&root->control->boot_state) != ABI_BOOT_DONE)
			make_ready(root);
		else if (root->functions.is_parsing)
			functions_tick(root);
	}
	if (is_loading)
		load_roots(server);
}

/* ---- the list ---- */

static void add_info(struct instance *instance, struct server_root_info *info)
{
	struct ring_stats stats;

	instance_stats(instance, RINGS_MAIN, CPU_ALL, &stats);
	info->entries += stats.entries;
	info->bytes += instance_unread_bytes(instance, CPU_ALL);
	info->overruns += stats.overrun + stats.dropped +
			  shm_load(&instance->abi->lock_lost);
}

/* Is it recorded in any instance? */
static bool is_on(const struct root *root, const struct event *event)
{
	const struct instance *instance;

	for_each_instance(instance, root)
		if (event_is_recorded(instance, event))
			return true;
	return false;
}

static void fill_info(struct root *root, struct server_root_info *info)
{
	struct instance *instance;

	events_refresh(root);
	info->pid = shm_load(&root->control->pid);
	info->nr_processes = root->nr_live;
	info->started_ns = shm_load(&root->control->started_ns);
	info->run_id = shm_load(&root->control->run_id);
	info->events_known = root->nr_visible;
	for (uint32_t i = 0; i < root->nr_visible; i++)
		info->events_on += is_on(root, root->visible[i]);
	for_each_instance(instance, root)
		add_info(instance, info);
}

int server_root_list(struct server *server,
		     int (*emit)(void *arg, const struct server_root_info *info),
		     void *arg)
{
	server_dispatch(server);	/* who has died by now is dead */
	for (struct root *root = server->roots; root; root = root->next) {
		struct server_root_info info = { .name = root->name };
		int r;

		if (root_is_usable(root))
			fill_info(root, &info);
		info.state = root->state;
		r = emit(arg, &info);
		if (r)
			return r;
	}
	return 0;
}
