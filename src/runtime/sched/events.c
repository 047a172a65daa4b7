/* SPDX-License-Identifier: MIT */
/*
 * The events of the system ulf_sched.  Their names, and those of their fields that can be
 * filled in, are those of the kernel's system sched.  The system has another name, because
 * a program may define events of the system sched itself.
 */
#include "runtime/sched/events.h"

#include <stddef.h>
#include <string.h>

#include "abi/own_systems.h"
#include "base/bits.h"
#include "ring/ring.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/buffer_write.h"
#include "runtime/buffer/late.h"
#include "runtime/event/event.h"
#include "runtime/event/late_event.h"
#include "runtime/event/module.h"
#include "runtime/sched/names.h"
#include <ulf/record.h>

#define UNKNOWN_PID	(-1)
#define UNKNOWN_COMM	"<unknown>"

/* Values of sched_switch.prev_state. */
#define STATE_UNKNOWN	(-1)
#define STATE_RUNNABLE	0		/* the kernel's TASK_RUNNING */
#define STATE_ASLEEP	1		/* the kernel's TASK_INTERRUPTIBLE; also
					 * stands for TASK_UNINTERRUPTIBLE, which the
					 * reports do not distinguish */

#define FIELD(record, type, item)						\
	{ #type, #item, offsetof(record, item), sizeof(((record *)0)->item), 0,	\
	  1, FILTER_OTHER }
#define COMM(record, item)							\
	{ "char[]", #item, offsetof(record, item), ABI_COMM_LEN, ABI_COMM_LEN,	\
	  1, FILTER_OTHER }
#define END(record)	{ NULL, NULL, 0, sizeof(record), 0, 0, 0 }

/* ---- the records ---- */

struct record_switch {
	struct trace_entry entry;
	char prev_comm[ABI_COMM_LEN];
	int32_t prev_pid;
	int32_t reserved;
	int64_t prev_state;
	char next_comm[ABI_COMM_LEN];
	int32_t next_pid;
	int32_t reserved2;
};

struct record_fork {
	struct trace_entry entry;
	char parent_comm[ABI_COMM_LEN];
	int32_t parent_pid;
	char child_comm[ABI_COMM_LEN];
	int32_t child_pid;
};

/* The record of sched_process_exec and sched_process_exit. */
struct record_process {
	struct trace_entry entry;
	char comm[ABI_COMM_LEN];
	int32_t pid;
};

/* A record that says how long a thread has run.  The kernel's record of this event has the same
 * fields. */
struct record_runtime {
	struct trace_entry entry;
	char comm[ABI_COMM_LEN];
	int32_t pid;
	int32_t reserved;
	uint64_t runtime;		/* ns */
};

/* A record that says how long a thread has waited for a CPU.  The kernel's record of this event
 * has no field @waits. */
struct record_wait {
	struct trace_entry entry;
	char comm[ABI_COMM_LEN];
	int32_t pid;
	uint32_t waits;			/* number of waits of which @delay is the sum */
	uint64_t delay;			/* ns */
};

static const struct ulf_field *fields_switch(void)
{
	static const struct ulf_field fields[] = {
		COMM(struct record_switch, prev_comm),
		FIELD(struct record_switch, pid_t, prev_pid),
		FIELD(struct record_switch, long, prev_state),
		COMM(struct record_switch, next_comm),
		FIELD(struct record_switch, pid_t, next_pid),
		END(struct record_switch),
	};

	return fields;
}

static const struct ulf_field *fields_fork(void)
{
	static const struct ulf_field fields[] = {
		COMM(struct record_fork, parent_comm),
		FIELD(struct record_fork, pid_t, parent_pid),
		COMM(struct record_fork, child_comm),
		FIELD(struct record_fork, pid_t, child_pid),
		END(struct record_fork),
	};

	return fields;
}

static const struct ulf_field *fields_process(void)
{
	static const struct ulf_field fields[] = {
		COMM(struct record_process, comm),
		FIELD(struct record_process, pid_t, pid),
		END(struct record_process),
	};

	return fields;
}

static const struct ulf_field *fields_runtime(void)
{
	static const struct ulf_field fields[] = {
		COMM(struct record_runtime, comm),
		FIELD(struct record_runtime, pid_t, pid),
		FIELD(struct record_runtime, u64, runtime),
		END(struct record_runtime),
	};

	return fields;
}

static const struct ulf_field *fields_wait(void)
{
	static const struct ulf_field fields[] = {
		COMM(struct record_wait, comm),
		FIELD(struct record_wait, pid_t, pid),
		FIELD(struct record_wait, u32, waits),
		FIELD(struct record_wait, u64, delay),
		END(struct record_wait),
	};

	return fields;
}

static const void *no_tables(void)
{
	return NULL;
}

/* ---- the events ---- */

static struct tracepoint tracepoints[NR_SCHED_EVENTS];

#define EVENT(number, text, fields_, fmt)					\
	[number] = {								\
		.system = ABI_LATE_SYSTEM, .name = text,				\
		.tracepoint = &tracepoints[number], .probe = late_event_probe,	\
		.fields = fields_, .print_fmt = fmt, .print = no_tables,		\
		.order = number, .file = __FILE__,				\
	}

static struct ulf_event events[NR_SCHED_EVENTS] = {
	EVENT(SCHED_SWITCH, "sched_switch", fields_switch,
	      "prev_comm=%s prev_pid=%d prev_state=%s ==> next_comm=%s next_pid=%d\1"
	      "REC->prev_comm, REC->prev_pid, REC->prev_state == 0 ? \"R\" : "
	      "REC->prev_state == 1 ? \"S\" : \"?\", REC->next_comm, REC->next_pid"),
	EVENT(SCHED_PROCESS_FORK, "sched_process_fork", fields_fork,
	      "comm=%s pid=%d child_comm=%s child_pid=%d\1"
	      "REC->parent_comm, REC->parent_pid, REC->child_comm, REC->child_pid"),
	EVENT(SCHED_PROCESS_EXEC, "sched_process_exec", fields_process,
	      "comm=%s pid=%d\1REC->comm, REC->pid"),
	EVENT(SCHED_PROCESS_EXIT, "sched_process_exit", fields_process,
	      "comm=%s pid=%d\1REC->comm, REC->pid"),
	EVENT(SCHED_STAT_RUNTIME, "sched_stat_runtime", fields_runtime,
	      "comm=%s pid=%d runtime=%Lu [ns]\1"
	      "REC->comm, REC->pid, (unsigned long long)REC->runtime"),
	EVENT(SCHED_STAT_WAIT, "sched_stat_wait", fields_wait,
	      "comm=%s pid=%d delay=%Lu [ns] waits=%u\1"
	      "REC->comm, REC->pid, (unsigned long long)REC->delay, REC->waits"),
};

static struct ulf_event *rows[NR_SCHED_EVENTS];
static struct tracepoint *points[NR_SCHED_EVENTS];
static struct ulf_module module = {
	.version = ULF_ABI_VERSION,
	.events = rows, .events_end = rows + NR_SCHED_EVENTS,
	.tracepoints = points, .tracepoints_end = points + NR_SCHED_EVENTS,
};

void sched_events_register(void)
{
	for (uint32_t i = 0; i < NR_SCHED_EVENTS; i++) {
		tracepoints[i].name = events[i].name;
		rows[i] = &events[i];
		points[i] = &tracepoints[i];
	}
	module_register(&module);
}

uint32_t sched_events_wanted(void)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < NR_SCHED_EVENTS; i++)
		if (events[i].id && event_wanted(&events[i]))
			mask |= 1u << i;
	return mask;
}

void sched_events_fail(uint32_t mask, int error)
{
	for (uint32_t i = 0; i < NR_SCHED_EVENTS; i++)
		if (mask >> i & 1)
			event_set_failed(&events[i], error);
}

/* ---- record ---- */

union record {
	struct trace_entry entry;
	struct record_switch switched;
	struct record_fork fork;
	struct record_process process;
	struct record_runtime runtime;
	struct record_wait wait;
};

/* Record the event with the number @number; @what is its record, @bytes bytes.  @tid: id
 * of the thread to which the event belongs. */
static void record(enum sched_event number, const struct perf_report *report, uint32_t tid,
		   const union record *what, size_t bytes)
{
	struct {
		char headroom[ALIGN_UP(RING_HEADROOM, 16)];
		union record record;
	} copy = { .record = *what };
	struct late_source source = {
		.tid = tid, .cpu = report->cpu, .raw_ns = report->raw_ns,
	};

	names_get(tid, source.comm);
	names_record(tid, tid == report->ptid ? report->ppid : report->pid);
	late_event_record(&events[number], &source, &copy.record, bytes);
}

static void record_switch(const struct perf_report *report)
{
	union record what = { .switched = {
		.prev_comm = UNKNOWN_COMM, .prev_pid = UNKNOWN_PID, .prev_state = STATE_UNKNOWN,
		.next_comm = UNKNOWN_COMM, .next_pid = UNKNOWN_PID,
	} };

	if (report->kind == PERF_KIND_OUT) {
		names_get(report->tid, what.switched.prev_comm);
		what.switched.prev_pid = (int32_t)report->tid;
		what.switched.prev_state = report->is_runnable ? STATE_RUNNABLE : STATE_ASLEEP;
	} else {
		names_get(report->tid, what.switched.next_comm);
		what.switched.next_pid = (int32_t)report->tid;
	}
	record(SCHED_SWITCH, report, report->tid, &what, sizeof(what.switched));
}

static void record_fork(const struct perf_report *report)
{
	union record what = { .fork = {
		.parent_pid = (int32_t)report->ptid, .child_pid = (int32_t)report->tid,
	} };

	names_get(report->ptid, what.fork.parent_comm);
	names_get(report->tid, what.fork.child_comm);
	record(SCHED_PROCESS_FORK, report, report->ptid, &what, sizeof(what.fork));
}

static void record_process(enum sched_event number, const struct perf_report *report)
{
	union record what = { .process.pid = (int32_t)report->tid };

	names_get(report->tid, what.process.comm);
	record(number, report, report->tid, &what, sizeof(what.process));
}

static void count_lost(const struct perf_report *report)
{
	struct late_source source = {
		.tid = report->tid, .cpu = report->cpu, .raw_ns = report->raw_ns,
	};

	late_event_lost(&events[SCHED_SWITCH], &source, report->lost);
}

void sched_events_ran(const struct perf_report *report, uint64_t ns)
{
	union record what = { .runtime = { .pid = (int32_t)report->tid, .runtime = ns } };

	names_get(report->tid, what.runtime.comm);
	record(SCHED_STAT_RUNTIME, report, report->tid, &what, sizeof(what.runtime));
}

static void fill_wait(const struct sched_wait *wait, struct record_wait *ret_record)
{
	*ret_record = (struct record_wait){
		.pid = (int32_t)wait->tid, .waits = wait->nr, .delay = wait->delay_ns,
	};
	names_get(wait->tid, ret_record->comm);
}

void sched_events_waited(const struct sched_wait *wait)
{
	const struct perf_report report = {
		.tid = wait->tid, .pid = wait->pid, .cpu = wait->cpu, .raw_ns = wait->raw_ns,
	};
	union record what;

	fill_wait(wait, &what.wait);
	record(SCHED_STAT_WAIT, &report, wait->tid, &what, sizeof(what.wait));
}

void sched_events_write_wait(const struct buffer *buffer, const struct sched_wait *wait)
{
	const struct ulf_event *event = &events[SCHED_STAT_WAIT];
	struct {
		char headroom[ALIGN_UP(RING_HEADROOM, 16)];
		struct record_wait record;
	} copy;

	if (event_wanted(event) & buffer->bit)
		return;
	fill_wait(wait, &copy.record);
	copy.record.entry.type = (unsigned short)event->id;
	copy.record.entry.pid = (int)wait->tid;
	buffer_write(buffer, &copy.record.entry, sizeof(copy.record));
}

void sched_events_record(const struct perf_report *report)
{
	switch (report->kind) {
	case PERF_KIND_OUT:
	case PERF_KIND_IN:
		record_switch(report);
		break;
	case PERF_KIND_FORK:
		record_fork(report);
		break;
	case PERF_KIND_EXEC:
		record_process(SCHED_PROCESS_EXEC, report);
		break;
	case PERF_KIND_EXIT:
		record_process(SCHED_PROCESS_EXIT, report);
		break;
	case PERF_KIND_LOST:
		count_lost(report);
		break;
	case PERF_KIND_COMM:
	case PERF_KIND_OTHER:
		break;
	}
}
