/* SPDX-License-Identifier: MIT */
/* Allocate the shadow of the stacks; see shadow.h. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>

#include "runtime/base/memory.h"
#include "runtime/function/shadow.h"
#include "runtime/function/shadow_tags.h"

#define KEYS_BYTES	(SHADOW_PAGES * sizeof(uint64_t))
#define ENTRIES_BYTES	(SHADOW_ENTRIES * sizeof(struct shadow))

static_assert(sizeof(struct shadow) == 32, "known to ftrace.S");
static_assert(SHADOW_KEYS == 0x10000 && SHADOW_SLOTS == 512, "known to ftrace.S");

static_assert(GRAPH_BODY_BYTES == SHADOW_TAG_MAX + 1, "a body's offset and a tag are one word");
static_assert(FTRACE_GRAPH == 24 && FTRACE_CPU_TIME == 31, "and users are in it, too");

uint64_t *shadow_keys;
struct shadow *shadow_entries;
struct shadow_tags *shadow_many;

int shadow_make(void)
{
	if (shadow_keys)
		return 0;
	shadow_entries = memory_alloc_table(ENTRIES_BYTES + KEYS_BYTES);
	if (!shadow_entries)
		return -ENOMEM;
	shadow_keys = (uint64_t *)(shadow_entries + SHADOW_ENTRIES);
	return 0;
}

int shadow_many_make(void)
{
	if (!shadow_many)
		shadow_many = memory_alloc_table(SHADOW_ENTRIES * sizeof(*shadow_many));
	return shadow_many ? 0 : -ENOMEM;
}
