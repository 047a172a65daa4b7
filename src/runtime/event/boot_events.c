/* SPDX-License-Identifier: MIT */
/* Find the events and instances that the boot settings name.  The runtime itself must
 * find them, because events of a module that is loaded later must be on at once. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "abi/own_systems.h"
#include "event/boot.h"
#include "runtime/base/root.h"
#include "runtime/event/boot_events.h"
#include <ulf/event.h>

/* Apply the items of @list to an event, one after the other, as writes to set_event
 * would.  @is_on: true if the event was on before.  Returns true if the event is on
 * afterwards. */
static bool match_list(struct boot_token list, const char *system,
		       const char *name, bool is_on)
{
	bool is_own = abi_is_own_system(system, strlen(system));
	struct boot_token item;

	while (boot_item(&list, &item)) {
		if (is_own && !boot_names_own(&item))
			continue;
		if (boot_fits(&item, system, name))
			is_on = *item.text != '!';
	}
	return is_on;
}

static bool is_name_of(const struct abi_buffer *buffer,
		       const struct boot_token *name)
{
	return name->len < sizeof(buffer->name) &&
	       !memcmp(buffer->name, name->text, name->len) &&
	       !buffer->name[name->len];
}

/* Returns true if the beginning of @buffer, up to the member cpu_kb, can be read and
 * written.  Returns false if an access would raise SIGBUS, because the file system is
 * full and no process has ever written to @buffer. */
static bool has_memory(const struct abi_buffer *buffer)
{
	return !root_populate((uint64_t)((const char *)buffer - (const char *)root_control),
			      offsetof(struct abi_buffer, cpu_kb));
}

/* Returns the number of the buffer with the name @name, or ABI_BUFFERS if there is none.
 * Buffers get names in the order of their numbers.  So if there is no memory for a
 * buffer, neither this nor any later buffer has a name, and the search ends. */
static uint32_t find_buffer(const struct boot_token *name)
{
	for (uint32_t number = 1; number < ABI_BUFFERS; number++) {
		const struct abi_buffer *buffer = root_buffer(number);

		if (!has_memory(buffer))
			break;
		if (is_name_of(buffer, name))
			return number;
	}
	return ABI_BUFFERS;
}

uint32_t boot_wanted(const char *system, const char *name)
{
	const char *words = root_boot(), *at;
	struct boot_instance instance;
	struct boot_word word;
	uint32_t wanted = 0, number;

	while (boot_next(&words, &word)) {
		struct boot_token list = word.value;

		number = 0;
		if (word.id == BOOT_INSTANCE &&
		    !boot_instance(&word.value, &instance, &at)) {
			number = find_buffer(&instance.name);
			list = instance.events;
		} else if (word.id != BOOT_EVENT) {
			continue;
		}
		if (number < ABI_BUFFERS &&
		    match_list(list, system, name, wanted >> number & 1))
			wanted |= 1u << number;
		else if (number < ABI_BUFFERS)
			wanted &= ~(1u << number);
	}
	return wanted;
}

/* Returns true if an item of @list names an event of @module.  @list: the value of the
 * boot setting trace_trigger. */
static bool has_trigger(struct boot_token list, const struct ulf_module *module)
{
	struct boot_trigger trigger;
	struct boot_token item;

	while (boot_item(&list, &item)) {
		if (!boot_trigger(&item, &trigger))
			continue;
		for (struct ulf_event **e = module->events; e < module->events_end; e++)
			if (boot_trigger_fits(&trigger, (*e)->system, (*e)->name))
				return true;
	}
	return false;
}

/* Returns true if @value, a value of the boot setting trace_filter, names an event of
 * @module. */
static bool has_filter(const struct boot_token *value, const struct ulf_module *module)
{
	struct boot_filter filter;

	if (!boot_filter(value, &filter))
		return false;
	for (struct ulf_event **e = module->events; e < module->events_end; e++)
		if (boot_list_fits(filter.events, (*e)->system, (*e)->name))
			return true;
	return false;
}

bool boot_has_rules(const struct ulf_module *module)
{
	const char *words = root_boot();
	struct boot_word word;

	while (boot_next(&words, &word))
		if ((word.id == BOOT_TRIGGER && has_trigger(word.value, module)) ||
		    (word.id == BOOT_EVENT_FILTER && has_filter(&word.value, module)))
			return true;
	return false;
}

/* Give a free buffer the name @name, which makes the buffer an instance.  The server
 * fills in the other members of abi_buffer. */
static void name_buffer(const struct boot_token *name)
{
	static const struct boot_token nameless = { "", 0 };
	uint32_t number = find_buffer(name);

	if (number == ABI_BUFFERS)
		number = find_buffer(&nameless);
	if (number < ABI_BUFFERS)
		memcpy(root_buffer(number)->name, name->text, name->len);
}

void boot_name_buffers(const char *words)
{
	struct boot_instance instance;
	struct boot_word word;
	const char *at;

	while (boot_next(&words, &word)) {
		if (word.id == BOOT_INSTANCE && word.value.len &&
		    !boot_instance(&word.value, &instance, &at))
			name_buffer(&instance.name);
	}
}

/* Returns true if @module uses trace_printk() and the server must be asked for rings,
 * because no setting has asked for rings.  Returns false if there is no memory for
 * the top buffer itself, because then there is none for its rings, either. */
bool boot_needs_rings(const struct ulf_module *module)
{
	return module->formats < module->formats_end && has_memory(root_buffer(0)) &&
	       !__atomic_load_n(&root_buffer(0)->used, __ATOMIC_RELAXED);
}
