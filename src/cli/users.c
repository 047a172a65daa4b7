/* SPDX-License-Identifier: MIT */
/* Read the roots of all users; see users.h. */
#include "daemon/parts.h"
#include "cli/users.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/dir_list.h"
#include "base/posix_clock.h"
#include "cli/cli.h"
#include "daemon/root_row.h"
#include "server/core/server.h"

#define BATCH		16u		/* maximum number of child processes that run at the
					 * same time */
#define BATCH_MS	10000		/* time limit for a batch of child processes, ms */
#define CPU_SECONDS	10		/* maximum CPU time of a child process, s */
#define ROWS_MAX	10000u		/* maximum number of roots of one user that are read */
#define HINT_MS		1000u		/* time limit for users_report_root(), ms */
#define END_MS		1000u		/* longest wait for the end of the child processes of
					 * a batch, ms */
#define END_LOOK_MS	2		/* time between two checks whether the child processes
					 * of a batch have ended, ms */

/* ---- in the child process: become a user and send the user's roots ---- */

static int send_root_row(void *arg, const struct server_root_info *info)
{
	struct abi_root_row row;
	int fd = *(int *)arg;

	root_row_fill(info, &row);
	return write(fd, &row, sizeof(row)) == (ssize_t)sizeof(row) ? 0 : -EPIPE;
}

static void send_roots(void *arg, const char *dir)
{
	struct server *server;
	int ret = server_view(dir, NULL, &server);

	if (ret < 0)
		_exit(-ret);
	ret = server_root_list(server, send_root_row, arg);
	if (ret < 0)
		_exit(-ret);
	server_free(server);
}

/* Become the user, and send the list of the user's roots to @fd.  Exits with status 0 or an
 * errno. */
static void send_user_roots(const struct user *user, int fd, pid_t parent)
{
	const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
	char dir[DIR_PATH_BYTES];
	int ret = 0;

	setrlimit(RLIMIT_CPU, &cpu);
	unsetenv("ULF_DIR");		/* use the default directory of the user, even if the
					 * child does not become another user */
	if (user->uid != geteuid())
		ret = user_become(user, fd, parent);
	if (ret < 0)
		_exit(-ret);
	if (user->uid != 0 && geteuid() == 0)
		_exit(EPERM);
	if (dir_find(dir) == 0 && dir_check(dir) == 0)
		send_roots(&fd, dir);
	else
		dir[0] = '\0';
	dir_each_other(dir, send_roots, &fd);
	_exit(0);
}

/* ---- the parent ---- */

struct child {
	struct user_roots *roots;	/* list in which the user's roots are stored */
	struct text bytes;		/* bytes of the rows that were received from the child */
	pid_t pid;			/* process id of the child; 0 if the child has ended,
					 * or was not started */
	int fd;				/* descriptor of the pipe from the child; -1 if the
					 * pipe was read to its end, or closed */
	int error;			/* errno of the error that has made the
					 * list of roots incomplete; 0: no error
					 * is known */
};

static void start_user_child(struct child *child, struct user_roots *roots)
{
	pid_t pid, parent = getpid();
	int fds[2];

	*child = (struct child){ .roots = roots, .fd = -1 };
	text_init(&child->bytes, ROWS_MAX * sizeof(struct abi_root_row));
	if (pipe2(fds, O_CLOEXEC) < 0) {
		child->error = errno;
		roots->is_failed = true;
		return;
	}
	signal(SIGCHLD, SIG_DFL);	/* SIGCHLD must not be ignored, because waitpid()
					 * would then get no status */
	pid = fork();
	if (pid == 0)
		send_user_roots(&roots->user, fds[1], parent);
	if (pid < 0) {
		child->error = errno;
		roots->is_failed = true;
		close(fds[0]);
	} else {
		child->pid = pid;
		child->fd = fds[0];
	}
	close(fds[1]);
}

/* Read rows from the pipe of a child.  Close the pipe at its end, after an error, or if the
 * child has sent too many rows. */
static void receive_rows(struct child *child)
{
	char *at = text_reserve(&child->bytes, 65536);
	ssize_t n = at ? read(child->fd, at, 65536) : -1;

	if (n > 0) {
		child->bytes.len += (size_t)n;
		return;
	}
	if (n < 0)
		child->roots->is_failed = true;
	close(child->fd);
	child->fd = -1;
}

/* Read the pipes of all children until all pipes have ended, or until the time @end. */
static void receive_all_rows(struct child *children, size_t nr, uint64_t end)
{
	uint64_t now;
	struct pollfd fds[BATCH];
	size_t i, nr_open = nr;

	while (nr_open && (now = clock_monotonic_ms()) < end) {
		for (i = 0; i < nr; i++)
			fds[i] = (struct pollfd){ .fd = children[i].fd, .events = POLLIN };
		if (poll(fds, nr, (int)(end - now)) <= 0)
			continue;
		nr_open = 0;
		for (i = 0; i < nr; i++) {
			if (fds[i].fd >= 0 && fds[i].revents)
				receive_rows(&children[i]);
			nr_open += children[i].fd >= 0;
		}
	}
}

/* Replace the characters of @name that are not printable.  Otherwise a user could forge a
 * line of `ulf ls --all`, even if the list is printed to a file. */
static void replace_unprintable(char *name, size_t bytes)
{
	name[bytes - 1] = '\0';
	for (; *name; name++) {
		if (*name <= ' ' || *name > '~')
			*name = '?';
	}
}

/* Convert the bytes that a child has sent to the list of the user's roots. */
static void convert_received_rows(struct child *child)
{
	struct root_list *list = &child->roots->list;
	size_t i;

	list->nr = child->bytes.len / sizeof(*list->rows);
	list->rows = calloc(list->nr + 1, sizeof(*list->rows));
	if (!list->rows) {
		list->nr = 0;
		child->roots->is_failed = true;
	}
	if (list->nr)
		memcpy(list->rows, child->bytes.data, list->nr * sizeof(*list->rows));
	for (i = 0; i < list->nr; i++)
		replace_unprintable(list->rows[i].name, sizeof(list->rows[i].name));
	root_list_sort(list);
}

/* Return true if the child has ended.  If the child has failed, stores its error. */
static bool has_child_ended(struct child *child)
{
	int status = 0;

	if (child->pid && waitpid(child->pid, &status, WNOHANG) != 0)
		child->pid = 0;
	if (status)
		child->roots->is_failed = true;
	if (WIFEXITED(status) && status)
		child->error = WEXITSTATUS(status);
	return !child->pid;
}

/*
 * Kill the children that have not sent all their rows, then wait for all children together.
 * The wait is limited, because a process that waits for a FUSE file system of its user does
 * not end before it gets the answer.
 */
static void end_all_children(struct child *children, size_t nr, unsigned int wait_ms)
{
	const struct timespec pause = { 0, END_LOOK_MS * 1000000L };
	uint64_t end = clock_monotonic_ms() + wait_ms;
	struct child *child;
	bool are_ended;

	for (child = children; child < children + nr; child++) {
		if (child->fd >= 0) {
			child->roots->is_failed = true;
			close(child->fd);
		}
		if (child->pid && child->roots->is_failed)
			kill(child->pid, SIGKILL);
	}
	for (;;) {
		are_ended = true;
		for (child = children; child < children + nr; child++)
			are_ended &= has_child_ended(child);
		if (are_ended || clock_monotonic_ms() >= end)
			break;
		nanosleep(&pause, NULL);
	}
	for (child = children; child < children + nr; child++) {
		if (!child->pid)
			continue;
		kill(child->pid, SIGKILL);
		child->roots->is_failed = true;
	}
}

/* Read the roots of up to BATCH users at the same time, with a child process for each user. */
static void read_batch_of_users(struct user_roots *all, size_t nr, uint64_t end, bool is_quiet)
{
	struct child children[BATCH], *child;
	uint64_t batch_end = clock_monotonic_ms() + BATCH_MS;
	size_t i;

	for (i = 0; i < nr; i++)
		start_user_child(&children[i], &all[i]);
	receive_all_rows(children, nr, end < batch_end ? end : batch_end);
	end_all_children(children, nr, is_quiet ? 0 : END_MS);
	for (child = children; child < children + nr; child++) {
		convert_received_rows(child);
		text_done(&child->bytes);
		if (child->roots->is_failed && !is_quiet)
			cli_error("the roots of %s could not be read, or not all of them%s%s",
				  child->roots->user.name, child->error ? ": " : "",
				  child->error ? strerror(child->error) : "");
	}
}

/* Mark the @nr users at @all as failed, because there is no time left for them. */
static void skip_users(struct user_roots *all, size_t nr, unsigned int total_ms, bool is_quiet)
{
	size_t i;

	for (i = 0; i < nr; i++)
		all[i].is_failed = true;
	if (nr && !is_quiet)
		cli_error("the roots of %zu more users, %s first, were not read: %u s have passed",
			  nr, all[0].user.name, total_ms / 1000);
}

int users_get(unsigned int total_ms, bool is_quiet, struct users *ret_users)
{
	unsigned int *uids = calloc(DIR_USERS_MAX, sizeof(*uids));
	uint64_t end = clock_monotonic_ms() + total_ms;
	struct users users = { 0 };
	size_t i, nr = 0;

	if (uids && geteuid() == 0)
		nr = dir_users(uids, &users.is_cut);
	else if (uids)
		uids[nr++] = geteuid();
	users.all = calloc(nr + 1, sizeof(*users.all));
	if (!uids || !users.all) {
		free(uids);
		free(users.all);
		return -ENOMEM;
	}
	fflush(stdout);
	users.nr = nr;
	for (i = 0; i < nr; i++)
		user_get(uids[i], &users.all[i].user);
	for (i = 0; i < nr && clock_monotonic_ms() < end; i += BATCH)
		read_batch_of_users(users.all + i, nr - i < BATCH ? nr - i : BATCH, end, is_quiet);
	if (i < nr)
		skip_users(users.all + i, nr - i, total_ms, is_quiet);
	free(uids);
	*ret_users = users;
	return 0;
}

void users_done(struct users *users)
{
	size_t i;

	for (i = 0; i < users->nr; i++)
		root_list_done(&users->all[i].list);
	free(users->all);
}

static bool report_root_of_users(const struct users *users, const char *name, size_t len)
{
	const struct abi_root_row *row;
	size_t i;

	for (i = 0; i < users->nr; i++) {
		row = root_list_search(&users->all[i].list, name, len);
		if (!row || users->all[i].user.uid == geteuid())
			continue;
		cli_error("%s is a root of %s: use `ulf --user %s COMMAND`", row->name,
			  users->all[i].user.name, users->all[i].user.name);
		return true;
	}
	return false;
}

bool users_report_root(const char *name, size_t len)
{
	struct users users;
	bool has_reported;

	if (geteuid() != 0 || users_get(HINT_MS, true, &users) < 0)
		return user_report_process(name, len);
	has_reported = report_root_of_users(&users, name, len);
	users_done(&users);
	return has_reported;
}
