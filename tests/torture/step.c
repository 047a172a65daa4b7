/* SPDX-License-Identifier: MIT */
/*
 * ring_write() is interrupted after each of its instructions, see tests/lib/step.h.
 *
 * timeout: 600
 * no-sanitize: address the instrumented writer has too many instructions
 * no-sanitize: thread the instrumented writer has too many instructions
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/testpoint.h"
#include "lib/step.h"

#define FILL_BYTES	96
#define RING_BYTES	(4 * 4096)	/* header and three pages */

void (*testpoint_hook)(const char *name);

/* 40 records of 96 bytes and a header leave 80 bytes of a page. */
static const struct step_scenario scenarios[] = {
	{ "first", false, false, true, 0, 24, false, false },
	{ "small", false, false, true, 3, 24, false, false },
	{ "large", false, false, true, 3, 203, false, false },
	{ "cross", false, false, true, 40, 96, false, false },
	{ "wrap", false, false, true, 80, 96, false, false },
	{ "overwrite", false, false, true, 120, 96, false, false },
	{ "refused", false, false, false, 80, 96, false, true },
	{ "extend", false, true, true, 3, 24, true, false },
	{ "slow first", true, true, true, 0, 24, false, false },
	{ "slow large", true, true, true, 3, 203, false, false },
	{ "slow extend", true, true, true, 3, 24, true, false },
	{ "slow wrap", true, true, true, 80, 96, false, false },
	{ "slow refused", true, true, false, 80, 96, false, true },
};

static struct ring_set *set;
static uint32_t cpu;
static char *memory;			/* memory of two rings */

static void make_ring(char *mem, const struct step_scenario *sc, bool is_slow)
{
	struct ring_config config = {
		.page_bytes = 4096,
		.nr_pages = 3 - sc->is_refused,
		.flags = (is_slow ? ABI_RING_LOCKED : 0) |
			 (sc->is_given ? ABI_RING_CLOCK_GIVEN : 0),
		.overwrite = sc->overwrite,
		.clock_mult = 1ull << 32,
	};

	memset(mem, 0, RING_BYTES);
	if (ring_init(mem, &config))
		exit(1);
}

static void reset(struct step_stage *st)
{
	const struct step_scenario *sc = st->scenario;
	const struct ring_view none = { 0 };

	make_ring(memory, sc, sc->is_slow);
	if (ring_view_init(&st->view, memory, RING_BYTES))
		exit(1);
	st->has_section = !sc->is_slow;
	set->has_rseq = !sc->is_slow;
	set->clock_given = sc->is_given;
	set->fast[cpu] = sc->is_slow ? &ring_none : st->view.ring;
	set->side[0].fast[cpu] = sc->is_slow ? none : st->view;
	set->side[0].slow[cpu] = sc->is_slow ? st->view : none;
	ring_set_limit(set);
}

/* Store the length, headroom, and the payload. */
static void prepare(struct step_stage *st, void *buffer, uint32_t number,
		    uint32_t bytes)
{
	uint8_t *payload = (uint8_t *)buffer + 8;

	(void)st;
	memcpy(buffer, &bytes, 4);
	for (uint32_t i = 0; i < bytes; i++)
		payload[i] = (uint8_t)((number + i / 4) >> 8 * (i % 4));
}

static int write_prepared(struct step_stage *st, void *buffer, uint64_t now_ns)
{
	uint32_t bytes = *(uint32_t *)buffer;

	(void)st;
	return ring_write(set, (uint8_t *)buffer + 8, bytes, now_ns);
}

static bool parse(struct step_stage *st, const struct ring_record *record,
		  uint32_t *ret_number)
{
	(void)st;
	memcpy(ret_number, record->data, 4);
	for (uint32_t i = 0; i < record->bytes; i++) {
		if (record->data[i] == (uint8_t)((*ret_number + i / 4) >>
						 8 * (i % 4)))
			continue;
		if (i + 4 < record->bytes || record->data[i])
			return false;	/* the last word is filled up with 0 */
	}
	return true;
}

static const struct step_ops ops = {
	.reset = reset,
	.fill_bytes = FILL_BYTES,
	.prepare = prepare,
	.write = write_prepared,
	.knows_refusal = true,
	.parse = parse,
};

/* Make both rings.  Under a debugger the record goes to the slow ring, in bounded time. */
static void reset_both(struct step_stage *st)
{
	reset(st);
	make_ring(memory + RING_BYTES, st->scenario, true);
	if (ring_view_init(&set->side[0].slow[cpu], memory + RING_BYTES, RING_BYTES))
		exit(1);
}

static void be_debugged(struct step_stage *st)
{
	struct step_ops debug_ops = ops;
	struct ring_view slow;
	struct ring_head head;
	uint32_t steps;

	debug_ops.reset = reset_both;
	st->ops = &debug_ops;
	steps = step_debug(st, &scenarios[1]);
	if (!steps || st->shared->result ||
	    ring_view_init(&slow, memory + RING_BYTES, RING_BYTES) ||
	    ring_head(&slow, &head) || head.entries != 1)
		step_fail(st, "debugger", steps, "not in the slow ring",
			  st->shared->result);
	printf("%-13s %4u steps\n", "debugger", steps);
}

int main(void)
{
	static struct step_stage st;

	if (step_init(&st, &cpu)) {
		printf("no rseq here\n");
		return 77;
	}
	set = calloc(1, ring_set_alloc_bytes(cpu + 1));
	memory = mmap(NULL, 2 * RING_BYTES, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!set || memory == MAP_FAILED)
		return 1;
	ring_set_init(set, cpu + 1);
	st.ops = &ops;
	st.short_stride = 3;
	step_sweep(&st, scenarios, ARRAY_SIZE(scenarios));
	be_debugged(&st);
	return step_report(&st);
}
