/* SPDX-License-Identifier: MIT */
/*
 * Store the formats of trace_printk() in the root's heap.  Formats are never
 * removed, because a record may be read long after its module was unloaded or the
 * program has ended.  If several call sites use one text, it is stored once.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "base/bits.h"
#include "event/printk.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/event/printk_table.h"
#include "runtime/event/table.h"
#include <ulf/event.h>

#define LIST_MAX	100000u		/* maximum number of formats of one list that
					 * find_format() looks at */

/* Formats that this process knows, in lists by their hash; protected by
 * abi_control.table_lock.  These formats are never freed, because a thread may use
 * one at any time. */
static struct printk_format *known[ABI_PRINTK_LISTS];

/* ---- formats in the root's heap, which any process can change: check offsets ---- */

/* Returns the root's table of formats, which is allocated at the first call, or NULL if
 * there is no space. */
static struct abi_printk_table *get_table(void)
{
	uint64_t off = __atomic_load_n(&root_control->printk, __ATOMIC_ACQUIRE); /* [printk.list] */

	if (!off) {
		off = table_heap_alloc(sizeof(struct abi_printk_table));
		__atomic_store_n(&root_control->printk, off, __ATOMIC_RELEASE);	/* [printk.list] */
	}
	return root_heap_at(off, sizeof(struct abi_printk_table));
}

/* Returns the offset of @text in the root's heap, or 0 if @text is not in the list of
 * formats that begins at the offset @off. */
static uint64_t find_format(uint32_t off, const char *text, uint32_t hash, uint32_t text_bytes)
{
	for (uint32_t i = 0; off && i < LIST_MAX; i++) {
		const struct abi_printk *row =
			root_heap_at(off, sizeof(*row) + text_bytes);

		if (row && row->hash == hash && !memcmp(row + 1, text, text_bytes))
			return off + sizeof(*row);
		/* Get only the struct abi_printk of the next format, without the text after it.
		 * This text may be shorter than @text and the last one in the heap, so possibly
		 * the heap ends before a text as long as @text could end. */
		row = root_heap_at(off, sizeof(*row));
		off = row ? __atomic_load_n(&row->next, __ATOMIC_RELAXED) : 0;
	}
	return 0;
}

/* Copy @text to the root's heap, and add the copy to the list of formats at *@first.
 * Returns the offset of the copy, or 0 if there is no space. */
static uint64_t add_format(uint32_t *first, const char *text, uint32_t hash,
			   uint32_t text_bytes)
{
	uint64_t off = table_heap_alloc((uint32_t)sizeof(struct abi_printk) + text_bytes);
	struct abi_printk *new = root_heap_at(off, sizeof(*new) + text_bytes);

	if (!off || !new)
		return 0;
	*new = (struct abi_printk){
		.next = __atomic_load_n(first, __ATOMIC_RELAXED),
		.hash = hash, .text_bytes = text_bytes,
	};
	memcpy(new + 1, text, text_bytes);
	__atomic_store_n(first, (uint32_t)off, __ATOMIC_RELEASE);	/* [printk.list] */
	return off + sizeof(*new);
}

/* ---- formats that this process knows, in private memory ---- */

static struct printk_format *find_known(const char *text, uint32_t hash)
{
	struct printk_format *format = known[hash % ABI_PRINTK_LISTS];

	while (format && (format->hash != hash || strcmp(format->text, text)))
		format = format->next;
	return format;
}

/* Returns the format with the text @text, and adds it if it is new.  Returns NULL if
 * there is no memory. */
static const struct printk_format *get_format(struct abi_printk_table *table, const char *text)
{
	uint32_t bytes = (uint32_t)strlen(text) + 1, hash = table_hash(text, bytes);
	uint32_t *first = &table->first[hash % ABI_PRINTK_LISTS];
	struct printk_format *format = find_known(text, hash);
	struct printk_arg args[PRINTK_ARGS_MAX];
	uint32_t nr_args;
	uint64_t off;

	if (format)
		return format;
	off = find_format(__atomic_load_n(first, __ATOMIC_ACQUIRE), /* [printk.list] */
			  text, hash, bytes);
	if (!off)
		off = add_format(first, text, hash, bytes);
	nr_args = printk_args(text, args);
	if (off)
		format = memory_alloc(sizeof(*format) + nr_args * sizeof(args[0]) + bytes);
	if (!format)
		return NULL;
	format->hash = hash;
	format->address = (uint64_t)root_at(off);
	memcpy(format->args, args, nr_args * sizeof(args[0]));
	format->text = memcpy(&format->args[nr_args], text, bytes);
	format->next = known[hash % ABI_PRINTK_LISTS];
	known[hash % ABI_PRINTK_LISTS] = format;
	return format;
}

void printk_register(const struct ulf_module *module)
{
	struct abi_printk_table *table = NULL;

	if (module->formats != module->formats_end)
		table = get_table();
	for (struct ulf_format *f = module->formats; f < module->formats_end; f++) {
		const struct printk_format *format = table ? get_format(table, f->text) : NULL;

		if (!format)
			root_control->table_errors++;
		/* release: the format is complete; mate: printk.c [printk.format] */
		__atomic_store_n(&f->shared, format, __ATOMIC_RELEASE);
	}
}
