/* SPDX-License-Identifier: MIT */
/*
 * Triggers, which a process reads from shared memory: what they do, before or after the
 * record, and how often.  In handlers, threads and children at the same time, a counted
 * trigger runs exactly as often as its count says.  All other contents of the memory are
 * refused.
 *
 * waits: until agents have applied settings
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <errno.h>

#include "abi/filter.h"
#include "lib/check.h"
#include "lib/driver.h"
#include "lib/record.h"
#include "lib/rules.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define NR_DAMAGES	3000
#define NR_HITS		20000

static struct driver driver;
static struct abi_buffer *top;

/* An event with two triggers, of which the first has a filter: the int of the event equals
 * @value. */
struct test_block {
	uint32_t magic, bytes, nr_rules, nr_slots;
	struct abi_rule rule;
	uint32_t nr_triggers, reserved;
	struct abi_trigger trigger[2];
	uint32_t filter_magic, record_bytes, nr_insns, pool_bytes;
	struct filter_insn insn;
};

enum slot { SLOT_NONE, SLOT_SELF, SLOT_OTHER, SLOT_COUNT, NR_SLOTS };

#define TRIGGERS_AT	offsetof(struct test_block, nr_triggers)
#define PROGRAM_AT	(offsetof(struct test_block, filter_magic) - TRIGGERS_AT)

static struct test_block make_block(enum command_number first, enum command_number second)
{
	uint32_t row = (uint32_t)driver_find_event(&driver, "rt", "rt_hit");

	return (struct test_block){
		.magic = ABI_RULES_MAGIC,
		.bytes = sizeof(struct test_block),
		.nr_rules = 1,
		.nr_slots = NR_SLOTS,
		.rule = {
			.row = row,
			.soft = SLOT_SELF,
			.triggers = TRIGGERS_AT,
			.triggers_bytes = sizeof(struct test_block) - TRIGGERS_AT,
		},
		.nr_triggers = 2,
		.trigger = {
			{ .command = first, .target = SLOT_OTHER,
			  .program = PROGRAM_AT,
			  .program_bytes = sizeof(struct test_block) - TRIGGERS_AT -
					   PROGRAM_AT },
			{ .command = second, .target = SLOT_OTHER },
		},
		.filter_magic = FILTER_MAGIC,
		.record_bytes = 12,
		.nr_insns = 1,
		.insn = {
			.op = FILTER_OP_RANGE,
			.load = FILTER_LOAD_4,
			.offset = 8,
			.yes = 2,
			.no = 1,
			.low = 7ull << 32,
		},
	};
}

static uint64_t *slot(enum slot number)
{
	return &top->slots[number - 1];
}

static int use(const struct test_block *block)
{
	return rules_use(&driver, block, sizeof(*block));
}

/* Use only the second trigger, without a filter. */
static int use_one(enum command_number command, uint32_t counter)
{
	struct test_block block = make_block(command, command);

	block.nr_triggers = 1;
	block.trigger[0] = block.trigger[1];
	block.trigger[0].counter = counter;
	return use(&block);
}

static uint64_t hit(int who)
{
	uint64_t before = driver_nr_records(&driver);

	trace_rt_hit(who, 0);
	return driver_nr_records(&driver) - before;
}

/* ---- order ---- */

static void on_and_off(void)
{
	/* traceoff runs after the record, traceon before it */
	CHECK_EQ(use_one(COMMAND_TRACEOFF, 0), 0);
	CHECK_EQ(hit(1), 1);
	CHECK(top->stopped);
	CHECK_EQ(hit(1), 0);
	CHECK_EQ(use_one(COMMAND_TRACEON, 0), 0);
	CHECK_EQ(hit(1), 1);
	CHECK_EQ(top->stopped, 0);
}

static void with_filter(void)
{
	struct test_block block = make_block(COMMAND_TRACEON,
					COMMAND_DISABLE_EVENT);

	CHECK_EQ(use(&block), 0);
	top->stopped = 1;
	*slot(SLOT_OTHER) = 0;
	CHECK_EQ(hit(1), 0);
	CHECK(top->stopped);
	CHECK_EQ(*slot(SLOT_OTHER), 1);
	/* The decision to record was made before the trigger ran. */
	CHECK_EQ(hit(7), 0);
	CHECK_EQ(top->stopped, 0);
	CHECK_EQ(hit(1), 1);
}

static void soft(void)
{
	struct test_block block = make_block(COMMAND_ENABLE_EVENT,
					COMMAND_ENABLE_EVENT);

	/* The event is its own target. */
	block.trigger[0].target = SLOT_SELF;
	block.nr_triggers = 1;
	CHECK_EQ(use(&block), 0);
	*slot(SLOT_SELF) = 1;
	CHECK_EQ(hit(1), 0);
	CHECK_EQ(hit(7), 1);
	CHECK_EQ(hit(1), 1);
	block.trigger[0].command = COMMAND_DISABLE_EVENT;
	CHECK_EQ(use(&block), 0);
	CHECK_EQ(hit(1), 1);
	CHECK_EQ(hit(7), 0);
	CHECK_EQ(hit(1), 0);
	*slot(SLOT_SELF) = 0;
}

/* ---- counts ---- */

static void counted(void)
{
	*slot(SLOT_COUNT) = 2;
	CHECK_EQ(use_one(COMMAND_DISABLE_EVENT, SLOT_COUNT), 0);
	for (int i = 0; i < 4; i++) {
		*slot(SLOT_OTHER) = 0;
		hit(1);
		/* hit once more: the state is already as the trigger sets it */
		hit(1);
		CHECK_EQ(*slot(SLOT_OTHER), i < 2);
		CHECK_EQ(*slot(SLOT_COUNT), i < 2 ? 1 - i : 0);
	}
}

static void hit_once(void)
{
	trace_rt_hit(1, 0);
}

static void exactly(void)
{
	const struct rules_counted counting = {
		slot(SLOT_OTHER), slot(SLOT_COUNT), SLOT_COUNT, hit_once, use_one,
	};

	rules_count_hits(&counting, 500, NR_HITS, 50);
	CHECK_EQ(*slot(SLOT_COUNT), 0);
	rules_count_hits(&counting, UINT64_MAX / 2, NR_HITS, 50);
	rules_count_children(&counting);
}

/* ---- refused contents ---- */

#define REFUSES(field, wrong)						\
	do {								\
		struct test_block block_ = make_block(COMMAND_TRACEOFF,	\
						 COMMAND_TRACEOFF);	\
									\
		block_.field = (wrong);					\
		CHECK_EQ(use(&block_), -EINVAL);			\
		CHECK_EQ(hit(1), 1);					\
		CHECK_EQ(top->stopped, 0);				\
	} while (0)

static void wrong_ones(void)
{
	CHECK_EQ(use_one(COMMAND_TRACEON, 0), 0);
	REFUSES(nr_slots, ABI_SLOTS + 1);
	REFUSES(nr_slots, SLOT_SELF - 1);
	REFUSES(rule.soft, 0);
	REFUSES(rule.soft, NR_SLOTS + 1);
	REFUSES(rule.triggers, TRIGGERS_AT + 4);
	REFUSES(rule.triggers, sizeof(struct test_block) + 8);
	REFUSES(rule.triggers_bytes, ~0u);
	REFUSES(rule.triggers_bytes, 4);
	REFUSES(nr_triggers, 100);
	REFUSES(nr_triggers, ~0u);
	REFUSES(trigger[1].command, NR_COMMANDS);
	REFUSES(trigger[1].counter, NR_SLOTS + 1);
	REFUSES(trigger[1].target, NR_SLOTS + 1);
	REFUSES(trigger[0].program, PROGRAM_AT + 4);
	REFUSES(trigger[0].program, ~7u);
	REFUSES(trigger[0].program_bytes, ~0u);
	REFUSES(record_bytes, 100);
	REFUSES(insn.yes, 0);
}

/* Write random bytes: the process survives, and accepts the next valid block. */
static void damaged_ones(void)
{
	uint64_t random = 4711;

	for (int i = 0; i < NR_DAMAGES; i++) {
		struct test_block block = make_block(random_below(&random, NR_COMMANDS),
						random_below(&random, NR_COMMANDS));

		rules_damage(&block, sizeof(block), &random);
		use(&block);
		hit(1);
		hit(7);
	}
	memset(top->slots, 0, sizeof(top->slots));
	top->stopped = 0;
	on_and_off();
}

int main(void)
{
	top = rules_open(&driver);
	CHECK_EQ(driver_enable(&driver, "rt", "rt_hit", true), 0);
	on_and_off();
	with_filter();
	soft();
	counted();
	exactly();
	wrong_ones();
	damaged_ones();
	return 0;
}
