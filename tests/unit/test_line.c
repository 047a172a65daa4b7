/* SPDX-License-Identifier: MIT */
/* The columns of a line: their widths are fixed, but grow when they must. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "event/option.h"
#include "server/names/comm.h"
#include "server/print/line.h"
#include "server/print/line_source.h"
#include "server/rings/merge.h"
#include "server/print/ptrhash.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/part_numbers.h"

struct fake {
	struct root root;
	struct instance instance;
	struct abi_buffer buffer;
	struct abi_comm comms[ABI_COMMS];
	struct process *process[PROCESS_CREATOR + 1];	/* all NULL */
	void *root_state[NR_ROOT_PARTS];
	void *instance_state[NR_INSTANCE_PARTS];
	struct instance_lines lines;
};

struct row {
	const char *comm;		/* NULL: unknown */
	int32_t pid;
	uint32_t tgid;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t us;			/* @time_ns, rounded */
};

static const struct row rows[] = {
	{ "a", 1, 1, 0, 0, 0 },
	{ "cat", 4711, 4700, 1, 1500, 2 },
	{ "cat", 4711, 4700, 9, 1499, 1 },
	{ "fifteen-letters", 999999, 999999, 99, 99999999999999ull, 100000000000ull },
	{ "fifteen-letters", 4194304, 4194303, 100, 999999499ull, 999999 },
	{ "with a blank", 12345678, 12345670, 999, 999999500ull, 1000000 },
	{ "x", 2147483647, 2147483647, 1000, UINT64_MAX, 18446744073709552ull },
	{ NULL, 77, 0, 1023, 123456789012345678ull, 123456789012346ull },
};

#define NR_ROWS	(sizeof(rows) / sizeof(rows[0]))

static void know(struct fake *fake, const struct row *row)
{
	struct abi_comm *comm = &fake->comms[abi_comm_first((uint32_t)row->pid)];

	memset(fake->comms, 0, sizeof(fake->comms));
	if (!row->comm)
		return;
	comm->tid = (uint32_t)row->pid;
	comm->tgid = row->tgid;
	strcpy(comm->comm, row->comm);
}

static void set_options(struct fake *fake, uint32_t changed)
{
	fake->buffer.options = changed;
}

/* Print a marker of this task. */
static const char *print(struct fake *fake, const struct row *row,
			 struct text *out)
{
	struct {
		uint16_t type;
		uint8_t flags, preempt_count;
		int32_t pid;
		uint64_t ip;
		char text[8];
	} marker = { ABI_EVENT_ID_PRINT, 0, 0, row->pid, 0, "hello\n" };
	struct merge_record record = {
		.time = row->time_ns, .data = (const void *)&marker,
		.bytes = sizeof(marker), .cpu = row->cpu,
	};
	struct line_place place = { .number = 7, .next_time = row->time_ns };
	struct line_source source;

	know(fake, row);
	text_reset(out);
	line_source_of(&fake->instance, &source);
	line_print(&source, &record, &place, out);
	assert_int_equal(out->error, 0);
	return text_str(out);
}

static void each_row(struct fake *fake, uint32_t changed,
		     void (*expect)(const struct row *row, char *line, size_t room))
{
	struct text out;

	text_init(&out, 4096);
	set_options(fake, changed);
	for (size_t i = 0; i < NR_ROWS; i++) {
		char line[256];

		expect(&rows[i], line, sizeof(line));
		assert_string_equal(print(fake, &rows[i], &out), line);
	}
	text_done(&out);
}

#define COMM(row)	((row)->comm ? (row)->comm : "<...>")
#define TIME(row)	(unsigned long)((row)->us / 1000000), \
			(unsigned long)((row)->us % 1000000)
#define SAID		"tracing_mark_write: hello\n"

static void expect_usual(const struct row *row, char *line, size_t room)
{
	snprintf(line, room, "%16s-%-7d [%03u] ..... %5lu.%06lu: " SAID,
		 COMM(row), row->pid, row->cpu, TIME(row));
}

static void expect_tgid(const struct row *row, char *line, size_t room)
{
	char tgid[16] = "-------";

	if (row->comm)
		snprintf(tgid, sizeof(tgid), "%7u", row->tgid);
	snprintf(line, room, "%16s-%-7d (%s) [%03u] ..... %5lu.%06lu: " SAID,
		 COMM(row), row->pid, tgid, row->cpu, TIME(row));
}

static void expect_no_flags(const struct row *row, char *line, size_t room)
{
	snprintf(line, room, "%16s-%-7d [%03u]  %5lu.%06lu: " SAID,
		 COMM(row), row->pid, row->cpu, TIME(row));
}

static void expect_latency(const struct row *row, char *line, size_t room)
{
	snprintf(line, room, "%8.8s-%-7d %3u..... %4luus : " SAID, COMM(row),
		 row->pid, row->cpu, (unsigned long)row->us);
}

static void expect_verbose(const struct row *row, char *line, size_t room)
{
	snprintf(line, room, "%16s %7d %3u 0 00000000 00000007 [%08lx] "
		 "%lu.%03lums (+0.000ms): " SAID, COMM(row), row->pid, row->cpu,
		 (unsigned long)row->us, (unsigned long)(row->us / 1000),
		 (unsigned long)(row->us % 1000));
}

static void expect_raw(const struct row *row, char *line, size_t room)
{
	snprintf(line, room, "%d %u %lu # 0 hello\n", row->pid, row->cpu,
		 (unsigned long)row->time_ns);
}

static void expect_hex(const struct row *row, char *line, size_t room)
{
	snprintf(line, room, "%08x %08x %016lx type: 5\n\n",
		 (unsigned int)row->pid, row->cpu, (unsigned long)row->time_ns);
}

static void columns(void **state)
{
	struct fake *fake = *state;

	each_row(fake, 0, expect_usual);
	each_row(fake, OPTION_RECORD_TGID, expect_tgid);
	each_row(fake, OPTION_IRQ_INFO, expect_no_flags);
	each_row(fake, OPTION_LATENCY_FMT, expect_latency);
	each_row(fake, OPTION_LATENCY_FMT | OPTION_VERBOSE, expect_verbose);
	each_row(fake, OPTION_RAW, expect_raw);
	each_row(fake, OPTION_RAW | OPTION_HEX, expect_hex);
}

/* Only options that differ from their default are stored, so no option is stored at first. */
static void defaults(void **state)
{
	(void)state;
	assert_true(OPTION_DEFAULTS & OPTION_OVERWRITE);
	assert_false(OPTION_DEFAULTS & OPTION_RAW);
	for (size_t i = 0; i < option_table_rows; i++) {
		assert_ptr_equal(option_find(option_table[i].name), &option_table[i]);
		for (size_t k = 0; k < i; k++)
			assert_false(option_table[k].bit & option_table[i].bit);
	}
	assert_null(option_find("nosuch"));
}

static void hashes(void **state)
{
	(void)state;
	assert_true(ptrhash(1) == ptrhash(1));
	assert_true(ptrhash(1) != ptrhash(2) || ptrhash(1) != ptrhash(3));
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(ptrhash(i << 40) >> 32 == 0);
}

static int make(void **state)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	fake->root.part_state = fake->root_state;
	fake->root_state[ROOT_PART_COMMS] = comms_new();
	fake->root.comms_table = fake->comms;
	fake->root.process = fake->process;
	fake->root.top.abi = &fake->buffer;
	fake->instance.root = &fake->root;
	fake->instance.part_state = fake->instance_state;
	fake->instance_state[INSTANCE_PART_LINES] = &fake->lines;
	fake->instance.abi = &fake->buffer;
	*state = fake;
	return !fake->root_state[ROOT_PART_COMMS];
}

static int unmake(void **state)
{
	struct fake *fake = *state;

	comms_free(fake->root_state[ROOT_PART_COMMS]);
	free(fake);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(columns, make, unmake),
		cmocka_unit_test(defaults),
		cmocka_unit_test(hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
