/* SPDX-License-Identifier: MIT */
/* Addresses of the traced program -> names of its functions, its strings. */
#ifndef ULF_SERVER_SYMBOLS_H
#define ULF_SERVER_SYMBOLS_H

#include <stdint.h>

#include "event/print.h"

struct root;
struct symbols;
struct text;

/* Empty; objects are read when an address in them is first asked for. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/* Write the name at @addr; -ENOENT, and nothing written, if there is none. */
int symbols_print(struct root *root, uint64_t addr, enum print_symbol style,
		  struct text *out);
/* Write the string at @addr if it is constant; else -ENOENT, nothing written. */
int symbols_string(struct root *root, uint64_t addr, struct text *out);

#endif
