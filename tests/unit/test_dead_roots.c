/* SPDX-License-Identifier: MIT */
/* Dead roots: many of them need neither descriptors nor mappings, they can still be read, and
 * the oldest are removed when there are too many. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define S	1000000000ull
#define SAMPLE	"sample.1"
#define LINE	"seventy-77      [000] .....     1.000000: tick: n=5\n"

struct fixture {
	char dir[128];
	struct fake_root root;		/* SAMPLE, a dead root with one record */
	struct server *server;		/* NULL: there is no server yet */
};

static void start_server(struct fixture *f)
{
	assert_int_equal(server_new(f->dir, &f->server), 0);
}

static void stop_server(struct fixture *f)
{
	server_free(f->server);
	f->server = NULL;
}

/* Wait until the server has an event, and handle it. */
static void dispatch(struct fixture *f)
{
	struct pollfd fd = { server_poll_fd(f->server), POLLIN, 0 };

	assert_int_equal(poll(&fd, 1, 10000), 1);
	server_dispatch(f->server);
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

static void make_instance(struct server *server)
{
	struct tracefs_node *dir;

	assert_int_equal(tracefs_walk(server, SAMPLE "/instances", &dir), 0);
	assert_int_equal(tracefs_mkdir(dir, "foo"), 0);
	tracefs_node_put(dir);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint32_t id;
	pid_t pid;

	fake_dir_make(f->dir);
	start_server(f);
	fake_root_make(&f->root, f->dir, SAMPLE);
	id = fake_event_n(&f->root, 0, "sched", "tick");
	fake_comm(&f->root, 77, "seventy");
	pid = make_process(&f->root);
	fake_root_show(&f->root, SAMPLE);
	dispatch(f);
	assert_int_equal(tree_echo(f->server, SAMPLE "/trace_clock", "mono"), 0);
	assert_int_equal(tree_echo(f->server, SAMPLE "/buffer_size_kb", "4"), 0);
	make_instance(f->server);
	assert_int_equal(tree_echo(f->server, SAMPLE "/events/enable", "1"), 0);
	assert_int_equal(fake_record(&f->root, 0, ABI_RING_FAST, id, 77, 5, S), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	dispatch(f);
	stop_server(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unsetenv("ULF_CONFIG");
	server_free(f->server);
	fake_root_done(&f->root);
	fake_dir_remove(f->dir);
	free(f);
	return 0;
}

/* ---- copies of the sample ---- */

static void copy_path(const struct fixture *f, const char *name, const char *file,
		      char path[256])
{
	snprintf(path, 256, "%s/roots/%s/%s", f->dir, name, file);
}

/* Make a root whose file is a link to the sample's, for tests with many roots. */
static void link_root(const struct fixture *f, const char *name)
{
	char from[256], to[256];

	copy_path(f, name, "", to);
	assert_int_equal(mkdir(to, 0700), 0);
	copy_path(f, SAMPLE, "memory", from);
	copy_path(f, name, "memory", to);
	assert_int_equal(link(from, to), 0);
}

static void copy_data(int from, int to)
{
	static char page[4096], zeroes[4096];
	off_t at = 0;

	while (pread(from, page, sizeof(page), at) == sizeof(page)) {
		if (memcmp(page, zeroes, sizeof(page)))
			assert_int_equal(pwrite(to, page, sizeof(page), at), sizeof(page));
		at += (off_t)sizeof(page);
	}
	assert_int_equal(ftruncate(to, at), 0);
}

/* Make a copy that died @seconds ago. */
static void copy_root(const struct fixture *f, const char *name, time_t seconds)
{
	struct timespec times[2];
	char path[256];
	int from, to;

	copy_path(f, SAMPLE, "memory", path);
	from = open(path, O_RDONLY);
	copy_path(f, name, "", path);
	assert_int_equal(mkdir(path, 0700), 0);
	copy_path(f, name, "memory", path);
	to = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(from >= 0 && to >= 0);
	copy_data(from, to);
	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= seconds;
	times[1] = times[0];
	assert_int_equal(futimens(to, times), 0);
	close(from);
	close(to);
}

/* Rename the root; then inotify reports it to the server. */
static void show_root(const struct fixture *f, const char *hidden, const char *name)
{
	char from[256], to[256];

	copy_path(f, hidden, "", from);
	copy_path(f, name, "", to);
	assert_int_equal(rename(from, to), 0);
}

static bool is_there(const struct fixture *f, const char *name)
{
	char path[256];

	copy_path(f, name, "memory", path);
	return !access(path, F_OK);
}

static uint64_t bytes_of(const struct fixture *f, const char *name)
{
	struct stat st;
	char path[256];

	copy_path(f, name, "memory", path);
	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* ---- many roots ---- */

#define MANY		2000
#define DESCRIPTORS	256

struct count {
	uint32_t dead, with_record;
};

static int count_root(void *arg, const struct server_root_info *info)
{
	struct count *count = arg;

	count->dead += info->state == SERVER_ROOT_DEAD;
	count->with_record += info->entries == 1 && info->events_on == 1;
	return 0;
}

/* Returns the number of lines of /proc/self/maps that belong to roots. */
static uint32_t count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	uint32_t nr = 0;

	while (maps && fgets(line, sizeof(line), maps))
		nr += strstr(line, "/roots/") && !strstr(line, SAMPLE "/");
	if (maps)
		fclose(maps);
	return nr;
}

static uint32_t count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint32_t nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static void limit_descriptors(rlim_t nr)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = nr < limit.rlim_max ? nr : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void make_many(const struct fixture *f, uint32_t nr)
{
	char name[32];

	for (uint32_t i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "many.%u", i);
		link_root(f, name);
	}
}

static void many_are_listed_and_removed_with_few_descriptors(void **state)
{
	struct fixture *f = *state;
	struct count count = { 0 };
	char path[64];

	make_many(f, MANY);
	limit_descriptors(DESCRIPTORS);
	start_server(f);
	assert_int_equal(count_mappings(), 0);
	assert_true(count_descriptors() < 32);
	server_root_names(f->server, count_root, &count);
	assert_int_equal(count.dead, MANY + 1);
	assert_int_equal(count_mappings(), 0);

	count = (struct count){ 0 };
	server_root_list(f->server, count_root, &count);
	assert_int_equal(count.dead, MANY + 1);
	assert_int_equal(count.with_record, MANY + 1);
	assert_true(count_descriptors() < 32);

	/* more roots than descriptors */
	for (uint32_t i = 0; i < 2 * DESCRIPTORS; i++) {
		snprintf(path, sizeof(path), "many.%u/trace", i);
		assert_non_null(strstr(tree_cat(f->server, path), LINE));
	}
	assert_true(count_descriptors() < DESCRIPTORS / 2);
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "many.%u", i);
		assert_int_equal(server_root_remove(f->server, path), 0);
	}
	count = (struct count){ 0 };
	server_root_list(f->server, count_root, &count);
	assert_int_equal(count.dead, 1);
	limit_descriptors(RLIM_INFINITY);
}

/* A directory that a reader remembers stays valid while its root is asleep. */
static void nodes_outlive_sleep(void **state)
{
	struct fixture *f = *state;
	struct tracefs_node *root, *instance, *again;
	struct tracefs_file *file;
	struct stat before, after;
	char path[64];

	make_many(f, 200);
	start_server(f);
	assert_int_equal(tracefs_walk(f->server, SAMPLE, &root), 0);
	assert_int_equal(tracefs_walk(f->server, SAMPLE "/instances/foo/trace", &instance), 0);
	tracefs_stat(instance, &before);
	for (uint32_t i = 0; i < 200; i++) {
		snprintf(path, sizeof(path), "many.%u/trace", i);
		assert_non_null(strstr(tree_cat(f->server, path), LINE));
	}
	assert_int_equal(tracefs_open(instance, O_RDONLY, &file), 0);
	tracefs_close(file);
	assert_int_equal(tracefs_walk(f->server, SAMPLE "/instances/foo/trace", &again), 0);
	tracefs_stat(again, &after);
	assert_int_equal(before.st_ino, after.st_ino);
	tracefs_node_put(again);
	tracefs_node_put(instance);
	assert_int_equal(tracefs_lookup(root, "trace", &again), 0);
	tracefs_node_put(again);
	tracefs_node_put(root);
}

/* A root seems to be dead, but a process of it appears. */
static void late_children_are_found(void **state)
{
	struct fixture *f = *state;
	struct count count = { 0 };

	start_server(f);
	/* this test has the root's memory mapped */
	f->root.processes[1].pid = (uint32_t)getpid();
	assert_int_equal(server_root_remove(f->server, SAMPLE), -EBUSY);
	assert_true(is_there(f, SAMPLE));
	server_tick(f->server);
	server_root_list(f->server, count_root, &count);
	assert_int_equal(count.dead, 0);
	f->root.processes[1].pid = 0;
}

/* More changes happen at a time than inotify can queue. */
static void lost_changes_are_found(void **state)
{
	struct fixture *f = *state;
	struct count count = { 0 };
	char one[256], two[256];

	start_server(f);
	copy_path(f, ".one", "", one);
	copy_path(f, ".two", "", two);
	assert_int_equal(mkdir(one, 0700), 0);
	for (int i = 0; i < 20000; i++)
		assert_int_equal(i % 2 ? rename(two, one) : rename(one, two), 0);
	link_root(f, ".late");
	show_root(f, ".late", "late.1");
	server_root_list(f->server, count_root, &count);
	assert_int_equal(count.dead, 2);
}

/* ---- the oldest roots are removed ---- */

static void configure(const struct fixture *f, const char *words)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/conf", f->dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "trace_clock=mono\n[ulf server]\n%s\n", words);
	fclose(file);
	setenv("ULF_CONFIG", path, 1);
}

/* The ages are not in the order of the names.  The sample is the newest. */
static void copy_five(const struct fixture *f)
{
	copy_root(f, "copy.3", 500);
	copy_root(f, "copy.1", 400);
	copy_root(f, "copy.5", 300);
	copy_root(f, "copy.2", 200);
	copy_root(f, "copy.4", 100);
}

/* Check which of copy.1 to copy.5 are left: those in @names.  The sample must stay. */
static void assert_left(struct fixture *f, const char *names)
{
	struct count count = { 0 };
	char name[16];

	for (char c = '1'; c <= '5'; c++) {
		snprintf(name, sizeof(name), "copy.%c", c);
		assert_int_equal(is_there(f, name), strchr(names, c) != NULL);
	}
	assert_true(is_there(f, SAMPLE));
	server_root_list(f->server, count_root, &count);
	assert_int_equal(count.dead, strlen(names) + 1);
}

static void oldest_go_if_there_are_too_many(void **state)
{
	struct fixture *f = *state;

	copy_five(f);
	configure(f, "dead_roots=4");
	start_server(f);
	assert_left(f, "524");
	stop_server(f);
	configure(f, "dead_roots=4 dead_roots=none dead_root=1 dead_days=0");
	start_server(f);
	assert_left(f, "524");
	stop_server(f);
	configure(f, "dead_roots=1");
	start_server(f);
	assert_left(f, "");
}

static void oldest_go_if_they_are_too_large(void **state)
{
	struct fixture *f = *state;
	char words[64];

	copy_five(f);
	snprintf(words, sizeof(words), "dead_bytes=%llu",
		 (unsigned long long)(bytes_of(f, SAMPLE) + 2 * bytes_of(f, "copy.1") + 4096));
	configure(f, words);
	start_server(f);
	assert_left(f, "24");
	stop_server(f);
	/* the newest root stays, whatever its size is */
	configure(f, "dead_bytes=1");
	start_server(f);
	assert_left(f, "");
}

static void oldest_go_after_days(void **state)
{
	struct fixture *f = *state;

	copy_root(f, "copy.1", 8 * 24 * 3600);
	copy_root(f, "copy.2", 6 * 24 * 3600);
	configure(f, "dead_days=9");
	start_server(f);
	assert_left(f, "12");
	stop_server(f);
	configure(f, "");
	start_server(f);
	assert_left(f, "2");
	stop_server(f);
	configure(f, "dead_days=1");
	start_server(f);
	assert_left(f, "");
}

/* The oldest root is open, so the next oldest one is removed. */
static void open_ones_stay(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;

	copy_five(f);
	configure(f, "dead_roots=6");
	start_server(f);
	assert_left(f, "31524");
	assert_int_equal(tree_open(f->server, "copy.3/trace", O_RDONLY, &file), 0);
	copy_root(f, ".new", 0);
	show_root(f, ".new", "new.1");
	dispatch(f);
	/* The server looks for roots to remove once a second. */
	while (is_there(f, "copy.1")) {
		usleep(1000);
		server_tick(f->server);
	}
	assert_true(is_there(f, "copy.3"));
	assert_true(is_there(f, "new.1"));
	tracefs_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(many_are_listed_and_removed_with_few_descriptors),
		TEST(nodes_outlive_sleep),
		TEST(late_children_are_found),
		TEST(lost_changes_are_found),
		TEST(oldest_go_if_there_are_too_many),
		TEST(oldest_go_if_they_are_too_large),
		TEST(oldest_go_after_days),
		TEST(open_ones_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
