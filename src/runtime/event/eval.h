/* SPDX-License-Identifier: MIT */
/* Replace enum names and sizeof() in print formats by their values. */
#ifndef ULF_RUNTIME_EVAL_H
#define ULF_RUNTIME_EVAL_H

#include <stdbool.h>
#include <stddef.h>

#include <ulf/event.h>

/*
 * Pass @text to @put, in several calls, with names replaced by values.  @module has a
 * list of names and values for the events of each system.  The names in the list of
 * @system are replaced if they are whole words.  Names in string literals, and names
 * of members, are not replaced.
 *
 * Example: "sizeof(struct x) + REC->FLAG + FLAG" with FLAG = 4 and sizeof(struct x) =
 * 16 becomes "16 + REC->FLAG + 4".
 */
void eval_resolve(const struct ulf_module *module, const char *system,
		  const char *text,
		  void (*put)(void *arg, const char *s, size_t len), void *arg);

/* Pass the enum names of @module for events of @system, and their values, to @put in the
 * layout of abi_event.names.  Passes at most ABI_NAMES_BYTES bytes. */
void eval_names(const struct ulf_module *module, const char *system,
		void (*put)(void *arg, const char *s, size_t len), void *arg);

#endif
