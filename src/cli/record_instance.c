/* SPDX-License-Identifier: MIT */
#include "cli/record_instance.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/left_instances.h"
#include "cli/pid_find.h"
#include "cli/tree_write.h"

#define PREFIX		"record."
#define PATH_BYTES	1024
#define ALL_KB		(256u << 10)	/* default limit of the total size of all rings, KiB */
#define CPU_KB_MAX	(64u << 10)	/* default limit of the size of the rings of one CPU,
					 * KiB */
#define CPU_KB_MIN	1408u		/* the kernel's default */

int record_instance_add(struct record_instance *instance, enum record_kind kind,
			const char *value)
{
	uint32_t nr = instance->nr;
	struct record_setting *list;

	if (kind == RECORD_FILTER && (!nr || instance->list[nr - 1].kind != RECORD_EVENT)) {
		cli_error("-f %s: a filter must follow its event: -e EVENT -f FILTER", value);
		return -EINVAL;
	}
	list = realloc(instance->list, (nr + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	list[nr] = (struct record_setting){ kind, value };
	instance->list = list;
	instance->nr++;
	return 0;
}

bool record_instance_has(const struct record_instance *instance, enum record_kind kind)
{
	for (uint32_t i = 0; i < instance->nr; i++)
		if (instance->list[i].kind == kind)
			return true;
	return false;
}

void record_instance_done(struct record_instance *instance)
{
	for (uint32_t i = 0; i < instance->nr_roots; i++)
		free(instance->roots[i]);
	free(instance->roots);
	free(instance->list);
}

uint64_t record_instance_default_kb(const char *dir)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t all_kb = ALL_KB, kb;
	struct statvfs fs;

	if (!statvfs(dir, &fs))
		all_kb = min_u64(all_kb, fs.f_bavail * fs.f_bsize / 1024 / 4);
	kb = min_u64(all_kb / (cpus > 0 ? (uint64_t)cpus : 1), CPU_KB_MAX);
	return kb > CPU_KB_MIN ? kb : CPU_KB_MIN;
}

/* ---- find the root ---- */

/* Find a root that is alive, and whose name is @word or whose program is the process @pid.
 * Returns the root's name, which the caller must free(); or NULL. */
static char *find_alive(struct conn *conn, const char *word, pid_t pid)
{
	struct root_list list;
	char *name = NULL;

	if (root_list_fetch(conn, ABI_LIST_NAMES, 0, &list) < 0)
		return NULL;
	for (size_t i = 0; i < list.nr && !name; i++) {
		const struct abi_root_row *row = &list.rows[i];

		if (row->state == ABI_ROOT_ALIVE &&
		    (word ? root_list_search(&list, word, strlen(word)) == row :
			    row->pid == (uint32_t)pid))
			name = strdup(row->name);
	}
	root_list_done(&list);
	return name;
}

/* Run `ulf attach [OPTION] PID` for the process @pid.  The command prints errors itself. */
static int attach(pid_t pid, const char *option)
{
	char word[16];
	pid_t child;
	int status;

	snprintf(word, sizeof(word), "%d", pid);
	child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0)
			dup2(null, STDOUT_FILENO);
		execl("/proc/self/exe", "ulf", "attach", option ? option : word,
		      option ? word : NULL, (char *)NULL);
		_exit(CLI_NOT_STARTED);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
}

static int find_root(struct conn *conn, const char *word, const char *attach_option,
		     char **ret_root)
{
	pid_t pid;

	if (!word)
		return root_default(conn, ret_root);
	*ret_root = find_alive(conn, word, 0);
	if (*ret_root)
		return 0;
	pid = pid_find(word);
	if (pid < 0)
		return -ENOENT;
	*ret_root = find_alive(conn, NULL, pid);
	if (*ret_root)
		return 0;
	if (attach(pid, attach_option))
		return -ENOENT;
	*ret_root = find_alive(conn, NULL, pid);
	if (*ret_root)
		return 0;
	cli_error("%s: the root of the program is not there", word);
	return -ENOENT;
}

/* ---- the instance ---- */

/* The instance of one root, as the functions for its files need it. */
struct place {
	struct conn *conn;
	const char *root, *name;	/* @root: name of the root; @name: name of the
					 * instance */
};

static struct place place_of(struct conn *conn, const struct record_instance *instance, uint32_t i)
{
	return (struct place){ conn, instance->roots[i], instance->name };
}

/* Write the path of the instance's file @name; "" stands for the directory of the instance
 * itself. */
static void place_path(const struct place *place, const char *name, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s/instances/%s%s%s", place->root, place->name,
		 *name ? "/" : "", name);
}

static bool has_root(const struct record_instance *instance, const char *root)
{
	for (uint32_t i = 0; i < instance->nr_roots; i++)
		if (!strcmp(instance->roots[i], root))
			return true;
	return false;
}

/* Make the instance in the root @root, and append @root to the array of roots. */
static int make_in_root(struct conn *conn, struct record_instance *instance, char *root)
{
	char **roots = realloc(instance->roots, (instance->nr_roots + 1) * sizeof(*roots));
	struct place place = { conn, root, instance->name };
	char path[PATH_BYTES];
	int r;

	if (!roots)
		return -ENOMEM;
	instance->roots = roots;
	left_instances_remove(conn, root, PREFIX);
	place_path(&place, "", path);
	r = conn_path(conn, ABI_SOCKET_MKDIR, path);
	if (r < 0)
		cli_error("cannot make the instance %s: %s", path, strerror(-r));
	else
		roots[instance->nr_roots++] = root;
	return r;
}

int record_instance_make(struct conn *conn, const char *word, struct record_instance *instance)
{
	char *root;
	int r = find_root(conn, word, instance->attach_option, &root);

	if (r)
		return r;
	snprintf(instance->name, sizeof(instance->name), PREFIX "%d", getpid());
	if (has_root(instance, root)) {
		free(root);
		return 0;
	}
	r = make_in_root(conn, instance, root);
	if (r < 0)
		free(root);
	return r;
}

/* Write to a file of the tree.  If the server was killed, repeat the write with the next
 * server. */
static int do_write(struct conn *conn, struct tree_write *write)
{
	int r = tree_write(conn, write);

	if (r != -EPIPE)
		return r;
	conn_close(conn);
	r = conn_open(conn, CONN_START);
	return r < 0 ? r : tree_write(conn, write);
}

/* Write @value to the file @name of the instance.  Prints errors. */
static int write_file(const struct place *place, const char *name, const char *value, int flags)
{
	char path[PATH_BYTES], *line;
	struct tree_write write;
	int r;

	if (asprintf(&line, "%s\n", value) < 0)
		return -ENOMEM;
	place_path(place, name, path);
	tree_write_init(&write, path, line, flags);
	r = do_write(place->conn, &write);
	if (r < 0)
		tree_write_error(&write, r);
	tree_write_done(&write);
	free(line);
	return r < 0 ? r : 0;
}

/* Write the filter of an event, or of all events of a system.  @event has the form sys:event,
 * sys:* or sys. */
static int write_filter(const struct place *place, const char *event, const char *filter)
{
	size_t len = strcspn(event, ":");
	const char *name = event[len] ? event + len + 1 : "*";
	char path[PATH_BYTES];

	if (!strcmp(name, "*"))
		snprintf(path, sizeof(path), "events/%.*s/filter", (int)len, event);
	else
		snprintf(path, sizeof(path), "events/%.*s/%s/filter", (int)len, event, name);
	return write_file(place, path, filter, O_TRUNC);
}

/* Write a trigger: "SYSTEM/EVENT TRIGGER". */
static int write_trigger(const struct place *place, const char *setting)
{
	size_t len = strcspn(setting, " ");
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "events/%.*s/trigger", (int)len, setting);
	return write_file(place, path, setting + len + 1, O_APPEND);
}

/* Apply all settings of the kind @kind, in the order of the command line. */
static int apply_kind(const struct place *place, const struct record_instance *instance,
		      enum record_kind kind)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < instance->nr; i++) {
		const struct record_setting *setting = &instance->list[i];

		if (setting->kind != kind)
			continue;
		if (kind == RECORD_FILTER)
			r = write_filter(place, setting[-1].value, setting->value);
		else if (kind == RECORD_TRIGGER)
			r = write_trigger(place, setting->value);
		else if (kind == RECORD_FUNCTIONS)
			r = write_file(place, "set_ftrace_filter", setting->value, O_APPEND);
		else if (kind == RECORD_EVENT)
			r = write_file(place, "set_event", setting->value, O_APPEND);
		else
			r = write_file(place, "current_tracer", setting->value, O_TRUNC);
	}
	return r;
}

static int begin_in_root(const struct place *place, const struct record_instance *instance)
{
	static const enum record_kind order[] = {
		RECORD_FILTER, RECORD_TRIGGER, RECORD_FUNCTIONS, RECORD_EVENT, RECORD_TRACER,
	};
	char kb[32];
	int r;

	snprintf(kb, sizeof(kb), "%" PRIu64, instance->kb ? instance->kb :
		 record_instance_default_kb(place->conn->dir));
	r = write_file(place, "buffer_size_kb", kb, O_TRUNC);
	for (size_t i = 0; !r && i < sizeof(order) / sizeof(order[0]); i++)
		r = apply_kind(place, instance, order[i]);
	return r;
}

int record_instance_begin(struct conn *conn, const struct record_instance *instance)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < instance->nr_roots; i++) {
		struct place place = place_of(conn, instance, i);

		r = begin_in_root(&place, instance);
	}
	return r;
}

/* Write to a file of the instance in each root.  A failure is not reported: the root may be dead,
 * and its recording has ended then. */
static void write_quietly(struct conn *conn, const struct record_instance *instance,
			  const char *name, const char *text)
{
	for (uint32_t i = 0; i < instance->nr_roots; i++) {
		struct place place = place_of(conn, instance, i);
		char path[PATH_BYTES];
		struct tree_write write;

		place_path(&place, name, path);
		tree_write_init(&write, path, text, O_TRUNC);
		do_write(conn, &write);
		tree_write_done(&write);
	}
}

void record_instance_mark(struct conn *conn, const struct record_instance *instance,
			  const char *line)
{
	write_quietly(conn, instance, "trace_marker", line);
}

void record_instance_stop(struct conn *conn, const struct record_instance *instance)
{
	write_quietly(conn, instance, "tracing_on", "0\n");
}

void record_instance_continue(struct conn *conn, const struct record_instance *instance)
{
	write_quietly(conn, instance, "tracing_on", "1\n");
}

void record_instance_remove(struct conn *conn, const struct record_instance *instance)
{
	for (uint32_t i = 0; i < instance->nr_roots; i++) {
		struct place place = place_of(conn, instance, i);
		char path[PATH_BYTES];
		int r;

		place_path(&place, "", path);
		r = conn_path(conn, ABI_SOCKET_RMDIR, path);
		if (r < 0 && r != -ENOENT)
			cli_error("cannot remove the instance %s: %s", path, strerror(-r));
	}
}
