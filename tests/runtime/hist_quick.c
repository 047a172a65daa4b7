/* SPDX-License-Identifier: MIT */
/*
 * Histograms that are counted without a program (hist/quick.h), in C or in the assembly of
 * ulf_event_commit(): for keys and values of every type they count what a program counts,
 * also while the table fills, and after it is full.
 *
 * waits: until agents have applied settings
 */
#include <unistd.h>

#include "hist/update.h"
#include "hist_rules.h"
#include "lib/check.h"
#include "lib/driver.h"
#include "lib/record.h"
#include "lib/rules.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define NR_HITS		3000
#define SOFT		1

static struct driver driver;
static struct abi_buffer *top;
static uint64_t random_state = 4711;

/* The record of rt_types. */
struct types {
	uint64_t head, u64, s64;
	uint32_t u32, s32;
	uint16_t u16, s16;
	uint8_t u8, s8;
	char name[16], long_name[20];
};

#define AT(field)	offsetof(struct types, field)
#define INSN(...)	((struct hist_insn){ __VA_ARGS__ })

static const struct hist_insn numbers[] = {
	INSN(.op = HIST_OP_LOAD_U64, .offset = AT(u64)),
	INSN(.op = HIST_OP_LOAD_U32, .offset = AT(u32)),
	INSN(.op = HIST_OP_LOAD_S32, .offset = AT(s32)),
	INSN(.op = HIST_OP_LOAD_U16, .offset = AT(u16)),
	INSN(.op = HIST_OP_LOAD_S16, .offset = AT(s16)),
	INSN(.op = HIST_OP_LOAD_U8, .offset = AT(u8)),
	INSN(.op = HIST_OP_LOAD_S8, .offset = AT(s8)),
};

static const struct hist_insn changes[] = {
	INSN(.op = HIST_OP_LOAD_U64),		/* none */
	INSN(.op = HIST_OP_LOG2),
	INSN(.op = HIST_OP_SUBLOG2, .value = 0),
	INSN(.op = HIST_OP_SUBLOG2, .value = 3),
	INSN(.op = HIST_OP_SUBLOG2, .value = 63),
	INSN(.op = HIST_OP_BUCKET, .value = 100),
};

static const struct hist_insn strings[] = {
	INSN(.op = HIST_OP_STR_ARRAY, .offset = AT(name), .size = 16),
	INSN(.op = HIST_OP_STR_ARRAY, .offset = AT(name), .size = 13),
	INSN(.op = HIST_OP_STR_ARRAY, .offset = AT(long_name), .size = 20),
};

/* Two tables of the same geometry: the process uses one, the test runs the program on the
 * other. */
static struct hist_view shared, wanted;
static struct hist_unit unit;

static void set_up(struct hist_parts *parts, struct hist_geometry *geometry)
{
	struct block block = new_block(SOFT);
	static struct hist_program *program;
	static void *own;
	char *at = driver.mem + rules_page_off(&driver, RULES_PAGES);

	free(program);
	free(own);
	geometry->nr_vals = parts->head.nr_vals;
	geometry->nr_parts = driver.control->nr_cpus + 1;
	geometry->seed = random_next(&random_state);
	parts->head.record_bytes = sizeof(struct types);
	hist_parts_table(parts, hist_table_ref_make(rules_page_off(&driver, RULES_PAGES),
						    geometry));
	hist_view_init(&shared, at, geometry);
	memset(at, 0, shared.layout.bytes);
	hist_table_init(at, geometry);
	own = hist_table_make(geometry, &wanted);
	program = hist_parts_make(parts);
	hist_unit_init(&unit, program, &wanted);
	add_hist(&block, (uint32_t)driver_find_event(&driver, "rt", "rt_types"), SOFT, parts);
	CHECK_EQ(rules_use(&driver, block.words, block.bytes), 0);
}

/* Values of every size, some more often than others. */
static uint64_t random_value(void)
{
	uint64_t value = (uint64_t)random_next(&random_state) << 33 ^
			 (uint64_t)random_next(&random_state) << 2 ^
			 random_below(&random_state, 4);

	value >>= random_below(&random_state, 64);
	return random_below(&random_state, 2) ? value : -(value % 40);
}

static void random_name(char name[20])
{
	uint32_t len = random_below(&random_state, 20);

	memset(name, 'x', 20);
	for (uint32_t i = 0; i < len; i++)
		name[i] = (char)(random_below(&random_state, 2) ? 'a' : 0xff);
	name[len] = random_below(&random_state, 4) ? '\0' : 'y';
}

static void hit_both(void)
{
	const struct hist_context context = { .cpu = 0 };
	uint64_t value = random_value();
	struct types rec = {
		.u64 = value, .s64 = value, .u32 = (uint32_t)value, .s32 = (uint32_t)value,
		.u16 = (uint16_t)value, .s16 = (uint16_t)value,
		.u8 = (uint8_t)value, .s8 = (uint8_t)value,
	};
	char name[20];

	random_name(name);
	memcpy(rec.name, name, 16);
	memcpy(rec.long_name, name, 20);
	trace_rt_types(value, name);
	hist_run(&unit, &rec, sizeof(rec), &context);
}

/* The tables have the same entries, and the same figures. */
static void compare(const char *what, size_t key, size_t change, size_t val)
{
	uint64_t sums[HIST_VALS_MAX] = { 0 }, sums_wanted[HIST_VALS_MAX] = { 0 };
	uint64_t total = 0;

	for (uint32_t i = 0; i < wanted.layout.nr_slots; i++) {
		int64_t a = hist_read_slot(&shared, i), b = hist_read_slot(&wanted, i);
		uint64_t hits, hits_wanted;

		if ((a < 0) != (b < 0))
			fail("%s %zu %zu %zu: slot %u differs", what, key, change, val, i);
		if (a < 0)
			continue;
		hits = hist_read_figures(&shared, (uint32_t)a, sums);
		hits_wanted = hist_read_figures(&wanted, (uint32_t)b, sums_wanted);
		total += hits;
		if (hits != hits_wanted || sums[0] != sums_wanted[0] ||
		    memcmp(hist_entry(&shared, (uint32_t)a), hist_entry(&wanted, (uint32_t)b),
			   shared.geometry.key_words * 8))
			fail("%s %zu %zu %zu: entry %u: hits %llu, sum %llu, and not %llu, %llu",
			     what, key, change, val, i, (long long)hits, (long long)sums[0],
			     (long long)hits_wanted, (long long)sums_wanted[0]);
	}
	CHECK_EQ(hist_read_dropped(&shared), hist_read_dropped(&wanted));
	CHECK_EQ(total + hist_read_dropped(&shared), NR_HITS);
}

/* @val: an element of `numbers', or none. */
static void add_val(struct hist_parts *parts, size_t val)
{
	if (val >= sizeof(numbers) / sizeof(numbers[0]))
		return;
	hist_parts_insn(parts, numbers[val]);
	parts->insns[parts->head.nr_insns - 1].dst = 3;
	hist_parts_val(parts, 3);
}

static void numbers_of(size_t key, size_t change, size_t val)
{
	struct hist_geometry geometry = { .nr_entries = 128, .key_words = 1 };
	struct hist_parts parts = { .head.nr_insns = 0 };

	hist_parts_insn(&parts, numbers[key]);
	if (change) {
		hist_parts_insn(&parts, changes[change]);
		parts.insns[1].dst = 1;
	}
	hist_parts_key(&parts, change ? 1 : 0, HIST_NUM);
	add_val(&parts, val);
	set_up(&parts, &geometry);
	for (int i = 0; i < NR_HITS; i++)
		hit_both();
	compare("number", key, change, val);
}

static void strings_of(size_t string, uint32_t key_words, size_t val)
{
	struct hist_geometry geometry = { .nr_entries = 128, .key_words = key_words };
	struct hist_parts parts = { .head.nr_insns = 0 };

	hist_parts_insn(&parts, strings[string]);
	hist_parts_key(&parts, 0, HIST_STR);
	add_val(&parts, val);
	set_up(&parts, &geometry);
	for (int i = 0; i < NR_HITS; i++)
		hit_both();
	compare("string", string, key_words, val);
}

int main(void)
{
	size_t nr = sizeof(numbers) / sizeof(numbers[0]);

	top = rules_open(&driver);
	CHECK_EQ(ftruncate(driver.fd, (off_t)rules_page_off(&driver, RULES_PAGES) + (8 << 20)), 0);
	CHECK_EQ(driver_enable(&driver, "rt", "rt_types", true), 0);
	top->slots[SOFT - 1] = 1;
	for (size_t key = 0; key < nr; key++) {
		for (size_t change = 0; change < sizeof(changes) / sizeof(changes[0]); change++) {
			numbers_of(key, change, key);
			numbers_of(key, change, nr);
		}
		for (size_t val = 0; val < nr; val++)
			numbers_of(key, 0, val);
	}
	for (size_t string = 0; string < sizeof(strings) / sizeof(strings[0]); string++) {
		for (uint32_t key_words = 1; key_words <= 7; key_words++) {
			strings_of(string, key_words, 0);
			strings_of(string, key_words, nr);
		}
	}
	return 0;
}
