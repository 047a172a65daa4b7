/* SPDX-License-Identifier: MIT */
/*
 * The kernel reports when a thread is switched in, but not when it was woken.  So the reports
 * show only the waits of threads that were preempted: from the switch out to the switch in.  The
 * other waits are in /proc/self/task/TID/schedstat.  It has two numbers that only grow: how long
 * the thread has waited, and how often it was switched in.
 *
 * A round reads this file for each thread that was switched in.  The agent gets the reports of
 * the last moments only in the next round.  So a reading is used in the next round, when all
 * reports of the time before it are known:
 *
 *	reading 1      in        in  reading 2       in        reading 3
 *	--|------------|---------|------|------------|------------|------> time
 *	     interval: two switches in        interval: one switch in
 *
 * If the number of the kernel has grown by the number of reports, then the growth of the delay
 * belongs to exactly these switches in.  Otherwise, because reports were lost or a switch fell
 * into the reading, nothing is said about the interval.
 *
 *	delay of the interval - waits of preempted threads = waits after sleeps
 *
 * If an interval has several waits after sleeps, only their sum is known.  But no wait is longer
 * than the time from the switch out to the switch in.  So the longest wait took at least the sum
 * less the times off the CPU of all but the longest one.
 */
#include "runtime/sched/stat.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/posix_clock.h"
#include "runtime/base/memory.h"
#include "runtime/sched/task_file.h"
#include "runtime/sched/thread_key.h"

#define READINGS_MAX	1024u		/* maximum number of files that a round reads,
					 * so that a round takes some ms at most */
#define FILE_BYTES	80u		/* bytes to read of a schedstat file, which has
					 * three numbers of 64 bits */

/* The numbers of a schedstat file. */
struct reading {
	uint64_t from_ns, until_ns;	/* the file was read between these times */
	uint64_t delay_ns;		/* how long the thread has waited for a CPU so
					 * far */
	uint64_t nr;			/* how often the thread was switched in so
					 * far */
};

/* The switches of a thread to a CPU between two readings of its schedstat file. */
struct interval {
	uint32_t nr;			/* number of switches in */
	uint32_t nr_asleep;		/* number of switches in that ended a sleep */
	uint64_t preempted_ns;		/* sum of the waits of the thread after it was
					 * preempted, ns */
	uint64_t asleep_ns;		/* sum of the times off the CPU that began with a sleep */
	uint64_t longest_asleep_ns;	/* longest time off the CPU that began with a sleep */
	bool is_bad;			/* true: the number of switches in is not certain */
};

struct row {
	uint32_t pid, cpu;
	uint64_t in_ns;			/* time of the last switch in; 0: the thread is
					 * not on a CPU, or the time is not known */
	uint64_t out_ns;		/* time of the last switch out; 0: the thread is
					 * on a CPU, or the time is not known */
	bool is_preempted;		/* true: the last switch out left the thread runnable */
	bool has_base, has_next;	/* true: the member @base, or @next, is valid */
	bool is_queued;			/* true: the thread is in @queue */
	struct reading base, next;
	struct interval before, after;	/* switches in before and after the reading @next; without
					 * @next, @before has all of them */
};

static struct thread_key *keys;
static struct row *rows;		/* a row for each of @keys */
static uint32_t stamp;
static uint32_t *queue;			/* rows of the threads that stat_round() looks at */
static uint32_t nr_queued;

/* ---- read schedstat ---- */

static uint64_t parse_number(const char **at)
{
	uint64_t number = 0;

	while (**at == ' ')
		++*at;
	for (; **at >= '0' && **at <= '9'; ++*at)
		number = number * 10 + (uint64_t)(**at - '0');
	return number;
}

static bool read_schedstat(uint32_t tid, struct reading *ret_reading)
{
	uint64_t from_ns = clock_posix_ns(CLOCK_MONOTONIC_RAW);
	char text[FILE_BYTES];
	const char *at = text;
	long bytes = task_file_read(tid, "schedstat", text, sizeof(text) - 1);

	if (bytes <= 0)
		return false;
	text[bytes] = '\0';
	parse_number(&at);		/* the time that the thread has run */
	*ret_reading = (struct reading){ .from_ns = from_ns };
	ret_reading->delay_ns = parse_number(&at);
	ret_reading->nr = parse_number(&at);
	ret_reading->until_ns = clock_posix_ns(CLOCK_MONOTONIC_RAW);
	return true;
}

int stat_begin(void)
{
	struct reading own;

	if (!keys)
		keys = memory_alloc(NR_THREAD_KEYS * sizeof(*keys));
	else
		memset(keys, 0, NR_THREAD_KEYS * sizeof(*keys));
	if (!rows)
		rows = memory_alloc(NR_THREAD_KEYS * sizeof(*rows));
	if (!queue)
		queue = memory_alloc(NR_THREAD_KEYS * sizeof(*queue));
	nr_queued = 0;
	if (!keys || !rows || !queue)
		return -ENOMEM;
	return read_schedstat((uint32_t)arch_syscall0(SYS_gettid), &own) ? 0 : -ENOENT;
}

/* ---- use reports ---- */

static struct row *row_of(const struct perf_report *report)
{
	uint32_t number = thread_key_find(keys, report->tid);
	struct row *row = &rows[number];
	bool is_queued = keys[number].tid && row->is_queued;

	if (keys[number].tid != report->tid)
		*row = (struct row){ .is_queued = is_queued };
	keys[number] = (struct thread_key){ report->tid, ++stamp };
	row->pid = report->pid;
	return row;
}

static void put_in_queue(struct row *row)
{
	if (row->is_queued)
		return;
	row->is_queued = true;
	queue[nr_queued++] = (uint32_t)(row - rows);
}

/* Returns the interval to which a switch in at @raw_ns belongs; NULL: it happened while a reading
 * was made. */
static struct interval *interval_of(struct row *row, uint64_t raw_ns)
{
	if (!row->has_next || raw_ns < row->next.from_ns)
		return &row->before;
	return raw_ns > row->next.until_ns ? &row->after : NULL;
}

static void add_switch(struct row *row, struct interval *interval, uint64_t off_ns)
{
	interval->nr++;
	if (!row->out_ns) {
		interval->is_bad = true;
	} else if (row->is_preempted) {
		interval->preempted_ns += off_ns;
	} else {
		interval->nr_asleep++;
		interval->asleep_ns += off_ns;
		interval->longest_asleep_ns = max_u64(interval->longest_asleep_ns, off_ns);
	}
}

static void note_in(const struct perf_report *report, const struct sched_stat_ops *ops)
{
	struct row *row = row_of(report);
	struct interval *interval = interval_of(row, report->raw_ns);
	uint64_t off_ns = report->raw_ns - row->out_ns;

	if (interval)
		add_switch(row, interval, off_ns);
	else
		row->before.is_bad = row->after.is_bad = true;
	if (row->out_ns && row->is_preempted)
		ops->waited(&(struct sched_wait){
			.tid = report->tid, .pid = report->pid, .cpu = report->cpu, .nr = 1,
			.delay_ns = off_ns, .longest_ns = off_ns, .raw_ns = report->raw_ns,
		});
	row->cpu = report->cpu;
	row->in_ns = report->raw_ns;
	row->out_ns = 0;
	put_in_queue(row);
}

static void note_out(const struct perf_report *report, const struct sched_stat_ops *ops)
{
	struct row *row = row_of(report);

	if (row->in_ns)
		ops->ran(report, report->raw_ns - row->in_ns);
	row->in_ns = 0;
	row->out_ns = report->raw_ns;
	row->is_preempted = report->is_runnable;
}

/* The kernel has dropped reports, possibly reports of any thread: so nothing is said about the
 * intervals that have begun. */
static void note_lost(void)
{
	for (uint32_t i = 0; i < NR_THREAD_KEYS; i++) {
		if (!keys[i].tid)
			continue;
		rows[i].in_ns = rows[i].out_ns = 0;
		rows[i].before.is_bad = rows[i].after.is_bad = true;
	}
}

void stat_note(const struct perf_report *report, const struct sched_stat_ops *ops)
{
	switch (report->kind) {
	case PERF_KIND_IN:
		note_in(report, ops);
		break;
	case PERF_KIND_OUT:
		note_out(report, ops);
		break;
	case PERF_KIND_LOST:
		note_lost();
		break;
	default:
		break;
	}
}

/* ---- rounds ---- */

/* Report to ops->waited() how long thread @tid has waited between the readings @base and @next,
 * if that is known. */
static void report_interval(const struct row *row, uint32_t tid, uint64_t until_ns,
			    const struct sched_stat_ops *ops)
{
	const struct interval *interval = &row->before;
	uint64_t sum_ns = row->next.delay_ns - row->base.delay_ns, others_ns;

	if (!row->has_base || interval->is_bad || !interval->nr_asleep ||
	    row->next.nr - row->base.nr != interval->nr)
		return;
	/* Reports and schedstat use different clocks.  So the waits after preemptions, which are
	 * from reports, may be a little longer than all waits, which are from schedstat. */
	sum_ns -= min_u64(sum_ns, interval->preempted_ns);
	others_ns = interval->asleep_ns - interval->longest_asleep_ns;
	ops->waited(&(struct sched_wait){
		.tid = tid, .pid = row->pid, .cpu = row->cpu, .nr = interval->nr_asleep,
		.delay_ns = sum_ns, .longest_ns = sum_ns - min_u64(sum_ns, others_ns),
		.raw_ns = until_ns,
	});
}

/* Use the reading @next, if all reports of the time before it are known. */
static void use_reading(struct row *row, uint32_t tid, uint64_t until_ns,
			const struct sched_stat_ops *ops)
{
	if (!row->has_next || until_ns < row->next.until_ns)
		return;
	report_interval(row, tid, until_ns, ops);
	row->base = row->next;
	row->has_base = true;
	row->has_next = false;
	row->before = row->after;
	row->after = (struct interval){ 0 };
}

/* Use or make a reading for @row, which is in the queue.  Returns true if the row must stay in
 * the queue. */
static bool visit(struct row *row, struct thread_key *key, uint64_t until_ns, bool may_read,
		  const struct sched_stat_ops *ops)
{
	use_reading(row, key->tid, until_ns, ops);
	if (row->has_next)
		return true;
	if (row->has_base && !row->before.nr && !row->before.is_bad)
		return false;
	if (!may_read)
		return true;
	row->has_next = read_schedstat(key->tid, &row->next);
	if (!row->has_next)
		*key = (struct thread_key){ 0 };	/* the thread has ended */
	return row->has_next;
}

void stat_round(uint64_t until_ns, const struct sched_stat_ops *ops)
{
	uint32_t nr = nr_queued, nr_left = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct row *row = &rows[queue[i]];

		row->is_queued = visit(row, &keys[queue[i]], until_ns, i < READINGS_MAX, ops);
		if (row->is_queued)
			queue[nr_left++] = queue[i];
	}
	nr_queued = nr_left;
}
