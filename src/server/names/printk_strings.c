/* SPDX-License-Identifier: MIT */
/*
 * The strings that a program lists by their addresses (tracepoint_string()).  The server
 * reads them from the program's heap, where each module has one struct abi_strings.  The
 * program decides what is stored there, so every length is checked against the size of the
 * heap.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/bits.h"
#include "server/core/mapping.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/names/printk.h"

#define STRINGS_MAX	16384u		/* maximum number of strings that all modules of a
					 * root together list */
#define TEXT_BYTES_MAX	(1u << 20)	/* maximum total length of the strings that all
					 * modules of a root list, bytes */

/* The strings that one module lists, as they are stored in the heap. */
struct block {
	uint32_t nr;			/* number of strings */
	uint32_t bytes;			/* length of @texts */
	const uint64_t *address;	/* addresses that the strings have in the program */
	const char *texts;		/* texts of the strings, each with a NUL at its
					 * end */
};

/* Get the strings of a module, which are at offset @off of the root's memory.  Returns
 * false if they do not lie completely in the heap. */
static bool find_block(const struct root *root, uint64_t off, struct block *ret_block)
{
	uint64_t left = off < root->arena_off ? root->arena_off - off : 0;
	const struct abi_strings *shared;

	if (off % 8 || off < root->heap_off || left < sizeof(*shared))
		return false;
	shared = (const void *)((const char *)root->memory->addr + off);
	ret_block->nr = shm_load(&shared->nr);
	ret_block->bytes = shm_load(&shared->bytes);
	ret_block->address = (const uint64_t *)(shared + 1);
	ret_block->texts = (const char *)(ret_block->address + ret_block->nr);
	return ret_block->bytes &&
	       ret_block->nr * 8ull + ret_block->bytes <= left - sizeof(*shared);
}

static int list_block(const struct block *block,
		      void (*put)(void *arg, uint64_t addr, const char *text), void *arg)
{
	char *texts = malloc(block->bytes);
	const char *text = texts, *end;

	if (!texts)
		return -ENOMEM;
	end = texts + block->bytes;
	memcpy(texts, block->texts, block->bytes);
	texts[block->bytes - 1] = '\0';
	for (uint32_t i = 0; i < block->nr && text < end; i++) {
		put(arg, shm_load(&block->address[i]), text);
		text += strlen(text) + 1;
	}
	free(texts);
	return 0;
}

int printk_list_strings(struct root *root,
			void (*put)(void *arg, uint64_t addr, const char *text),
			void *arg)
{
	uint32_t nr_modules = min_u32(shm_load(&root->control->nr_modules), ABI_MODULES);
	uint32_t nr_left = STRINGS_MAX, bytes_left = TEXT_BYTES_MAX;
	int r = 0;

	for (uint32_t i = 0; !r && i < nr_modules; i++) {
		struct block block;

		if (!find_block(root, shm_load(&root->modules_table[i].strings), &block) ||
		    block.nr > nr_left || block.bytes > bytes_left)
			continue;
		nr_left -= block.nr;
		bytes_left -= block.bytes;
		r = list_block(&block, put, arg);
	}
	return r;
}
