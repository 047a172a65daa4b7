/* SPDX-License-Identifier: MIT */
/*
 * The hook of the function tracer is interrupted after each of its instructions, from the
 * slot that calls it to its return: see tests/lib/step.h.
 *
 * timeout: 600
 * no-sanitize: address the instrumented program has too many instructions
 * no-sanitize: thread the instrumented program has too many instructions
 */
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "lib/check.h"
#include "lib/driver.h"
#include "lib/step.h"
#include "runtime/base/lock.h"
#include "runtime/function/ftrace.h"
#include <ulf/event.h>

void (*testpoint_hook)(const char *name);

static struct fsite_slot *slot;

#define NR_PAGES	3
#define PAGE_RECORDS	145		/* records of 28 bytes */

static const struct step_scenario scenarios[] = {
	{ "first", false, false, true, 0, 24, false, false },
	{ "straight", false, false, true, 3, 24, false, false },
	{ "last", false, false, true, PAGE_RECORDS - 1, 24, false, false },
	{ "cross", false, false, true, PAGE_RECORDS, 24, false, false },
	{ "wrap", false, false, true, NR_PAGES * PAGE_RECORDS, 24, false, false },
	{ "refused", false, false, false, NR_PAGES * PAGE_RECORDS, 24, false, true },
};

static struct driver d;
static struct abi_ring *ring;
static uint32_t cpu;

static void reset(struct step_stage *st)
{
	const struct abi_clock *clock = &d.control->clock;
	struct ring_config config = {
		.page_bytes = ABI_PAGE_BYTES_MIN,
		.nr_pages = NR_PAGES,
		.cpu = cpu,
		.overwrite = st->scenario->overwrite,
		.clock_mult = clock->mult,
		.clock_tsc = clock->tsc0,
		.clock_ns = clock->ns0,
	};

	CHECK_EQ(ring_init(ring, &config), 0);
	CHECK_EQ(ring_view_init(&st->view, ring,
				ring_bytes(config.page_bytes, NR_PAGES)), 0);
	st->has_section = true;
}

static void prepare(struct step_stage *st, void *buffer, uint32_t number,
		    uint32_t bytes)
{
	(void)st;
	(void)bytes;
	memcpy(buffer, &number, sizeof(number));
}

/* A record contains the thread's id.  Set this id to the number of the record. */
static void set_number(uint32_t number)
{
	ulf_this_thread->tid = number;
	ftrace_this.head = (uint64_t)number << 32 | ABI_EVENT_ID_FUNCTION;
}

static int hit(struct step_stage *st, void *buffer, uint64_t now_ns)
{
	uint32_t number, was = ulf_this_thread->tid;

	(void)st;
	(void)now_ns;
	memcpy(&number, buffer, sizeof(number));
	set_number(number);
	((void (*)(void))slot)();
	set_number(was);
	return 0;
}

static bool parse(struct step_stage *st, const struct ring_record *record,
		  uint32_t *ret_number)
{
	uint64_t words[3];

	(void)st;
	*ret_number = 0;
	if (record->bytes != sizeof(words))
		return false;
	memcpy(words, record->data, sizeof(words));
	*ret_number = (uint32_t)(words[0] >> 32);
	return (uint32_t)words[0] == ABI_EVENT_ID_FUNCTION &&
	       words[1] == (uint64_t)slot->site &&
	       words[2] - (uint64_t)hit < 256;
}

static const struct step_ops ops = {
	.reset = reset,
	.fill_bytes = 24,
	.prepare = prepare,
	.write = hit,
	.knows_refusal = false,
	.parse = parse,
};

static void make_slot(void)
{
	static const struct fsite_slot model = {
		.code = {
			0xff, 0x15, offsetof(struct fsite_slot, entry) -
				    FSITE_SLOT_CALL, 0, 0, 0,	/* call *entry(%rip) */
			0xc3,					/* ret */
		},
		.users = 1, .entry = ftrace_entry_function,
	};

	slot = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(slot != MAP_FAILED);
	*slot = model;
	slot->site = slot->code;
}

/* Switch the function tracer on in the first buffer. */
static void start_tracer(void)
{
	static const struct driver_config config = {
		.page_bytes = ABI_PAGE_BYTES_MIN,
		.fast_pages = NR_PAGES,
		.slow_pages = NR_PAGES,
		.overwrite = true,
	};

	CHECK_EQ(driver_open(&d, getpid()), 0);
	CHECK_EQ(driver_rings(&d, &config), 0);
	ring = driver_ring(&d, cpu, ABI_RING_FAST);
	CHECK(ulf_thread_attach());
	make_slot();
	runtime_lock();
	CHECK_EQ(ftrace_apply_users(1u << FTRACE_FUNCTION,
				    &(struct ftrace_graph_settings){ .buffers = 0 }), 0);
	runtime_unlock();
}

int main(void)
{
	static struct step_stage st;

	if (step_init(&st, &cpu))
		skip("no rseq here");
	start_tracer();
	st.ops = &ops;
	st.short_stride = 3;
	step_sweep(&st, scenarios, ARRAY_SIZE(scenarios));
	driver_remove(getpid());
	return step_report(&st);
}
