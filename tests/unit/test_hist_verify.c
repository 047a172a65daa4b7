/* SPDX-License-Identifier: MIT */
/* Histogram programs and tables that are not to be believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "hist_program.h"
#include "lib/record.h"

enum { RECORD_BYTES = 48, NR_SLOTS = 5, NR_DAMAGES = 200000, NR_RUNS = 20 };

static const struct hist_geometry own_geometry = {
	.nr_entries = 128, .nr_parts = 3, .nr_vals = 2, .key_words = 40,
	.var_bytes = 16 + HIST_STR_BYTES + 8 + 8 * HIST_STACK_DEPTH, .flags = HIST_GEO_COMM,
};

static const struct hist_geometry other_geometry = {
	.nr_entries = 256, .nr_parts = 2, .key_words = 40, .var_bytes = 8 + HIST_STR_BYTES,
};

#define INSN(...)	((struct hist_insn){ __VA_ARGS__ })

/* A program that has some of each kind of element. */
static struct hist_parts make_parts(void)
{
	struct hist_parts parts = { .head = { .record_bytes = RECORD_BYTES, .paused = 2 } };

	hist_parts_table(&parts, hist_table_ref_make(0, &own_geometry));
	hist_parts_table(&parts, hist_table_ref_make(0, &other_geometry));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .offset = 8));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_ARRAY, .dst = 1, .offset = 16, .size = 16));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOG2, .dst = 2, .a = 0));
	hist_parts_key(&parts, 2, HIST_NUM);
	hist_parts_key(&parts, 1, HIST_STR);
	hist_parts_ref(&parts, (struct hist_ref){ .table = 1, .is_once = 1 });
	hist_parts_ref(&parts, (struct hist_ref){ .table = 1, .bit = 1, .kind = HIST_STR,
						  .offset = 8 });
	hist_parts_insn(&parts, INSN(.op = HIST_OP_REF, .dst = 3, .value = 0));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_REF, .dst = 4, .value = 1));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_TIME, .dst = 5));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_SUB, .dst = 3, .a = 5, .b = 3));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STACK, .dst = 6));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_LOC, .dst = 20, .offset = 44));
	hist_parts_val(&parts, 3);
	hist_parts_val(&parts, 0);
	hist_parts_var(&parts, (struct hist_var){ .reg = 3 });
	hist_parts_var(&parts, (struct hist_var){ .reg = 20, .bit = 1, .kind = HIST_STR,
						  .offset = 16 });
	hist_parts_action(&parts, (struct hist_action){ .kind = HIST_DO_TRACE, .row = 3,
							.record_bytes = 32 });
	hist_parts_param(&parts, (struct hist_param){ .reg = 3, .offset = 8, .size = 4 });
	hist_parts_param(&parts, (struct hist_param){ .reg = 4, .offset = 12, .size = 6,
						      .kind = HIST_STR,
						      .store = HIST_STORE_ARRAY });
	hist_parts_param(&parts, (struct hist_param){ .reg = 20, .offset = 20, .kind = HIST_STR,
						      .store = HIST_STORE_LOC });
	hist_parts_action(&parts, (struct hist_action){
		.kind = HIST_DO_SAVE, .handler = HIST_ON_MAX, .reg = 3, .bit = 2, .offset = 8 });
	hist_parts_param(&parts, (struct hist_param){ .reg = 6, .offset = 16 + HIST_STR_BYTES,
						      .kind = HIST_STACK, .bit = 3 });
	hist_parts_action(&parts, (struct hist_action){
		.kind = HIST_DO_SNAPSHOT, .handler = HIST_ON_CHANGE, .reg = 0, .bit = 2,
		.offset = 8 });
	return parts;
}

static int verify(const struct hist_program *p)
{
	return hist_verify(p, p->bytes, RECORD_BYTES, NR_SLOTS);
}

/* ---- run whatever verifies, on tables whose surroundings are watched by ASan ---- */

static uint64_t random_state = 1;

static uint64_t now(void *ctx)
{
	(void)ctx;
	return random_next(&random_state);
}

static void get_comm(void *ctx, char *ret_comm)
{
	(void)ctx;
	memset(ret_comm, 'x', HIST_COMM_LEN);
}

static uint32_t stack(void *ctx, uint64_t *ret_ips, uint32_t max)
{
	(void)ctx;
	memset(ret_ips, 1, max * sizeof(*ret_ips));
	return max;
}

/* Callback: read half of the bytes, or all of them.  No value in the record is an address. */
static size_t peek(void *ctx, uint64_t address, void *to, size_t bytes)
{
	(void)ctx;
	bytes = address & 1 ? bytes : bytes / 2;
	memset(to, 'p', bytes);
	return bytes;
}

static void emit(void *ctx, uint32_t row, void *entry, size_t bytes)
{
	(void)ctx;
	assert_true(row < ABI_DYNAMIC);
	assert_int_equal(bytes % 4, 0);
	if (entry)
		memset((char *)entry - 16, 0, bytes + 16);
}

static const struct hist_context context = {
	.cpu = 1, .now = now, .get_comm = get_comm, .stack = stack, .peek = peek, .emit = emit,
};

static struct hist_view views[2];
static uint64_t table_bytes[2];

static void tables_make(void **ret_tables)
{
	ret_tables[0] = hist_table_make(&own_geometry, &views[0]);
	ret_tables[1] = hist_table_make(&other_geometry, &views[1]);
	table_bytes[0] = views[0].layout.bytes;
	table_bytes[1] = views[1].layout.bytes;
}

static bool has_these_tables(const struct hist_program *p)
{
	const struct hist_table_ref *tables = hist_tables(p);

	return p->nr_tables == 2 && !memcmp(&tables[0].geometry, &own_geometry, 32) &&
	       !memcmp(&tables[1].geometry, &other_geometry, 32);
}

static void run(const struct hist_program *p)
{
	size_t bytes = p->record_bytes + random_below(&random_state, 64);
	uint8_t *rec = malloc(bytes ? bytes : 1);
	struct hist_unit unit;

	assert_non_null(rec);
	hist_unit_init(&unit, p, views);
	for (int i = 0; i < NR_RUNS; i++) {
		for (size_t k = 0; k < bytes; k++)
			rec[k] = random_below(&random_state, 3) ? (uint8_t)k :
				 (uint8_t)random_next(&random_state);
		hist_run(&unit, rec, bytes, &context);
	}
	free(rec);
}

/* Any bit that is changed is either refused, or harmless. */
static void changed_programs(void **state)
{
	struct hist_parts parts = make_parts();
	struct hist_program *program = hist_parts_make(&parts);
	struct hist_program *copy = malloc(program->bytes);
	size_t bytes = program->bytes, nr_refused = 0;
	void *tables[2];

	(void)state;
	assert_non_null(copy);
	tables_make(tables);
	assert_int_equal(verify(program), 0);
	run(program);
	for (size_t bit = 0; bit < bytes * 8; bit++) {
		memcpy(copy, program, bytes);
		((uint8_t *)copy)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (hist_verify(copy, bytes, RECORD_BYTES, NR_SLOTS))
			nr_refused++;
		else if (has_these_tables(copy))
			run(copy);
	}
	/* at the least: most of the head */
	assert_true(nr_refused > sizeof(*program) * 4);
	for (int i = 0; i < NR_DAMAGES; i++) {
		memcpy(copy, program, bytes);
		for (uint32_t nr = random_below(&random_state, 3) + 1; nr; nr--)
			((uint8_t *)copy)[random_below(&random_state, (uint32_t)bytes)] =
				(uint8_t)random_next(&random_state);
		if (!hist_verify(copy, bytes, RECORD_BYTES, NR_SLOTS) && has_these_tables(copy))
			run(copy);
	}
	free(copy);
	free(program);
	free(tables[0]);
	free(tables[1]);
}

/* No bytes outside of the tables are touched, whatever the tables contain. */
static void hostile_tables(void **state)
{
	struct hist_parts parts = make_parts();
	struct hist_program *program = hist_parts_make(&parts);
	uint64_t sums[HIST_VALS_MAX];
	void *tables[2];

	(void)state;
	tables_make(tables);
	for (int round = 0; round < 300; round++) {
		for (int i = 0; i < 2; i++) {
			uint64_t *words = tables[i];

			/* locks that nobody drops would only take time */
			for (uint64_t k = 0; k < table_bytes[i] / 8; k++)
				words[k] = random_below(&random_state, 2) ? 0 :
					   random_next(&random_state) >>
					   random_below(&random_state, 64);
			((struct hist_table *)tables[i])->last_lock = 0;
			for (uint32_t k = 0; k < views[i].geometry.nr_parts; k++)
				((struct hist_part *)((char *)tables[i] +
				 views[i].layout.parts_off + k * views[i].layout.part_bytes))
					->lock = 0;
			for (uint32_t k = 0; k < views[i].geometry.nr_entries; k++)
				words[(views[i].layout.entries_off +
				       k * views[i].layout.entry_bytes +
				       views[i].layout.set_off) / 8 + 1] = 0;
		}
		run(program);
		for (uint32_t i = 0; i < views[0].layout.nr_slots; i++) {
			int64_t index = hist_read_slot(&views[0], i);

			assert_true(index < 128);
			if (index >= 0)
				hist_read_figures(&views[0], (uint32_t)index, sums);
		}
	}
	free(program);
	free(tables[0]);
	free(tables[1]);
}

#define BAD(change) do {						\
		parts = make_parts();					\
		change;							\
		program = hist_parts_make(&parts);			\
		if (verify(program) != -EINVAL)				\
			fail_msg("not refused: %s", #change);		\
		free(program);						\
	} while (0)

static void bad_programs(void **state)
{
	struct hist_program *program;
	struct hist_parts parts;

	(void)state;
	BAD(parts.head.record_bytes = RECORD_BYTES + 1);
	BAD(parts.head.paused = NR_SLOTS + 1);
	BAD(parts.head.flags = 2);
	BAD(parts.head.flags = HIST_PROG_EVENT_PROBE);
	BAD(parts.head.nr_tables = 0);
	BAD(parts.head.nr_keys = 0);
	BAD(parts.head.nr_vals = 1);
	BAD(parts.head.nr_key_insns = parts.head.nr_insns + 1);
	BAD(parts.tables[0].geometry.nr_entries = 129);
	BAD(parts.tables[0].geometry.nr_parts = 0);
	BAD(parts.tables[0].geometry.nr_parts = ABI_CPUS + 2);
	BAD(parts.tables[1].geometry.var_bytes++);
	BAD(parts.tables[1].bytes++);
	BAD(parts.tables[1].geometry.key_words = HIST_KEY_WORDS_MAX + 1);
	BAD(parts.insns[0].op = HIST_OPS);
	BAD(parts.insns[0].dst = HIST_REGS);
	BAD(parts.insns[0].offset = RECORD_BYTES - 7);
	BAD(parts.insns[1].size = 33);
	BAD(parts.insns[2].a = 1);		/* a string */
	BAD(parts.insns[2].a = 7);		/* not set */
	BAD(parts.insns[3].value = 2);		/* no such reference */
	BAD(parts.head.nr_key_insns = 4);	/* before the key is made */
	BAD(parts.insns[5] = INSN(.op = HIST_OP_BUCKET, .dst = 5));
	BAD(parts.insns[5] = INSN(.op = HIST_OP_SUBLOG2, .dst = 5, .value = 64));
	BAD(parts.insns[5] = INSN(.op = HIST_OP_BITS, .dst = 5, .value = 64));
	BAD(parts.insns[5] = INSN(.op = HIST_OP_BITS, .dst = 5, .value = 64 << 8));
	BAD(parts.insns[5] = INSN(.op = HIST_OP_SEXT, .dst = 5, .size = 3));
	BAD(parts.keys[0].kind = HIST_STR);
	BAD(parts.keys[0].reg = 3);		/* set after the key is made */
	BAD(parts.keys[0].reg = HIST_REGS);
	BAD(parts.vals[0] = 4);			/* a string */
	BAD(parts.refs[0].table = 0);
	BAD(parts.refs[0].table = 2);
	BAD(parts.refs[0].bit = 64);
	BAD(parts.refs[0].offset = 4);
	BAD(parts.refs[1].offset = 16);
	BAD(parts.refs[0].is_once = 2);
	BAD(parts.vars[0].kind = HIST_STACK);
	BAD(parts.vars[1].offset = own_geometry.var_bytes - HIST_STR_BYTES + 8);
	BAD(parts.actions[0].row = ABI_DYNAMIC);
	BAD(parts.actions[0].handler = HIST_HANDLERS);
	BAD(parts.actions[0].kind = HIST_ACTION_KINDS);
	BAD(parts.actions[0].record_bytes = 7);
	BAD(parts.actions[0].record_bytes = 4061);
	BAD(parts.actions[0].nr = 65);
	BAD(parts.actions[0].first = 5);
	BAD(parts.actions[1].handler = HIST_ON_MATCH);
	BAD(parts.actions[1].reg = 4);
	BAD(parts.actions[1].offset = own_geometry.var_bytes);
	BAD(parts.params[0].offset = 29);
	BAD(parts.params[0].offset = 4);
	BAD(parts.params[0].size = 3);
	BAD(parts.params[1].size = 0);
	BAD(parts.params[1].store = HIST_STORE_NUM);
	BAD(parts.params[2].offset = 29);
	BAD(parts.params[2].store = HIST_STORES);
	BAD(parts.params[3].kind = HIST_STR);
	BAD(parts.params[3].offset = own_geometry.var_bytes - 8);

	parts = make_parts();
	program = hist_parts_make(&parts);
	assert_int_equal(verify(program), 0);
	assert_int_equal(hist_verify(program, program->bytes - 8, RECORD_BYTES, NR_SLOTS), -EINVAL);
	assert_int_equal(hist_verify(program, 8, RECORD_BYTES, NR_SLOTS), -EINVAL);
	assert_int_equal(hist_verify((char *)program + 4, program->bytes, RECORD_BYTES, NR_SLOTS),
			 -EINVAL);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_programs), cmocka_unit_test(hostile_tables),
		cmocka_unit_test(bad_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
