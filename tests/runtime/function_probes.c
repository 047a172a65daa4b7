/* SPDX-License-Identifier: MIT */
/*
 * Commands of functions, which a process reads from shared memory.  A function runs its
 * commands when it is called, in handlers, threads and children at the same time, exactly as
 * often as its count says.  All other contents of the memory are refused.
 *
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <errno.h>

#include "lib/check.h"
#include "lib/driver.h"
#include "lib/own_functions.h"
#include "lib/record.h"
#include "lib/rules.h"
#include <ulf/tracing.h>

#define NR_DAMAGES	2000
#define NR_CALLS	10000

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))

/* Not static: the compiler must not know which registers these functions keep. */
int one(int x);
int other(int x);

TRACED int one(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x + 1;
}

TRACED int other(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x + 2;
}

static struct driver driver;
static struct abi_buffer *top;

static uint64_t site_of(int (*function)(int))
{
	const uint64_t *site = __start___patchable_function_entries;

	/* The function may begin with an endbr64. */
	while (*site != (uint64_t)function && *site != (uint64_t)function + 4)
		CHECK(++site < __stop___patchable_function_entries);
	return *site;
}

enum slot { SLOT_NONE, SLOT_TARGET, SLOT_COUNT, NR_SLOTS };

struct test_block {
	uint32_t magic, bytes, nr_rules, nr_slots;
	struct abi_rule rule;
	uint32_t nr_probes, reserved;
	struct abi_probe probe[2];
};

#define PROBES_AT	offsetof(struct test_block, nr_probes)

/* Make a command of one(), and an older one. */
static struct test_block make_block(enum command_number first, enum command_number second)
{
	uint64_t ip = site_of(one);

	return (struct test_block){
		.magic = ABI_RULES_MAGIC, .bytes = sizeof(struct test_block),
		.nr_rules = 1, .nr_slots = NR_SLOTS,
		.rule = {
			.row = ABI_ROW_FUNCTIONS, .triggers = PROBES_AT,
			.triggers_bytes = sizeof(struct test_block) - PROBES_AT,
		},
		.nr_probes = 2,
		.probe = {
			{ ip, 1, 0, { .command = first, .target = SLOT_TARGET } },
			{ ip, 2, 0, { .command = second, .target = SLOT_TARGET } },
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

static int use_one(enum command_number command, uint32_t counter)
{
	struct test_block block = make_block(command, command);

	block.nr_probes = 1;
	block.probe[0].trigger.counter = counter;
	return use(&block);
}

/* Switch on all functions of this program that can be traced. */
static void switch_on(void)
{
	own_functions_set_users(&driver, ABI_FUNCTIONS_PROBES);
	CHECK_EQ(driver_apply(&driver), 0);
}

/* ---- the actions of commands ---- */

static void in_their_order(void)
{
	struct test_block block = make_block(COMMAND_TRACEOFF, COMMAND_TRACEON);

	CHECK_EQ(use(&block), 0);
	CHECK_EQ(other(1), 3);
	CHECK_EQ(top->stopped, 0);
	CHECK_EQ(one(1), 2);
	CHECK_EQ(top->stopped, 0);
	CHECK_EQ(use_one(COMMAND_TRACEOFF, 0), 0);
	CHECK_EQ(other(1), 3);
	CHECK_EQ(top->stopped, 0);
	CHECK_EQ(one(1), 2);
	CHECK(top->stopped);
	CHECK_EQ(use_one(COMMAND_TRACEON, 0), 0);
	CHECK_EQ(one(1), 2);
	CHECK_EQ(top->stopped, 0);
}

static void stacks(void)
{
	uint64_t before = driver_nr_records(&driver);

	*slot(SLOT_COUNT) = 2;
	CHECK_EQ(use_one(COMMAND_STACKTRACE, SLOT_COUNT), 0);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(one(i), i + 1);
	CHECK_EQ(driver_nr_records(&driver) - before, 2);
	CHECK_EQ(*slot(SLOT_COUNT), 0);
}

static void call(void)
{
	CHECK_EQ(one(1), 2);
}

static void exactly(void)
{
	const struct rules_counted counting = {
		slot(SLOT_TARGET), slot(SLOT_COUNT), SLOT_COUNT, call, use_one,
	};

	rules_count_hits(&counting, 300, NR_CALLS, 20);
	rules_count_hits(&counting, 1ull << 40, NR_CALLS, 20);
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
		CHECK_EQ(one(1), 2);					\
		CHECK_EQ(top->stopped, 0);				\
	} while (0)

static void wrong_ones(void)
{
	CHECK_EQ(use_one(COMMAND_TRACEON, 0), 0);
	REFUSES(rule.triggers, PROBES_AT + 4);
	REFUSES(rule.triggers, sizeof(struct test_block) + 8);
	REFUSES(rule.triggers_bytes, ~0u);
	REFUSES(rule.triggers_bytes, 4);
	REFUSES(nr_probes, 3);
	REFUSES(nr_probes, ~0u);
	REFUSES(probe[1].ip, 0);
	REFUSES(probe[1].trigger.command, NR_COMMANDS);
	REFUSES(probe[1].trigger.counter, NR_SLOTS + 1);
	REFUSES(probe[1].trigger.target, NR_SLOTS + 1);
	REFUSES(probe[1].trigger.program, 8);
}

static bool is_dump(const struct abi_probe *probe)
{
	return probe->trigger.command == COMMAND_DUMP ||
	       probe->trigger.command == COMMAND_CPUDUMP;
}

/* Write random bytes: the process survives, and accepts the next valid block. */
static void damaged_ones(void)
{
	uint64_t random = 4711;

	for (int i = 0; i < NR_DAMAGES; i++) {
		struct test_block block =
			make_block(random_below(&random, COMMAND_DUMP),
				   random_below(&random, COMMAND_DUMP));

		rules_damage(&block, sizeof(block), &random);
		if (is_dump(&block.probe[0]) || is_dump(&block.probe[1]))
			continue;	/* this command would be valid, and print the buffer */
		use(&block);
		CHECK_EQ(one(1), 2);
	}
	memset(top->slots, 0, sizeof(top->slots));
	top->stopped = 0;
	in_their_order();
}

int main(void)
{
	top = rules_open(&driver);
	CHECK(tracing_is_on());
	switch_on();
	in_their_order();
	stacks();
	exactly();
	wrong_ones();
	damaged_ones();
	return 0;
}
