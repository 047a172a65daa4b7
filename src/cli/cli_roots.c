/* SPDX-License-Identifier: MIT */
/* Get the list of roots, and complete paths that begin with a root; see cli_roots.h. */
#include "cli/cli_roots.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_suggest.h"
#include "cli/reason.h"
#include "cli/terminal.h"
#include "cli/users.h"

#define ROWS_SHOWN	16		/* maximum number of roots that a message
					 * lists */
/*
 * Number of requests after which the server has surely received the last report of a program
 * that has ended.  In the turn of the loop in which the server answers the first request, or
 * earlier, it accepts the program's connection.  In the next turn it receives the report,
 * possibly after the second request.  So the answer to the third request has the report.
 */
#define REPORT_TURNS	3

static int compare_root_names(const void *a, const void *b)
{
	const struct abi_root_row *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

void root_list_sort(struct root_list *list)
{
	if (list->nr)
		qsort(list->rows, list->nr, sizeof(*list->rows), compare_root_names);
}

int root_list_fetch(struct conn *conn, enum abi_list what, uint32_t run_id,
		    struct root_list *ret_list)
{
	struct abi_request request = {
		.op = ABI_SOCKET_LIST,
		.value = what,
		.offset = run_id,
	};
	struct root_list list = { 0 };
	size_t i;
	int ret;

	ret = conn_call(conn, &request, NULL, 0);
	if (ret < 0)
		return ret;
	list.nr = conn->data.len / sizeof(*list.rows);
	list.rows = calloc(list.nr + 1, sizeof(*list.rows));
	if (!list.rows)
		return -ENOMEM;
	if (list.nr)
		memcpy(list.rows, conn->data.data, list.nr * sizeof(*list.rows));
	for (i = 0; i < list.nr; i++)
		list.rows[i].name[sizeof(list.rows[i].name) - 1] = '\0';
	root_list_sort(&list);
	*ret_list = list;
	return 0;
}

size_t root_list_missing(struct conn *conn, uint32_t run_id, struct abi_no_root *rows, size_t max)
{
	const struct abi_request request = {
		.op = ABI_SOCKET_NO_ROOTS,
		.offset = run_id,
	};
	int turns = run_id ? REPORT_TURNS : 1;
	size_t nr = 0;

	for (int i = 0; i < turns; i++)
		nr = conn_call(conn, &request, NULL, 0) < 0 ? 0 : conn->data.len / sizeof(*rows);
	nr = nr < max ? nr : max;
	memcpy(rows, conn->data.data, nr * sizeof(*rows));
	for (size_t i = 0; i < nr; i++)
		rows[i].comm[sizeof(rows[i].comm) - 1] = '\0';
	return nr;
}

bool root_get_missing(struct conn *conn, uint32_t run_id, struct abi_no_root *ret_row)
{
	struct abi_no_root rows[ROOTS_MISSING_MAX];
	size_t nr = root_list_missing(conn, run_id, rows, ROOTS_MISSING_MAX);

	while (nr && rows[nr - 1].error > ABI_UNFOLLOWED)
		nr--;
	if (nr)
		*ret_row = rows[nr - 1];
	return nr;
}

int root_list_get(struct conn *conn, enum abi_list what, struct root_list *ret_list)
{
	int ret = root_list_fetch(conn, what, 0, ret_list);
	struct abi_no_root row;

	if (ret < 0)
		cli_error("cannot list the roots in %s: %s", conn->dir, strerror(-ret));
	else if (root_get_missing(conn, 0, &row))
		cli_error("not all roots in %s are listed; the server (pid %d): %s", conn->dir,
			  conn->server_pid, reason_server(-(int)row.error));
	return ret;
}

void root_list_done(struct root_list *list)
{
	free(list->rows);
	list->rows = NULL;
	list->nr = 0;
}

const char *root_state_name(uint32_t state)
{
	switch (state) {
	case ABI_ROOT_ALIVE:
		return "alive";
	case ABI_ROOT_DEAD:
		return "dead";
	case ABI_ROOT_FOREIGN:
		return "foreign";
	default:
		return "corrupt";
	}
}

/* Return true if @name is the name or the process id of the program of the root @row. */
static bool is_short_for(const struct abi_root_row *row, const char *name, size_t len)
{
	char pid[16];
	int pid_len = snprintf(pid, sizeof(pid), "%u", row->pid);

	if (len == (size_t)pid_len && memcmp(name, pid, len) == 0)
		return true;
	return strncmp(row->name, name, len) == 0 && row->name[len] == '.' &&
	       isdigit((unsigned char)row->name[len + 1]);
}

static void print_root_line(const struct abi_root_row *row)
{
	terminal_line(stderr, "  %s (%s)", row->name, root_state_name(row->state));
}

static void report_ambiguous_name(const struct root_list *list, const char *name, size_t len)
{
	size_t i, shown = 0;

	cli_error("several roots match `%.*s`; give the full name of one:", (int)len, name);
	for (i = 0; i < list->nr && shown < ROWS_SHOWN; i++) {
		if (is_short_for(&list->rows[i], name, len)) {
			print_root_line(&list->rows[i]);
			shown++;
		}
	}
}

static void report_unknown_name(const struct root_list *list, const char *name, size_t len)
{
	struct nearest near;
	const char *found;
	char *program, *end;
	size_t i;

	nearest_init(&near, name, len);
	for (i = 0; i < list->nr; i++) {
		nearest_offer(&near, list->rows[i].name);
		program = strdup(list->rows[i].name);
		end = program ? strrchr(program, '.') : NULL;
		if (end) {
			*end = '\0';
			nearest_offer(&near, program);
		}
		free(program);
	}
	found = nearest_name(&near);
	if (found)
		cli_error("no root is called `%.*s`; did you mean `%s`?", (int)len, name, found);
	else
		cli_error("no root is called `%.*s`; `ulf ls` lists them", (int)len, name);
}

/*
 * Find the root that @name stands for: the root with this name.  If there is none, it is the
 * only root whose program or process id is @name.  If there are several such roots and only
 * one of them is alive, it is that root.  Returns NULL if no root or several roots match;
 * *@ret_nr is the number of roots that match.
 */
static const struct abi_root_row *search_root(const struct root_list *list, const char *name,
					      size_t len, size_t *ret_nr)
{
	const struct abi_root_row *row, *alive = NULL, *other = NULL;
	size_t nr_alive = 0, nr_others = 0;

	for (row = list->rows; row < list->rows + list->nr; row++) {
		if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
			return row;
		if (!is_short_for(row, name, len))
			continue;
		if (row->state == ABI_ROOT_ALIVE) {
			alive = row;
			nr_alive++;
		} else {
			other = row;
			nr_others++;
		}
	}
	*ret_nr = nr_alive + nr_others;
	if (nr_alive == 1)
		return alive;
	return nr_alive == 0 && nr_others == 1 ? other : NULL;
}

const struct abi_root_row *root_list_search(const struct root_list *list, const char *name,
					    size_t len)
{
	size_t nr;

	return search_root(list, name, len, &nr);
}

/* Find a root as search_root() does.  Print an error if no root or several roots
 * match. */
static const struct abi_root_row *find_named_root(const struct root_list *list, const char *name,
						  size_t len)
{
	size_t nr;
	const struct abi_root_row *row = search_root(list, name, len, &nr);

	if (row)
		return row;
	if (nr) {
		report_ambiguous_name(list, name, len);
	} else {
		report_unknown_name(list, name, len);
		users_report_root(name, len);
	}
	return NULL;
}

int root_path(struct conn *conn, const char *path, char **ret_path)
{
	const struct abi_root_row *row;
	struct root_list list;
	size_t len;
	int ret;

	if (*path == '/') {
		cli_error("%s: give the path from the root on, as in minikernel.4711/trace",
			  path);
		return -EINVAL;
	}
	ret = root_list_get(conn, ABI_LIST_NAMES, &list);
	if (ret < 0)
		return ret;
	len = strcspn(path, "/");
	row = find_named_root(&list, path, len);
	ret = row ? 0 : -ENOENT;
	if (!ret && asprintf(ret_path, "%s%s", row->name, path + len) < 0) {
		cli_error("out of memory");
		ret = -ENOMEM;
	}
	root_list_done(&list);
	return ret;
}

/* Ask the user to name a root.  List the roots that are alive; if no root is alive,
 * list all roots. */
static void report_root_choice(const struct root_list *list, size_t nr_alive)
{
	size_t i, shown = 0;

	if (!list->nr)
		cli_error("there is no root: no program linked with libulf was started");
	else if (!nr_alive)
		cli_error("no root is alive; name one of these dead roots:");
	else
		cli_error("%zu roots are alive; name one of them:", nr_alive);
	for (i = 0; i < list->nr && shown < ROWS_SHOWN; i++) {
		if (!nr_alive || list->rows[i].state == ABI_ROOT_ALIVE) {
			print_root_line(&list->rows[i]);
			shown++;
		}
	}
}

/* Return the only root that is alive.  Prints an error and returns NULL if no root or
 * several roots are alive. */
static const struct abi_root_row *find_only_alive_root(const struct root_list *list)
{
	const struct abi_root_row *row, *alive = NULL;
	size_t nr_alive = 0;

	for (row = list->rows; row < list->rows + list->nr; row++) {
		if (row->state == ABI_ROOT_ALIVE) {
			alive = row;
			nr_alive++;
		}
	}
	if (nr_alive == 1)
		return alive;
	report_root_choice(list, nr_alive);
	return NULL;
}

const struct abi_root_row *root_list_find(const struct root_list *list,
					  const char *name)
{
	return name ? find_named_root(list, name, strlen(name)) : find_only_alive_root(list);
}

int root_default(struct conn *conn, char **ret_name)
{
	const struct abi_root_row *row;
	struct root_list list;
	int ret;

	ret = root_list_get(conn, ABI_LIST_NAMES, &list);
	if (ret < 0)
		return ret;
	row = root_list_find(&list, NULL);
	ret = row ? 0 : -ENOENT;
	if (row) {
		*ret_name = strdup(row->name);
		ret = *ret_name ? 0 : -ENOMEM;
	}
	root_list_done(&list);
	return ret;
}

void root_path_error(const char *path, int error)
{
	const char *remedy = "";

	switch (error) {
	case -ENOENT:
		remedy = "; `ulf ls DIRECTORY` shows what there is";
		break;
	case -EISDIR:
		remedy = "; `ulf ls` lists directories";
		break;
	case -EBUSY:
		remedy = strstr(path, "_events") ?
			"; an event is on, or a histogram, a trigger or an event probe uses it" :
			"; somebody else has it open";
		break;
	case -EPIPE:
		remedy = ": the server has ended; run the command again";
		break;
	}
	cli_error("%s: %s%s", path, strerror(-error), remedy);
}

void root_path_typed_error(struct conn *conn, const char *path, int error)
{
	char *near = error == -ENOENT ? cli_suggest_path(conn, path) : NULL;

	if (near)
		cli_error("%s: %s; did you mean `%s`?", path, strerror(-error), near);
	else
		root_path_error(path, error);
	free(near);
}
