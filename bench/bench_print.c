/* SPDX-License-Identifier: MIT */
/*
 * Worker: the time for a line of `trace`, from the ring to the text, next to
 * libtraceevent, which prints the same records.
 *
 * The worker records minikernel's sched_switch into its own root.  The server runs in the
 * same process, with a ulf directory of its own.
 */
#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <trace-seq.h>
#include <unistd.h>

#include "measure.h"
#include "daemon/parts.h"
#include "server/core/server.h"
#include "tracefs/tracefs.h"
#include "worker.h"

#define CREATE_TRACE_POINTS
#include "trace/events/sched.h"

#define NR_LINES	10000
#define LINE_BYTES_MIN	120
#define NR_REPEATS	5

/* Symbols of the program that the trace header uses. */
__thread struct task_struct *current_task;

long task_report_state(bool preempt, unsigned int state, const struct task_struct *p)
{
	(void)p;
	return preempt ? TASK_REPORT_MAX : (long)state;
}

static struct server *server;
static char root[64];
static char text[1 << 20];

/* Set ULF_DIR and execute this program again, because the runtime creates the root in
 * ULF_DIR when a program starts. */
static void exec_with_own_dir(char **argv)
{
	const char *above = getenv("ULF_DIR");
	char dir[256], self[PATH_MAX] = "";

	if (!above || getenv("ULF_BENCH_PRINT"))
		return;
	snprintf(dir, sizeof(dir), "%s/print", above);
	mkdir(dir, 0700);
	setenv("ULF_DIR", dir, 1);
	setenv("ULF_BENCH_PRINT", "1", 1);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0)
		execv(self, argv);
	worker_fail("it cannot start itself again");
}

static struct tracefs_file *open_tracefs_file(const char *name, int flags)
{
	struct tracefs_node *node;
	struct tracefs_file *file;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (tracefs_walk(server, path, &node))
		worker_fail(path);
	if (tracefs_open(node, flags, &file))
		worker_fail(path);
	tracefs_node_put(node);
	return file;
}

static void write_tracefs_file(const char *name, const char *value)
{
	struct tracefs_file *file = open_tracefs_file(name, O_WRONLY);
	size_t taken;
	ssize_t n = tracefs_write(file, value, strlen(value), getpid(), &taken);

	while (n == -EINPROGRESS) {
		usleep(1000);
		n = tracefs_write_done(file);
	}
	if (n < 0)
		worker_fail(name);
	tracefs_close(file);
}

static size_t read_tracefs_file(const char *name)
{
	struct tracefs_file *file = open_tracefs_file(name, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	while ((n = tracefs_read(file, text, sizeof(text) - 1, (off_t)len)) > 0)
		len += (size_t)n;
	if (n < 0)
		worker_fail(name);
	tracefs_close(file);
	return len;
}

static struct task_struct prev = { .pid = 4711, .comm = "kworker/0:1", .prio = 120 };
static struct task_struct next = { .pid = 4712, .comm = "bash", .prio = 120 };

static void record_lines(void)
{
	write_tracefs_file("events/sched/sched_switch/enable", "1");
	for (unsigned int i = 0; i < NR_LINES; i++)
		trace_sched_switch(false, &prev, &next, i & TASK_NORMAL);
	write_tracefs_file("events/sched/sched_switch/enable", "0");
}

/* ---- print one record with libtraceevent, with the same content ---- */

static struct tep_handle *tep;
static struct tep_event *event;
static unsigned char bytes[256];

static void peer_set(const char *name, const void *value, size_t size)
{
	struct tep_format_field *field = tep_find_any_field(event, name);

	if (!field || field->size != (int)size)
		worker_fail(name);
	memcpy(bytes + field->offset, value, size);
}

static void peer_init(void)
{
	const size_t len = read_tracefs_file("events/sched/sched_switch/format");
	const long state = TASK_INTERRUPTIBLE;

	tep = tep_alloc();
	if (!tep || tep_parse_event(tep, text, len, "sched"))
		worker_fail("libtraceevent does not take the format");
	event = tep_find_event_by_name(tep, "sched", "sched_switch");
	tep_register_comm(tep, program_invocation_short_name, getpid());
	peer_set("common_type", &(uint16_t){ (uint16_t)event->id }, sizeof(uint16_t));
	peer_set("common_pid", &(int){ getpid() }, sizeof(int));
	peer_set("prev_comm", prev.comm, sizeof(prev.comm));
	peer_set("prev_pid", &prev.pid, sizeof(prev.pid));
	peer_set("prev_prio", &prev.prio, sizeof(prev.prio));
	peer_set("prev_state", &state, sizeof(state));
	peer_set("next_comm", next.comm, sizeof(next.comm));
	peer_set("next_pid", &next.pid, sizeof(next.pid));
	peer_set("next_prio", &next.prio, sizeof(next.prio));
}

static void peer_lines(void)
{
	static struct trace_seq seq;
	struct tep_record record = { .data = bytes, .size = sizeof(bytes) };

	if (!seq.buffer)
		trace_seq_init(&seq);
	for (int i = 0; i < NR_LINES; i++) {
		trace_seq_reset(&seq);
		record.ts += 1000;
		tep_print_event(tep, &seq, &record, "%16s-%-7d [%03d] %s %6.1000d: %s: %s\n",
				TEP_PRINT_COMM, TEP_PRINT_PID, TEP_PRINT_CPU,
				TEP_PRINT_LATENCY, TEP_PRINT_TIME,
				TEP_PRINT_NAME, TEP_PRINT_INFO);
	}
}

static void ulf_lines(void)
{
	if (read_tracefs_file("trace") < (size_t)NR_LINES * LINE_BYTES_MIN)
		worker_fail("lines are missing");
}

static void measure_lines(const char *name, void (*print_lines)(void))
{
	double ns[NR_REPEATS];

	for (int k = 0; k < NR_REPEATS; k++) {
		uint64_t begin = measure_now_ns();

		print_lines();
		ns[k] = (double)(measure_now_ns() - begin) / NR_LINES;
	}
	worker_result(name, measure_median(ns, NR_REPEATS));
}

static void run_round(void)
{
	measure_lines("print_line", ulf_lines);
	measure_lines("print_tep", peer_lines);
}

int main(int argc, char **argv)
{
	(void)argc;
	exec_with_own_dir(argv);
	snprintf(root, sizeof(root), "%s.%d", program_invocation_short_name,
		 (int)getpid());
	if (server_new(getenv("ULF_DIR"), &server))
		worker_fail("no server");
	record_lines();
	peer_init();
	return worker_main(run_round);
}
