/* SPDX-License-Identifier: MIT */
/*
 * Which processes belong to a root, also if the server has no right to read their memory.
 *
 * user: both only root can make a process of another user
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "arch/arch.h"
#include "daemon/parts.h"
#include "server/core/server.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define NOBODY	65534
#define TICK_US	20000u			/* more than a clock tick of /proc/PID/stat */

static pid_t strange;			/* a process of another user; 0: none */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Make a process of another user.  We have no right to kill it, so it ends when we end. */
static pid_t make_strange(void)
{
	int ends[2];
	pid_t pid;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		abort();
	pid = fork();
	if (!pid) {
		close(ends[0]);
		if (setresuid(NOBODY, NOBODY, NOBODY) || write(ends[1], "r", 1) != 1)
			_exit(1);
		_exit(read(ends[1], &c, 1) != 0);
	}
	close(ends[1]);
	if (read(ends[0], &c, 1) != 1)
		abort();
	return pid;
}

/* Drop all capabilities, so that even root cannot read every process. */
static int leave_rights(void **state)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	(void)state;
	strange = geteuid() ? 1 : make_strange();
	if (syscall(SYS_capset, &head, none))
		return -1;
	if (!kill(strange, 0) || errno != EPERM)
		strange = 0;
	return 0;
}

/* ---- processes that have the root's memory mapped ---- */

enum kind {
	OPEN,
	HIDDEN,				/* the files of the process in /proc cannot be read */
	HEADLESS,			/* only its second thread is left */
	STRANGE,			/* belongs to another user */
};

static void *sleep_on(void *arg)
{
	uint32_t *tid = arg;

	__atomic_store_n(tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static void be_process(enum kind kind, uint32_t *tid)
{
	pthread_t thread;

	if (prctl(PR_SET_DUMPABLE, kind != HIDDEN) ||
	    pthread_create(&thread, NULL, sleep_on, tid))
		_exit(1);
	if (kind == HEADLESS)
		pthread_exit(NULL);
	for (;;)
		pause();
}

static bool is_zombie(pid_t pid)
{
	char path[64], text[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file || !fgets(text, sizeof(text), file))
		abort();
	fclose(file);
	return !strncmp(strrchr(text, ')'), ") Z", 3);
}

/* The second thread of the process is the agent of the slot. */
static pid_t make_process(struct fake_root *root, enum kind kind)
{
	uint32_t *tid = &root->processes[0].agent;
	pid_t pid = kind == STRANGE ? strange : fork();

	if (!pid)
		be_process(kind, tid);
	root->control->pid = (uint32_t)pid;
	root->processes[0].pid = (uint32_t)pid;
	while (kind != STRANGE && !__atomic_load_n(tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	while (kind == HEADLESS && !is_zombie(pid))
		usleep(1000);
	return pid;
}

enum when {
	UNKNOWN,			/* an older runtime does not store the time */
	BEFORE,				/* before the process started */
	AFTER,
	FUTURE,				/* from another boot, which has another time */
};

enum agent {
	NO_AGENT,			/* an older runtime does not store the thread id */
	AGENT_RUNS,
	AGENT_ENDED,			/* ended by exec() */
};

static int store_nr_processes(void *arg, const struct server_root_info *info)
{
	*(uint32_t *)arg = info->nr_processes;
	return 1;
}

/* Returns true if the server counts the process as one of the root. */
static bool counts(enum kind kind, enum when when, enum agent agent, bool has_slot)
{
	struct server *server;
	struct fake_root root;
	uint32_t nr = 0;
	uint64_t ns[4];
	char dir[128];
	pid_t pid;

	fake_dir_make(dir);
	fake_root_make(&root, dir, "one.1");
	ns[UNKNOWN] = 0;
	ns[BEFORE] = now_ns();
	usleep(TICK_US);
	pid = make_process(&root, kind);
	ns[AFTER] = now_ns();
	ns[FUTURE] = ns[AFTER] + 3600000000000u;
	root.processes[0].claimed_ns = ns[when];
	if (agent == NO_AGENT)
		root.processes[0].agent = 0;
	else if (agent == AGENT_ENDED)
		root.processes[0].agent = (uint32_t)getpid();
	if (!has_slot) {
		memset(&root.processes[0], 0, sizeof(root.processes[0]));
		root.control->started_ns = ns[when];
	}
	fake_root_show(&root, "one.1");
	assert_int_equal(server_new(dir, &server), 0);
	server_root_list(server, store_nr_processes, &nr);
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
	if (kind != STRANGE) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return nr;
}

static const struct {
	enum kind kind;
	enum when when;
	enum agent agent;
	bool counts, has_no_slot;
} cases[] = {
	/* a process whose mappings can be read needs no other sign */
	{ OPEN, UNKNOWN, NO_AGENT, .counts = true },
	{ OPEN, BEFORE, NO_AGENT, .counts = true },
	{ OPEN, FUTURE, AGENT_ENDED, .counts = true },
	/* a hidden process is not younger than its slot */
	{ HIDDEN, AFTER, AGENT_RUNS, .counts = true },
	{ HIDDEN, AFTER, NO_AGENT, .counts = true },
	{ HIDDEN, BEFORE, NO_AGENT, .counts = false },
	{ HIDDEN, BEFORE, AGENT_RUNS, .counts = false },
	{ HIDDEN, AFTER, NO_AGENT, .has_no_slot = true, .counts = true },
	{ HIDDEN, BEFORE, NO_AGENT, .has_no_slot = true, .counts = false },
	/* a hidden process has not called exec() */
	{ HIDDEN, AFTER, AGENT_ENDED, .counts = false },
	/* without times its user decides */
	{ HIDDEN, UNKNOWN, NO_AGENT, .counts = true },
	{ HIDDEN, FUTURE, NO_AGENT, .counts = true },
	{ STRANGE, UNKNOWN, NO_AGENT, .counts = false },
	{ STRANGE, FUTURE, NO_AGENT, .counts = false },
	/* the main thread is not needed */
	{ HEADLESS, AFTER, AGENT_RUNS, .counts = true },
	{ HEADLESS, UNKNOWN, AGENT_RUNS, .counts = true },
	{ HEADLESS, AFTER, AGENT_ENDED, .counts = false },
};

static void processes_of_the_root_are_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].kind == STRANGE && !strange) {
			print_message("left out: case %zu: there is only one user here\n", i);
			continue;
		}
		if (counts(cases[i].kind, cases[i].when, cases[i].agent,
			   !cases[i].has_no_slot) != cases[i].counts)
			fail_msg("case %zu: wanted %d", i, cases[i].counts);
	}
}

/* A child has the pid of a process that had the slot @old, and claims the slot @new;
 * @is_late: after the server has looked.  The younger slot must win. */
static void have_two_slots(uint32_t old, uint32_t new, bool is_late)
{
	struct server *server;
	struct fake_root root;
	uint32_t nr = 0;
	char dir[128];
	pid_t pid;

	fake_dir_make(dir);
	fake_root_make(&root, dir, "one.1");
	root.processes[0].claimed_ns = now_ns();
	pid = fork();
	if (!pid)
		be_process(OPEN, &root.processes[new].agent);
	root.processes[old].pid = (uint32_t)pid;
	root.processes[old].claimed_ns = now_ns();
	if (!is_late)
		root.processes[new].claimed_ns = now_ns() + 1;
	root.processes[new].pid = is_late ? 0 : (uint32_t)pid;
	fake_root_show(&root, "one.1");
	assert_int_equal(server_new(dir, &server), 0);
	server_root_list(server, store_nr_processes, &nr);
	assert_int_equal(nr, 2);
	root.processes[new].claimed_ns = now_ns() + 1;
	root.processes[new].pid = (uint32_t)pid;
	/* the server looks again before it removes a root */
	assert_int_equal(server_root_remove(server, "one.1"), -EBUSY);
	server_root_list(server, store_nr_processes, &nr);
	assert_int_equal(nr, 2);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	server_dispatch(server);
	server_root_list(server, store_nr_processes, &nr);
	assert_int_equal(nr, 1);
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

static void the_last_slot_counts(void **state)
{
	(void)state;
	have_two_slots(1, 2, false);
	have_two_slots(2, 1, false);
	have_two_slots(1, 2, true);
	have_two_slots(2, 1, true);
}

/* ---- a process takes its slot while the server looks for it ---- */

static struct fake_root *starting;	/* the root; its process has no slot yet */

/* The server calls poll() to find out whether a process that it has just opened is alive. */
int poll(struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	struct timespec ts = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };

	if (starting) {
		__atomic_store_n(&starting->processes[0].pid, (uint32_t)getpid(),
				 __ATOMIC_SEQ_CST);
		__atomic_store_n(&starting->processes[0].claimed_ns, now_ns(),
				 __ATOMIC_SEQ_CST);
		starting = NULL;
	}
	return ppoll(fds, nr, timeout_ms < 0 ? NULL : &ts, NULL);
}

static void takes_its_slot(void **state)
{
	struct server *server;
	struct fake_root root;
	uint32_t nr = 0;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	fake_root_make(&root, dir, "one.1");
	root.processes[0].pid = 0;
	root.control->started_ns = now_ns();
	fake_root_show(&root, "one.1");
	starting = &root;
	assert_int_equal(server_new(dir, &server), 0);
	assert_null(starting);
	server_root_list(server, store_nr_processes, &nr);
	assert_int_equal(nr, 1);
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

/* ---- a process takes its slot while something is switched ---- */

static struct fake_root *switched;	/* the root; @child has no slot yet */
static pid_t child;

/* The server calls syscall() to wake agents that wait for settings.  The child has looked for
 * settings just before, and found none. */
long syscall(long nr, ...)
{
	long args[6], r;
	va_list list;

	va_start(list, nr);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (switched && nr == SYS_futex && args[1] == FUTEX_WAKE) {
		switched->processes[1].applied = switched->control->generation - 1;
		switched->processes[1].flags = ABI_PROCESS_AGENT;
		switched->processes[1].claimed_ns = now_ns();
		switched->processes[1].pid = (uint32_t)child;
		switched = NULL;
	}
	r = arch_syscall6(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
	if (r >= 0 || r < -4095)
		return r;
	errno = (int)-r;
	return -1;
}

static void forked_children_are_waited_for(void **state)
{
	struct tracefs_file *file;
	struct server *server;
	struct fake_root root;
	char dir[128];
	size_t taken;

	(void)state;
	fake_dir_make(dir);
	fake_root_make(&root, dir, "one.1");
	fake_event_n(&root, 0, "sched", "tick");
	fake_root_show(&root, "one.1");
	child = fork();
	if (!child)
		be_process(OPEN, &root.processes[1].agent);
	assert_int_equal(server_new(dir, &server), 0);
	assert_int_equal(tree_open(server, "one.1/events/enable", O_WRONLY, &file), 0);
	switched = &root;
	assert_int_equal(tracefs_write(file, "1", 1, getpid(), &taken), -EINPROGRESS);
	assert_null(switched);
	root.processes[1].applied = root.control->generation;
	assert_int_equal(tracefs_write_done(file), 0);
	tracefs_close(file);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

/* ---- a child has no slot yet, and its parent is dead ---- */

static time_t ahead;			/* added to the time, in seconds */

int clock_gettime(clockid_t id, struct timespec *ret_now)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret_now);

	ret_now->tv_sec += ahead;
	return r;
}

/* Let @later seconds pass.  Returns true if the root is still there. */
static bool is_there_later(struct server *server, time_t later)
{
	uint32_t nr = UINT32_MAX;

	ahead += later;
	server_tick(server);
	server_root_list(server, store_nr_processes, &nr);
	return nr != UINT32_MAX;
}

static pid_t get_dead_pid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void child_is_waited_for(void **state)
{
	struct server *server;
	struct fake_root root;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	fake_root_make(&root, dir, "one.1");
	root.control->pid = (uint32_t)get_dead_pid();
	root.processes[0].pid = root.control->pid;
	root.control->forks = 1;
	fake_root_show(&root, "one.1");
	assert_int_equal(server_new(dir, &server), 0);
	assert_true(is_there_later(server, 2));
	assert_int_equal(server_root_remove(server, "one.1"), -EBUSY);
	root.processes[1].pid = (uint32_t)getpid();
	root.control->forks_done = 1;
	assert_true(is_there_later(server, 60));
	/* the child dies, too, and its own child is never seen */
	root.control->forks = 2;
	root.processes[1].pid = root.control->pid;
	assert_true(is_there_later(server, 2));
	assert_true(is_there_later(server, 2));
	assert_false(is_there_later(server, 60));
	ahead = 0;
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

/* ---- the server has no descriptors ---- */

/* Let the server find a root of ours while it may open @nr more descriptors. */
static void look_with(rlim_t nr)
{
	struct rlimit all, few;
	struct server *server;
	struct fake_root root;
	uint32_t live = 0;
	char dir[128];

	fake_dir_make(dir);
	fake_root_make(&root, dir, "one.1");
	assert_int_equal(server_new(dir, &server), 0);
	fake_root_show(&root, "one.1");
	getrlimit(RLIMIT_NOFILE, &all);
	few = (struct rlimit){ (rlim_t)dup(0) + nr, all.rlim_max };
	close((int)(few.rlim_cur - nr));
	setrlimit(RLIMIT_NOFILE, &few);
	for (int i = 0; i < 2; i++) {	/* first the root is found, then it changes */
		server_dispatch(server);
		assert_int_equal(utimensat(AT_FDCWD, root.path, NULL, 0), 0);
	}
	setrlimit(RLIMIT_NOFILE, &all);
	assert_true(is_there_later(server, 2));
	server_root_list(server, store_nr_processes, &live);
	assert_int_equal(live, 1);
	ahead = 0;
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

static void no_process_is_dead_without_inspection(void **state)
{
	(void)state;
	for (rlim_t nr = 0; nr < 8; nr++)
		look_with(nr);
}

/* ---- a program calls exec() and makes a root of the same name ---- */

static void name_is_anothers(void **state)
{
	struct fake_root root, other;
	struct server *server;
	uint32_t nr = 0;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	fake_root_make(&root, dir, "one.1");
	fake_root_show(&root, "one.1");
	fake_root_make(&other, dir, "one.1");
	assert_int_equal(server_new(dir, &server), 0);
	/* before the server reads the names */
	root.control->pid = (uint32_t)get_dead_pid();
	root.processes[0].pid = root.control->pid;
	fake_root_show(&root, "one.1.1");
	fake_root_show(&other, "one.1");
	server_tick(server);
	assert_int_equal(access(other.path, F_OK), 0);
	/* the old root has its new name */
	server_dispatch(server);
	assert_true(is_there_later(server, 2));
	assert_int_equal(access(root.path, F_OK), -1);
	server_root_list(server, store_nr_processes, &nr);
	assert_int_equal(nr, 1);
	ahead = 0;
	server_free(server);
	fake_root_done(&root);
	fake_root_done(&other);
	fake_dir_remove(dir);
}

/* ---- stat() and /proc/PID/maps do not agree ---- */

/* Returns true if the memory's device or inode differs between stat() and /proc/self/maps. */
static bool has_two_numbers(const struct fake_root *root)
{
	char path[300], line[512], numbers[64];
	bool is_there = false;
	struct stat st;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/memory", root->path);
	if (stat(path, &st))
		_exit(2);
	snprintf(numbers, sizeof(numbers), " %02x:%02x %lu ", major(st.st_dev),
		 minor(st.st_dev), st.st_ino);
	maps = fopen("/proc/self/maps", "re");
	while (maps && fgets(line, sizeof(line), maps))
		is_there |= strstr(line, numbers) != NULL;
	if (!maps)
		_exit(3);
	fclose(maps);
	return !is_there;
}

static bool tell(const char *path, unsigned int id)
{
	FILE *file = fopen(path, "we");

	return file && fprintf(file, "%u %u 1", id, id) > 0 && !fclose(file);
}

/* Returns true if this process can mount, in a namespace of its own. */
static bool can_mount(void)
{
	unsigned int uid = geteuid(), gid = getegid();
	FILE *file;

	if (unshare(CLONE_NEWNS | CLONE_NEWUSER))
		return false;
	file = fopen("/proc/self/setgroups", "we");
	return file && fputs("deny", file) >= 0 && !fclose(file) &&
	       tell("/proc/self/uid_map", uid) && tell("/proc/self/gid_map", gid) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* Files of overlayfs over two file systems differ in this way. */
static void live_in_overlay(const char *dir)
{
	struct server *server;
	struct fake_root root;
	uint32_t nr = 0;

	if (chdir(dir) || mkdir("lower", 0700) || mkdir("upper", 0700) ||
	    mkdir("work", 0700) || mkdir("mnt", 0700))
		_exit(1);
	if (!can_mount() || chdir(dir) || mount("none", "lower", "tmpfs", 0, NULL) ||
	    mount("none", "mnt", "overlay", 0,
		  "userxattr,lowerdir=lower,upperdir=upper,workdir=work"))
		_exit(77);
	fake_root_make(&root, "mnt", "one.1");
	if (!has_two_numbers(&root))
		_exit(77);
	fake_root_show(&root, "one.1");
	if (server_new("mnt", &server))
		_exit(4);
	server_root_list(server, store_nr_processes, &nr);
	_exit(nr == 1 ? 0 : 5);
}

static void maps_count_not_stat(void **state)
{
	int status = fake_dir_run(live_in_overlay);

	(void)state;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("no overlayfs with numbers of its own here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_count_not_stat),
		cmocka_unit_test(the_last_slot_counts),
		cmocka_unit_test(takes_its_slot),
		cmocka_unit_test(forked_children_are_waited_for),
		cmocka_unit_test(child_is_waited_for),
		cmocka_unit_test(name_is_anothers),
		cmocka_unit_test(no_process_is_dead_without_inspection),
		cmocka_unit_test_setup(processes_of_the_root_are_counted, leave_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
