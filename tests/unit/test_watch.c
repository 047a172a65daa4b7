/* SPDX-License-Identifier: MIT */
/*
 * The server's epoll set has an entry for each live process, and none for a process that the
 * server has dropped.  close() alone does not remove an entry while another process, here a
 * child that has not called exec() yet, has the descriptor open.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "server/core/server.h"
#include "unit/fake_root.h"

static pid_t start_process(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Returns the number of entries of the epoll set, from the kernel.  The roots' directory has
 * one. */
static unsigned int nr_watched(const struct server *server)
{
	unsigned int nr = 0;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", server_poll_fd(server));
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		nr += !strncmp(line, "tfd:", 4);
	fclose(file);
	return nr;
}

static void nothing(struct server *server, struct fake_root *root, pid_t pid)
{
	(void)server;
	(void)root;
	(void)pid;
}

/* The slot now belongs to another process. */
static void take_slot(struct server *server, struct fake_root *root, pid_t pid)
{
	(void)pid;
	root->processes[1].pid = 0;
	assert_int_equal(server_root_remove(server, "one.1"), -EBUSY);	/* looks again */
}

static void die(struct server *server, struct fake_root *root, pid_t pid)
{
	(void)root;
	end_process(pid);
	server_dispatch(server);
}

static void forget_root(struct server *server, struct fake_root *root, pid_t pid)
{
	(void)pid;
	fake_dir_remove(root->path);
	server_dispatch(server);
}

static void cut_memory(struct server *server, struct fake_root *root, pid_t pid)
{
	char path[256];

	(void)pid;
	snprintf(path, sizeof(path), "%s/memory", root->path);
	assert_int_equal(truncate(path, 0), 0);
	server_root_remove(server, "one.1");
}

static const struct {
	const char *what;
	void (*act)(struct server *server, struct fake_root *root, pid_t pid);
	unsigned int left;		/* entries of the directory and of processes */
} cases[] = {
	{ "nothing", nothing, 3 },
	{ "its slot is taken", take_slot, 2 },
	{ "it dies", die, 2 },
	{ "its root is removed", forget_root, 1 },
	{ "its root is cut short", cut_memory, 1 },
};

/* The root belongs to this process and to another one, in slot 1. */
static unsigned int left_after(size_t i)
{
	struct server *server;
	struct fake_root root;
	pid_t pid, holder;
	unsigned int nr;
	char dir[128];

	fake_dir_make(dir);
	fake_root_make(&root, dir, "one.1");
	pid = start_process();
	root.processes[1].pid = (uint32_t)pid;
	fake_root_show(&root, "one.1");
	assert_int_equal(server_new(dir, &server), 0);
	assert_int_equal(nr_watched(server), 3);
	holder = start_process();	/* has all descriptors, too */
	cases[i].act(server, &root, pid);
	nr = nr_watched(server);
	end_process(pid);
	server_dispatch(server);	/* would use freed memory */
	end_process(holder);
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
	return nr;
}

static void no_entry_is_left(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (left_after(i) != cases[i].left)
			fail_msg("%s: entries are left", cases[i].what);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_entry_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
