/* SPDX-License-Identifier: MIT */
/*
 * Find space for the carrier after the code of an object.  The code rarely ends at the end of
 * a memory page.  The rest of its last page can be executed, and nothing refers to it.  The
 * carrier is only placed in objects that are never unloaded: the program itself, libc and the
 * dynamic linker.
 *
 * If an earlier `ulf attach` was killed, its carrier is still there.  A thread may still
 * execute it.  So the place of an old carrier is used again only if no thread executes it,
 * and only if there is no other place.
 */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "ptrace/place.h"
#include "ptrace/stop.h"

#define ALIGNMENT	16u

enum place_state { PLACE_NONE, PLACE_EMPTY, PLACE_USED };

static bool is_zero(const uint8_t *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Returns true if the program can execute, but not write, the memory from @start to before
 * @end. */
static bool is_code(const struct target *target, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < target->maps.nr; i++) {
		const struct remote_map *map = &target->maps.rows[i];

		if (start >= map->start && end <= map->end)
			return map->is_code;
	}
	return false;
}

/* Check whether the rest of the last page of code of the object at @start is free, or
 * contains an old carrier. */
static enum place_state look_at(const struct target *target, uint64_t start,
				uint64_t *ret_address)
{
	uint8_t bytes[ARCH_CARRIER_MAX];
	struct remote_object object;
	uint64_t address;

	if (remote_object_read(target->pid, start, &object) || !object.code_end)
		return PLACE_NONE;
	address = ALIGN_UP(object.code_end, ALIGNMENT);
	if (address + sizeof(bytes) > ALIGN_UP(object.code_end, ARCH_PAGE_BYTES) ||
	    !is_code(target, address, address + sizeof(bytes)) ||
	    remote_read(target->pid, address, bytes, sizeof(bytes)))
		return PLACE_NONE;
	*ret_address = address;
	if (is_zero(bytes, sizeof(bytes)))
		return PLACE_EMPTY;
	return arch_is_carrier(bytes, sizeof(bytes)) ? PLACE_USED : PLACE_NONE;
}

/* Returns 0 if no thread executes the old carrier at @address. */
static int check_unused(const struct target *target, uint64_t address)
{
	const struct code_range range = { address, address + ARCH_CARRIER_MAX };
	struct stopped *stopped;
	uint64_t inside = 0;
	int r = threads_stop(target->pid, NULL, &stopped, NULL);

	if (r)
		return r;
	r = threads_inside(stopped, &range, 1, &inside);
	threads_continue(stopped);
	return r < 0 ? r : inside ? -EAGAIN : 0;
}

int place_find(const struct target *target, uint64_t *ret_address)
{
	const uint64_t objects[] = { target->maps.rows[0].start, target->libc.start,
				     target->ldso.start };
	uint64_t address, used = 0;
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		enum place_state state = look_at(target, objects[i], &address);

		if (state == PLACE_EMPTY) {
			*ret_address = address;
			return 0;
		}
		if (state == PLACE_USED)
			used = address;
	}
	if (!used)
		return -ENOSPC;
	r = check_unused(target, used);
	if (!r)
		*ret_address = used;
	return r;
}
