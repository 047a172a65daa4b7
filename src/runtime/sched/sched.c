/* SPDX-License-Identifier: MIT */
/*
 * Record the events of the system ulf_sched.  The agent reads the kernel's reports (perf.h) in
 * rounds: every TICK_MS, before it applies settings, and when the program exits.
 *
 * A report may become visible some time after the time stamp in it, for example because the
 * host of a virtual machine has stopped the CPU meanwhile.  So a regular round leaves
 * reports of the last SETTLE_NS for the next round.  After each round, abi_process.late is
 * the time up to which everything has been recorded; consuming readers wait for this.
 */
#include "runtime/sched/sched.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <time.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/posix_clock.h"
#include "runtime/base/lock.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/buffer/late.h"
#include "runtime/sched/events.h"
#include "runtime/sched/names.h"
#include "runtime/sched/perf.h"
#include "runtime/sched/run_delay.h"
#include "runtime/sched/stat.h"

#define TICK_MS		5
#define SETTLE_NS	1000000
#define BATCH		256u		/* number of reports that are recorded without
					 * releasing the lock */
#define BATCHES_MAX	64u		/* maximum number of times that the agent
					 * records BATCH reports before it applies
					 * settings */
#define EXIT_MS		1000		/* longest wait of exit() for a round, ms */
#define CHILDREN_MAX	64u		/* number of children whose exec() and exit
					 * are recorded */

#define SWITCHES	(1u << SCHED_SWITCH)
#define CHILDREN	(1u << SCHED_PROCESS_EXEC | 1u << SCHED_PROCESS_EXIT)
#define STATS		(1u << SCHED_STAT_RUNTIME | 1u << SCHED_STAT_WAIT)

/* Variables that are written with runtime_lock() held. */
static uint32_t agent_tid;		/* thread id of the agent; 0: the agent has
					 * not started yet */
static int refusal;			/* 0, or -errno: why the agent cannot record */
static uint32_t on;			/* mask of the events for which reports are read */
static bool has_children;		/* true: perf_open() was asked for reports
					 * about children, too */

static uint32_t asked, done;		/* futexes: number of the last round that
					 * exit() has requested, and of the last round
					 * that the agent has done */

static uint32_t children[CHILDREN_MAX];	/* the last children of this process, by pid */
static uint32_t nr_children;

/* ---- decide which reports this process records ---- */

static bool is_child(uint32_t pid)
{
	for (uint32_t i = 0; i < CHILDREN_MAX; i++)
		if (children[i] == pid)
			return true;
	return false;
}

static uint32_t own_pid(void)
{
	return __atomic_load_n(&process_slot->pid, __ATOMIC_RELAXED);
}

/*
 * Returns true if this process records the report.  A process records the changes of its
 * own threads, and also when its children call exec() or end, because a child's agent does
 * not exist any more at that time.
 */
static bool is_ours(const struct perf_report *report)
{
	uint32_t pid = own_pid();

	switch (report->kind) {
	case PERF_KIND_FORK:
		return report->ppid == pid;
	case PERF_KIND_EXEC:
		return is_child(report->pid);
	case PERF_KIND_EXIT:
		return report->pid == pid || (report->tid == report->pid && is_child(report->pid));
	default:
		return report->pid == pid;
	}
}

static void note_names(const struct perf_report *report)
{
	char comm[ABI_COMM_LEN];

	if (report->kind == PERF_KIND_COMM || report->kind == PERF_KIND_EXEC)
		names_set(report->tid, report->comm);
	if (report->kind != PERF_KIND_FORK)
		return;
	names_get(report->ptid, comm);
	names_set(report->tid, comm);
	if (report->pid != report->ppid && !is_child(report->pid))
		children[nr_children++ % CHILDREN_MAX] = report->pid;
}

static void handle_wait(const struct sched_wait *wait)
{
	sched_events_waited(wait);
	run_delay_waited(wait);
}

static const struct sched_stat_ops stat_ops = {
	.ran = sched_events_ran,
	.waited = handle_wait,
};

/* Returns the mask of the events for which reports must be read. */
static uint32_t wanted_events(void)
{
	uint32_t mask = sched_events_wanted();

	return run_delay_is_wanted() ? mask | 1u << SCHED_STAT_WAIT : mask;
}

static void handle(const struct perf_report *report)
{
	if (report->kind != PERF_KIND_LOST && !is_ours(report))
		return;
	note_names(report);
	sched_events_record(report);
	if (on & STATS)
		stat_note(report, &stat_ops);
}

/* ---- rounds ---- */

static void publish_late(uint32_t late)
{
	if (process_slot)
		__atomic_store_n(&process_slot->late, late, __ATOMIC_RELEASE);	/* [late.until] */
}

/* Record the reports that are at least @age_ns old, but no more than BATCH.  Lock held.
 * Returns true if there may be more. */
static bool read_batch(uint64_t age_ns)
{
	uint64_t tsc = arch_tsc();
	uint64_t now_ns = clock_posix_ns(CLOCK_MONOTONIC_RAW);
	bool has_more;

	late_round_begin();
	has_more = perf_read(now_ns - age_ns, BATCH, handle) == BATCH;
	if (has_more)
		return true;
	if (on & STATS)
		stat_round(now_ns - age_ns, &stat_ops);
	late_round_end();
	/* The factor 5: the TSC runs at 5 GHz at most, so 1 ns has at most 5
	 * cycles. */
	publish_late(abi_late_stamp(tsc - age_ns * 5));
	return false;
}

static void read_all(void)
{
	for (uint32_t i = 0; i < BATCHES_MAX && read_batch(0); i++)
		;
}

uint32_t sched_tick(void)
{
	uint32_t round = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);	/* [sched.ask] */
	bool is_asked = round != done, has_more = true;

	if (!__atomic_load_n(&on, __ATOMIC_RELAXED) && !is_asked)
		return 0;
	while (has_more) {
		runtime_lock();
		has_more = on && !process_has_left() &&
			   read_batch(is_asked ? 0 : SETTLE_NS);
		runtime_unlock();
	}
	if (is_asked) {
		__atomic_store_n(&done, round, __ATOMIC_RELEASE);	/* [sched.done] */
		arch_syscall3(SYS_futex, &done, FUTEX_WAKE_PRIVATE, INT_MAX);
	}
	return __atomic_load_n(&on, __ATOMIC_RELAXED) ? TICK_MS : 0;
}

/* Called in exit(): wait until the agent has recorded everything that happened
 * so far. */
void sched_exit(void)
{
	struct timespec limit = { EXIT_MS / 1000, EXIT_MS % 1000 * 1000000 };
	uint32_t round, seen;

	if (!__atomic_load_n(&on, __ATOMIC_RELAXED) || process_has_left())
		return;
	round = __atomic_add_fetch(&asked, 1, __ATOMIC_RELEASE);	/* [sched.ask] */
	arch_syscall3(SYS_futex, &root_control->generation, FUTEX_WAKE, INT_MAX);
	seen = __atomic_load_n(&done, __ATOMIC_ACQUIRE);	/* [sched.done] */
	if ((int32_t)(seen - round) < 0)
		arch_syscall4(SYS_futex, &done, FUTEX_WAIT_PRIVATE, seen, &limit);
}

/* ---- settings ---- */

static void stop(void)
{
	perf_close(true);
	__atomic_store_n(&on, 0, __ATOMIC_RELAXED);
	publish_late(0);
}

/* Ask the kernel for its reports.  Returns 0 or -errno. */
static int open_reports(bool needs_children)
{
	if (refusal)
		return refusal;
	if (!names_begin())
		return -ENOMEM;
	return perf_open(needs_children, agent_tid);
}

static int start(uint32_t wanted)
{
	bool needs_children = wanted & CHILDREN;
	int r = 0;

	if (on && has_children != needs_children)
		stop();
	if (wanted & STATS && !(on & STATS))
		r = stat_begin();
	/* Publish before the reports begin: readers must wait for the first ones, too. */
	if (!r && !on) {
		publish_late(abi_late_stamp(arch_tsc()));
		r = open_reports(needs_children);
	}
	if (r)
		return r;
	has_children = needs_children;
	__atomic_store_n(&on, wanted, __ATOMIC_RELAXED);
	return 0;
}

/* Start, change or stop the reports, as the settings of the events require.
 * Only the agent calls this function.  Returns 0 or -errno. */
static int apply(void)
{
	uint32_t wanted = wanted_events();
	int r;

	if (on)
		read_all();
	if (!wanted && on)
		stop();
	r = wanted ? start(wanted) : 0;
	if (r) {
		sched_events_fail(sched_events_wanted(), r);
		publish_late((uint32_t)-r);
	}
	return r;
}

int sched_apply(void)
{
	return agent_tid && (uint32_t)arch_syscall0(SYS_gettid) == agent_tid ? apply() : 0;
}

/* ---- start and end ---- */

void sched_init(void)
{
	sched_events_register();
}

/* Called when the agent starts: apply the boot settings, or in a child those of
 * the parent. */
void sched_agent_start(bool has_own_table)
{
	runtime_lock();
	agent_tid = (uint32_t)arch_syscall0(SYS_gettid);
	refusal = has_own_table && late_prepare() ? 0 : -EOPNOTSUPP;
	apply();
	runtime_unlock();
}

/* The program must wait until the agent records, so that the switches of its
 * first instructions are recorded, too. */
bool sched_must_wait(void)
{
	bool must;

	runtime_lock();
	must = wanted_events();
	runtime_unlock();
	return must;
}

/* The descriptors need not be closed: the agent ends soon, and its descriptor
 * table with it. */
int sched_leave(void)
{
	perf_close(false);
	__atomic_store_n(&on, 0, __ATOMIC_RELAXED);
	return 0;
}

static void forget(void)
{
	if (!agent_tid)
		return;
	perf_forget();
	agent_tid = 0;
	on = 0;
	done = asked;
	nr_children = 0;
	for (uint32_t i = 0; i < CHILDREN_MAX; i++)
		children[i] = 0;
}

void sched_after_fork(uint32_t old_tid)
{
	(void)old_tid;
	forget();
}

void sched_detach(void)
{
	forget();
}
