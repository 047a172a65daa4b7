/* SPDX-License-Identifier: MIT */
/* Find out which events and instances the boot settings name. */
#ifndef ULF_RUNTIME_EVENT_BOOT_EVENTS_H
#define ULF_RUNTIME_EVENT_BOOT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct ulf_module;

/* Returns the buffers in which the boot settings switch a new event on, one bit for each
 * buffer. */
uint32_t boot_wanted(const char *system, const char *name);
/* Returns true if a boot setting has a trigger or a filter for an event of @module. */
bool boot_has_rules(const struct ulf_module *module);
/* Returns true if @module uses trace_printk() and there are no rings for it yet. */
bool boot_needs_rings(const struct ulf_module *module);
/* Give a buffer to each instance that the boot settings @words name.  The server fills
 * in the other members of each abi_buffer.  Called before other processes know the
 * root. */
void boot_name_buffers(const char *words);

#endif
