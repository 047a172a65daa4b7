/* SPDX-License-Identifier: MIT */
/* Copy the strings that a module lists by their addresses (tracepoint_string()) to the
 * root's heap, so that the server can read them even after the program has ended. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/control.h"
#include "runtime/base/root.h"
#include "runtime/event/strings.h"
#include "runtime/event/table.h"
#include <ulf/event.h>

static bool has_strings(const struct ulf_module *module)
{
	return module->version >= 4 && module->strings != module->strings_end;
}

/* Returns the size of all strings of @module in bytes, or 0 if they are larger than the
 * heap. */
static uint32_t text_bytes(const struct ulf_module *module)
{
	size_t bytes = 0;

	for (const char **s = module->strings; s < module->strings_end; s++)
		bytes += strlen(*s ? *s : "") + 1;
	return bytes <= ABI_HEAP_BYTES ? (uint32_t)bytes : 0;
}

/* Returns the struct abi_strings that @row has from an earlier load of its module, or
 * NULL.  The strings are equal to those of the earlier load, but their addresses are
 * new, so the caller must store the addresses. */
static struct abi_strings *find_block(const struct abi_module *row, uint32_t nr,
				      uint32_t bytes)
{
	struct abi_strings *block;

	if (!row->strings)
		return NULL;
	block = root_heap_at(row->strings, sizeof(*block) + nr * 8ull + bytes);
	return block && block->nr == nr && block->bytes == bytes ? block : NULL;
}

static struct abi_strings *make_block(struct abi_module *row, uint32_t nr,
				      uint32_t bytes)
{
	uint64_t all = sizeof(struct abi_strings) + nr * 8ull + bytes, off;
	struct abi_strings *block;

	off = all <= ABI_HEAP_BYTES ? table_heap_alloc((uint32_t)all) : 0;
	block = off ? root_heap_at(off, all) : NULL;
	if (!block)
		return NULL;
	*block = (struct abi_strings){ .nr = nr, .bytes = bytes };
	row->strings = off;	/* Readers load this offset after they have loaded
				 * abi_control.tables_changed, which this process
				 * raises later. */
	return block;
}

void strings_register(const struct ulf_module *module, struct abi_module *row)
{
	struct abi_strings *block;
	uint32_t nr, bytes;
	uint64_t *address;
	char *text, *end;

	if (!has_strings(module))
		return;
	nr = (uint32_t)(module->strings_end - module->strings);
	bytes = text_bytes(module);
	block = find_block(row, nr, bytes);
	if (!block && bytes)
		block = make_block(row, nr, bytes);
	if (!block) {
		root_control->table_errors++;
		return;
	}
	address = (uint64_t *)(block + 1);
	text = (char *)(address + nr);
	end = text + bytes;
	for (uint32_t i = 0; i < nr; i++) {
		const char *string = module->strings[i] ? module->strings[i] : "";
		size_t len = strnlen(string, (size_t)(end - text));

		if (len == (size_t)(end - text))
			break;		/* Stop: the string has become longer since
					 * its length was measured. */
		__atomic_store_n(&address[i], (uint64_t)module->strings[i],
				 __ATOMIC_RELAXED);
		memcpy(text, string, len + 1);
		text += len + 1;
	}
}
