/* SPDX-License-Identifier: MIT */
/* Wrong values in the memory of a root, at random, for test_server_hostile.c. */
#ifndef TESTS_UNIT_SPOIL_H
#define TESTS_UNIT_SPOIL_H

#include "abi/hist.h"
#include "hist/run.h"
#include "unit/fake_root.h"

#define ARENA_USED	(8ull << 20)	/* bytes of the arena that are spoiled */

static uint64_t seed;

static inline uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static inline uint64_t interesting(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 7, 8, 255, 4095, 4096, 65535, 65536, 1u << 20,
		INT32_MAX, 1u << 31, UINT32_MAX, 1ull << 32, 1ull << 40,
		INT64_MAX, 1ull << 63, UINT64_MAX, ABI_ARENA_OFF, ABI_HEAP_OFF,
		FAKE_MAP_BYTES, FAKE_MAP_BYTES - 4096,
	};
	uint64_t r = rnd();

	if (r % 4)
		return values[rnd() % (sizeof(values) / sizeof(values[0]))];
	return r;
}

/* Write a random value of 1, 2, 4 or 8 bytes in [@off, @off + @bytes). */
static inline void spoil(struct fake_root *root, uint64_t off, uint64_t bytes)
{
	size_t size = (size_t)1 << rnd() % 4;
	uint64_t at = off + (rnd() % bytes & ~(size - 1));
	uint64_t value = interesting();

	memcpy(root->mem + at, &value, size);
}

static inline void spoil_ring(struct fake_root *root)
{
	const struct abi_ring_ref *ref =
		&root->buffer->side[0].ring[rnd() % FAKE_CPUS][rnd() % ABI_RING_KINDS];

	if (ref->off < ABI_ARENA_OFF || ref->off % 4096 || ref->bytes < 65536 ||
	    ref->off + ref->bytes > ABI_ARENA_OFF + ARENA_USED)
		return;
	if (rnd() % 2)
		spoil(root, ref->off, sizeof(struct abi_ring));
	else
		spoil(root, ref->off, 65536);
}

static inline void spoil_rules(struct fake_root *root)
{
	uint64_t off = root->buffer[rnd() % 2].rules;

	if (off >= ABI_ARENA_OFF && off % 4096 == 0 &&
	    off < ABI_ARENA_OFF + ARENA_USED)
		spoil(root, off, rnd() % 2 ? 128 : 768);
}

/* ---- histograms ---- */

/* Returns where the part of the arena ends that may be spoiled, and that the file has. */
static inline uint64_t arena_end(const struct fake_root *root)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/memory", root->path);
	return stat(path, &st) ? 0 : min_u64((uint64_t)st.st_size, ABI_ARENA_OFF + ARENA_USED);
}

/* Returns the offset of one of the root's tables of histograms, or 0. */
static inline uint64_t find_table(const struct fake_root *root)
{
	uint64_t found = 0, nr = 0, end = arena_end(root);

	for (uint64_t off = ABI_ARENA_OFF; off + 4096 <= end; off += 4096)
		if (*(uint32_t *)(void *)(root->mem + off) == HIST_TABLE_MAGIC && rnd() % ++nr == 0)
			found = off;
	return found;
}

/* Make slots refer to entries that there are not. */
static inline void spoil_slots(struct fake_root *root, uint64_t off, uint64_t bytes)
{
	uint64_t *words = (void *)(root->mem + off);

	for (uint64_t i = HIST_ALIGN(sizeof(struct hist_table), 64) / 8; i < bytes / 8; i++)
		if (words[i] && rnd() % 2)
			words[i] = (words[i] >> 32 << 32) | (uint32_t)interesting();
}

static inline void spoil_hist(struct fake_root *root)
{
	uint64_t off = find_table(root), bytes = min_u64(arena_end(root) - off, 65536);

	if (off && rnd() % 2)
		spoil_slots(root, off, bytes);

	for (int i = 0; off && i < 8; i++)
		spoil(root, off, rnd() % 2 ? sizeof(struct hist_table) : bytes - 8);
}

/* Insert keys in all tables, as a process does. */
static inline void count_in_tables(struct fake_root *root)
{
	for (int i = 0; i < 50; i++) {
		uint64_t off = find_table(root), values[HIST_VALS_MAX] = { 3, 4, 5 }, key[2];
		static const char comm[HIST_COMM_LEN] = "a name";
		struct hist_geometry geo;
		struct hist_view view;
		int64_t index;

		if (!off)
			return;
		geo = ((struct hist_table *)(void *)(root->mem + off))->geometry;
		if (!hist_geometry_is_valid(&geo, *(uint64_t *)(void *)(root->mem + off + 8)) ||
		    *(uint64_t *)(void *)(root->mem + off + 8) > arena_end(root) - off)
			continue;
		key[0] = interesting();
		hist_view_init(&view, root->mem + off, &geo);
		index = hist_insert(&view, key, 1, hist_hash(geo.seed, key, 1), comm);
		if (index >= 0)
			hist_commit_locked(&view, (uint32_t)index, values);
	}
}

#endif
