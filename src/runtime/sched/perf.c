/* SPDX-License-Identifier: MIT */
/*
 * Reports of the kernel about threads.  For each CPU there is one buffer, which the kernel
 * writes and the agent reads.  For each thread that exists at perf_open() there is one perf
 * event for each CPU, because the kernel lets events of a thread share a buffer, and be
 * inherited by new threads, only if they are bound to a CPU.  All events of a CPU write to the
 * buffer of the first one.
 *
 * A thread may start while perf_open() walks the list of threads.  If its creator has a
 * perf event already, the new thread inherits this event, and then may get a second one.
 * Both perf events report each change, one directly after the other; perf_read() drops the
 * second report.
 *
 * The mates of [perf.head] and [perf.tail] are in the kernel: it stores data_head after a
 * report [perf.head], and does not overwrite the reports from data_tail on [perf.tail].
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/sched/names.h"
#include "runtime/sched/perf.h"

#define PAGES_MAX	64u		/* number of pages of a CPU's buffer at the
					 * first attempt */
#define PAGES_MIN	2u		/* number of pages at the last attempt, if the
					 * user may lock no more memory */
#define REPORT_BYTES	128u		/* no report is larger */
#define THREADS_MAX	4096u		/* maximum number of threads that perf_open()
					 * finds */
#define FDS_MAX		65536u		/* maximum number of perf events besides those
					 * with buffers */
#define SCANS_MAX	16u		/* maximum number of walks over the list of
					 * threads */

/* The end of each report, which has PERF_SAMPLE_TID, _TIME and _CPU. */
struct trailer {
	uint32_t pid, tid;
	uint64_t raw_ns;
	uint32_t cpu, reserved;
};

/* A report as the kernel writes it.  A struct trailer follows at its end; its offset
 * depends on the size of the report. */
union raw_report {
	struct perf_event_header header;
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
	} task;
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[ABI_COMM_LEN];
	} comm;
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} lost;
	uint64_t words[REPORT_BYTES / 8];
};

/* The buffer of a CPU. */
struct cpu {
	struct perf_event_mmap_page *page;	/* the mapped buffer; NULL: there is
						 * none, because the CPU is offline */
	int fd;
	uint64_t end;			/* the present call of perf_read() reads the
					 * reports before this position of the buffer */
	bool has_next;
	struct perf_report next;	/* the next report, only valid if @has_next is
					 * true */
	uint32_t last_tid[PERF_KIND_OTHER + 1];	/* for each kind of report, the thread
						 * of the last report; 0 if the next
						 * report cannot be its repetition */
};

static struct cpu *cpus;		/* array of root_nr_cpus() elements; NULL: not
					 * needed so far */
static uint32_t nr_pages;		/* number of pages of each buffer, without its
					 * first page */
static int *fds;			/* descriptors of the perf events without
					 * buffers */
static uint32_t nr_fds;
static uint32_t *seen;			/* ids of the threads that have perf events */
static uint32_t nr_seen;

/* ---- open ---- */

static int open_event(uint32_t tid, uint32_t cpu, bool has_children)
{
	static bool is_old;		/* true: Linux is older than 5.13, and does not
					 * have perf_event_attr.inherit_thread */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.context_switch = !has_children,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.inherit = 1,
		.inherit_thread = !has_children && !is_old,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = 1u << 30,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
	};
	long fd = arch_syscall6(SYS_perf_event_open, (long)&attr, tid, cpu, -1,
				PERF_FLAG_FD_CLOEXEC, 0);

	if (fd == -EINVAL && attr.inherit_thread) {
		is_old = true;
		return open_event(tid, cpu, has_children);
	}
	return (int)fd;
}

static void close_fd(int fd)
{
	arch_syscall1(SYS_close, fd);
}

/* Map the buffer of @cpu for the perf event @fd.  If the user has no right to lock
 * PAGES_MAX pages, the first buffer of all gets fewer pages. */
static int map_buffer(struct cpu *cpu, int fd)
{
	long mem;

	do {
		mem = arch_syscall6(SYS_mmap, 0, (1 + nr_pages) * ARCH_PAGE_BYTES,
				    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	} while (mem == -EPERM && nr_pages > PAGES_MIN && (nr_pages /= 2));
	if (arch_is_error(mem))
		return (int)mem;
	*cpu = (struct cpu){ .page = (struct perf_event_mmap_page *)mem, .fd = fd };
	return 0;
}

static int open_on_cpu(uint32_t tid, uint32_t number, bool has_children)
{
	struct cpu *cpu = &cpus[number];
	int fd = open_event(tid, number, has_children), r;

	if (fd == -ENODEV)
		return 0;		/* the CPU is offline */
	if (fd < 0)
		return fd;
	if (nr_fds == FDS_MAX) {
		r = -EMFILE;
	} else if (!cpu->page) {
		r = map_buffer(cpu, fd);
	} else {
		r = (int)arch_syscall3(SYS_ioctl, fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd);
		if (!r)
			fds[nr_fds++] = fd;
	}
	if (r)
		close_fd(fd);
	return r;
}

static int open_thread(uint32_t tid, bool has_children)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < root_nr_cpus(); i++) {
		r = open_on_cpu(tid, i, false);
		if (!r && has_children)
			r = open_on_cpu(tid, i, true);
	}
	return r == -ESRCH ? 0 : r;	/* -ESRCH: the thread has ended meanwhile */
}

static bool is_seen(uint32_t tid)
{
	for (uint32_t i = 0; i < nr_seen; i++)
		if (seen[i] == tid)
			return true;
	return false;
}

static uint32_t parse_tid(const char *name)
{
	uint32_t tid = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		tid = tid * 10 + (uint32_t)(*name - '0');
	return *name ? 0 : tid;
}

struct linux_dirent {
	uint64_t ino;
	int64_t off;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static int open_listed(const char *list, long bytes, bool has_children)
{
	char comm[ABI_COMM_LEN];
	int r = 0;

	for (long at = 0; !r && at < bytes; ) {
		const struct linux_dirent *entry = (const void *)(list + at);
		uint32_t tid = parse_tid(entry->name);

		at += entry->bytes;
		if (!tid || is_seen(tid))
			continue;
		if (nr_seen == THREADS_MAX)
			return -E2BIG;
		seen[nr_seen++] = tid;
		r = open_thread(tid, has_children);
		names_get(tid, comm);	/* read the name now, because changes are
					 * reported from here on */
	}
	return r;
}

/* Open perf events for the threads that have none.  Returns 0 or -errno. */
static int scan_threads(bool has_children)
{
	uint64_t list[256];
	int dir = (int)arch_syscall4(SYS_openat, AT_FDCWD, "/proc/self/task",
				     O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long bytes;
	int r = 0;

	if (dir < 0)
		return -ENODATA;
	while (!r && (bytes = arch_syscall3(SYS_getdents64, dir, list, sizeof(list))) > 0)
		r = open_listed((const char *)list, bytes, has_children);
	close_fd(dir);
	return r;
}

static bool get_tables(void)
{
	uint32_t nr = root_nr_cpus();

	if (!cpus)
		cpus = memory_alloc(nr * sizeof(*cpus));
	if (!fds)
		fds = memory_alloc(FDS_MAX * sizeof(*fds));
	if (!seen)
		seen = memory_alloc(THREADS_MAX * sizeof(*seen));
	return cpus && fds && seen;
}

/* Walk the list of threads until it has no new thread.  Then all threads have perf events,
 * because a thread that starts later inherits those of its creator. */
int perf_open(bool has_children, uint32_t agent)
{
	uint32_t before = 0;
	int r = 0;

	if (!get_tables())
		return -ENOMEM;
	nr_pages = PAGES_MAX;
	nr_fds = 0;
	seen[0] = agent;
	nr_seen = 1;
	for (uint32_t i = 0; !r && before != nr_seen && i < SCANS_MAX; i++) {
		before = nr_seen;
		r = scan_threads(has_children);
	}
	if (r)
		perf_close(true);
	return r;
}

void perf_close(bool is_agent)
{
	for (uint32_t i = 0; cpus && i < root_nr_cpus(); i++) {
		if (!cpus[i].page)
			continue;
		arch_syscall2(SYS_munmap, cpus[i].page, (1 + nr_pages) * ARCH_PAGE_BYTES);
		cpus[i].page = NULL;
		if (is_agent)
			close_fd(cpus[i].fd);
	}
	while (is_agent && nr_fds)
		close_fd(fds[--nr_fds]);
}

void perf_forget(void)
{
	for (uint32_t i = 0; cpus && i < root_nr_cpus(); i++)
		cpus[i].page = NULL;
	nr_fds = 0;
}

/* ---- read ---- */

static void copy_out(const struct cpu *cpu, uint64_t at, void *to, size_t bytes)
{
	const char *data = (const char *)cpu->page + ARCH_PAGE_BYTES;
	uint64_t size = (uint64_t)nr_pages * ARCH_PAGE_BYTES;
	size_t first = (size_t)min_u64(bytes, size - at % size);

	memcpy(to, data + at % size, first);
	memcpy((char *)to + first, data, bytes - first);
}

static void fill_switch(const union raw_report *raw, struct perf_report *report)
{
	uint16_t misc = raw->header.misc;

	report->kind = misc & PERF_RECORD_MISC_SWITCH_OUT ? PERF_KIND_OUT : PERF_KIND_IN;
	report->is_runnable = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
}

static void fill_task(const union raw_report *raw, struct perf_report *report)
{
	report->kind = raw->header.type == PERF_RECORD_FORK ? PERF_KIND_FORK : PERF_KIND_EXIT;
	report->pid = raw->task.pid;
	report->tid = raw->task.tid;
	report->ppid = raw->task.ppid;
	report->ptid = raw->task.ptid;
}

static void fill_comm(const union raw_report *raw, struct perf_report *report)
{
	size_t len = strnlen(raw->comm.comm, sizeof(report->comm) - 1);

	report->kind = raw->header.misc & PERF_RECORD_MISC_COMM_EXEC ? PERF_KIND_EXEC :
								      PERF_KIND_COMM;
	report->pid = raw->comm.pid;
	report->tid = raw->comm.tid;
	memcpy(report->comm, raw->comm.comm, len);
}

static void fill_report(const union raw_report *raw, struct perf_report *report)
{
	struct trailer end;

	memcpy(&end, (const char *)raw + raw->header.size - sizeof(end), sizeof(end));
	*report = (struct perf_report){
		.kind = PERF_KIND_OTHER, .cpu = end.cpu, .pid = end.pid, .tid = end.tid,
		.raw_ns = end.raw_ns,
	};
	switch (raw->header.type) {
	case PERF_RECORD_SWITCH:
		fill_switch(raw, report);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		fill_task(raw, report);
		break;
	case PERF_RECORD_COMM:
		fill_comm(raw, report);
		break;
	case PERF_RECORD_LOST:
		report->kind = PERF_KIND_LOST;
		report->lost = raw->lost.lost;
		break;
	}
}

/*
 * Returns true if @report repeats the last report of its kind on this CPU: two perf events have
 * reported one change (see the top of this file).  Two equal reports in a row are always such a
 * pair: between two switches in of a thread on one CPU there is a switch out, and a thread
 * starts only once.
 */
static bool is_repeated(struct cpu *cpu, const struct perf_report *report)
{
	uint32_t *last = &cpu->last_tid[report->kind];

	if (report->kind >= PERF_KIND_LOST)
		return false;
	if (*last == report->tid)
		return true;
	*last = report->tid;
	/* After a switch out, the next switch in is a new change, even if it is of the thread
	 * that was switched in last; and the other way round.  After the start of a thread, the
	 * next end of a thread is a new change. */
	if (report->kind == PERF_KIND_OUT)
		cpu->last_tid[PERF_KIND_IN] = 0;
	if (report->kind == PERF_KIND_IN)
		cpu->last_tid[PERF_KIND_OUT] = 0;
	if (report->kind == PERF_KIND_FORK)
		cpu->last_tid[PERF_KIND_EXIT] = 0;
	return false;
}

/* Take the next report of @cpu out of its buffer.  If the buffer is damaged, because the
 * program has written to it, drop all its reports. */
static void take_next(struct cpu *cpu)
{
	union raw_report raw = { .words = { 0 } };
	uint64_t tail = cpu->page->data_tail;

	cpu->has_next = false;
	while (!cpu->has_next && tail < cpu->end) {
		copy_out(cpu, tail, &raw, sizeof(raw.header));
		if (raw.header.size < sizeof(raw.header) + sizeof(struct trailer) ||
		    raw.header.size > sizeof(raw) || raw.header.size > cpu->end - tail) {
			tail = cpu->end;
			break;
		}
		copy_out(cpu, tail, &raw, raw.header.size);
		tail += raw.header.size;
		fill_report(&raw, &cpu->next);
		cpu->has_next = !is_repeated(cpu, &cpu->next);
	}
	/* release: the reports were copied before the kernel may overwrite
	 * them */
	__atomic_store_n(&cpu->page->data_tail, tail, __ATOMIC_RELEASE);	/* [perf.tail] */
}

static struct cpu *oldest(uint64_t until_ns)
{
	struct cpu *first = NULL;

	for (uint32_t i = 0; i < root_nr_cpus(); i++)
		if (cpus[i].page && cpus[i].has_next && cpus[i].next.raw_ns <= until_ns &&
		    (!first || cpus[i].next.raw_ns < first->next.raw_ns))
			first = &cpus[i];
	return first;
}

uint32_t perf_read(uint64_t until_ns, uint32_t max, void (*fn)(const struct perf_report *report))
{
	struct cpu *cpu;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < root_nr_cpus(); i++) {
		cpu = &cpus[i];
		if (!cpu->page)
			continue;
		/* acquire: the reports before data_head are complete */
		cpu->end = __atomic_load_n(&cpu->page->data_head,
					   __ATOMIC_ACQUIRE);	/* [perf.head] */
		if (!cpu->has_next)
			take_next(cpu);
	}
	while (nr < max && (cpu = oldest(until_ns))) {
		fn(&cpu->next);
		take_next(cpu);
		nr++;
	}
	return nr;
}
