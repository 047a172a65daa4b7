/* SPDX-License-Identifier: MIT */
/* The roots of all users; see users.h. */
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
#include "cli/cli.h"
#include "server/root_row.h"
#include "server/server.h"

#define BATCH		16u		/* children at a time */
#define BATCH_MS	10000
#define CPU_SECONDS	10
#define ROWS_MAX	10000u		/* of a user */

/* ---- the child, as the user ---- */

static int send_row(void *arg, const struct server_root_info *info)
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
	ret = server_root_list(server, send_row, arg);
	if (ret < 0)
		_exit(-ret);
	server_free(server);
}

/* Its exit status is an errno. */
static void be_child(const struct user *user, int fd, pid_t parent)
{
	const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
	char dir[DIR_PATH_BYTES];
	int ret = 0;

	setrlimit(RLIMIT_CPU, &cpu);
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
	struct user_roots *roots;
	struct text bytes;
	pid_t pid;
	int fd;				/* -1: read to its end */
};

static int start(struct child *child, struct user_roots *roots)
{
	int fds[2];
	pid_t parent = getpid();

	*child = (struct child) { .roots = roots, .fd = -1 };
	text_init(&child->bytes, ROWS_MAX * sizeof(struct abi_root_row));
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	signal(SIGCHLD, SIG_DFL);	/* else there is no status to wait for */
	child->pid = fork();
	if (child->pid == 0)
		be_child(&roots->user, fds[1], parent);
	close(fds[1]);
	child->fd = fds[0];
	return child->pid < 0 ? -errno : 0;
}

/* The end, an error, or more than there may be, which is left. */
static void receive(struct child *child)
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

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void receive_all(struct child *children, size_t nr)
{
	uint64_t end = now_ms() + BATCH_MS, now;
	struct pollfd fds[BATCH];
	size_t i, nr_open = nr;

	while (nr_open && (now = now_ms()) < end) {
		for (i = 0; i < nr; i++)
			fds[i] = (struct pollfd) { .fd = children[i].fd, .events = POLLIN };
		if (poll(fds, nr, (int)(end - now)) <= 0)
			continue;
		nr_open = 0;
		for (i = 0; i < nr; i++) {
			if (fds[i].fd >= 0 && fds[i].revents)
				receive(&children[i]);
			nr_open += children[i].fd >= 0;
		}
	}
}

/* A name is printed as it is to a file, too: a user must not be able to make up a line. */
static void check_name(char *name, size_t bytes)
{
	name[bytes - 1] = '\0';
	for (; *name; name++) {
		if (*name <= ' ' || *name > '~')
			*name = '?';
	}
}

static void take(struct child *child)
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
		check_name(list->rows[i].name, sizeof(list->rows[i].name));
	root_list_sort(list);
}

static void finish(struct child *child)
{
	int status = 0;

	if (child->fd >= 0) {
		child->roots->is_failed = true;
		close(child->fd);
	}
	if (child->pid > 0 && child->roots->is_failed)
		user_end_child(child->pid);
	else if (child->pid > 0)
		while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
			;
	if (child->pid <= 0 || status)
		child->roots->is_failed = true;
	take(child);
	text_done(&child->bytes);
	if (child->roots->is_failed)
		cli_error("the roots of %s could not be read, or not all of them%s%s",
			  child->roots->user.name, WIFEXITED(status) && status ? ": " : "",
			  WIFEXITED(status) && status ? strerror(WEXITSTATUS(status)) : "");
}

static void get_batch(struct user_roots *all, size_t nr)
{
	struct child children[BATCH];
	size_t i;

	for (i = 0; i < nr; i++) {
		int ret = start(&children[i], &all[i]);

		if (ret < 0)
			cli_error("%s: %s", all[i].user.name, strerror(-ret));
	}
	receive_all(children, nr);
	for (i = 0; i < nr; i++)
		finish(&children[i]);
}

int users_get(struct users *ret_users)
{
	unsigned int *uids = calloc(DIR_USERS_MAX, sizeof(*uids));
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
	for (i = 0; i < nr; i += BATCH)
		get_batch(users.all + i, nr - i < BATCH ? nr - i : BATCH);
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

static bool say_root_in(const struct users *users, const char *name, size_t len)
{
	const struct abi_root_row *row;
	size_t i;

	for (i = 0; i < users->nr; i++) {
		row = root_list_search(&users->all[i].list, name, len);
		if (!row || users->all[i].user.uid == geteuid())
			continue;
		cli_error("%s is a root of %s: say `ulf --user %s COMMAND`", row->name,
			  users->all[i].user.name, users->all[i].user.name);
		return true;
	}
	return false;
}

bool users_say_root(const char *name, size_t len)
{
	struct users users;
	bool has_said;

	if (geteuid() != 0 || users_get(&users) < 0)
		return user_say_process(name, len);
	has_said = say_root_in(&users, name, len);
	users_done(&users);
	return has_said;
}
