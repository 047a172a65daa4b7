/* SPDX-License-Identifier: MIT */
/*
 * The formats of trace_printk() in the root's heap, where they stay: a record may
 * be read long after the module, or the program, has gone.  A text that several
 * places have is there once.
 */
#include <string.h>

#include "base/bits.h"
#include "event/printk.h"
#include "runtime/runtime.h"

static struct abi_printk_table *get_table(void)
{
	if (!root_control->printk)
		__atomic_store_n(&root_control->printk,
				 table_heap_alloc(sizeof(struct abi_printk_table)),
				 __ATOMIC_RELEASE);
	return root_control->printk ? root_at(root_control->printk) : NULL;
}

static const struct abi_printk *find(uint32_t off, const char *text,
				     uint32_t hash)
{
	const struct abi_printk *printk;

	for (; off; off = printk->next) {
		printk = root_at(off);
		if (printk->hash == hash &&
		    !strcmp((const char *)(printk + 1), text))
			return printk;
	}
	return NULL;
}

static const struct abi_printk *get(uint32_t *first, const char *text,
				    uint32_t hash, uint32_t text_bytes)
{
	const struct abi_printk *found = find(*first, text, hash);
	struct printk_arg args[PRINTK_ARGS_MAX];
	uint32_t args_bytes, at;
	struct abi_printk *new;
	uint64_t off;

	if (found)
		return found;
	args_bytes = printk_args(text, args) * (uint32_t)sizeof(args[0]);
	at = ALIGN_UP((uint32_t)sizeof(*new) + text_bytes, 8u);
	off = table_heap_alloc(at + args_bytes);
	if (!off)
		return NULL;
	new = root_at(off);
	*new = (struct abi_printk){
		.next = *first, .hash = hash, .text_bytes = text_bytes, .args = at,
	};
	memcpy(new + 1, text, text_bytes);
	memcpy((char *)new + at, args, args_bytes);
	__atomic_store_n(first, (uint32_t)off, __ATOMIC_RELEASE);
	return new;
}

void printk_register(const struct ulf_module *module)
{
	struct abi_printk_table *table = NULL;

	if (module->formats != module->formats_end)
		table = get_table();
	for (struct ulf_format *f = module->formats; f < module->formats_end; f++) {
		uint32_t bytes = (uint32_t)strlen(f->text) + 1;
		uint32_t hash = table_hash(f->text, bytes);
		const struct abi_printk *shared = NULL;

		if (table)
			shared = get(&table->first[hash % ABI_PRINTK_LISTS],
				     f->text, hash, bytes);
		if (!shared)
			root_control->table_errors++;
		/* mate: printk.c [printk.format] */
		__atomic_store_n(&f->shared, shared, __ATOMIC_RELEASE);
	}
}
