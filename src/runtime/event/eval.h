/* SPDX-License-Identifier: MIT */
/* Values of enum names and of sizeof() in print formats. */
#ifndef ULF_RUNTIME_EVAL_H
#define ULF_RUNTIME_EVAL_H

#include <stdbool.h>
#include <stddef.h>

#include <ulf/event.h>

/*
 * Pass @text to @put part by part, and in it replace the names for which @module gives
 * values, for events of @system, by these values.  Only whole words are replaced, not
 * those in string literals and not the names of members.
 *
 * Example: "sizeof(struct x) + REC->FLAG + FLAG" with FLAG = 4 and sizeof(struct x) = 16
 * becomes "16 + REC->FLAG + 4".
 */
void eval_resolve(const struct ulf_module *module, const char *system,
		  const char *text,
		  void (*put)(void *arg, const char *s, size_t len), void *arg);

/* Pass the enum names of @module for events of @system, with their values, to @put in the
 * layout of abi_event.names; at most ABI_NAMES_BYTES bytes. */
void eval_names(const struct ulf_module *module, const char *system,
		void (*put)(void *arg, const char *s, size_t len), void *arg);

#endif
