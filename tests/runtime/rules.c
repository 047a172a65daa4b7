/* SPDX-License-Identifier: MIT */
/*
 * Filters, which a process reads from shared memory.  A valid filter is in force when the
 * process says so.  All other contents are refused, with an error for the server, and the
 * filter that was in force stays.  Hits in signal handlers and children are filtered, too.
 *
 * waits: until agents have applied settings
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/filter.h"
#include "lib/check.h"
#include "lib/driver.h"
#include "lib/rules.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define NR_DAMAGES	3000

static struct driver driver;
static struct abi_buffer *top;
static uint32_t row;			/* row of rt_hit */

/* One rule with one condition: the first field, an int, equals @value.  The layout is that of
 * struct abi_rules and struct filter_program. */
struct test_block {
	uint32_t magic, bytes, nr_rules, reserved;
	struct abi_rule rule;
	uint32_t filter_magic, record_bytes, nr_insns, pool_bytes;
	struct filter_insn insn;
};

#define PROGRAM_AT	offsetof(struct test_block, filter_magic)

static_assert(offsetof(struct test_block, rule) == sizeof(struct abi_rules), "");
static_assert(offsetof(struct test_block, insn) - PROGRAM_AT ==
	      sizeof(struct filter_program), "");

static struct test_block make_block(uint32_t value)
{
	return (struct test_block){
		.magic = ABI_RULES_MAGIC,
		.bytes = sizeof(struct test_block),
		.nr_rules = 1,
		.rule = {
			.row = row,
			.program = PROGRAM_AT,
			.program_bytes = sizeof(struct test_block) - PROGRAM_AT,
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
			.low = (uint64_t)value << 32,
		},
	};
}

static int use(const struct test_block *block)
{
	return rules_use(&driver, block, sizeof(*block));
}

/* Hit with who = 0 .. 9.  Returns how many hits were recorded. */
static uint64_t hit_all(void)
{
	uint64_t before = driver_nr_records(&driver);

	for (int who = 0; who < 10; who++)
		trace_rt_hit(who, 0);
	return driver_nr_records(&driver) - before;
}

static bool is_in_force(int value)
{
	uint64_t before = driver_nr_records(&driver);

	trace_rt_hit(value, 0);
	return driver_nr_records(&driver) - before == 1 && hit_all() == 1;
}

static void right_ones(void)
{
	struct test_block block = make_block(3);

	CHECK_EQ(hit_all(), 10);
	CHECK_EQ(use(&block), 0);
	CHECK(is_in_force(3));
	block = make_block(4);
	CHECK_EQ(use(&block), 0);
	CHECK(is_in_force(4));
	/* a rule of another event */
	block.rule.row = row + 1;
	CHECK_EQ(use(&block), 0);
	CHECK_EQ(hit_all(), 10);
	block = make_block(5);
	block.rule.program = 0;
	CHECK_EQ(use(&block), 0);
	CHECK_EQ(hit_all(), 10);
	__atomic_store_n(&top->rules, 0, __ATOMIC_RELEASE);
	CHECK_EQ(driver_apply(&driver), 0);
	CHECK_EQ(hit_all(), 10);
}

static void refuses(const struct test_block *wrong)
{
	CHECK_EQ(use(wrong), -EINVAL);
	CHECK(is_in_force(7));
}

#define REFUSES(field, wrong)						\
	do {								\
		struct test_block block_ = make_block(8);		\
									\
		block_.field = (wrong);					\
		refuses(&block_);					\
	} while (0)

static void wrong_ones(void)
{
	struct test_block block = make_block(7);

	CHECK_EQ(use(&block), 0);
	REFUSES(magic, 1);
	REFUSES(bytes, 8);
	REFUSES(bytes, ~0u);
	REFUSES(nr_rules, 100);
	REFUSES(rule.program, 52);
	REFUSES(rule.program, sizeof(block) + 8);
	REFUSES(rule.program_bytes, ~0u);
	REFUSES(rule.program_bytes, 0);
	REFUSES(rule.program_bytes, sizeof(struct filter_program));
	REFUSES(filter_magic, 1);
	REFUSES(nr_insns, 2);
	REFUSES(pool_bytes, 8);
	REFUSES(record_bytes, 100);
	REFUSES(insn.op, FILTER_OPS);
	REFUSES(insn.yes, 0);
	REFUSES(insn.no, 3);
	REFUSES(insn.offset, 12);
}

static void wrong_places(void)
{
	uint64_t good = top->rules;

	const uint64_t wrong[] = { 1, 4096, good + 8, driver.control->map_bytes,
				   ~4095ull };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		__atomic_store_n(&top->rules, wrong[i], __ATOMIC_RELEASE);
		CHECK(driver_apply(&driver) < 0);
		CHECK(is_in_force(7));
	}
}

/* Write random bytes: the process survives, and accepts the next valid block. */
static void damaged_ones(void)
{
	uint64_t random = 4711;

	for (int i = 0; i < NR_DAMAGES; i++) {
		struct test_block block = make_block(7);

		rules_damage(&block, sizeof(block), &random);
		use(&block);
		hit_all();
	}
}

static void in_handler(int sig)
{
	(void)sig;
	hit_all();
}

static void elsewhere(void)
{
	struct test_block block = make_block(2);
	uint64_t before;
	int status;
	pid_t pid;

	CHECK_EQ(use(&block), 0);
	signal(SIGUSR1, in_handler);
	before = driver_nr_records(&driver);
	raise(SIGUSR1);
	CHECK_EQ(driver_nr_records(&driver) - before, 1);
	before = driver_nr_records(&driver);
	pid = fork();
	if (!pid)
		_exit(!is_in_force(2));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(driver_nr_records(&driver) - before, 2);
}

int main(void)
{
	top = rules_open(&driver);
	row = (uint32_t)driver_find_event(&driver, "rt", "rt_hit");
	CHECK_EQ(driver_enable(&driver, "rt", "rt_hit", true), 0);
	right_ones();
	wrong_ones();
	wrong_places();
	damaged_ones();
	elsewhere();
	return 0;
}
