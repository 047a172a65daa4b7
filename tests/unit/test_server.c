/* SPDX-License-Identifier: MIT */
/* Roots appear, live, die and are removed; settings are read; a new server takes over. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define S	1000000000ull

struct fixture {
	char dir[128];
	struct server *server;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_dir_make(f->dir);
	if (server_new(f->dir, &f->server))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	server_free(f->server);
	fake_dir_remove(f->dir);
	free(f);
	return 0;
}

/* Wait until the server has an event, and handle it. */
static void dispatch(struct fixture *f)
{
	struct pollfd fd = { server_poll_fd(f->server), POLLIN, 0 };

	assert_int_equal(poll(&fd, 1, 10000), 1);
	server_dispatch(f->server);
}

static void restart(struct fixture *f)
{
	server_free(f->server);
	assert_int_equal(server_new(f->dir, &f->server), 0);
}

struct found {
	const char *name;
	struct server_root_info info;
	bool is_there;
};

static int find_info(void *arg, const struct server_root_info *info)
{
	struct found *found = arg;

	if (strcmp(info->name, found->name))
		return 0;
	found->info = *info;
	found->is_there = true;
	return 1;
}

static bool get_info(struct fixture *f, const char *name, struct server_root_info *info)
{
	struct found found = { .name = name };

	server_root_list(f->server, find_info, &found);
	*info = found.info;
	return found.is_there;
}

/* Start a child that maps the root's memory and waits until it is killed. */
static pid_t make_process(struct fake_root *root)
{
	pid_t pid = fork();

	if (!pid) {
		for (;;)
			pause();
	}
	root->control->pid = (uint32_t)pid;
	root->processes[0].pid = (uint32_t)pid;
	return pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void roots_are_found_when_they_appear(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct fake_root root;

	fake_root_make(&root, f->dir, "one.1");
	fake_event_n(&root, 0, "sched", "tick");
	fake_event_n(&root, 0, "sched", "tock");
	assert_false(get_info(f, ".tmp-one.1", &info));
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_true(get_info(f, "one.1", &info));
	assert_int_equal(info.state, SERVER_ROOT_ALIVE);
	assert_int_equal(info.nr_processes, 1);
	assert_int_equal(info.pid, getpid());
	assert_int_equal(info.events_known, 2);
	assert_int_equal(info.events_on, 0);
	assert_int_equal(tree_echo(f->server, "one.1/set_event", "sched:tock"), 0);
	get_info(f, "one.1", &info);
	assert_int_equal(info.events_on, 1);
	assert_int_equal(server_root_remove(f->server, "one.1"), -EBUSY);
	assert_int_equal(server_root_remove(f->server, "two.1"), -ENOENT);
	fake_root_done(&root);
}

/* Between the appearance of the root and the first slot, the process that made it counts. */
static void a_root_that_starts_is_alive(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct fake_root root;

	fake_root_make(&root, f->dir, "one.1");
	root.processes[0].pid = 0;
	root.control->hold = 1;
	strcpy(root.control->boot, "trace_event=sched:*");
	root.control->boot_state = ABI_BOOT_WANTED;
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_true(get_info(f, "one.1", &info));
	assert_int_equal(info.state, SERVER_ROOT_ALIVE);
	/* the program was held until it could record */
	assert_int_equal(root.control->hold, 0);
	assert_int_not_equal(root.buffer->side[0].ring[1][ABI_RING_FAST].off, 0);
	assert_int_equal(root.buffer->used, 1);
	fake_root_done(&root);
}

/* A program that got settings while no server ran. */
static void settings_from_before_the_server(void **state)
{
	struct fixture *f = *state;
	struct fake_root root;

	fake_root_make(&root, f->dir, "one.1");
	fake_event_n(&root, 0, "sched", "tick");
	strcpy(root.control->boot, "trace_event=sched");
	root.control->boot_state = ABI_BOOT_WANTED;
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_int_not_equal(root.buffer->side[0].ring[0][ABI_RING_FAST].off, 0);
	assert_int_equal(root.control->generation, 1);
	restart(f);
	assert_int_equal(root.control->generation, 1);
	fake_root_done(&root);
}

static void unrecorded_roots_go_with_their_process(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct fake_root root;
	pid_t pid;

	fake_root_make(&root, f->dir, "one.1");
	pid = make_process(&root);
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_true(get_info(f, "one.1", &info));
	end_process(pid);
	dispatch(f);
	assert_false(get_info(f, "one.1", &info));
	assert_int_not_equal(access(root.path, F_OK), 0);
	fake_root_done(&root);
}

static void dead_roots_stay_readable(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct fake_root root;
	struct tracefs_file *pipe;
	char buf[4096];
	uint32_t id;
	ssize_t n;
	pid_t pid;

	fake_root_make(&root, f->dir, "one.1");
	id = fake_event_n(&root, 0, "sched", "tick");
	fake_comm(&root, 77, "seventy");
	pid = make_process(&root);
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_int_equal(tree_echo(f->server, "one.1/trace_clock", "mono"), 0);
	assert_int_equal(tree_echo(f->server, "one.1/events/enable", "1"), 0);
	assert_int_equal(fake_record(&root, 0, ABI_RING_FAST, id, 77, 5, S), 0);
	assert_int_equal(tree_open(f->server, "one.1/trace_pipe", O_RDONLY, &pipe), 0);
	end_process(pid);
	dispatch(f);
	/* the next server sees this, too */
	for (int i = 0; i < 2; i++) {
		assert_true(get_info(f, "one.1", &info));
		assert_int_equal(info.state, SERVER_ROOT_DEAD);
		assert_int_equal(info.entries, 1);
		assert_non_null(strstr(tree_cat(f->server, "one.1/trace"),
			"seventy-77      [000] .....     1.000000: tick: n=5\n"));
		assert_string_equal(tree_cat(f->server, "one.1/set_event"),
				    "sched:tick\n");
		assert_int_equal(tree_echo(f->server, "one.1/events/enable", "1"),
				 -ENODEV);
		assert_int_equal(tree_echo(f->server, "one.1/buffer_size_kb", "4"),
				 -ENODEV);
		if (pipe) {
			n = tracefs_read(pipe, buf, sizeof(buf), 0);
			assert_true(n > 0);
			/* the read ends */
			assert_int_equal(tracefs_read(pipe, buf, sizeof(buf), 0), 0);
			tracefs_close(pipe);
			pipe = NULL;
			assert_int_equal(fake_record(&root, 0, ABI_RING_FAST, id,
						     77, 5, S), 0);
		}
		restart(f);
	}
	assert_int_equal(server_root_remove(f->server, "one.1"), 0);
	assert_false(get_info(f, "one.1", &info));
	assert_int_not_equal(access(root.path, F_OK), 0);
	fake_root_done(&root);
}

/* The pid of a slot is alive, but belongs to another program. */
static void strangers_do_not_count(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct fake_root root;
	int ready[2];
	char byte;
	pid_t pid;

	fake_root_make(&root, f->dir, "one.1");
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		fake_root_done(&root);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	root.control->pid = (uint32_t)pid;
	root.processes[0].pid = (uint32_t)pid;
	/* so that the root is not removed at once */
	root.buffer->side[0].ring[0][0].off = ABI_ARENA_OFF;
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_true(get_info(f, "one.1", &info));
	assert_int_equal(info.state, SERVER_ROOT_DEAD);
	end_process(pid);
	close(ready[0]);
	close(ready[1]);
	fake_root_done(&root);
}

/* exec() leaves the root; the process continues as another program. */
static void exec_leaves_the_root(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct fake_root root;
	int go[2], gone[2];
	char byte;
	pid_t pid;

	fake_root_make(&root, f->dir, "one.1");
	fake_event_n(&root, 0, "sched", "tick");
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe2(gone, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) == 1)
			execlp("sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	close(gone[1]);
	root.processes[1].pid = (uint32_t)pid;
	root.processes[1].flags = ABI_PROCESS_AGENT;
	fake_root_show(&root, "one.1");
	dispatch(f);
	get_info(f, "one.1", &info);
	assert_int_equal(info.nr_processes, 2);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(read(gone[0], &byte, 1), 0);	/* exec() has closed it */
	/* not -EINPROGRESS: there is no process to wait for */
	assert_int_equal(tree_echo(f->server, "one.1/events/enable", "1"), 0);
	get_info(f, "one.1", &info);
	assert_int_equal(info.nr_processes, 1);
	end_process(pid);
	close(go[0]);
	close(go[1]);
	close(gone[0]);
	fake_root_done(&root);
}

/* ---- settings ---- */

static void *agent(void *arg)
{
	struct fake_root *root = arg;

	/* late, but it applies the settings */
	usleep(20000);
	fake_apply(root);
	return NULL;
}

static void writes_wait_for_the_agents(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	struct fake_root root;
	pthread_t thread;
	size_t taken = 0;
	int r;

	fake_root_make(&root, f->dir, "one.1");
	fake_event_n(&root, 0, "sched", "tick");
	root.processes[0].flags = ABI_PROCESS_AGENT;
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_int_equal(tree_open(f->server, "one.1/events/enable", O_WRONLY, &file), 0);
	assert_int_equal(tracefs_write(file, "1\n", 2, getpid(), &taken), -EINPROGRESS);
	assert_int_equal(taken, 2);
	assert_int_equal(tracefs_write_done(file), -EINPROGRESS);
	fake_apply(&root);
	assert_int_equal(tracefs_write_done(file), 0);
	assert_int_equal(tracefs_write_done(file), 0);
	/* the error of a process is the writer's error */
	assert_int_equal(tracefs_write(file, "0\n", 2, getpid(), &taken), -EINPROGRESS);
	root.processes[0].error = ENOSPC;
	fake_apply(&root);
	assert_int_equal(tracefs_write_done(file), -ENOSPC);
	root.processes[0].error = 0;
	pthread_create(&thread, NULL, agent, &root);
	r = (int)tracefs_write(file, "1\n", 2, getpid(), &taken);
	while (r == -EINPROGRESS)
		r = tracefs_write_done(file);
	assert_true(r >= 0);
	assert_int_equal(__atomic_load_n(&root.processes[0].applied, __ATOMIC_ACQUIRE),
			 root.control->generation);
	pthread_join(thread, NULL);
	tracefs_close(file);
	fake_root_done(&root);
}

static void stopped_processes_are_not_waited_for(void **state)
{
	struct fixture *f = *state;
	struct fake_root root;
	int status;
	pid_t pid;

	fake_root_make(&root, f->dir, "one.1");
	fake_event_n(&root, 0, "sched", "tick");
	root.processes[0].flags = ABI_PROCESS_AGENT;
	pid = make_process(&root);
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_int_equal(tree_write(f->server, "one.1/events/enable", 0, "1", 1), 1);
	end_process(pid);
	fake_root_done(&root);
}

/* ---- the next server ---- */

static void settings_outlive_the_server(void **state)
{
	static const struct {
		const char *path, *value, *reads;
	} settings[] = {
		{ "one.1/trace_clock", "mono",
		  "local global counter uptime [mono] mono_raw boot tai x86-tsc\n" },
		{ "one.1/buffer_size_kb", "100", "103\n" },
		{ "one.1/per_cpu/cpu1/buffer_size_kb", "64", "67\n" },
		{ "one.1/set_event", "sched:tock", "sched:tock\n" },
		{ "one.1/options/record-tgid", "1", "1\n" },
		{ "one.1/tracing_cpumask", "1", "1\n" },
		{ "one.1/buffer_percent", "7", "7\n" },
	};
	struct fixture *f = *state;
	struct fake_root root;
	uint32_t id;

	fake_root_make(&root, f->dir, "one.1");
	id = fake_event_n(&root, 0, "sched", "tick");
	fake_event_n(&root, 0, "sched", "tock");
	fake_root_show(&root, "one.1");
	dispatch(f);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		assert_int_equal(tree_echo(f->server, settings[i].path,
					   settings[i].value), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(fake_record(&root, 0, ABI_RING_FAST, id, 1, i, S), 0);
	assert_int_equal(tree_echo(f->server, "one.1/tracing_on", "0"), 0);
	restart(f);
	for (size_t i = 2; i < sizeof(settings) / sizeof(settings[0]); i++)
		assert_string_equal(tree_cat(f->server, settings[i].path),
				    settings[i].reads);
	assert_string_equal(tree_cat(f->server, "one.1/tracing_on"), "0\n");
	assert_string_equal(tree_cat(f->server, "one.1/buffer_size_kb"), "X\n");
	assert_non_null(strstr(tree_cat(f->server, "one.1/trace"), ": 3/3 "));
	/* records that were read do not come back */
	assert_non_null(strstr(tree_cat_by(f->server, "one.1/trace_pipe", 30), "n=0"));
	restart(f);
	assert_non_null(strstr(tree_cat(f->server, "one.1/trace"), ": 0/0 "));
	fake_root_done(&root);
}

/* Rings that were replaced by a server that died may still have writers.  The next server
 * places no new rings there until all processes have applied its settings. */
static void arena_of_a_dead_server_is_left_alone(void **state)
{
	struct fixture *f = *state;
	struct fake_root root;
	uint64_t end;
	struct stat st;
	char path[256];

	fake_root_make(&root, f->dir, "one.1");
	fake_event_n(&root, 0, "sched", "tick");
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_int_equal(tree_echo(f->server, "one.1/events/enable", "1"), 0);
	assert_int_equal(tree_echo(f->server, "one.1/trace_clock", "mono"), 0);
	snprintf(path, sizeof(path), "%s/memory", root.path);
	assert_int_equal(stat(path, &st), 0);
	end = (uint64_t)st.st_size;
	restart(f);
	assert_int_equal(tree_echo(f->server, "one.1/trace_clock", "boot"), 0);
	assert_true(root.buffer->side[0].ring[0][0].off >= end);
	/* applied: use the arena from the start again */
	fake_apply(&root);
	restart(f);
	assert_int_equal(tree_echo(f->server, "one.1/trace_clock", "mono"), 0);
	assert_true(root.buffer->side[0].ring[0][0].off < end);
	fake_root_done(&root);
}

/* ---- roots that become corrupt ---- */

static void bad_roots_are_shown_as_such(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct fake_root good, bad;

	fake_root_make(&good, f->dir, "good.1");
	fake_event_n(&good, 0, "sched", "tick");
	fake_root_make(&bad, f->dir, "bad.1");
	bad.control->arena_off = 1ull << 60;
	fake_root_show(&good, "good.1");
	fake_root_show(&bad, "bad.1");
	dispatch(f);
	assert_true(get_info(f, "bad.1", &info));
	assert_int_equal(info.state, SERVER_ROOT_CORRUPT);
	assert_string_equal(tree_cat(f->server, "bad.1/trace"), "ENOENT");
	assert_string_equal(tree_cat(f->server, "good.1/available_events"),
			    "sched:tick\n");
	assert_int_equal(server_root_remove(f->server, "bad.1"), 0);
	assert_false(get_info(f, "bad.1", &info));
	fake_root_done(&good);
	fake_root_done(&bad);
}

/* If the file is truncated, an access to the missing part raises SIGBUS. */
static void truncated_memory_is_survived(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct tracefs_file *trace;
	struct fake_root root;
	char path[256], buf[4096];

	fake_root_make(&root, f->dir, "one.1");
	fake_event_n(&root, 0, "sched", "tick");
	fake_root_show(&root, "one.1");
	restart(f);	/* cmocka has its own handler for SIGBUS, so set the server's again */
	assert_int_equal(tree_echo(f->server, "one.1/events/enable", "1"), 0);
	assert_int_equal(tree_open(f->server, "one.1/trace", O_RDONLY, &trace), 0);
	assert_true(tracefs_read(trace, buf, 10, 0) == 10);
	snprintf(path, sizeof(path), "%s/memory", root.path);
	assert_int_equal(truncate(path, 4096), 0);
	tracefs_read(trace, buf, sizeof(buf), 10);
	tree_cat(f->server, "one.1/trace");
	tree_cat(f->server, "one.1/trace_pipe");
	tree_echo(f->server, "one.1/trace_marker", "x");
	tree_echo(f->server, "one.1/events/enable", "0");
	tracefs_close(trace);
	assert_true(get_info(f, "one.1", &info));
	assert_int_equal(info.state, SERVER_ROOT_CORRUPT);
	assert_string_equal(tree_cat(f->server, "one.1/trace"), "ENOENT");
	fake_root_done(&root);
}

static void links_are_not_followed(void **state)
{
	struct fixture *f = *state;
	struct server_root_info info;
	struct fake_root root;
	char link[256];

	fake_root_make(&root, f->dir, "one.1");
	snprintf(link, sizeof(link), "%s/roots/link.1", f->dir);
	assert_int_equal(symlink(root.path, link), 0);
	restart(f);
	assert_false(get_info(f, "link.1", &info));
	fake_root_done(&root);
}

/* The server was killed while it made or freed a snapshot: rings that no word names do not
 * exist. */
static void half_a_snapshot(void **state)
{
	struct fixture *f = *state;
	struct fake_root root;
	uint32_t id;

	fake_root_make(&root, f->dir, "one.1");
	id = fake_event_n(&root, 0, "sched", "tick");
	fake_root_show(&root, "one.1");
	dispatch(f);
	assert_int_equal(tree_echo(f->server, "one.1/events/enable", "1"), 0);
	assert_int_equal(fake_record(&root, 0, ABI_RING_FAST, id, 1, 7, S), 0);
	assert_int_equal(tree_echo(f->server, "one.1/snapshot", "1"), 0);
	assert_non_null(strstr(tree_cat(f->server, "one.1/snapshot"), "n=7"));
	restart(f);
	assert_non_null(strstr(tree_cat(f->server, "one.1/snapshot"), "n=7"));
	assert_null(strstr(tree_cat(f->server, "one.1/trace"), "n=7"));
	root.buffer->spare &= ~(uint32_t)ABI_SPARE_THERE;
	restart(f);
	assert_non_null(strstr(tree_cat(f->server, "one.1/snapshot"), "freed"));
	assert_int_equal(root.buffer->side[0].ring[0][ABI_RING_FAST].off, 0);
	assert_int_not_equal(root.buffer->side[1].ring[0][ABI_RING_FAST].off, 0);
	assert_int_equal(tree_echo(f->server, "one.1/snapshot", "1"), 0);
	assert_non_null(strstr(tree_cat(f->server, "one.1/snapshot"), "is allocated"));
	fake_root_done(&root);
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(roots_are_found_when_they_appear),
		T(a_root_that_starts_is_alive),
		T(settings_from_before_the_server),
		T(unrecorded_roots_go_with_their_process),
		T(dead_roots_stay_readable),
		T(strangers_do_not_count),
		T(exec_leaves_the_root),
		T(writes_wait_for_the_agents),
		T(stopped_processes_are_not_waited_for),
		T(settings_outlive_the_server),
		T(half_a_snapshot),
		T(arena_of_a_dead_server_is_left_alone),
		T(bad_roots_are_shown_as_such),
		T(truncated_memory_is_survived),
		T(links_are_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
