/* SPDX-License-Identifier: MIT */
/*
 * The worker has only the root's memory, which it inherited by fork().
 *
 * The worker must survive its own attack, so it hits no event.  Its own agent does apply the
 * values that it stores.
 */
#include <linux/futex.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "abi/control.h"
#include "abi/functions.h"
#include "abi/hist.h"
#include "abi/ring.h"
#include "abi/rules.h"
#include "base/bits.h"
#include "hostile.h"
#include "lib/check.h"

#define ROUNDS		30000u
#define LONG_ROUNDS	1000000u	/* ULF_TORTURE=long */
#define RANGES		1024u
#define BLOCKS		64u
#define PAGE		4096u
#define TABLE_PAGES	32u		/* pages of a table that are attacked */
#define APPLY_EACH	16u		/* rounds */
#define AIM_EACH	256u		/* rounds */
#define HIST_SLOTS	(HIST_ALIGN(sizeof(struct hist_table), 64) / 8)
#define GRAPHS_EACH	8u		/* times that they are applied */

struct range {
	uint64_t *start;
	uint64_t pages;
};

static struct range ranges[RANGES];
static uint32_t nr_ranges;
static struct range blocks[BLOCKS];	/* tables of histograms, and rules */
static uint32_t nr_blocks;
static struct abi_control *control;
static const struct canary *canary;
static uint64_t seed;

static uint64_t pick(uint64_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 20) % limit;
}

/* ---- where to store ---- */

/* Returns true if @word can be read.  An agent that has applied a hostile offset may have made
 * addresses accessible that are beyond the file's end. */
static bool is_there(uint64_t *word)
{
	uint64_t copy;
	struct iovec to = { &copy, sizeof(copy) }, from = { word, sizeof(*word) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof(copy);
}

/* Note the blocks of the arena that have tables of histograms, or rules with their programs. */
static void find_blocks(const struct range *range)
{
	for (uint64_t page = 0; page < range->pages && nr_blocks < BLOCKS; page++) {
		uint64_t *words = range->start + page * (PAGE / 8);

		if (!is_there(words))
			break;		/* nor is what follows */
		if ((uint32_t)*words == HIST_TABLE_MAGIC)
			blocks[nr_blocks++] = (struct range){
				words, min_u64(range->pages - page, TABLE_PAGES),
			};
		else if ((uint32_t)*words == ABI_RULES_MAGIC)
			blocks[nr_blocks++] = (struct range){ words, 1 };
	}
}

static void find_ranges(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[PATH_MAX + 100], rights[8];

	CHECK(maps);
	nr_ranges = 0;
	while (fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/memory") ||
		    sscanf(line, "%lx-%lx %7s", &start, &end, rights) != 3)
			continue;
		if (!control)
			control = (struct abi_control *)start;
		if (!strcmp(rights, "rw-s") && nr_ranges < RANGES)
			ranges[nr_ranges++] = (struct range){
				(uint64_t *)start, (end - start) / PAGE,
			};
	}
	fclose(maps);
	CHECK(nr_ranges);
	nr_blocks = 0;
	for (uint32_t i = 0; i < nr_ranges; i++)
		find_blocks(&ranges[i]);
}

static uint64_t *table_word(void)
{
	static const struct {
		uint64_t off, bytes;
	} tables[] = {
		{ 0, sizeof(struct abi_control) },
		{ ABI_PROCESSES_OFF, 8 * sizeof(struct abi_process) },
		{ ABI_MODULES_OFF, 4 * sizeof(struct abi_module) },
		{ ABI_EVENTS_OFF, 16 * sizeof(struct abi_event) },
		{ ABI_BUFFERS_OFF, offsetof(struct abi_buffer, cpu_kb) },
		{ ABI_BUFFERS_OFF + offsetof(struct abi_buffer, side), PAGE },
		{ ABI_BUFFERS_OFF + offsetof(struct abi_buffer, side[1]), PAGE },
		{ ABI_BUFFERS_OFF + offsetof(struct abi_buffer, slots), 256 },
		{ ABI_OBJECTS_OFF, 8 * sizeof(struct abi_object) },
		{ ABI_HEAP_OFF, PAGE },
	};
	uint64_t i = pick(sizeof(tables) / sizeof(tables[0]));

	return (uint64_t *)((char *)control + tables[i].off) + pick(tables[i].bytes / 8);
}

/* Blocks of the arena (rings, rules, lists) begin at the start of a page. */
static uint64_t *block_word(void)
{
	const struct range *range = &ranges[pick(nr_ranges)];
	uint64_t *page = range->start + pick(range->pages) * (PAGE / 8);

	return is_there(page) ? page + pick(pick(2) ? 64 : PAGE / 8) : table_word();
}

/* A table of a histogram, or rules with programs: rather their first words. */
static uint64_t *hist_word(void)
{
	const struct range *block = nr_blocks ? &blocks[pick(nr_blocks)] : NULL;
	uint64_t *word;

	if (!block)
		return table_word();
	word = block->start + pick(pick(2) ? 24 : block->pages * (PAGE / 8));
	return is_there(word) ? word : table_word();
}

/* ---- which value ---- */

static bool is_ring(const struct abi_ring *ring)
{
	return (char *)ring >= (char *)control + ABI_ARENA_OFF &&
	       (ring->page_bytes == 4096 || ring->page_bytes == 65536) &&
	       ring->nr_pages >= 2 && ring->pages_off && ring->pages_off % PAGE == 0;
}

static uint64_t hostile_value(uint64_t *word)
{
	struct abi_ring *ring = (struct abi_ring *)((uint64_t)word & ~(uint64_t)(PAGE - 1));
	uint64_t target = (uint64_t)&canary->words[pick(canary->nr)];
	static const uint64_t some[] = {
		0, 1, 2, 3, 7, 8, 15, 255, 4095, 4096, 65535, 65536, 1ull << 31, UINT32_MAX,
		1ull << 32, 1ull << 62, 1ull << 63, INT64_MAX, UINT64_MAX, UINT64_MAX - 7,
		ABI_HEAP_OFF, ABI_ARENA_OFF, ABI_ARENA_OFF + PAGE, ABI_BUFFERS_OFF,
	};

	switch (pick(8)) {
	case 0:
		return target;
	case 1:
		return target - (uint64_t)control;
	case 2:
	case 3:		/* abi_ring.address is an offset from ring + position */
		return target - (uint64_t)ring - (is_ring(ring) ? ring->position : 0);
	case 4:
		return *word ^ 1ull << pick(64);
	case 5:
		return pick(UINT64_MAX);
	case 6:
		return *word + pick(64) * 8 - 256;
	default:
		return some[pick(sizeof(some) / sizeof(some[0]))];
	}
}

/* The complete attack that was seen once: no record fits at the position, and the worker
 * chooses where the next one goes. */
static void aim_rings(void)
{
	for (uint32_t i = 0; i < nr_ranges; i++) {
		for (uint64_t page = 0; page < ranges[i].pages; page++) {
			struct abi_ring *ring = (void *)(ranges[i].start + page * (PAGE / 8));

			if (!is_there((uint64_t *)ring))
				break;		/* the next pages have no memory either */
			if (!is_ring(ring))
				continue;
			for (int copy = 0; copy < 4; copy++) {
				ring->address[copy] = (uint64_t)canary->words - (uint64_t)ring -
						      ring->position;
				ring->end[copy] = UINT64_MAX;
			}
		}
	}
}

/* Make the slots of all tables refer to entries that there are not, with the right hash. */
static void aim_slots(void)
{
	for (uint32_t i = 0; i < nr_blocks; i++) {
		uint64_t *words = blocks[i].start, nr = blocks[i].pages * (PAGE / 8);

		if (!is_there(words) || (uint32_t)*words != HIST_TABLE_MAGIC)
			continue;
		for (uint64_t n = HIST_SLOTS; n < nr && is_there(&words[n | (PAGE / 8 - 1)]); n++)
			if (words[n])
				words[n] = (words[n] >> 32 << 32) | (uint32_t)pick(UINT32_MAX);
	}
}

static bool is_mapped(const void *at, uint64_t bytes)
{
	for (uint32_t i = 0; i < nr_ranges; i++) {
		const char *start = (const char *)ranges[i].start;
		uint64_t off = (uint64_t)((const char *)at - start);

		if (off < ranges[i].pages * PAGE && bytes <= ranges[i].pages * PAGE - off)
			return true;
	}
	return false;
}

/* Switch function_graph off and on in random buffers, often in all at once, as after the
 * program was stopped for a while. */
static void change_graphs(void)
{
	uint64_t off = __atomic_load_n(&control->functions, __ATOMIC_RELAXED);
	struct abi_functions *all = (void *)((char *)control + off);

	if (!off || off % PAGE || !is_mapped(all, sizeof(*all)) || !is_there((uint64_t *)all) ||
	    all->magic != ABI_FUNCTIONS_MAGIC)
		return;
	all->graphs = pick(2) ? UINT32_MAX : (uint32_t)pick(UINT32_MAX);
	for (uint32_t i = 0; i < ABI_FUNCTIONS_BUFFERS; i++)
		all->graph_sessions[i] = (uint8_t)(all->graph_sessions[i] + 1 + pick(255));
	__atomic_add_fetch(&all->serial, 1, __ATOMIC_RELEASE);
}

/* ---- rounds ---- */

static void apply(void)
{
	__atomic_add_fetch(&control->generation, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &control->generation, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void wait_a_while(void)
{
	struct timespec pause = { 0, (long)pick(20000) };

	if (pick(4))
		for (uint64_t i = pick(2000); i--; )
			__builtin_ia32_pause();
	else
		nanosleep(&pause, NULL);
}

static void do_round(uint64_t i)
{
	uint64_t *words[3], old[3], nr = 1 + pick(3);

	for (uint64_t n = 0; n < nr; n++) {
		words[n] = pick(3) == 0 ? hist_word() : pick(2) ? table_word() : block_word();
		old[n] = __atomic_load_n(words[n], __ATOMIC_RELAXED);
		__atomic_store_n(words[n], hostile_value(words[n]), __ATOMIC_RELAXED);
	}
	if (i % (APPLY_EACH * GRAPHS_EACH) == 0)
		change_graphs();
	if (i % APPLY_EACH == 0)
		apply();
	wait_a_while();
	for (uint64_t n = nr; pick(10) && n--; )
		__atomic_store_n(words[n], old[n], __ATOMIC_RELAXED);
}

void worker(const struct canary *victims, struct progress *progress)
{
	uint64_t nr_rounds = getenv("ULF_TORTURE") ? LONG_ROUNDS : ROUNDS;
	const char *given = getenv("ULF_SEED");

	canary = victims;
	if (given)
		seed = strtoull(given, NULL, 10);
	else if (getrandom(&seed, sizeof(seed), 0) < 0)
		_exit(1);
	printf("ULF_SEED=%lu\n", seed);
	fflush(stdout);
	find_ranges();
	CHECK(nr_blocks > 2);		/* rules, and tables of histograms */
	for (uint64_t i = 0; i < nr_rounds; i++) {
		if (i % 4096 == 0) {
			find_ranges();
			aim_rings();
		}
		if (i % AIM_EACH == 0)
			aim_slots();
		do_round(i);
		__atomic_store_n(&progress->rounds, i + 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&progress->is_done, 1, __ATOMIC_RELEASE);
}
