/* SPDX-License-Identifier: MIT */
/*
 * Histograms as a process takes them from shared memory: each hit of an event is counted
 * exactly once, from threads, handlers and children; they pause; dynamic events are
 * recorded by their own plans.  Whatever else stands in the memory is refused.
 *
 * waits: until agents have applied settings
 * no-sanitize: thread rseq sections are not visible to it
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/filter.h"
#include "hist/update.h"
#include "hist_rules.h"
#include "lib/check.h"
#include "lib/driver.h"
#include "lib/record.h"
#include "lib/rules.h"
#include "lib/trace.h"
#include <ulf/tracing.h>
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define NR_HANDLED	20000
#define NR_THREADS	4
#define NR_DAMAGES	3000
#define TABLE_BYTES	(1u << 20)
#define WHO		8		/* offsets in the records of rt_hit */
#define VALUE		16
#define SYNTH		3		/* rows of dynamic events */
#define LOOP		4

static struct driver driver;
static struct abi_buffer *top;

enum slot { SLOT_NONE, SLOT_HIT, SLOT_OTHER, SLOT_SYNTH, SLOT_LOOP, SLOT_PAUSED, NR_SLOTS };

static uint64_t *slot(enum slot number)
{
	return &top->slots[number - 1];
}

/* ---- tables in the root's memory ---- */

enum table { HIT_TABLE, OTHER_TABLE, SYNTH_TABLE, NR_TABLES };

static struct hist_view views[NR_TABLES];

static struct hist_geometry geometries[NR_TABLES] = {
	[HIT_TABLE] = { .nr_entries = 128, .nr_vals = 1, .key_words = 1, .var_bytes = 8 },
	[OTHER_TABLE] = { .nr_entries = 128, .nr_vals = 0, .key_words = 1, .var_bytes = 8 },
	[SYNTH_TABLE] = { .nr_entries = 128, .nr_vals = 1, .key_words = 17 },
};

static uint64_t table_off(enum table table)
{
	return rules_page_off(&driver, RULES_PAGES) + table * TABLE_BYTES;
}

static struct hist_table_ref table_ref(enum table table)
{
	return hist_table_ref_make(table_off(table), &geometries[table]);
}

static void clear_tables(void)
{
	for (int i = 0; i < NR_TABLES; i++) {
		char *at = driver.mem + table_off(i);

		memset(at, 0, TABLE_BYTES);
		hist_table_init(at, &geometries[i]);
		hist_view_init(&views[i], at, &geometries[i]);
		CHECK(views[i].layout.bytes <= TABLE_BYTES);
	}
}

static uint64_t hits(enum table table, const uint64_t *key, uint32_t nr, uint64_t *ret_sum)
{
	uint64_t hash = hist_hash(geometries[table].seed, key, nr), sums[HIST_VALS_MAX];
	int64_t index = hist_find(&views[table], key, nr, hash);
	uint64_t found = index < 0 ? 0 : hist_read_figures(&views[table], (uint32_t)index, sums);

	if (ret_sum)
		*ret_sum = found ? sums[0] : 0;
	return found;
}

static uint64_t hits_of(enum table table, uint64_t key)
{
	return hits(table, &key, 1, NULL);
}

/* ---- rules ---- */

static int use(const struct block *block)
{
	return rules_use(&driver, block->words, block->bytes);
}

static uint32_t row_of(const char *name)
{
	return (uint32_t)driver_find_event(&driver, "rt", name);
}

static void want_row(uint32_t row, uint32_t wanted)
{
	struct abi_event *rows = (void *)(driver.mem + driver.control->events_off);

	__atomic_store_n(&rows[row].wanted, wanted, __ATOMIC_RELEASE);
}

/* ---- programs ---- */

#define INSN(...)	((struct hist_insn){ __VA_ARGS__ })

static struct hist_parts new_parts(enum table table, uint32_t record_bytes)
{
	struct hist_parts parts = { .head.record_bytes = record_bytes };

	hist_parts_table(&parts, table_ref(table));
	return parts;
}

/* keys=who:vals=value:v=value */
static struct hist_parts hit_parts(void)
{
	struct hist_parts parts = new_parts(HIT_TABLE, 24);

	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_S32, .offset = WHO));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .dst = 1, .offset = VALUE));
	hist_parts_val(&parts, 1);
	hist_parts_var(&parts, (struct hist_var){ .reg = 1 });
	return parts;
}

/* keys=who:onmatch(rt.rt_hit).trace(synth,value-$v) */
static struct hist_parts other_parts(void)
{
	struct hist_parts parts = new_parts(OTHER_TABLE, 24);

	hist_parts_table(&parts, table_ref(HIT_TABLE));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_S32, .offset = WHO));
	hist_parts_key(&parts, 0, HIST_NUM);
	hist_parts_ref(&parts, (struct hist_ref){ .table = 1, .is_once = 1 });
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .dst = 1, .offset = VALUE));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_REF, .dst = 2, .value = 0));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_SUB, .dst = 3, .a = 1, .b = 2));
	hist_parts_action(&parts, (struct hist_action){
		.kind = HIST_DO_TRACE, .record_bytes = 16, .row = SYNTH });
	hist_parts_param(&parts, (struct hist_param){ .reg = 3, .offset = 8, .size = 8 });
	return parts;
}

static struct block hit_block(void)
{
	struct hist_parts parts = hit_parts();
	struct block block = new_block(NR_SLOTS - 1);

	add_hist(&block, row_of("rt_hit"), SLOT_HIT, &parts);
	return block;
}

/* ---- counts ---- */

static void soft_disabled(void)
{
	struct block block = hit_block();
	uint64_t before, sum, key = (uint64_t)-7;

	clear_tables();
	CHECK_EQ(use(&block), 0);
	before = driver_nr_records(&driver);
	*slot(SLOT_HIT) = 1;
	trace_rt_hit(-7, 100);
	trace_rt_hit(-7, 11);
	trace_rt_hit(8, 1);
	CHECK_EQ(driver_nr_records(&driver), before);
	CHECK_EQ(hits(HIT_TABLE, &key, 1, &sum), 2);
	CHECK_EQ(sum, 111);
	/* the histogram also counts while the event is recorded, and while tracing is off */
	*slot(SLOT_HIT) = 0;
	trace_rt_hit(-7, 1);
	CHECK_EQ(driver_nr_records(&driver), before + 1);
	tracing_off();
	trace_rt_hit(-7, 1);
	tracing_on();
	CHECK_EQ(driver_nr_records(&driver), before + 1);
	CHECK_EQ(hits(HIT_TABLE, &key, 1, &sum), 4);
	CHECK_EQ(sum, 113);
	CHECK_EQ(hits_of(HIT_TABLE, 8), 1);
}

static void with_filter(void)
{
	const struct filter_program head = {
		.magic = FILTER_MAGIC, .record_bytes = 12, .nr_insns = 1,
	};
	const struct filter_insn insn = {
		.op = FILTER_OP_RANGE, .load = FILTER_LOAD_4, .offset = WHO,
		.yes = 2, .no = 1, .low = 7ull << 32,
	};
	struct block block = hit_block();
	struct abi_rules *rules = (void *)block.words;
	struct abi_triggers *list = (void *)((char *)block.words + rules->rules[0].triggers);
	char *filter;
	uint32_t at;

	clear_tables();
	filter = block_add(&block, sizeof(head) + sizeof(insn), &at);
	memcpy(filter, &head, sizeof(head));
	memcpy(filter + sizeof(head), &insn, sizeof(insn));
	list->triggers[0].program = at - rules->rules[0].triggers;
	list->triggers[0].program_bytes = sizeof(head) + sizeof(insn);
	rules->rules[0].triggers_bytes = (uint32_t)block.bytes - rules->rules[0].triggers;
	rules->bytes = (uint32_t)block.bytes;
	CHECK_EQ(use(&block), 0);
	trace_rt_hit(7, 1);
	trace_rt_hit(8, 1);
	CHECK_EQ(hits_of(HIT_TABLE, 7), 1);
	CHECK_EQ(hits_of(HIT_TABLE, 8), 0);
}

/* Hits of this process and its children. */
static struct { uint64_t direct, handled; } *counts;

static void in_handler(int sig)
{
	(void)sig;
	trace_rt_hit(1, 2);
	__atomic_add_fetch(&counts->handled, 1, __ATOMIC_RELAXED);
}

static uint64_t nr_handled(void)
{
	return __atomic_load_n(&counts->handled, __ATOMIC_RELAXED);
}

/* Hit the event while a timer interrupts this thread at any instruction. */
static void *hit_often(void *arg)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	const struct itimerspec often = { { 0, 17011 }, { 0, 17011 } };
	uint64_t nr = 0;
	timer_t timer;

	(void)arg;
	event._sigev_un._tid = gettid();
	CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	CHECK_EQ(timer_settime(timer, 0, &often, NULL), 0);
	for (; nr_handled() < NR_HANDLED; nr++)
		trace_rt_hit(1, 3);
	timer_delete(timer);
	__atomic_add_fetch(&counts->direct, nr, __ATOMIC_RELAXED);
	return NULL;
}

static void hit_from_threads(void)
{
	pthread_t threads[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hit_often, NULL), 0);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* @is_quick: the histogram has no variable, so it needs no program. */
static void exactly(bool is_quick)
{
	struct hist_parts parts = hit_parts();
	struct block block = new_block(NR_SLOTS - 1);
	uint64_t key = 1, sum;
	pid_t pid;

	clear_tables();
	parts.head.nr_vars = is_quick ? 0 : 1;
	add_hist(&block, row_of("rt_hit"), SLOT_HIT, &parts);
	CHECK_EQ(use(&block), 0);
	*slot(SLOT_HIT) = 1;
	counts->direct = counts->handled = 0;
	signal(SIGUSR1, in_handler);
	pid = fork();
	CHECK(pid >= 0);
	hit_from_threads();
	if (!pid)
		_exit(0);
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK_EQ(hits(HIT_TABLE, &key, 1, &sum), counts->direct + counts->handled);
	CHECK_EQ(sum, 3 * counts->direct + 2 * counts->handled);
	CHECK_EQ(hist_read_dropped(&views[HIT_TABLE]), 0);
}

/* A child of vfork() has no rseq. */
static void in_vfork(void)
{
	pid_t pid;

	clear_tables();
	pid = vfork();
	if (!pid) {
		trace_rt_hit(5, 1);
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK_EQ(hits_of(HIT_TABLE, 5), 1);
	CHECK_EQ(*hist_figures(&views[HIT_TABLE], geometries[HIT_TABLE].nr_parts - 1, 0), 1);
	trace_rt_hit(5, 1);
	CHECK_EQ(hits_of(HIT_TABLE, 5), 2);
}

/* ---- pause ---- */

static void paused(void)
{
	uint32_t numbers[] = { SLOT_PAUSED, 0 };
	struct hist_parts parts = hit_parts();
	struct block block = new_block(NR_SLOTS - 1);
	struct abi_trigger *trigger;

	clear_tables();
	parts.head.paused = SLOT_PAUSED;
	add_hist(&block, row_of("rt_hit"), SLOT_HIT, &parts);
	trigger = add_rule(&block, row_of("rt_other"), SLOT_OTHER,
			   (struct abi_trigger){ .command = COMMAND_DISABLE_HIST,
						 .target = SLOT_HIT },
			   numbers, sizeof(numbers));
	CHECK_EQ(use(&block), 0);
	*slot(SLOT_PAUSED) = 0;
	trace_rt_hit(1, 1);
	CHECK_EQ(hits_of(HIT_TABLE, 1), 1);
	trace_rt_other(1, 1);
	CHECK_EQ(*slot(SLOT_PAUSED), 1);
	trace_rt_hit(1, 1);
	CHECK_EQ(hits_of(HIT_TABLE, 1), 1);
	trigger->command = COMMAND_ENABLE_HIST;
	CHECK_EQ(use(&block), 0);
	trace_rt_hit(1, 1);
	trace_rt_other(1, 1);
	CHECK_EQ(*slot(SLOT_PAUSED), 0);
	trace_rt_hit(1, 1);
	CHECK_EQ(hits_of(HIT_TABLE, 1), 2);
}

/* ---- dynamic events ---- */

/* The records of a dynamic event since the last reading, and the number in the last one. */
static size_t drain(uint32_t row, uint64_t *ret_last)
{
	struct trace trace;
	size_t nr = 0;

	trace_read(&driver, &trace);
	for (size_t i = 0; i < trace.nr; i++) {
		if (trace.records[i].row != row)
			continue;
		nr++;
		CHECK_EQ(trace.records[i].pid, getpid());
		memcpy(ret_last, trace.records[i].data + 8, sizeof(*ret_last));
	}
	trace_free(&trace);
	return nr;
}

static void latency(void)
{
	struct hist_parts hit = hit_parts(), other = other_parts(), synth;
	struct block block = new_block(NR_SLOTS - 1);
	uint64_t last = 0, key = 30;

	clear_tables();
	synth = new_parts(SYNTH_TABLE, 16);
	hist_parts_insn(&synth, INSN(.op = HIST_OP_LOAD_U64, .offset = 8));
	hist_parts_key(&synth, 0, HIST_NUM);
	hist_parts_val(&synth, 0);
	add_hist(&block, SYNTH, SLOT_SYNTH, &synth);
	add_hist(&block, row_of("rt_hit"), SLOT_HIT, &hit);
	add_hist(&block, row_of("rt_other"), SLOT_OTHER, &other);
	*slot(SLOT_SYNTH) = 0;
	want_row(SYNTH, 0);
	CHECK_EQ(use(&block), 0);
	drain(SYNTH, &last);

	/* the event is off */
	trace_rt_hit(1, 1000);
	trace_rt_other(1, 1030);
	CHECK_EQ(drain(SYNTH, &last), 0);
	want_row(SYNTH, 1);
	CHECK_EQ(driver_apply(&driver), 0);
	trace_rt_hit(1, 1000);
	trace_rt_other(1, 1030);
	trace_rt_other(1, 1040);
	trace_rt_other(2, 1040);
	CHECK_EQ(drain(SYNTH, &last), 1);
	CHECK_EQ(last, 30);
	CHECK_EQ(hits(SYNTH_TABLE, &key, 1, &last), 1);
	CHECK_EQ(last, 30);
	/* soft disabled: only its histogram */
	*slot(SLOT_SYNTH) = 1;
	trace_rt_hit(1, 1000);
	trace_rt_other(1, 1030);
	CHECK_EQ(drain(SYNTH, &last), 0);
	CHECK_EQ(hits(SYNTH_TABLE, &key, 1, &last), 2);
	want_row(SYNTH, 0);
	CHECK_EQ(driver_apply(&driver), 0);
	trace_rt_hit(1, 1000);
	trace_rt_other(1, 1030);
	CHECK_EQ(hits(SYNTH_TABLE, &key, 1, &last), 2);
}

/* An event that emits itself ends soon. */
static void endless(void)
{
	struct hist_parts parts = {
		.head = { .record_bytes = 16, .flags = HIST_PROG_EVENT_PROBE },
	};
	struct block block = new_block(NR_SLOTS - 1);
	uint64_t last, lost = top->too_big;

	clear_tables();
	hist_parts_insn(&parts, INSN(.op = HIST_OP_LOAD_U64, .offset = 8));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_CONST, .dst = 1, .value = 1));
	hist_parts_insn(&parts, INSN(.op = HIST_OP_ADD, .dst = 0, .a = 0, .b = 1));
	hist_parts_action(&parts, (struct hist_action){
		.kind = HIST_DO_TRACE, .record_bytes = 16, .row = LOOP });
	hist_parts_param(&parts, (struct hist_param){ .offset = 8, .size = 8 });
	add_hist(&block, LOOP, SLOT_LOOP, &parts)->command = COMMAND_EVENT_PROBE;
	add_hist(&block, row_of("rt_hit"), SLOT_HIT, &parts)->command = COMMAND_EVENT_PROBE;
	want_row(LOOP, 1);
	*slot(SLOT_LOOP) = 0;
	CHECK_EQ(use(&block), 0);
	drain(LOOP, &last);
	trace_rt_hit(0, 0);
	CHECK_EQ(drain(LOOP, &last), 4);
	CHECK_EQ(top->too_big, lost + 1);
	want_row(LOOP, 0);
}

/* A child that inherits the histograms, and one that must apply them before fork() returns. */
static void children(void)
{
	struct block block = hit_block();
	int to[2];
	pid_t pid;
	char c;

	clear_tables();
	CHECK_EQ(use(&block), 0);
	CHECK_EQ(pipe(to), 0);
	pid = fork();
	if (!pid) {
		close(to[1]);
		CHECK_EQ(read(to[0], &c, 1), 1);
		trace_rt_hit(1, 1);
		_exit(0);
	}
	trace_wait_agent(&driver, pid);
	geometries[HIT_TABLE].seed++;
	clear_tables();
	block = hit_block();
	CHECK_EQ(use(&block), 0);
	CHECK_EQ(write(to[1], "x", 1), 1);
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK_EQ(hits_of(HIT_TABLE, 1), 1);
}

/* ---- stacks and snapshots ---- */

static __attribute__((noinline)) void hit_here(void)
{
	trace_rt_hit(9, 9);
	__asm__ volatile("" ::: "memory");
}

static void stack_key(void)
{
	struct hist_parts parts = new_parts(SYNTH_TABLE, 24);
	struct block block = new_block(NR_SLOTS - 1);
	uint64_t *entry, sums[1];
	int64_t index = -1;

	clear_tables();
	hist_parts_insn(&parts, INSN(.op = HIST_OP_STACK));
	hist_parts_key(&parts, 0, HIST_STACK);
	hist_parts_insn(&parts, INSN(.op = HIST_OP_CONST, .dst = 1, .value = 5));
	hist_parts_val(&parts, 1);
	add_hist(&block, row_of("rt_hit"), SLOT_HIT, &parts);
	CHECK_EQ(use(&block), 0);
	for (volatile int i = 0; i < 3; i++)	/* one place of the call */
		hit_here();
	for (uint32_t i = 0; i < views[SYNTH_TABLE].layout.nr_slots; i++) {
		if (hist_read_slot(&views[SYNTH_TABLE], i) < 0)
			continue;
		CHECK_EQ(index, -1);
		index = hist_read_slot(&views[SYNTH_TABLE], i);
	}
	CHECK(index >= 0);
	CHECK_EQ(hist_read_figures(&views[SYNTH_TABLE], (uint32_t)index, sums), 3);
	CHECK_EQ(sums[0], 15);
	entry = hist_entry(&views[SYNTH_TABLE], (uint32_t)index);
	CHECK(entry[0] >= 2 && entry[0] <= HIST_STACK_DEPTH);
	CHECK(entry[1] - (uint64_t)hit_here < 1024);
}

/* onmax(value).snapshot(): the snapshot has the record of the maximum. */
static void snapshots(void)
{
	const struct driver_config config = { 4096, 64, 16, true };
	struct hist_parts parts = hit_parts();
	struct block block = new_block(NR_SLOTS - 1);
	struct hist_table *table;
	struct trace trace;
	uint32_t side = ~0u;

	clear_tables();
	CHECK_EQ(driver_spare(&driver, &config), 0);
	parts.head.nr_vars = 0;
	hist_parts_action(&parts, (struct hist_action){
		.handler = HIST_ON_MAX, .kind = HIST_DO_SNAPSHOT, .reg = 1 });
	add_hist(&block, row_of("rt_hit"), SLOT_HIT, &parts);
	*slot(SLOT_HIT) = 0;
	CHECK_EQ(use(&block), 0);
	trace_drain(&driver, "rt", "rt_hit");
	trace_rt_hit(1, 10);
	trace_rt_hit(1, 5);
	CHECK_EQ(top->spare / ABI_SPARE_SWAP, 1);
	trace_rt_hit(1, 20);
	CHECK_EQ(top->spare / ABI_SPARE_SWAP, 2);
	table = (void *)views[HIT_TABLE].base;
	CHECK_EQ(table->last_value, 20);
	trace_read(&driver, &trace);
	for (size_t i = 0; i < trace.nr; i++) {
		if (trace_number(&driver, &trace.records[i], "value") == 20)
			side = trace.records[i].side;
	}
	CHECK_EQ(side, 1);
	trace_free(&trace);
}

/* ---- what is refused ---- */

#define REFUSES(change, error)						\
	do {								\
		struct hist_parts parts = hit_parts();			\
		struct block block_ = new_block(NR_SLOTS - 1);			\
									\
		change;							\
		add_hist(&block_, row_of("rt_hit"), SLOT_HIT, &parts);	\
		CHECK_EQ(use(&block_), error);				\
	} while (0)

static void wrong_ones(void)
{
	struct block block = hit_block();

	clear_tables();
	CHECK_EQ(use(&block), 0);
	REFUSES(parts.tables[0].off += 4, -EINVAL);
	REFUSES(parts.tables[0].off = ABI_HEAP_OFF, -EINVAL);
	REFUSES(parts.tables[0].off = 1ull << 60, -ENOMEM);
	REFUSES(parts.tables[0].off = driver.control->map_bytes - 4096, -ENOMEM);
	REFUSES(parts.tables[0].bytes += 8, -EINVAL);
	REFUSES(parts.head.record_bytes = 25, -EINVAL);
	REFUSES(parts.head.paused = NR_SLOTS, -EINVAL);
	/* a number is no address */
	REFUSES(parts.insns[1] = INSN(.op = HIST_OP_STR_PTR, .offset = VALUE);
		parts.head.nr_insns = 2; parts.head.nr_vals = 0; parts.head.nr_vars = 0,
		-EINVAL);
	REFUSES(hist_parts_insn(&parts, INSN(.op = HIST_OP_STR_PTR, .dst = 5, .offset = VALUE)),
		-EINVAL);
	REFUSES(hist_parts_insn(&parts, INSN(.op = HIST_OP_PEEK, .dst = 5, .a = 1, .size = 8)),
		-EINVAL);
	REFUSES(hist_parts_insn(&parts, INSN(.op = HIST_OP_PEEK_STR, .dst = 5, .a = 1)),
		-EINVAL);
	/* the histograms that were there before continue to count */
	trace_rt_hit(1, 1);
	CHECK_EQ(hits_of(HIT_TABLE, 1), 1);
}

static void damaged_ones(void)
{
	uint64_t random = 4711;

	for (int i = 0; i < NR_DAMAGES; i++) {
		struct hist_parts hit = hit_parts(), other = other_parts();
		struct block block = new_block(NR_SLOTS - 1);

		add_hist(&block, row_of("rt_hit"), SLOT_HIT, &hit);
		add_hist(&block, row_of("rt_other"), SLOT_OTHER, &other);
		rules_damage(block.words, block.bytes, &random);
		rules_damage(driver.mem + table_off(HIT_TABLE), 8192, &random);
		use(&block);
		trace_rt_hit(1, i);
		trace_rt_other(1, i);
	}
	memset(top->slots, 0, sizeof(top->slots));
	top->stopped = 0;
	soft_disabled();
}

/* ---- leave the root ---- */

static void leaves(void)
{
	struct block block = hit_block();
	pid_t pid;

	clear_tables();
	CHECK_EQ(use(&block), 0);
	pid = fork();
	if (!pid) {
		trace_rt_hit(1, 1);
		ulf_leave();
		trace_rt_hit(1, 1);
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK_EQ(hits_of(HIT_TABLE, 1), 1);
}

int main(void)
{
	top = rules_open(&driver);
	CHECK_EQ(ftruncate(driver.fd, (off_t)table_off(NR_TABLES)), 0);
	for (int i = 0; i < NR_TABLES; i++)
		geometries[i].nr_parts = driver.control->nr_cpus + 1;
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	CHECK(counts != MAP_FAILED);
	CHECK_EQ(driver_enable(&driver, "rt", "rt_hit", true), 0);
	CHECK_EQ(driver_enable(&driver, "rt", "rt_other", true), 0);
	soft_disabled();
	with_filter();
	exactly(false);
	exactly(true);
	in_vfork();
	paused();
	latency();
	endless();
	children();
	stack_key();
	wrong_ones();
	leaves();
	damaged_ones();
	snapshots();
	return 0;
}
