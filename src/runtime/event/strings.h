/* SPDX-License-Identifier: MIT */
/*
 * Strings that a module lists by their addresses.  The caller holds abi_control.table_lock.
 */
#ifndef ULF_RUNTIME_EVENT_STRINGS_H
#define ULF_RUNTIME_EVENT_STRINGS_H

struct abi_module;
struct ulf_module;

/* Copy the strings that @module lists by their addresses (tracepoint_string()) into
 * the root's heap.  @row: the module's row of the table of modules. */
void strings_register(const struct ulf_module *module, struct abi_module *row);

#endif
