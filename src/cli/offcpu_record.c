/* SPDX-License-Identifier: MIT */
/*
 * Record what `ulf offcpu` needs of a root: the switches of its threads, the entries and returns of
 * system calls, and stacks at the entries of those calls that can sleep for long.  A stack costs
 * more than a short call, so other calls get none.
 */
#include "cli/offcpu_record.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/conn.h"
#include "cli/record_instance.h"
#include "cli/recorder.h"

#define STATE_MS	50		/* time between two looks at the recording, ms */
#define START_MS	2000		/* longest wait for the events of system calls, ms */
#define TEXT_BYTES	8192u
#define PATH_BYTES	1024
#define AGENT		"ulf-agent"	/* name of libulf's own thread */

/* System calls that can sleep for long.  futex() is not in this list: it sleeps for some
 * operations only. */
static const uint16_t sleeping_calls[] = {
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv,
	SYS_pwritev, SYS_ioctl, SYS_openat, SYS_fsync, SYS_fdatasync, SYS_sync, SYS_syncfs,
	SYS_sync_file_range, SYS_msync, SYS_fallocate, SYS_sendfile, SYS_splice, SYS_tee,
	SYS_vmsplice, SYS_copy_file_range, SYS_flock, SYS_fcntl, SYS_nanosleep, SYS_clock_nanosleep,
	SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_wait4, SYS_waitid, SYS_connect,
	SYS_accept, SYS_accept4, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg,
	SYS_recvmmsg, SYS_epoll_pwait, SYS_pselect6, SYS_ppoll, SYS_io_getevents, SYS_semop,
	SYS_semtimedop, SYS_msgsnd, SYS_msgrcv, SYS_mq_timedsend, SYS_mq_timedreceive, SYS_vfork,
#ifdef SYS_poll
	SYS_open, SYS_poll, SYS_select, SYS_epoll_wait, SYS_pause,
#endif
#ifdef SYS_io_uring_enter
	SYS_io_uring_enter,
#endif
#ifdef SYS_epoll_pwait2
	SYS_epoll_pwait2,
#endif
#ifdef SYS_futex_waitv
	SYS_futex_waitv,
#endif
};

/* Operations of futex() that sleep: FUTEX_WAIT, _LOCK_PI, _WAIT_BITSET, _WAIT_REQUEUE_PI and
 * _LOCK_PI2, and the flags that they may have: FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME. */
static const uint16_t futex_ops[] = { 0, 6, 9, 11, 13 };
static const uint16_t futex_flags[] = { 0, 128, 256, 384 };

static volatile sig_atomic_t got_signal;

static void note_signal(int signal)
{
	got_signal = signal;
}

/* ---- settings ---- */

static void put_triggers(struct text *raw, struct text *futex)
{
	text_puts(raw, "raw_syscalls/sys_enter stacktrace if ");
	for (size_t i = 0; i < ARRAY_SIZE(sleeping_calls); i++)
		text_printf(raw, "%sid==%u", i ? "||" : "", sleeping_calls[i]);
	text_puts(futex, "syscalls/sys_enter_futex stacktrace if ");
	for (size_t i = 0; i < ARRAY_SIZE(futex_ops); i++)
		for (size_t j = 0; j < ARRAY_SIZE(futex_flags); j++)
			text_printf(futex, "%sop==%u", i + j ? "||" : "",
				    (unsigned int)(futex_ops[i] | futex_flags[j]));
}

/* Add the settings.  The texts must stay as long as the instance. */
static int add_settings(struct record_instance *instance, struct text *raw, struct text *futex)
{
	static const char *const events[] = {
		"ulf_sched:sched_switch", "ulf_sched:sched_process_fork",
		"ulf_sched:sched_process_exit", "raw_syscalls:sys_exit", "raw_syscalls:sys_enter",
	};
	int r;

	put_triggers(raw, futex);
	r = record_instance_add(instance, RECORD_TRIGGER, text_str(raw));
	if (!r)
		r = record_instance_add(instance, RECORD_TRIGGER, text_str(futex));
	for (size_t i = 0; !r && i < ARRAY_SIZE(events); i++)
		r = record_instance_add(instance, RECORD_EVENT, events[i]);
	return r;
}

/* Check that the root has events of system calls.  A program that has just started may make them
 * a little later than its root.  Prints an error. */
static int check_root(struct conn *conn, const char *root)
{
	uint64_t end_ms = clock_monotonic_ms() + START_MS;
	char path[PATH_BYTES];
	struct text text;
	int r;

	snprintf(path, sizeof(path), "%s/events/raw_syscalls/sys_enter/id", root);
	do {
		r = conn_file_text(conn, path, &text);
		text_done(&text);
	} while (r == -ENOENT && clock_monotonic_ms() < end_ms && !usleep(STATE_MS * 1000));
	if (r == -ENOENT)
		cli_error("%s has no events of system calls; start the program with `ulf run "
			  "--syscalls`, or use `ulf attach --syscalls` for one without libulf",
			  root);
	else if (r < 0)
		root_path_error(root, r);
	return r < 0 ? r : 0;
}

/* ---- threads ---- */

static void read_comm(uint32_t pid, int32_t tid, char comm[16])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/task/%d/comm", pid, tid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, 16, file))
		comm[0] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* List the threads of process @pid, without libulf's own one. */
static void list_threads(struct offcpu_record *record, uint32_t pid)
{
	char path[64];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct offcpu_thread thread = { .pid = atoi(entry->d_name) }, *threads;

		if (thread.pid <= 0)
			continue;
		read_comm(pid, thread.pid, thread.comm);
		threads = realloc(record->threads, (record->nr_threads + 1) * sizeof(*threads));
		if (!threads || !strcmp(thread.comm, AGENT)) {
			record->threads = threads ? threads : record->threads;
			continue;
		}
		threads[record->nr_threads++] = thread;
		record->threads = threads;
	}
	if (dir)
		closedir(dir);
}

/* List the threads of the root's program, if it runs. */
static void list_root_threads(struct offcpu_record *record, struct conn *conn, const char *root)
{
	const struct abi_root_row *row;
	struct root_list list;

	if (root_list_fetch(conn, ABI_LIST_NAMES, 0, &list) < 0)
		return;
	row = root_list_search(&list, root, strlen(root));
	if (row && row->state == ABI_ROOT_ALIVE)
		list_threads(record, row->pid);
	root_list_done(&list);
}

/* ---- record ---- */

static void catch_signals(void)
{
	/* A second signal ends this command at once. */
	struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static void wait_for_end(struct record_session *session, struct conn *conn, uint64_t time_ms)
{
	uint64_t end_ms = clock_monotonic_ms() + time_ms;
	struct record_state state = { 0 };

	while (!state.has_ended && !got_signal && clock_monotonic_ms() < end_ms) {
		usleep(STATE_MS * 1000);
		record_finish_some(session, conn);
		record_get_state(session, &state);
	}
}

static int record_instance(struct offcpu_record *record, struct conn *conn,
			   const struct record_instance *instance)
{
	const struct record_settings settings = {
		.dir = conn->dir, .path = record->path, .is_quiet = true,
		.roots = instance->roots, .nr_roots = instance->nr_roots,
		.instance = instance->name,
	};
	struct record_session *session = NULL;
	uint32_t nr_files;
	int r = record_start(&settings, &session);

	if (r)
		return r;
	/* Begin when all settings are applied: each of them takes its time. */
	record_instance_stop(conn, instance);
	r = record_instance_begin(conn, instance);
	if (!r) {
		record_instance_continue(conn, instance);
		/* The marks have the times at which the recording begins and ends. */
		record_instance_mark(conn, instance, "ulf offcpu: begin\n");
		wait_for_end(session, conn, record->time_ms);
		list_root_threads(record, conn, instance->roots[0]);
		record_instance_mark(conn, instance, "ulf offcpu: end\n");
	}
	record_instance_stop(conn, instance);
	if (record_stop(session, conn, &nr_files) < 0)
		r = -EIO;
	if (!r && !nr_files) {
		cli_error("%s has recorded nothing: it has ended before", instance->roots[0]);
		r = -ENOENT;
	}
	record_free(session);
	return r;
}

int offcpu_record(struct offcpu_record *record)
{
	struct record_instance instance = { .kb = record->kb, .attach_option = "--syscalls" };
	struct text raw, futex;
	struct conn conn;
	int r = conn_open(&conn, CONN_START);

	text_init(&raw, TEXT_BYTES);
	text_init(&futex, TEXT_BYTES);
	if (!r)
		r = add_settings(&instance, &raw, &futex);
	catch_signals();
	if (!r)
		r = record_instance_make(&conn, record->word, &instance);
	if (!r)
		r = check_root(&conn, instance.roots[0]);
	if (!r)
		r = record_instance(record, &conn, &instance);
	record_instance_remove(&conn, &instance);
	record_instance_done(&instance);
	conn_close(&conn);
	text_done(&raw);
	text_done(&futex);
	return r;
}
