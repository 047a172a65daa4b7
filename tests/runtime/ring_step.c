/* SPDX-License-Identifier: MIT */
/*
 * trace_<event>() is interrupted after each of its instructions, from the call in the program
 * through libulf to its return, see tests/lib/step.h.
 *
 * timeout: 600
 * no-sanitize: address the instrumented program has too many instructions
 * no-sanitize: thread the instrumented program has too many instructions
 */
#include <unistd.h>

#include "lib/step.h"
#define CREATE_TRACE_POINTS
#include "ring_ops.h"

/* The size stands for the event that is hit. */
enum { SHORT_EVENT = 8, ARRAY_EVENT = 44, LARGE_EVENT = 150 };

/* 59 arrays (68 bytes with a header) leave 68 bytes of a page. */
static const struct step_scenario scenarios[] = {
	{ "first", false, false, true, 0, SHORT_EVENT, false, false },
	{ "short", false, false, true, 3, SHORT_EVENT, false, false },
	{ "array", false, false, true, 3, ARRAY_EVENT, false, false },
	{ "large", false, false, true, 3, LARGE_EVENT, false, false },
	{ "cross", false, false, true, 59, ARRAY_EVENT, false, false },
	{ "wrap", false, false, true, 177, ARRAY_EVENT, false, false },
	{ "refused", false, false, false, 177, ARRAY_EVENT, false, true },
};

static struct ring_root root;
static struct torture torture;		/* needed by ring_event_check() */
static struct abi_ring *ring;
static uint32_t cpu;

struct prepared {
	struct record_id id;
	uint32_t bytes;
};

/* The number of a record is its writer.  The sequence number determines the event, so search
 * the first one that gives the right event. */
static void prepare(struct step_stage *st, void *buffer, uint32_t number,
		    uint32_t bytes)
{
	struct prepared *p = buffer;
	uint32_t tail = 0;

	(void)st;
	p->id = (struct record_id){ number, 0 };
	for (;; p->id.seq++) {
		switch (ring_event_of(p->id, &tail)) {
		case RING_SHORT:
			if (bytes == SHORT_EVENT)
				return;
			break;
		case RING_ARRAY:
			if (bytes == ARRAY_EVENT)
				return;
			break;
		default:
			p->bytes = tail;
			if (bytes == LARGE_EVENT && tail >= 100 && tail < 200)
				return;
			break;
		}
	}
}

static int hit(struct step_stage *st, void *buffer, uint64_t now_ns)
{
	const struct prepared *p = buffer;

	(void)st;
	(void)now_ns;
	return ring_event_write(NULL, NULL, p->id);
}

static void reset(struct step_stage *st)
{
	const struct abi_clock *clock = &root.driver.control->clock;
	struct ring_config config = {
		.page_bytes = ring->page_bytes,
		.nr_pages = ring->nr_pages,
		.cpu = cpu,
		.overwrite = st->scenario->overwrite,
		.clock_mult = clock->mult,
		.clock_tsc = clock->tsc0,
		.clock_ns = clock->ns0,
	};

	CHECK_EQ(ring_init(ring, &config), 0);
	CHECK_EQ(ring_view_init(&st->view, ring,
				ring_bytes(ring->page_bytes, ring->nr_pages)), 0);
	st->has_section = true;
}

static bool parse(struct step_stage *st, const struct ring_record *record,
		  uint32_t *ret_number)
{
	struct record_id id = { 0, 0 };
	int r = ring_event_check(&torture, record, &id);

	(void)st;
	*ret_number = id.writer;
	return r == 0;
}

static const struct step_ops ops = {
	.reset = reset,
	.fill_bytes = ARRAY_EVENT,
	.prepare = prepare,
	.write = hit,
	.knows_refusal = false,
	.parse = parse,
};

static void make_root(void)
{
	static const struct torture_config config = {
		"step", TORTURE_RSEQ, TORTURE_TSC, 4096, 3, true, false,
	};

	CHECK_EQ(torture_prepare(&torture, &config), 0);
	ring_root_start(&root, getpid(), &config);
	ring_root_look(&torture, &root);
	ring = driver_ring(&root.driver, cpu, ABI_RING_FAST);
}

int main(void)
{
	static struct step_stage st;

	if (step_init(&st, &cpu))
		skip("no rseq here");
	make_root();
	st.ops = &ops;
	st.short_stride = 7;
	step_sweep(&st, scenarios, ARRAY_SIZE(scenarios));
	CHECK_EQ(ring_event_unreported(&torture), 0);
	CHECK(step_debug(&st, &scenarios[1]) > 0);
	CHECK_EQ(driver_ring(&root.driver, cpu, ABI_RING_SLOW)->dropped, 0);
	driver_remove(getpid());
	return step_report(&st);
}
