/* SPDX-License-Identifier: MIT */
/* Variables of histogram programs, and the actions of onmatch(), onmax() and onchange(). */
#include "hist_run.h"

/* ---- variables ---- */

static const struct hist_geometry with_vars = {
	.nr_entries = 128, .nr_parts = 1, .key_words = 1,
	.var_bytes = 8 + HIST_STR_BYTES + 8 + 8 * HIST_STACK_DEPTH,
};

/* A start that stores a number, a string and a stack; the key is u. */
static void make_start(struct hist *start)
{
	struct hist_parts parts = new_parts(&with_vars);

	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U32, .offset = AT(u)));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .dst = 1, .offset = AT(l)));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_LOC, .dst = 2, .offset = AT(loc)));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STACK, .dst = 3));
	hist_parts_var(&parts, (struct hist_var){ .reg = 1, .bit = 0 });
	hist_parts_var(&parts, (struct hist_var){ .reg = 2, .bit = 1, .kind = HIST_STR,
						  .offset = 8 });
	hist_parts_var(&parts, (struct hist_var){ .reg = 3, .bit = 2, .kind = HIST_STACK,
						  .offset = 8 + HIST_STR_BYTES });
	hist_make(start, &parts, NULL);
}

/* An end: its value is l - $l of the start. */
static void make_end(struct hist *end, const struct hist *start, bool is_once)
{
	struct hist_geometry geometry = plain;
	struct hist_parts parts;

	geometry.nr_vals = 1;
	parts = new_parts(&geometry);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U32, .offset = AT(u)));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_parts_ref(&parts, (struct hist_ref){ .table = 1, .is_once = is_once });
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .dst = 1, .offset = AT(l)));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_REF, .dst = 2, .value = 0));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_SUB, .dst = 1, .a = 1, .b = 2));
	hist_parts_val(&parts, 1);
	hist_make(end, &parts, start);
}

static void latency(void **state)
{
	struct rec rec = new_rec();
	struct hist start, end;
	uint64_t key = 7, sum;

	(void)state;
	for (int is_once = 0; is_once <= 1; is_once++) {
		make_start(&start);
		make_end(&end, &start, is_once);
		run(&end, &rec);
		assert_int_equal(hits(&end, &key, 1, NULL), 0);
		assert_int_equal(find(&end, &key, 1), -1);
		rec.l = 1000;
		run(&start, &rec);
		rec.l = 1030;
		run(&end, &rec);
		assert_int_equal(hits(&end, &key, 1, &sum), 1);
		assert_int_equal(sum, 30);
		rec.l = 1040;
		run(&end, &rec);
		assert_int_equal(hits(&end, &key, 1, &sum), is_once ? 1 : 2);
		run(&start, &rec);
		run(&end, &rec);
		assert_int_equal(hits(&end, &key, 1, &sum), is_once ? 2 : 3);
		assert_int_equal(sum, is_once ? 30 : 70);
		/* a value that looks as if it were taken is the next one */
		rec.l = HIST_TAKEN;
		run(&start, &rec);
		rec.l = HIST_TAKEN + 11;
		run(&end, &rec);
		assert_int_equal(hits(&end, &key, 1, &sum), is_once ? 3 : 4);
		assert_int_equal(sum, is_once ? 40 : 80);
		hist_done(&start);
		hist_done(&end);
	}
}

/* A histogram with two keys finds variables of a table whose only key is the first of them. */
static void variable_of_fewer_keys(void **state)
{
	struct hist_geometry two_keys = plain;
	uint64_t key[2] = { 7, 1000 }, sum;
	struct rec rec = new_rec();
	struct hist start, end;
	struct hist_parts parts;

	(void)state;
	two_keys.nr_vals = 1;
	two_keys.key_words = 2;
	for (uint8_t nr_keys = 0; nr_keys <= 1; nr_keys++) {
		make_start(&start);
		parts = new_parts(&two_keys);
		hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U32, .offset = AT(u)));
		hist_parts_key(&parts, 0, HIST_NUM);
		hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .dst = 1, .offset = AT(l)));
		hist_parts_key(&parts, 1, HIST_NUM);
		hist_parts_ref(&parts, (struct hist_ref){ .table = 1, .nr_keys = nr_keys });
		hist_parts_insn(&parts, INSN(.op = HIST_OP_REF, .dst = 2, .value = 0));
		hist_parts_val(&parts, 2);
		hist_make(&end, &parts, &start);
		rec.l = 1000;
		run(&start, &rec);
		run(&end, &rec);
		assert_int_equal(hits(&end, key, 2, &sum), nr_keys);
		if (nr_keys)
			assert_int_equal(sum, 1000);
		hist_done(&start);
		hist_done(&end);
	}
}

/* ---- actions ---- */

static void synthetic_record(void **state)
{
	struct hist_parts parts = new_parts(&plain);
	struct rec rec = new_rec();
	struct hist start, end;
	uint32_t word;
	uint64_t number;

	(void)state;
	make_start(&start);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U32, .offset = AT(u)));
	hist_parts_key(&parts, 0, HIST_NUM);
	for (uint8_t i = 0; i < 3; i++) {
		hist_parts_ref(&parts, (struct hist_ref){
			.table = 1, .bit = i, .is_once = 1,
			.kind = i == 1 ? HIST_STR : i == 2 ? HIST_STACK : HIST_NUM,
			.offset = i == 0 ? 0 : i == 1 ? 8 : 8 + HIST_STR_BYTES });
		hist_parts_insn(&parts, INSN(.op = HIST_OP_REF, .dst = 1 + i, .value = i));
	}
	hist_parts_action(&parts, (struct hist_action){
		.handler = HIST_ON_MATCH, .kind = HIST_DO_TRACE, .record_bytes = 39, .row = 11 });
	hist_parts_param(&parts, (struct hist_param){ .reg = 1, .offset = 8, .size = 8 });
	hist_parts_param(&parts, (struct hist_param){ .reg = 2, .kind = HIST_STR, .offset = 16,
						      .store = HIST_STORE_LOC });
	hist_parts_param(&parts, (struct hist_param){ .reg = 2, .kind = HIST_STR, .offset = 20,
						      .size = 3, .store = HIST_STORE_ARRAY });
	hist_parts_param(&parts, (struct hist_param){ .reg = 3, .kind = HIST_STACK, .offset = 24,
						      .store = HIST_STORE_LOC });
	hist_parts_param(&parts, (struct hist_param){ .reg = 2, .kind = HIST_STR, .offset = 28,
						      .size = 11, .store = HIST_STORE_ARRAY });
	hist_make(&end, &parts, &start);

	nr_emitted = 0;
	run(&end, &rec);
	assert_int_equal(nr_emitted, 0);
	run(&start, &rec);
	run(&end, &rec);
	assert_int_equal(nr_emitted, 1);
	run(&end, &rec);
	assert_int_equal(nr_emitted, 1);
	assert_int_equal(emitted_row, 11);
	memcpy(&number, emitted + 8, 8);
	assert_int_equal(number, 1000);
	memcpy(&word, emitted + 16, 4);
	assert_int_equal(word, 4 << 16 | 40);
	assert_string_equal(emitted + 40, "loc");
	assert_string_equal(emitted + 20, "lo");
	assert_string_equal(emitted + 28, "loc");
	memcpy(&word, emitted + 24, 4);
	assert_int_equal(word, 24 << 16 | 48);
	memcpy(&number, emitted + 48 + 16, 8);
	assert_int_equal(number, 0x1002);
	assert_int_equal(emitted_bytes, 72);
	hist_done(&start);
	hist_done(&end);
}

/* All parameters of the longest event: too big for a record. */
static void huge_record(void **state)
{
	struct hist_parts parts = { .head = { .record_bytes = sizeof(struct rec),
					      .flags = HIST_PROG_EVENT_PROBE } };
	struct rec rec = new_rec();
	struct hist_view none;
	struct hist_program *program;
	struct hist_unit unit;

	(void)state;
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_LOC, .offset = AT(loc)));
	for (int nr = 10; nr <= 20; nr += 10) {
		parts.head.nr_actions = 0;
		hist_parts_action(&parts, (struct hist_action){
			.kind = HIST_DO_TRACE, .record_bytes = 160, .row = 1 });
		for (int i = 0; i < nr; i++)
			hist_parts_param(&parts, (struct hist_param){
				.kind = HIST_STR, .offset = 8 + 4 * i, .store = HIST_STORE_LOC });
		program = hist_parts_make(&parts);
		assert_int_equal(hist_verify(program, program->bytes, sizeof(rec), 0), 0);
		hist_unit_init(&unit, program, &none);
		nr_emitted = 0;
		hist_run(&unit, &rec, sizeof(rec), &context);
		assert_int_equal(nr_emitted, 1);
		assert_int_equal(emitted_bytes, nr == 10 ? 160 + 9 * 8 + 4 : 0);
		free(program);
	}
}

static struct hist_parts new_handler(uint8_t handler, uint8_t kind)
{
	struct hist_parts parts = new_parts(&with_vars);

	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U32, .offset = AT(u)));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .dst = 1, .offset = AT(l)));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_LOC, .dst = 2, .offset = AT(loc)));
	hist_parts_action(&parts, (struct hist_action){
		.handler = handler, .kind = kind, .reg = 1, .bit = 5, .offset = 0,
		.record_bytes = 8, .row = 2 });
	return parts;
}

/* l of each hit, and whether it is the maximum, or a change. */
static const struct { uint64_t l; bool is_max, is_change; } lasts[] = {
	{ 0, false, false }, { 5, true, true }, { 5, false, false }, { 4, false, true },
	{ 5, false, true }, { ~0ull, true, true }, { 6, false, true },
};

static void last_values(void **state)
{
	struct rec rec = new_rec();

	(void)state;
	for (uint8_t handler = HIST_ON_MAX; handler <= HIST_ON_CHANGE; handler++) {
		struct hist_parts parts = new_handler(handler, HIST_DO_TRACE);
		struct hist hist;

		hist_make(&hist, &parts, NULL);
		for (size_t i = 0; i < sizeof(lasts) / sizeof(lasts[0]); i++) {
			rec.l = lasts[i].l;
			nr_emitted = 0;
			assert_false(run(&hist, &rec));
			assert_int_equal(nr_emitted, handler == HIST_ON_MAX ? lasts[i].is_max :
					 lasts[i].is_change);
		}
		hist_done(&hist);
	}
}

static void saves(void **state)
{
	struct hist_parts parts = new_handler(HIST_ON_MAX, HIST_DO_SAVE);
	struct rec rec = new_rec();
	struct hist hist;
	uint64_t key = 7;
	char *entry;

	(void)state;
	hist_parts_param(&parts, (struct hist_param){ .reg = 2, .kind = HIST_STR, .bit = 6,
						      .offset = 8 });
	hist_make(&hist, &parts, NULL);
	run(&hist, &rec);
	memcpy(rec.data, "new", 4);
	rec.l = 999;
	run(&hist, &rec);
	entry = (char *)hist_entry(&hist.views[0], (uint32_t)find(&hist, &key, 1));
	assert_string_equal(entry + hist.views[0].layout.vars_off + 8, "loc");
	assert_int_equal(*(uint64_t *)(void *)(entry + hist.views[0].layout.set_off), 0x60);
	rec.l = 1001;
	run(&hist, &rec);
	assert_string_equal(entry + hist.views[0].layout.vars_off + 8, "new");
	hist_done(&hist);
}

/* A snapshot is for the maximum of the whole table. */
static void snapshots(void **state)
{
	struct hist_parts parts = new_handler(HIST_ON_MAX, HIST_DO_SNAPSHOT);
	struct rec rec = new_rec();
	struct hist_table *table;
	struct hist hist;
	uint64_t key = 8;

	(void)state;
	hist_make(&hist, &parts, NULL);
	table = hist.tables[0];
	assert_true(run(&hist, &rec));
	assert_false(run(&hist, &rec));
	rec.u = 8;
	rec.l = 500;
	assert_false(run(&hist, &rec));
	assert_int_equal(table->last_value, 1000);
	rec.l = 1001;
	assert_true(run(&hist, &rec));
	assert_int_equal(table->last_value, 1001);
	assert_int_equal(table->last_action, 1);
	assert_int_equal(table->last_entry, find(&hist, &key, 1));
	hist_done(&hist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latency), cmocka_unit_test(variable_of_fewer_keys),
		cmocka_unit_test(synthetic_record),
		cmocka_unit_test(huge_record), cmocka_unit_test(last_values),
		cmocka_unit_test(saves), cmocka_unit_test(snapshots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
