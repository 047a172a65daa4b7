/* SPDX-License-Identifier: MIT */
/*
 * A hit of a histogram is interrupted after each of its instructions, from the tracepoint on: see
 * tests/lib/step.h.  Every hit is then counted once or dropped, hits and sums belong together, and
 * no key has two entries.
 *
 * timeout: 300
 * no-sanitize: address the instrumented program has too many instructions
 * no-sanitize: thread the instrumented program has too many instructions
 */
#include <unistd.h>

#include "base/bits.h"
#include "hist/update.h"
#include "hist_rules.h"
#include "lib/check.h"
#include "lib/driver.h"
#include "lib/rules.h"
#include "lib/step.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "step_hist_trace.h"

void (*testpoint_hook)(const char *name);

#define SOFT		1		/* rule word of the event */
#define OLD_KEY		5u		/* key of the hits before */
#define NEW_KEY		6u
#define NR_ENTRIES	128u
#define NR_LATER	3u

/* The record of hist_step. */
struct rec {
	uint64_t head, key, value;
	char name[16];
};

#define AT(field)	offsetof(struct rec, field)
#define INSN(...)	((struct hist_insn){ __VA_ARGS__ })

/* The histogram of a scenario. */
enum kind { NUMBER, NAME, SUMS, ACTIONS };

static const struct step_scenario scenarios[] = {
	{ "number", .fill = 3 },
	{ "name", .fill = 3 },
	{ "sums", .fill = 3 },
	{ "actions", .fill = 3 },
	{ "new number", .fill = 1 },
	{ "new name", .fill = 1 },
	{ "full", .fill = NR_ENTRIES },
	{ "slow number", .fill = 3, .is_slow = true },
	{ "slow sums", .fill = 3, .is_slow = true },
	{ "slow new", .fill = 1, .is_slow = true },
};

static const struct {
	enum kind kind;
	bool is_new;			/* hits after the filling have a new key */
	bool is_full;			/* the hits before fill the table */
} hists[] = {
	{ .kind = NUMBER },
	{ .kind = NAME },
	{ .kind = SUMS },
	{ .kind = ACTIONS },
	{ .kind = NUMBER, .is_new = true },
	{ .kind = NAME, .is_new = true },
	{ .kind = NUMBER, .is_new = true, .is_full = true },
	{ .kind = NUMBER },
	{ .kind = SUMS },
	{ .kind = NUMBER, .is_new = true },
};

static_assert(ARRAY_SIZE(hists) == ARRAY_SIZE(scenarios), "a histogram for each scenario");

static struct driver driver;
static struct hist_view view;
static struct hist_unit slow_unit;	/* for hits without rseq */
static struct hist_view slow_views[1];
static struct hist_program *slow_program;
static const struct step_scenario *made;	/* the scenario for which the rules were made */

/* ---- values: each hit adds 1 to the digit of its group ---- */

#define DIGIT_BITS	10

enum group { FILLED, STEPPED, INTRUDER, HANDLER, LATER, GROUPS };

static uint64_t value_of(enum group group)
{
	return 1ull << DIGIT_BITS * group;
}

static uint64_t count_of(uint64_t sum, enum group group)
{
	return sum >> DIGIT_BITS * group & ((1u << DIGIT_BITS) - 1);
}

/* Return the group of the hit with a number of step.h. */
static enum group group_of(uint32_t number)
{
	return number / STEP_STEPPED;
}

/* ---- the histogram ---- */

static void add_value(struct hist_parts *parts, uint8_t reg)
{
	hist_parts_insn(parts, INSN(.op = HIST_OP_LOAD_U64, .dst = reg, .offset = AT(value)));
	hist_parts_val(parts, reg);
}

static struct hist_parts make_parts(enum kind kind)
{
	struct hist_parts parts = { .head.record_bytes = sizeof(struct rec) };

	if (kind == NAME) {
		hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_ARRAY, .offset = AT(name),
					     .size = 16));
		hist_parts_key(&parts, 0, HIST_STR);
	} else {
		hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .offset = AT(key)));
		hist_parts_key(&parts, 0, HIST_NUM);
	}
	add_value(&parts, 1);
	if (kind == SUMS || kind == ACTIONS) {
		hist_parts_insn(&parts, INSN(.op = HIST_OP_ADD, .dst = 2, .a = 1, .b = 1));
		hist_parts_val(&parts, 2);
	}
	if (kind == ACTIONS) {
		hist_parts_var(&parts, (struct hist_var){ .reg = 1, .bit = 0 });
		hist_parts_action(&parts, (struct hist_action){
			.handler = HIST_ON_CHANGE, .kind = HIST_DO_SAVE, .reg = 1, .bit = 1,
			.offset = 8 });
		hist_parts_param(&parts, (struct hist_param){ .reg = 2, .bit = 2, .offset = 16 });
	}
	return parts;
}

static struct hist_geometry geometry_of(const struct hist_parts *parts, enum kind kind)
{
	return (struct hist_geometry){
		.nr_entries = NR_ENTRIES, .nr_parts = driver.control->nr_cpus + 1,
		.nr_vals = parts->head.nr_vals, .key_words = kind == NAME ? 2 : 1,
		.var_bytes = kind == ACTIONS ? 24 : 0, .seed = 0x123456789abcdef,
	};
}

/* Give the event the histogram of the scenario. */
static void make_rules(const struct step_scenario *sc)
{
	enum kind kind = hists[sc - scenarios].kind;
	struct hist_parts parts = make_parts(kind);
	struct hist_geometry geometry = geometry_of(&parts, kind);
	struct block block = new_block(SOFT);

	hist_parts_table(&parts, hist_table_ref_make(rules_page_off(&driver, RULES_PAGES),
						     &geometry));
	hist_view_init(&view, driver.mem + rules_page_off(&driver, RULES_PAGES), &geometry);
	add_hist(&block, (uint32_t)driver_find_event(&driver, "torture", "hist_step"), SOFT,
		 &parts);
	CHECK_EQ(rules_use(&driver, block.words, block.bytes), 0);
	free(slow_program);
	slow_program = hist_parts_make(&parts);
	slow_views[0] = view;
	hist_unit_init(&slow_unit, slow_program, slow_views);
	made = sc;
}

static void reset(struct step_stage *st)
{
	if (made != st->scenario)
		make_rules(st->scenario);
	memset(view.base, 0, view.layout.bytes);
	hist_table_init(view.base, &view.geometry);
	st->has_section = !st->scenario->is_slow;
}

/* ---- hits ---- */

static void prepare(struct step_stage *st, void *buffer, uint32_t number, uint32_t bytes)
{
	enum group group = group_of(number);
	struct rec rec = { .key = OLD_KEY, .value = value_of(group) };

	(void)bytes;
	if (group == FILLED && hists[st->scenario - scenarios].is_full)
		rec.key = 100 + number;
	else if (group != FILLED && hists[st->scenario - scenarios].is_new)
		rec.key = NEW_KEY;
	memset(rec.name, (int)('a' + rec.key), 15);
	memcpy(buffer, &rec, sizeof(rec));
}

static int hit(struct step_stage *st, void *buffer, uint64_t now_ns)
{
	const struct hist_context slowly = { .has_rseq = false };
	const struct rec *rec = buffer;

	(void)now_ns;
	if (st->scenario->is_slow)
		hist_run(&slow_unit, rec, sizeof(*rec), &slowly);
	else
		trace_hist_step(rec->key, rec->value);
	return 0;
}

/* ---- checks ---- */

/* Sum up all entries.  Returns the number of entries with a key that an earlier one has, too. */
static uint32_t read_table(uint64_t *ret_hits, uint64_t *ret_sum, bool *ret_is_torn)
{
	uint64_t sums[HIST_VALS_MAX], seen[NR_ENTRIES];
	uint32_t nr = 0, nr_twice = 0;

	*ret_hits = *ret_sum = 0;
	*ret_is_torn = false;
	for (uint32_t i = 0; i < view.layout.nr_slots; i++) {
		int64_t index = hist_read_slot(&view, i);
		uint64_t hits, of_groups = 0;

		if (index < 0)
			continue;
		for (uint32_t k = 0; k < nr; k++)
			nr_twice += seen[k] == *hist_entry(&view, (uint32_t)index);
		seen[nr++] = *hist_entry(&view, (uint32_t)index);
		hits = hist_read_figures(&view, (uint32_t)index, sums);
		for (enum group g = 0; g < GROUPS; g++)
			of_groups += count_of(sums[0], g);
		*ret_is_torn |= of_groups != hits ||
				(view.geometry.nr_vals > 1 && sums[1] != 2 * sums[0]);
		*ret_hits += hits;
		*ret_sum += sums[0];
	}
	return nr_twice;
}

/* Hits may be dropped if the table is full, or if the holder of a lock is stopped. */
static bool may_drop(const struct step_stage *st, const struct step_point *p)
{
	return hists[st->scenario - scenarios].is_full ||
	       (st->scenario->is_slow && p->action == STEP_INTRUDE);
}

/* Hit the table as other threads do.  They must be able to, whatever has happened. */
static void hit_later(struct step_stage *st)
{
	uint64_t buffer[sizeof(struct rec) / 8];

	for (uint32_t i = 0; i < NR_LATER; i++) {
		prepare(st, buffer, STEP_LATER + i, 0);
		hit(st, buffer, 0);
	}
}

static bool are_groups_right(const struct step_stage *st, const struct step_point *p,
			     uint64_t sum, long there)
{
	return count_of(sum, FILLED) == st->scenario->fill &&
	       count_of(sum, STEPPED) == (uint64_t)there &&
	       count_of(sum, INTRUDER) == (p->action == STEP_INTRUDE) &&
	       count_of(sum, HANDLER) == (p->action == STEP_SIGNAL) &&
	       count_of(sum, LATER) == NR_LATER;
}

static int check(struct step_stage *st, const struct step_point *p)
{
	uint64_t others = st->scenario->fill + NR_LATER + (p->action != STEP_KILL);
	uint64_t hits, sum, dropped;
	bool is_torn;
	long there;

	hit_later(st);
	if (read_table(&hits, &sum, &is_torn))
		step_fail_at(st, p, "a key has several entries", 0);
	dropped = hist_read_dropped(&view);
	there = (long)(hits + dropped - others);
	if (is_torn)
		step_fail_at(st, p, "hits and sums differ", (long)sum);
	if (dropped && !may_drop(st, p))
		step_fail_at(st, p, "dropped", (long)dropped);
	if (!dropped && !are_groups_right(st, p, sum, there))
		step_fail_at(st, p, "hits of a group", (long)sum);
	if (there < 0 || there > 1 || (!p->is_killed && there != 1))
		step_fail_at(st, p, "times counted", there);
	if (p->action == STEP_SIGNAL && st->shared->handled != 1)
		step_fail_at(st, p, "handled", st->shared->handled);
	return there > 0;
}

static const struct step_ops ops = {
	.reset = reset,
	.fill_bytes = sizeof(struct rec),
	.prepare = prepare,
	.write = hit,
	.check = check,
};

int main(void)
{
	static struct step_stage st;
	uint32_t cpu;

	if (step_init(&st, &cpu))
		skip("no rseq here");
	rules_open(&driver);
	CHECK_EQ(ftruncate(driver.fd, (off_t)rules_page_off(&driver, RULES_PAGES) + (1 << 20)), 0);
	CHECK_EQ(driver_enable(&driver, "torture", "hist_step", true), 0);
	trace_buffer(&driver)->slots[SOFT - 1] = 1;
	st.ops = &ops;
	st.short_stride = 3;
	step_sweep(&st, scenarios, ARRAY_SIZE(scenarios));
	driver_remove(getpid());
	return step_report(&st);
}
