/* SPDX-License-Identifier: MIT */
/* Histogram programs run on records: numbers, strings, stacks, full tables, threads. */
#include <pthread.h>

#include "arch/arch.h"
#include "hist_run.h"

/* ---- numbers ---- */

/* Registers 0 and 1 are given, register 2 is the key. */
static const struct number_case {
	struct hist_insn insn;
	uint64_t a, b, result;
} numbers[] = {
	{ INSN(.op = HIST_OP_LOAD_S32, .offset = AT(i)), 0, 0, (uint64_t)-5 },
	{ INSN(.op = HIST_OP_LOAD_U32, .offset = AT(i)), 0, 0, (uint32_t)-5 },
	{ INSN(.op = HIST_OP_LOAD_U64, .offset = AT(l)), 0, 0, 1000 },
	{ INSN(.op = HIST_OP_LOAD_S16, .offset = AT(h)), 0, 0, (uint64_t)-2 },
	{ INSN(.op = HIST_OP_LOAD_U16, .offset = AT(uh)), 0, 0, 60000 },
	{ INSN(.op = HIST_OP_LOAD_S8, .offset = AT(b)), 0, 0, (uint64_t)-1 },
	{ INSN(.op = HIST_OP_LOAD_U8, .offset = AT(ub)), 0, 0, 200 },
	{ INSN(.op = HIST_OP_CONST, .value = 42), 0, 0, 42 },
	{ INSN(.op = HIST_OP_TIME), 0, 0, 12345678 },
	{ INSN(.op = HIST_OP_CPU), 0, 0, 1 },
	{ INSN(.op = HIST_OP_ADD, .a = 0, .b = 1), 3, 4, 7 },
	{ INSN(.op = HIST_OP_SUB, .a = 0, .b = 1), 3, 4, ~0ull },
	{ INSN(.op = HIST_OP_MUL, .a = 0, .b = 1), 3, 4, 12 },
	{ INSN(.op = HIST_OP_DIV, .a = 0, .b = 1), 30, 4, 7 },
	{ INSN(.op = HIST_OP_DIV, .a = 0, .b = 1), 30, 0, ~0ull },
	{ INSN(.op = HIST_OP_NEG, .a = 0), 1, 0, ~0ull },
	{ INSN(.op = HIST_OP_LOG2, .a = 0), 0, 0, 0 },
	{ INSN(.op = HIST_OP_LOG2, .a = 0), 1, 0, 0 },
	{ INSN(.op = HIST_OP_LOG2, .a = 0), 2, 0, 1 },
	{ INSN(.op = HIST_OP_LOG2, .a = 0), 3, 0, 2 },
	{ INSN(.op = HIST_OP_LOG2, .a = 0), 256, 0, 8 },
	{ INSN(.op = HIST_OP_LOG2, .a = 0), 257, 0, 9 },
	{ INSN(.op = HIST_OP_LOG2, .a = 0), ~0ull, 0, 64 },
	{ INSN(.op = HIST_OP_SUBLOG2, .a = 0, .value = 2), 0, 0, 0 },
	{ INSN(.op = HIST_OP_SUBLOG2, .a = 0, .value = 2), 7, 0, 7 },
	{ INSN(.op = HIST_OP_SUBLOG2, .a = 0, .value = 2), 9, 0, 8 },
	{ INSN(.op = HIST_OP_SUBLOG2, .a = 0, .value = 2), 1000, 0, 896 },
	{ INSN(.op = HIST_OP_SUBLOG2, .a = 0, .value = 0), 1000, 0, 512 },
	{ INSN(.op = HIST_OP_SUBLOG2, .a = 0, .value = 63), ~0ull, 0, ~0ull },
	{ INSN(.op = HIST_OP_BUCKET, .a = 0, .value = 100), 199, 0, 100 },
	{ INSN(.op = HIST_OP_SEXT, .a = 0, .size = 1), 0x80, 0, (uint64_t)-128 },
	{ INSN(.op = HIST_OP_SEXT, .a = 0, .size = 4), 0x7fffffff, 0, 0x7fffffff },
	{ INSN(.op = HIST_OP_SEXT, .a = 0, .size = 8), ~0ull, 0, ~0ull },
	{ INSN(.op = HIST_OP_BITS, .a = 0, .value = 60 | 62 << 8), 0xe, 0, 3 },
	{ INSN(.op = HIST_OP_PEEK, .a = 0, .size = 4), 100, 0, 0 },
};

static void number_ops(void **state)
{
	struct rec rec = new_rec();

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct hist_parts parts = new_parts(&plain);
		struct hist_insn insn = numbers[i].insn;
		struct hist hist;

		insn.dst = 2;
		hist_parts_insn(&parts, INSN(.op = HIST_OP_CONST, .value = numbers[i].a));
		hist_parts_insn(&parts, INSN(.op = HIST_OP_CONST, .dst = 1,
					     .value = numbers[i].b));
		hist_parts_insn(&parts, insn);
		hist_parts_key(&parts, 2, HIST_NUM);
		hist_make(&hist, &parts, NULL);
		assert_false(run(&hist, &rec));
		if (hits(&hist, &numbers[i].result, 1, NULL) != 1)
			fail_msg("case %zu", i);
		hist_done(&hist);
	}
}

static void peeks(void **state)
{
	struct hist_parts parts = new_parts(&plain);
	struct rec rec = new_rec();
	uint16_t value = 4711;
	uint64_t key = 4711;
	struct hist hist;

	(void)state;
	rec.l = (uint64_t)&value - 10;
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .offset = AT(l)));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_PEEK, .size = 2, .value = 10));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_make(&hist, &parts, NULL);
	run(&hist, &rec);
	assert_int_equal(hits(&hist, &key, 1, NULL), 1);
	hist_done(&hist);
}

static void sums(void **state)
{
	struct hist_geometry geometry = plain;
	struct hist_parts parts;
	struct rec rec = new_rec();
	uint64_t key = (uint64_t)-5, found[3];
	struct hist hist;

	(void)state;
	for (uint32_t nr = 0; nr <= 3; nr++) {
		geometry.nr_vals = nr;
		parts = new_parts(&geometry);
		hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_S32, .offset = AT(i)));
		hist_parts_key(&parts, 0, HIST_NUM);
		for (uint8_t i = 0; i < nr; i++) {
			hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U32, .dst = i,
						     .offset = AT(u)));
			hist_parts_val(&parts, i);
		}
		hist_make(&hist, &parts, NULL);
		for (int i = 1; i <= 5; i++) {
			run(&hist, &rec);
			assert_int_equal(hits(&hist, &key, 1, found), i);
			for (uint32_t k = 0; k < nr; k++)
				assert_int_equal(found[k], 7 * i);
		}
		/* a short record does not count */
		hist_run(&hist.unit, &rec, sizeof(rec) - 1, &context);
		assert_int_equal(hits(&hist, &key, 1, found), 5);
		assert_int_equal(hist_read_dropped(&hist.views[0]), 0);
		hist_done(&hist);
	}
}

static void one_clock_read(void **state)
{
	struct hist_parts parts = new_parts(&plain);
	struct rec rec = new_rec();
	struct hist hist;
	uint64_t zero = 0;

	(void)state;
	nr_clock_reads = 0;
	hist_parts_insn(&parts, INSN(.op = HIST_OP_TIME));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_TIME, .dst = 1));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_SUB, .dst = 2, .a = 0, .b = 1));
	hist_parts_key(&parts, 2, HIST_NUM);
	hist_make(&hist, &parts, NULL);
	run(&hist, &rec);
	assert_int_equal(hits(&hist, &zero, 1, NULL), 1);
	assert_int_equal(nr_clock_reads, 1);
	hist_done(&hist);
}

/* ---- strings and stacks ---- */

static const struct string_case {
	struct hist_insn insn;
	const char *text;
	uint32_t key_words;
} strings[] = {
	{ INSN(.op = HIST_OP_STR_ARRAY, .offset = AT(array), .size = 16), "array", 2 },
	{ INSN(.op = HIST_OP_STR_ARRAY, .offset = AT(array), .size = 3), "arr", 2 },
	{ INSN(.op = HIST_OP_STR_ARRAY, .offset = AT(data)), "loc", 2 },
	{ INSN(.op = HIST_OP_STR_LOC, .offset = AT(loc)), "loc", 32 },
	{ INSN(.op = HIST_OP_STR_REL, .offset = AT(rel)), "relativ", 32 },
	{ INSN(.op = HIST_OP_STR_PTR, .offset = AT(ptr)), "pointer", 32 },
	{ INSN(.op = HIST_OP_STR_PTR, .offset = AT(l)), "", 32 },
	{ INSN(.op = HIST_OP_PEEK_STR, .a = 1, .value = 2), "inter", 32 },
	{ INSN(.op = HIST_OP_STR_COMM), "fifteen-letters", 2 },
	{ INSN(.op = HIST_OP_STR_COMM), "fifteen", 1 },
};

static void string_keys(void **state)
{
	struct rec rec = new_rec();

	(void)state;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		struct hist_geometry geometry = plain;
		uint64_t key[32] = { 0 };
		struct hist_parts parts;
		struct hist hist;

		geometry.key_words = strings[i].key_words + 1;
		parts = new_parts(&geometry);
		/* the number is the end of the key: the string's length does not matter */
		hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .dst = 1, .offset = AT(ptr)));
		hist_parts_insn(&parts, strings[i].insn);
		hist_parts_insn(&parts, INSN(.op = HIST_OP_CONST, .dst = 2, .value = 9));
		hist_parts_key(&parts, 0, HIST_STR);
		hist_parts_key(&parts, 2, HIST_NUM);
		hist_make(&hist, &parts, NULL);
		run(&hist, &rec);
		strcpy((char *)key, strings[i].text);
		key[strlen(strings[i].text) / 8 + 1] = 9;
		if (hits(&hist, key, (uint32_t)strlen(strings[i].text) / 8 + 2, NULL) != 1)
			fail_msg("case %zu", i);
		hist_done(&hist);
	}
}

/* A dynamic string whose word points outside of the record is "". */
static void wild_strings(void **state)
{
	struct hist_geometry geometry = plain;
	uint32_t words[] = { 1 << 16 | sizeof(struct rec), 0xffffffff, 65 << 16 | AT(data),
			     0xffffu << 16 | (uint32_t)AT(data),
			     4 << 16 | (sizeof(struct rec) + 1) };
	struct rec *rec = malloc(sizeof(*rec));
	struct hist_parts parts;
	uint64_t empty = 0;
	struct hist hist;

	(void)state;
	geometry.key_words = 32;
	parts = new_parts(&geometry);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_LOC, .offset = AT(loc)));
	hist_parts_key(&parts, 0, HIST_STR);
	hist_make(&hist, &parts, NULL);
	*rec = new_rec();
	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		rec->loc = words[i];
		run(&hist, rec);
		assert_int_equal(hits(&hist, &empty, 1, NULL), i + 1);
	}
	free(rec);
	hist_done(&hist);
}

/* A string of every length, of 8-bit bytes, in a record that ends with it. */
static void string_lengths(void **state)
{
	struct hist_geometry geometry = plain;
	struct hist_parts parts;
	struct hist hist;

	(void)state;
	geometry.key_words = 32;
	geometry.nr_entries = 512;
	parts = new_parts(&geometry);
	parts.head.record_bytes = 16;
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_ARRAY, .offset = 16));
	hist_parts_key(&parts, 0, HIST_STR);
	hist_make(&hist, &parts, NULL);
	for (uint32_t len = 0; len <= 300; len++) {
		uint32_t cut = len < 255 ? len : 255;
		uint8_t *rec = malloc(16 + len);
		uint64_t key[38] = { 0 };

		assert_non_null(rec);
		for (uint32_t i = 0; i < len; i++)
			rec[16 + i] = (uint8_t)(1 + (i * 7 + len) % 255);
		memcpy(key, rec + 16, cut);
		assert_int_equal(hits(&hist, key, cut / 8 + 1, NULL), 0);
		hist_run(&hist.unit, rec, 16 + len, &context);
		assert_int_equal(hits(&hist, key, cut / 8 + 1, NULL), 1);
		free(rec);
	}
	hist_done(&hist);
}

static void stack_keys(void **state)
{
	uint64_t key[4] = { 3, 0x1000, 0x1001, 0x1002 }, two[3] = { 2, 5, 6 };
	struct hist_geometry geometry = plain;
	struct hist_parts parts;
	struct rec rec = new_rec();
	struct hist hist;

	(void)state;
	geometry.key_words = 1 + HIST_STACK_DEPTH;
	parts = new_parts(&geometry);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STACK));
	hist_parts_key(&parts, 0, HIST_STACK);
	hist_make(&hist, &parts, NULL);
	run(&hist, &rec);
	assert_int_equal(hits(&hist, key, 4, NULL), 1);
	hist_done(&hist);

	parts.insns[0] = INSN(.op = HIST_OP_STACK_LOC, .offset = AT(loc));
	memcpy(rec.data, &two[1], 16);
	rec.loc = 16 << 16 | AT(data);
	hist_make(&hist, &parts, NULL);
	run(&hist, &rec);
	assert_int_equal(hits(&hist, two, 3, NULL), 1);
	hist_done(&hist);
}

/* The entry has the name of the thread that has inserted the key. */
static void entry_comm(void **state)
{
	struct hist_geometry geometry = plain;
	struct hist_parts parts;
	struct rec rec = new_rec();
	struct hist hist;
	uint64_t key = 7;

	(void)state;
	geometry.flags = HIST_GEO_COMM;
	parts = new_parts(&geometry);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U32, .offset = AT(u)));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_make(&hist, &parts, NULL);
	run(&hist, &rec);
	assert_string_equal((char *)hist_entry(&hist.views[0], (uint32_t)find(&hist, &key, 1)) +
			    hist.views[0].layout.comm_off, "fifteen-letters");
	hist_done(&hist);
}

/* ---- a full table ---- */

static void full_table(void **state)
{
	struct hist_parts parts = new_parts(&plain);
	struct rec rec = new_rec();
	uint64_t total = 0;
	struct hist hist;

	(void)state;
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .offset = AT(l)));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_make(&hist, &parts, NULL);
	for (int round = 0; round < 2; round++) {
		for (rec.l = 0; rec.l < 200; rec.l++)
			run(&hist, &rec);
	}
	for (uint64_t key = 0; key < 200; key++) {
		assert_int_equal(hits(&hist, &key, 1, NULL), key < 128 ? 2 : 0);
		total += hits(&hist, &key, 1, NULL);
	}
	assert_int_equal(hist_read_dropped(&hist.views[0]), 2 * 72);
	assert_int_equal(total + hist_read_dropped(&hist.views[0]), 400);
	total = 0;
	for (uint32_t i = 0; i < hist.views[0].layout.nr_slots; i++)
		total += hist_read_slot(&hist.views[0], i) >= 0;
	assert_int_equal(total, 128);
	hist_done(&hist);
}

/* ---- threads, with rseq where there is one ---- */

enum { NR_THREADS = 4, NR_HITS = 200000 };

static struct hist shared;
static struct hist_context thread_context;

static void *hit_often(void *arg)
{
	struct rec rec = new_rec();

	(void)arg;
	for (int i = 0; i < NR_HITS; i++) {
		rec.l = (uint64_t)i % 150;
		rec.u = (uint32_t)i;
		hist_run(&shared.unit, &rec, sizeof(rec), &thread_context);
	}
	return NULL;
}

static void threads(void **state)
{
	struct hist_geometry geometry = plain;
	uint64_t total = 0, values[2], by_key[150] = { 0 }, sum_by_key[150] = { 0 };
	pthread_t ids[NR_THREADS];
	struct hist_parts parts;

	(void)state;
	geometry.nr_vals = 2;
	geometry.nr_parts = 1025;
	parts = new_parts(&geometry);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .offset = AT(l)));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U32, .dst = 1, .offset = AT(u)));
	hist_parts_val(&parts, 1);
	hist_parts_val(&parts, 0);
	hist_make(&shared, &parts, NULL);
	thread_context = context;
	thread_context.has_rseq = arch_rseq_init();
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&ids[i], NULL, hit_often, NULL), 0);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(ids[i], NULL);
	for (uint32_t i = 0; i < NR_HITS; i++) {
		by_key[i % 150] += NR_THREADS;
		sum_by_key[i % 150] += NR_THREADS * i;
	}
	for (uint64_t key = 0; key < 150; key++) {
		uint64_t nr = hits(&shared, &key, 1, values);

		total += nr;
		if (!nr || nr != by_key[key])
			continue;
		assert_int_equal(values[0], sum_by_key[key]);
		assert_int_equal(values[1], nr * key);
	}
	assert_int_equal(total + hist_read_dropped(&shared.views[0]), NR_THREADS * NR_HITS);
	hist_done(&shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_ops), cmocka_unit_test(peeks), cmocka_unit_test(sums),
		cmocka_unit_test(one_clock_read), cmocka_unit_test(string_keys),
		cmocka_unit_test(wild_strings), cmocka_unit_test(string_lengths),
		cmocka_unit_test(stack_keys), cmocka_unit_test(entry_comm),
		cmocka_unit_test(full_table), cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
