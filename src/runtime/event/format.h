/* SPDX-License-Identifier: MIT */
/* Write the formats of events in the layout that they have in the root's
 * heap. */
#ifndef ULF_RUNTIME_EVENT_FORMAT_H
#define ULF_RUNTIME_EVENT_FORMAT_H

#include <stdint.h>

struct ulf_event;
struct ulf_module;

/* Write the format of an event of @module (struct abi_format) to @blob, unless @blob
 * is NULL.  Returns the size of the format in bytes. */
uint32_t format_blob(const struct ulf_module *module,
		     const struct ulf_event *event, void *blob);
/* Write the enum names for events of @system (abi_event.names) to @blob, unless @blob
 * is NULL.  Returns the size of the names in bytes. */
uint32_t format_names(const struct ulf_module *module, const char *system, void *blob);

#endif
