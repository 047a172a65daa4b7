/* SPDX-License-Identifier: MIT */
/* Records in every file that shows them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/wait.h>
#include <signal.h>
#include <poll.h>
#include <time.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define TID	4711u
#define S	1000000000ull
#define FAST	ABI_RING_FAST
#define SLOW	ABI_RING_SLOW

struct fixture {
	char dir[128];
	struct fake_root root;
	struct server *server;
	uint32_t id;			/* id of sched:tick */
};

/* Make rings with the clock mono, so that a test can choose the times. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_dir_make(f->dir);
	fake_root_make(&f->root, f->dir, "fake.1");
	f->id = fake_event_n(&f->root, 0, "sched", "tick");
	fake_comm(&f->root, TID, "worker");
	fake_root_show(&f->root, "fake.1");
	if (server_new(f->dir, &f->server) ||
	    tree_echo(f->server, "fake.1/trace_clock", "mono") ||
	    tree_echo(f->server, "fake.1/events/enable", "1"))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	server_free(f->server);
	fake_root_done(&f->root);
	fake_dir_remove(f->dir);
	free(f);
	return 0;
}

static void record(struct fixture *f, uint32_t cpu, enum abi_ring_kind kind, int n,
		   uint64_t time)
{
	assert_int_equal(fake_record(&f->root, cpu, kind, f->id, TID, n, time), 0);
}

/* Returns the name of this program's thread. */
static const char *own_name(void)
{
	static char name[16];
	FILE *file = fopen("/proc/self/comm", "r");

	assert_int_equal(fscanf(file, "%15s", name), 1);
	fclose(file);
	return name;
}

/* Returns the header with these counts, then @lines. */
static const char *trace_text(const char *counts, const char *lines)
{
	static char text[65536];

	snprintf(text, sizeof(text),
		"# tracer: nop\n"
		"#\n"
		"# entries-in-buffer/entries-written: %s   #P:%ld\n"
		"#\n"
		"#                                _-----=> irqs-off/BH-disabled\n"
		"#                               / _----=> need-resched\n"
		"#                              | / _---=> hardirq/softirq\n"
		"#                              || / _--=> preempt-depth\n"
		"#                              ||| / _-=> migrate-disable\n"
		"#                              |||| /     delay\n"
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		"#              | |         |   |||||     |         |\n%s",
		counts, sysconf(_SC_NPROCESSORS_ONLN), lines);
	return text;
}

static void empty_trace_is_a_header(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(tree_cat(f->server, "fake.1/trace"),
			    trace_text("0/0", ""));
}

/* Four rings: one line per record, by time, with rounded microseconds. */
static void all_rings_are_merged_by_time(void **state)
{
	static const char lines[] =
		"          worker-4711    [001] .....     1.000001: tick: n=1\n"
		"          worker-4711    [000] .....     1.000002: tick: n=2\n"
		"          worker-4711    [000] .....     1.000002: tick: n=3\n"
		"          worker-4711    [001] .....     1.000003: tick: n=4\n"
		"          worker-4711    [000] .....    12.000000: tick: n=5\n"
		"          worker-4711    [001] ..... 123456.000000: tick: n=6\n";
	struct fixture *f = *state;

	record(f, 0, FAST, 2, S + 1500);
	record(f, 1, FAST, 1, S + 1499);
	record(f, 0, SLOW, 3, S + 1600);
	record(f, 1, SLOW, 4, S + 2999);
	record(f, 0, FAST, 5, 12 * S);
	record(f, 1, FAST, 6, 123456 * S);
	assert_string_equal(tree_cat(f->server, "fake.1/trace"),
			    trace_text("6/6", lines));
	assert_string_equal(tree_cat_by(f->server, "fake.1/trace", 1),
			    trace_text("6/6", lines));
	/* as in the kernel, the counts are of all CPUs */
	assert_string_equal(tree_cat(f->server, "fake.1/per_cpu/cpu0/trace"),
		trace_text("6/6",
		"          worker-4711    [000] .....     1.000002: tick: n=2\n"
		"          worker-4711    [000] .....     1.000002: tick: n=3\n"
		"          worker-4711    [000] .....    12.000000: tick: n=5\n"));
}

static void seeking_in_trace(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	char *whole, buf[64];
	size_t len;

	record(f, 0, FAST, 1, S);
	record(f, 0, FAST, 2, 2 * S);
	whole = strdup(tree_cat(f->server, "fake.1/trace"));
	len = strlen(whole);
	assert_int_equal(tree_open(f->server, "fake.1/trace", O_RDONLY, &file), 0);
	assert_int_equal(tracefs_read(file, buf, 20, (off_t)len - 30), 20);
	assert_memory_equal(buf, whole + len - 30, 20);
	assert_int_equal(tracefs_read(file, buf, 64, (off_t)len - 10), 10);
	assert_memory_equal(buf, whole + len - 10, 10);
	assert_int_equal(tracefs_read(file, buf, 64, (off_t)len), 0);
	assert_int_equal(tracefs_read(file, buf, 8, 5), 8);
	assert_memory_equal(buf, whole + 5, 8);
	assert_int_equal(tracefs_read(file, buf, 64, (off_t)len + 1000), 0);
	tracefs_close(file);
	free(whole);
}

/* A reader also gets what is recorded while it reads, and the end when nothing new is
 * recorded. */
static void trace_goes_on_while_it_is_read(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	char text[8192];
	off_t at = 0;
	ssize_t n;
	int i = 0;

	for (i = 0; i < 5; i++)
		record(f, 0, FAST, i, S + (uint64_t)i);
	assert_int_equal(tree_open(f->server, "fake.1/trace", O_RDONLY, &file), 0);
	while ((n = tracefs_read(file, text + at, 50, at)) > 0) {
		at += n;
		assert_true((size_t)at < sizeof(text) - 50);
		if (i < 8) {
			record(f, 0, FAST, i, S + (uint64_t)i);
			i++;
		}
	}
	assert_int_equal(n, 0);
	text[at] = '\0';
	tracefs_close(file);
	assert_non_null(strstr(text, "n=4\n"));
	assert_non_null(strstr(text, "n=7\n"));
}

/* A read far beyond the end prints all lines, a part at a time, even while records are
 * written. */
static void reading_beyond_the_end(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	int n = 0, calls = 0;
	ssize_t r = -ERESTART;
	char buf[64];

	assert_int_equal(tree_echo(f->server, "fake.1/buffer_size_kb", "16384"), 0);
	for (; n < 400000; n++)
		record(f, 0, FAST, n, S + (uint64_t)n);
	assert_int_equal(tree_open(f->server, "fake.1/trace", O_RDONLY, &file), 0);
	while (r == -ERESTART && calls++ < 20000) {
		struct timespec start, end;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
		r = tracefs_read(file, buf, sizeof(buf), (off_t)1 << 40);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
		assert_true((end.tv_sec - start.tv_sec) * 1000 +
			    (end.tv_nsec - start.tv_nsec) / 1000000 < 200);
		for (int i = 0; calls < 200 && i < 100; i++, n++)
			record(f, 0, FAST, n, S + (uint64_t)n);
		usleep(1000);		/* -ERESTART is repeated for some time */
	}
	assert_int_equal(r, 0);
	assert_true(calls > 1);
	tracefs_close(file);
}

static void unknown_threads_and_types(void **state)
{
	struct fixture *f = *state;
	char lines[512];

	assert_int_equal(fake_record(&f->root, 0, SLOW, f->id, 0x7ffffff0, 1, S), 0);
	assert_int_equal(fake_record(&f->root, 0, SLOW, 40000, TID, 1, S), 0);
	assert_int_equal(fake_record(&f->root, 0, SLOW, 7, 0, 1, S), 0);
	/* a thread of the living program that is in no table */
	assert_int_equal(fake_record(&f->root, 0, SLOW, f->id, (uint32_t)getpid(), 1, S), 0);
	snprintf(lines, sizeof(lines),
		"           <...>-2147483632 [000] .....     1.000000: tick: n=1\n"
		"          worker-4711    [000] .....     1.000000: Unknown type 40000\n"
		"          <idle>-0       [000] .....     1.000000: Unknown type 7\n"
		"%16s-%-7d [000] .....     1.000000: tick: n=1\n",
		own_name(), getpid());
	assert_string_equal(tree_cat(f->server, "fake.1/trace"),
			    trace_text("4/4", lines));
}

static void flags_print_as_letters(void **state)
{
	static const struct {
		uint8_t flags, preempt;
		const char *text;
	} cases[] = {
		{ 0x00, 0x00, "....." },
		{ 0x01, 0x02, "d..2." },
		{ 0x80, 0x00, "b...." },
		{ 0x81, 0x00, "D...." },
		{ 0x01 | 0x04 | 0x20 | 0x08, 0x03, "dNh3." },
		{ 0x04, 0x00, ".n..." },
		{ 0x20, 0x00, ".p..." },
		{ 0x02, 0x00, ".l..." },
		{ 0x22, 0x00, ".L..." },
		{ 0x26, 0x00, ".B..." },
		{ 0x06, 0x00, ".b..." },
		{ 0x10, 0x10, "..s.1" },
		{ 0x18, 0xff, "..Hff" },
		{ 0x40, 0x00, "..z.." },
		{ 0x48, 0x00, "..Z.." },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct {
			uint32_t headroom;
			uint16_t type;
			uint8_t flags, preempt;
			uint32_t pid, n;
		} r = { 0, (uint16_t)f->id, cases[i].flags, cases[i].preempt, TID, 0 };
		char line[128];

		assert_int_equal(ring_write_locked(fake_ring(&f->root, 0, SLOW), &r.type,
			12, S + i, (uint32_t)getpid()), 0);
		snprintf(line, sizeof(line), "[000] %s     1.", cases[i].text);
		assert_non_null(strstr(tree_cat(f->server, "fake.1/trace"), line));
		assert_int_equal(tree_echo(f->server, "fake.1/trace", ""), 0);
	}
}

/* ---- clearing ---- */

static void only_truncation_clears(void **state)
{
	struct fixture *f = *state;

	record(f, 0, FAST, 1, S);
	record(f, 1, SLOW, 2, 2 * S);
	assert_int_equal(tree_append(f->server, "fake.1/trace", "anything"), 0);
	assert_non_null(strstr(tree_cat(f->server, "fake.1/trace"), ": 2/2 "));
	assert_int_equal(tree_echo(f->server, "fake.1/per_cpu/cpu1/trace", "\n"), 0);
	assert_non_null(strstr(tree_cat(f->server, "fake.1/trace"), "n=1"));
	assert_null(strstr(tree_cat(f->server, "fake.1/trace"), "n=2"));
	assert_int_equal(tree_echo(f->server, "fake.1/trace", "\n"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/trace"), trace_text("0/0", ""));
	record(f, 0, FAST, 3, 3 * S);
	assert_string_equal(tree_cat(f->server, "fake.1/trace"), trace_text("1/1",
		"          worker-4711    [000] .....     3.000000: tick: n=3\n"));
}

/* ---- trace_pipe ---- */

static void pipe_takes_out(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	char buf[4096];
	ssize_t n;

	record(f, 0, FAST, 1, S);
	record(f, 1, FAST, 2, 2 * S);
	assert_int_equal(tree_open(f->server, "fake.1/trace_pipe", O_RDONLY, &file), 0);
	assert_true(tracefs_is_stream(file));
	assert_int_equal(tracefs_poll(file), POLLIN | POLLRDNORM);
	/* a small read gets the beginning of a line, the next one the rest */
	n = tracefs_read(file, buf, 10, 0);
	assert_int_equal(n, 10);
	n += tracefs_read(file, buf + n, sizeof(buf) - (size_t)n, 10);
	buf[n] = '\0';
	assert_string_equal(buf,
		"          worker-4711    [000] .....     1.000000: tick: n=1\n");
	n = tracefs_read(file, buf, sizeof(buf), 0);
	buf[n] = '\0';
	assert_string_equal(buf,
		"          worker-4711    [001] .....     2.000000: tick: n=2\n");
	assert_int_equal(tracefs_read(file, buf, sizeof(buf), 0), -EAGAIN);
	assert_int_equal(tracefs_poll(file), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/trace"), trace_text("0/0", ""));
	/* later records are read, too */
	record(f, 0, SLOW, 3, 3 * S);
	assert_int_equal(tracefs_poll(file), POLLIN | POLLRDNORM);
	n = tracefs_read(file, buf, sizeof(buf), 0);
	buf[n] = '\0';
	assert_string_equal(buf,
		"          worker-4711    [000] .....     3.000000: tick: n=3\n");
	/* if tracing is off, a reader that has read something gets the end */
	assert_int_equal(tree_echo(f->server, "fake.1/tracing_on", "0"), 0);
	assert_int_equal(tracefs_read(file, buf, sizeof(buf), 0), 0);
	tracefs_close(file);
	/* a reader that has read nothing waits, and with O_NONBLOCK the file never ends */
	assert_int_equal(tree_open(f->server, "fake.1/trace_pipe", O_RDONLY, &file), 0);
	assert_int_equal(tracefs_read(file, buf, sizeof(buf), 0), -EAGAIN);
	tracefs_close(file);
}

static void pipe_has_one_reader_a_cpu(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *all, *cpu0, *cpu1;

	assert_int_equal(tree_open(f->server, "fake.1/trace_pipe", O_RDONLY, &all), 0);
	assert_int_equal(tree_open(f->server, "fake.1/trace_pipe", O_RDONLY, &cpu0),
			 -EBUSY);
	assert_int_equal(tree_open(f->server, "fake.1/per_cpu/cpu0/trace_pipe",
				   O_RDONLY, &cpu0), -EBUSY);
	tracefs_close(all);
	assert_int_equal(tree_open(f->server, "fake.1/per_cpu/cpu0/trace_pipe",
				   O_RDONLY, &cpu0), 0);
	assert_int_equal(tree_open(f->server, "fake.1/per_cpu/cpu0/trace_pipe",
				   O_RDONLY, &cpu1), -EBUSY);
	assert_int_equal(tree_open(f->server, "fake.1/per_cpu/cpu1/trace_pipe",
				   O_RDONLY, &cpu1), 0);
	assert_int_equal(tree_open(f->server, "fake.1/trace_pipe", O_RDONLY, &all),
			 -EBUSY);
	tracefs_close(cpu0);
	assert_int_equal(tree_open(f->server, "fake.1/trace_pipe", O_RDONLY, &all),
			 -EBUSY);
	tracefs_close(cpu1);
	assert_int_equal(tree_open(f->server, "fake.1/trace_pipe", O_RDONLY, &all), 0);
	tracefs_close(all);
}

/* ---- losses ---- */

/* The smallest buffer gets more than fits: every record is there or counted. */
static void overruns_are_counted(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	char buf[256], counts[64];
	long entries, overrun, first, bytes;
	const char *text;

	assert_int_equal(tree_echo(f->server, "fake.1/buffer_size_kb", "4"), 0);
	for (int i = 0; i < 2000; i++)
		record(f, 0, FAST, i, S + (uint64_t)i * 1000);
	record(f, 1, FAST, 9999, 2 * S);
	text = tree_cat(f->server, "fake.1/per_cpu/cpu0/stats");
	assert_int_equal(sscanf(text, "entries: %ld overrun: %ld", &entries, &overrun), 2);
	assert_int_equal(entries + overrun, 2000);
	assert_true(entries > 100 && overrun > 1000);
	snprintf(counts, sizeof(counts), ": %ld/2001 ", entries + 1);
	text = tree_cat(f->server, "fake.1/trace");
	assert_non_null(strstr(text, counts));
	assert_null(strstr(text, "LOST"));
	first = strtol(strstr(text, "n=") + 2, NULL, 10);
	assert_int_equal(first, overrun);
	/* a CPU whose records start later has the kernel's note about that */
	text = strstr(text, "##### CPU 1 buffer started ####\n");
	assert_non_null(text);
	assert_non_null(strstr(text, "n=9999"));
	assert_null(strstr(text + 1, "#####"));
	/* the consuming reader gets a LOST line */
	assert_int_equal(tree_open(f->server, "fake.1/trace_pipe", O_RDONLY, &file), 0);
	/* in whole lines, if one fits */
	bytes = tracefs_read(file, buf, 200, 0);
	assert_in_range(bytes, 100, 200);
	assert_int_equal(buf[bytes - 1], '\n');
	buf[bytes] = '\0';
	snprintf(counts, sizeof(counts), "CPU:0 [LOST %ld EVENTS]\n", overrun);
	assert_memory_equal(buf, counts, strlen(counts));
	assert_null(strstr(buf + 10, "LOST"));
	tracefs_close(file);
}

/* ---- resizing and clocks ---- */

static void resizing_keeps_what_was_recorded(void **state)
{
	struct fixture *f = *state;

	record(f, 0, FAST, 1, 1 * S);
	assert_int_equal(tree_echo(f->server, "fake.1/buffer_size_kb", "100"), 0);
	record(f, 0, FAST, 2, 2 * S);
	record(f, 1, SLOW, 3, 3 * S);
	assert_string_equal(tree_cat(f->server, "fake.1/trace"), trace_text("3/3",
		"          worker-4711    [000] .....     1.000000: tick: n=1\n"
		"          worker-4711    [000] .....     2.000000: tick: n=2\n"
		"          worker-4711    [001] .....     3.000000: tick: n=3\n"));
	assert_string_equal(tree_cat(f->server, "fake.1/trace_pipe"),
		"          worker-4711    [000] .....     1.000000: tick: n=1\n"
		"          worker-4711    [000] .....     2.000000: tick: n=2\n"
		"          worker-4711    [001] .....     3.000000: tick: n=3\n");
	/* all records are removed, so the old rings are freed */
	assert_int_not_equal(f->root.buffer->side[0].prev[0][FAST].off, 0);
	assert_int_equal(tree_echo(f->server, "fake.1/trace", ""), 0);
	assert_int_not_equal(f->root.buffer->side[0].prev[0][FAST].off, 0);
	fake_apply(&f->root);		/* only when no writer uses them */
	assert_int_equal(tree_echo(f->server, "fake.1/trace", ""), 0);
	assert_int_equal(f->root.buffer->side[0].prev[0][FAST].off, 0);
}

/* A thousand resizes need no more space than a few. */
static void arena_is_used_again(void **state)
{
	struct fixture *f = *state;
	uint64_t highest = 0;

	for (int i = 0; i < 300; i++) {
		char kb[16];

		snprintf(kb, sizeof(kb), "%d", 100 + i % 7 * 100);
		assert_int_equal(tree_echo(f->server, "fake.1/buffer_size_kb", kb), 0);
		fake_apply(&f->root);
		for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
			if (f->root.buffer->side[0].ring[cpu][FAST].off > highest)
				highest = f->root.buffer->side[0].ring[cpu][FAST].off;
	}
	assert_true(highest < ABI_ARENA_OFF + (16u << 20));
}

static void another_clock_is_an_empty_buffer(void **state)
{
	struct fixture *f = *state;
	struct timespec now;
	const char *text;

	record(f, 0, FAST, 1, S);
	assert_int_equal(tree_echo(f->server, "fake.1/trace_clock", "x86-tsc"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/trace"), trace_text("0/0", ""));
	record(f, 0, FAST, 2, 0);
	text = strstr(tree_cat(f->server, "fake.1/trace"), "[000] ..... ");
	assert_non_null(text);
	assert_null(strchr(text + 12, '.'));
	assert_true(strtoull(text + 12, NULL, 10) > 1000);
	/* setting the same clock again empties the buffer, too */
	assert_int_equal(tree_echo(f->server, "fake.1/trace_clock", "x86-tsc"), 0);
	assert_string_equal(tree_cat(f->server, "fake.1/trace"), trace_text("0/0", ""));
	/* the default clock counts from the zero of CLOCK_MONOTONIC */
	assert_int_equal(tree_echo(f->server, "fake.1/trace_clock", "local"), 0);
	record(f, 0, FAST, 3, 0);
	text = strstr(tree_cat(f->server, "fake.1/trace"), "[000] ..... ");
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_in_range(strtoull(text + 12, NULL, 10), (uint64_t)now.tv_sec - 2,
			(uint64_t)now.tv_sec + 1);
}

/* ---- markers ---- */

/* A living process that holds the lock is waited for once, not each time.  A dead one is not
 * waited for. */
static void a_held_ring_takes_no_marker(void **state)
{
	struct fixture *f = *state;
	pid_t holder = fork();

	if (!holder) {
		pause();
		_exit(0);
	}
	assert_int_equal(tree_echo(f->server, "fake.1/trace_marker", "first"), 0);
	for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
		fake_ring(&f->root, cpu, ABI_RING_SLOW)->lock = (uint32_t)holder;
	for (int i = 0; i < 100; i++)
		assert_int_equal(tree_echo(f->server, "fake.1/trace_marker", "x"), -EBADF);
	assert_int_equal(kill(holder, SIGKILL), 0);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
	assert_int_equal(tree_echo(f->server, "fake.1/trace_marker", "second"), 0);
	assert_non_null(strstr(tree_cat(f->server, "fake.1/trace"), "second"));
}

static void markers_in_the_writers_name(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *line;
	} cases[] = {
		{ "hello", 5, "tracing_mark_write: hello\n" },
		{ "hello\n", 6, "tracing_mark_write: hello\n" },
		{ "two\nlines", 9, "tracing_mark_write: two\nlines\n" },
		{ "\n", 1, "tracing_mark_write: \n" },
		{ "", 0, "tracing_mark_write: \n" },
		{ "percent %s %d", 13, "tracing_mark_write: percent %s %d\n" },
		{ "nul\0inside", 10, "tracing_mark_write: nul" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char context[64], *text, *line;

		assert_int_equal(tree_write(f->server, "fake.1/trace_marker", 0,
			cases[i].text, cases[i].size), cases[i].size);
		text = strdup(tree_cat(f->server, "fake.1/trace"));
		line = strrchr(text, '|');
		snprintf(context, sizeof(context), "\n%16s-%-7d [", own_name(),
			 getpid());
		assert_memory_equal(line + 1, context, strlen(context));
		assert_string_equal(strstr(line, "tracing_mark"), cases[i].line);
		free(text);
		assert_int_equal(tree_echo(f->server, "fake.1/trace", ""), 0);
	}
	assert_int_equal(tree_echo(f->server, "fake.1/tracing_on", "0"), 0);
	assert_int_equal(tree_echo(f->server, "fake.1/trace_marker", "x"), -EBADF);
	assert_string_equal(tree_cat(f->server, "fake.1/trace"), trace_text("0/0", ""));
}

static void long_markers_are_cut(void **state)
{
	struct fixture *f = *state;
	char text[9000];
	ssize_t n;

	memset(text, 'x', sizeof(text));
	n = tree_write(f->server, "fake.1/trace_marker", 0, text, sizeof(text));
	assert_int_equal(n, 4054);
	text[n] = '\n';
	text[n + 1] = '\0';
	assert_string_equal(strrchr(tree_cat(f->server, "fake.1/trace"), ' ') + 1, text);
}

/* ---- stats and names ---- */

static void stats_of_a_cpu(void **state)
{
	struct fixture *f = *state;
	const char *text;
	double now = 0;

	record(f, 0, FAST, 1, 12 * S + 345678000);
	record(f, 0, FAST, 2, 13 * S);
	text = tree_cat(f->server, "fake.1/per_cpu/cpu0/stats");
	assert_memory_equal(text,
		"entries: 2\noverrun: 0\ncommit overrun: 0\nbytes: 40\n"
		"oldest event ts:    12.345678\nnow ts: ", 88);
	assert_int_equal(sscanf(text + 88, "%lf", &now), 1);
	assert_true(now > 13);
	assert_string_equal(strchr(text + 88, '\n'),
			    "\ndropped events: 0\nread events: 0\n");
	tree_cat(f->server, "fake.1/trace_pipe");
	text = tree_cat(f->server, "fake.1/per_cpu/cpu0/stats");
	assert_non_null(strstr(text, "entries: 0\n"));
	assert_non_null(strstr(text, "\nread events: 2\n"));
}

static void saved_cmdlines_are_by_thread(void **state)
{
	struct fixture *f = *state;

	fake_comm(&f->root, 12, "twelve");
	assert_string_equal(tree_cat(f->server, "fake.1/saved_cmdlines"),
			    "12 twelve\n4711 worker\n");
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(empty_trace_is_a_header),
		T(all_rings_are_merged_by_time),
		T(seeking_in_trace),
		T(trace_goes_on_while_it_is_read),
		T(reading_beyond_the_end),
		T(unknown_threads_and_types),
		T(flags_print_as_letters),
		T(only_truncation_clears),
		T(pipe_takes_out),
		T(pipe_has_one_reader_a_cpu),
		T(overruns_are_counted),
		T(resizing_keeps_what_was_recorded),
		T(arena_is_used_again),
		T(another_clock_is_an_empty_buffer),
		T(a_held_ring_takes_no_marker),
		T(markers_in_the_writers_name),
		T(long_markers_are_cut),
		T(stats_of_a_cpu),
		T(saved_cmdlines_are_by_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
