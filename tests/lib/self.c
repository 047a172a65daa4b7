/* SPDX-License-Identifier: MIT */
/* A test program that starts itself again, see self.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"

#define READ_FD		3
#define WRITE_FD	4

extern char **environ;

void self_role(int argc, char **argv, const struct self_role *roles)
{
	if (argc < 2)
		return;
	for (; roles->name; roles++) {
		if (!strcmp(roles->name, argv[1]))
			exit(roles->run(argc - 2, argv + 2));
	}
	fail("no role %s", argv[1]);
}

/* Make a pipe.  Both ends get numbers that do not collide with those of the child. */
static void make_pipe(int ends[2])
{
	int low[2];

	CHECK_EQ(pipe2(low, O_CLOEXEC), 0);
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 10);
		CHECK(ends[i] >= 0);
		close(low[i]);
	}
}

struct self self_start(const char *role, const char *arg)
{
	char *argv[] = { "self", (char *)role, (char *)arg, NULL };
	posix_spawn_file_actions_t actions;
	int to[2], from[2];
	struct self self;

	make_pipe(to);
	make_pipe(from);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, to[0], READ_FD);
	posix_spawn_file_actions_adddup2(&actions, from[1], WRITE_FD);
	fflush(NULL);
	CHECK_EQ(posix_spawn(&self.pid, "/proc/self/exe", &actions, NULL, argv,
			     environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(to[0]);
	close(from[1]);
	self.to = to[1];
	self.from = from[0];
	return self;
}

char self_get(const struct self *self)
{
	char c = 0;
	ssize_t n;

	while ((n = read(self->from, &c, 1)) < 0 && errno == EINTR)
		;
	if (n != 1)
		fail("process %d is gone", self->pid);
	return c;
}

void self_put(const struct self *self, char c)
{
	CHECK_EQ(write(self->to, &c, 1), 1);
}

int self_wait(struct self *self)
{
	int status;

	close(self->to);
	while (waitpid(self->pid, &status, 0) != self->pid)
		CHECK_EQ(errno, EINTR);
	close(self->from);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

bool self_say(char c)
{
	return write(WRITE_FD, &c, 1) == 1;
}

char self_hear(void)
{
	char c = 0;
	ssize_t n;

	while ((n = read(READ_FD, &c, 1)) < 0 && errno == EINTR)
		;
	return n == 1 ? c : 0;
}

int self_count_roots(pid_t pid)
{
	char path[4096], end[16], middle[16];
	struct dirent *entry;
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/roots", getenv("ULF_DIR"));
	snprintf(end, sizeof(end), ".%d", pid);
	snprintf(middle, sizeof(middle), ".%d.", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		nr += strstr(entry->d_name, middle) ||
		      (len > strlen(end) &&
		       !strcmp(entry->d_name + len - strlen(end), end));
	}
	if (dir)
		closedir(dir);
	return nr;
}

int self_count_threads(pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	CHECK(dir);
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	return nr;
}
