/* SPDX-License-Identifier: MIT */
/* Values for names: see eval.c. */
#ifndef ULF_RUNTIME_EVAL_H
#define ULF_RUNTIME_EVAL_H

#include <stdbool.h>
#include <stddef.h>

#include <ulf/event.h>

/*
 * Hands @text to @put piece by piece, with the names that @module has said the
 * values of for events of @system replaced by these: whole words, not in
 * string literals, and no members.
 */
void eval_resolve(const struct ulf_module *module, const char *system,
		  const char *text,
		  void (*put)(void *arg, const char *s, size_t len), void *arg);

/* Pass the enum names of @module for events of @system, with their values, to @put in the layout
 * of abi_event.names; at most ABI_NAMES_BYTES. */
void eval_names(const struct ulf_module *module, const char *system,
		void (*put)(void *arg, const char *s, size_t len), void *arg);

#endif
