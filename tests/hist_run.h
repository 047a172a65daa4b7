/* SPDX-License-Identifier: MIT */
/* Run histogram programs on records, for tests of src/hist. */
#ifndef TESTS_HIST_RUN_H
#define TESTS_HIST_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "hist/update.h"
#include "hist_program.h"

/* The records of these tests. */
struct rec {
	uint64_t head;
	int32_t i;
	uint32_t u;
	uint64_t l;
	char array[16];
	uint32_t loc, rel;
	const char *ptr;
	int16_t h;
	int8_t b;
	uint8_t ub;
	uint16_t uh, pad;
	char data[64];
};

#define AT(field)	offsetof(struct rec, field)

static inline struct rec new_rec(void)
{
	struct rec rec = {
		.i = -5, .u = 7, .l = 1000, .array = "array",
		.loc = 4 << 16 | AT(data), .rel = 8 << 16 | (AT(data) + 8 - AT(rel) - 4),
		.ptr = "pointer", .h = -2, .b = -1, .ub = 200, .uh = 60000,
		.data = "loc\0....relativ",
	};

	return rec;
}

static const struct hist_geometry plain = {
	.nr_entries = 128, .nr_parts = 3, .key_words = 1, .seed = 0x123456789abcdef,
};

/* ---- callbacks of programs ---- */

static uint64_t nr_clock_reads;

static inline uint64_t test_now(void *ctx)
{
	(void)ctx;
	nr_clock_reads++;
	return 12345678;
}

static inline void test_comm(void *ctx, char *ret_comm)
{
	(void)ctx;
	strncpy(ret_comm, "fifteen-letters", HIST_COMM_LEN);
}

static inline uint32_t test_stack(void *ctx, uint64_t *ret_ips, uint32_t max)
{
	(void)ctx;
	for (uint32_t i = 0; i < max && i < 3; i++)
		ret_ips[i] = 0x1000 + i;
	return max < 3 ? max : 3;
}

/* Addresses below 4096 cannot be read. */
static inline size_t test_peek(void *ctx, uint64_t address, void *to, size_t bytes)
{
	(void)ctx;
	if (address < 4096)
		return 0;
	memcpy(to, (const void *)address, bytes);
	return bytes;
}

static uint32_t emitted_row, nr_emitted;
static size_t emitted_bytes;
static char emitted[4096];

static inline void test_emit(void *ctx, uint32_t row, void *entry, size_t bytes)
{
	(void)ctx;
	nr_emitted++;
	emitted_row = row;
	emitted_bytes = bytes;
	if (entry)
		memcpy(emitted, entry, bytes);
}

static const struct hist_context context = {
	.cpu = 1, .now = test_now, .get_comm = test_comm, .stack = test_stack,
	.peek = test_peek, .emit = test_emit,
};

/* ---- run a program ---- */

/* A program with its tables. */
struct hist {
	struct hist_program *program;
	struct hist_unit unit;
	struct hist_view views[HIST_TABLES_MAX];
	void *tables[HIST_TABLES_MAX];
	uint32_t nr_own;		/* tables that are freed with it */
};

static inline struct hist_parts new_parts(const struct hist_geometry *geometry)
{
	struct hist_parts parts = { .head.record_bytes = sizeof(struct rec) };

	hist_parts_table(&parts, hist_table_ref_make(0, geometry));
	return parts;
}

/* @with: its table is number 1 of the new program; or NULL. */
static inline void hist_make(struct hist *hist, struct hist_parts *parts, const struct hist *with)
{
	memset(hist, 0, sizeof(*hist));
	if (with) {
		hist_parts_table(parts, with->program ? hist_tables(with->program)[0] :
				 (struct hist_table_ref){ 0 });
		hist->views[1] = with->views[0];
	}
	hist->program = hist_parts_make(parts);
	assert_int_equal(hist_verify(hist->program, hist->program->bytes, sizeof(struct rec), 0),
			 0);
	hist->tables[0] = hist_table_make(&parts->tables[0].geometry, &hist->views[0]);
	hist_unit_init(&hist->unit, hist->program, hist->views);
}

static inline void hist_done(struct hist *hist)
{
	free(hist->program);
	free(hist->tables[0]);
}

static inline bool run(const struct hist *hist, const struct rec *rec)
{
	return hist_run(&hist->unit, rec, sizeof(*rec), &context);
}

static inline int64_t find(const struct hist *hist, const uint64_t *key, uint32_t nr)
{
	return hist_find(&hist->views[0], key, nr,
			 hist_hash(hist->views[0].geometry.seed, key, nr));
}

static inline uint64_t hits(const struct hist *hist, const uint64_t *key, uint32_t nr,
			    uint64_t *sums)
{
	uint64_t none[HIST_VALS_MAX];
	int64_t index = find(hist, key, nr);

	return index < 0 ? 0 : hist_read_figures(&hist->views[0], (uint32_t)index,
						 sums ? sums : none);
}

#define INSN(...)	((struct hist_insn){ __VA_ARGS__ })

#endif
