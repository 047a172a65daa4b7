/* SPDX-License-Identifier: MIT */
/*
 * The root's table of formats of trace_printk().  The caller holds abi_control.table_lock.
 */
#ifndef ULF_RUNTIME_EVENT_PRINTK_TABLE_H
#define ULF_RUNTIME_EVENT_PRINTK_TABLE_H

#include <stdint.h>

#include "event/printk.h"

struct ulf_module;

/* A format of trace_printk(), in private memory.  Only a copy of its text is in the
 * root's heap. */
struct printk_format {
	struct printk_format *next;
	const char *text;		/* private copy of the text; it is stored after
					 * @args */
	uint64_t address;		/* address of the copy of the text in the
					 * heap; records contain this address */
	uint32_t hash;			/* table_hash() of the text */
	struct printk_arg args[];	/* for each argument, how to record it; the
					 * text follows this array */
};

/* Add the formats of a module to the root's table. */
void printk_register(const struct ulf_module *module);

#endif
