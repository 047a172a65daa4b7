/* SPDX-License-Identifier: MIT */
/*
 * A ring for unit tests, in memory of its own between two pages that cannot be accessed.  It
 * is written on the slow path with a time that the test chooses, or on the fast path.
 */
#ifndef ULF_TESTS_RING_MEMORY_H
#define ULF_TESTS_RING_MEMORY_H

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ring/ring.h"

struct ring_memory {
	char *map;
	size_t map_bytes;
	struct abi_ring *ring;
	struct ring_view view;
	uint64_t now_ns;		/* time of the next record */
	struct ring_set *set;		/* for the fast path */
};

/* Make the ring so that it ends where its last page ends: an access one byte too far raises
 * SIGSEGV. */
static inline void ring_memory_init(struct ring_memory *m,
				    const struct ring_config *config)
{
	size_t bytes = ring_bytes(config->page_bytes, config->nr_pages);
	size_t guard = 65536;

	memset(m, 0, sizeof(*m));
	m->map_bytes = bytes + 2 * guard;
	m->map = mmap(NULL, m->map_bytes, PROT_NONE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(m->map, MAP_FAILED);
	m->ring = (struct abi_ring *)(m->map + guard);
	assert_int_equal(mprotect(m->ring, bytes, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(ring_init(m->ring, config), 0);
	assert_int_equal(ring_view_init(&m->view, m->ring, bytes), 0);
	m->now_ns = 1000;
}

static inline void ring_memory_done(struct ring_memory *m)
{
	munmap(m->map, m->map_bytes);
	free(m->set);
}

static inline struct ring_config ring_memory_config(bool overwrite)
{
	return (struct ring_config){
		.page_bytes = 4096,
		.nr_pages = 4,
		.flags = ABI_RING_CLOCK_GIVEN,
		.overwrite = overwrite,
	};
}

/* Bind this thread to one CPU, and use the ring as the CPU's fast ring.  Returns false if
 * there is no rseq. */
static inline bool ring_memory_use_rseq(struct ring_memory *m)
{
	cpu_set_t cpus;
	uint32_t cpu;

	if (!arch_rseq_init())
		return false;
	cpu = arch_rseq_cpu();
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	m->set = calloc(1, ring_set_alloc_bytes(cpu + 1));
	assert_non_null(m->set);
	ring_set_init(m->set, cpu + 1);
	m->set->has_rseq = 1;
	m->set->clock_given = !!(m->ring->flags & ABI_RING_CLOCK_GIVEN);
	m->set->side[0].fast[cpu] = m->view;
	m->set->fast[cpu] = m->ring;
	ring_set_limit(m->set);
	return true;
}

/* Write @bytes of payload: a number, then bytes that follow from it. */
static inline int ring_memory_write(struct ring_memory *m, uint32_t number,
				    uint32_t bytes)
{
	uint32_t buffer[2048];
	uint8_t *payload = (uint8_t *)(buffer + 1);

	for (uint32_t i = 0; i < bytes; i++)
		payload[i] = (uint8_t)(number >> 8 * (i % 4));
	if (m->set)
		return ring_write(m->set, payload, bytes, m->now_ns);
	return ring_view_write(&m->view, payload, bytes, m->now_ns,
			       (uint32_t)gettid());
}

static inline void ring_memory_check(const struct ring_record *record,
				     uint32_t number, uint32_t bytes)
{
	assert_int_equal(record->bytes, (bytes + 3) & ~3u);
	for (uint32_t i = 0; i < record->bytes; i++)
		assert_int_equal(record->data[i], i < bytes ?
				 (uint8_t)(number >> 8 * (i % 4)) : 0);
}

#endif
