/* SPDX-License-Identifier: MIT */
#include "server/functions/function_libcalls.h"

#include <string.h>

#include "abi/functions.h"
#include "abi/libc_events.h"
#include "abi/own_systems.h"
#include "arch/arch.h"
#include "event/format.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/functions/functions.h"
#include "server/rules/events.h"

static const uint8_t event_of[LIBCALL_NR] = {
#define EVENT_OF(number, id, name, event) [number] = LIBCALL_EVENT_##event,
	LIBCALLS(EVENT_OF)
#undef EVENT_OF
};

/* ---- functions that find the functions of libc's events ---- */

static const char *const names[LIBCALL_NR_EVENTS] = {
#define NAME(id, name) #name,
	LIBCALL_EVENTS(NAME)
#undef NAME
};

int libcall_event_number(const struct event *event)
{
	if (strcmp(event->format->system, ABI_LIBC_SYSTEM) != 0)
		return -1;
	for (int i = 0; i < LIBCALL_NR_EVENTS; i++)
		if (!strcmp(event->format->name, names[i]))
			return i;
	return -1;
}

uint32_t libcalls_on(const struct root *root)
{
	uint32_t mask = 0;

	for (int i = 0; i < LIBCALL_NR_EVENTS; i++) {
		const struct event *event = events_find_any(root, ABI_LIBC_SYSTEM, names[i]);

		if (event && event->is_own && shm_load(&root->events_table[event->row].wanted))
			mask |= 1u << i;
	}
	return mask;
}

uint64_t libcall_address(const struct root *root, uint32_t number, uint32_t events)
{
	return events >> event_of[number] & 1 ? shm_load(&root->control->libcalls[number]) : 0;
}

bool libcalls_are_in(const struct root *root, uint64_t start, uint64_t end)
{
	uint32_t events = libcalls_on(root) | root_functions(root)->libcalls_needed;

	for (uint32_t i = 0; i < LIBCALL_NR; i++) {
		uint64_t addr = libcall_address(root, i, events);

		if (addr && addr >= start && addr < end)
			return true;
	}
	return false;
}

/* Find the function of @object that begins at @addr, or after an instruction there that marks it as
 * a target of indirect jumps.  Returns its index in the object, or object->sites.nr. */
static uint32_t find_function(const struct function_object *object, uint64_t addr)
{
	uint32_t i = 0;

	while (i < object->sites.nr &&
	       object->bias + object->sites.addrs[i] - addr > ARCH_LANDING_PAD_BYTES)
		i++;
	return i;
}

static bool has_code(const struct function_object *object, uint64_t addr)
{
	return addr && object->is_there && addr >= object->bias + object->sites.text &&
	       addr < object->bias + object->sites.text_end;
}

bool libcalls_have(const struct root *root, const struct function_object *object,
		   uint32_t events)
{
	for (uint32_t i = 0; i < LIBCALL_NR; i++) {
		uint64_t addr = libcall_address(root, i, events);

		if (has_code(object, addr) && find_function(object, addr) < object->sites.nr)
			return true;
	}
	return false;
}

void libcalls_mark(const struct root *root, const struct function_object *object, uint32_t *users)
{
	uint32_t events = libcalls_on(root);

	for (uint32_t i = 0; i < LIBCALL_NR; i++) {
		uint64_t addr = libcall_address(root, i, events);
		uint32_t at = has_code(object, addr) ? find_function(object, addr) :
			      object->sites.nr;

		if (at < object->sites.nr)
			users[object->sites.rows[at]] |= ABI_FUNCTIONS_LIBC;
	}
}
