/* SPDX-License-Identifier: MIT */
/*
 * The program says where its objects are loaded (abi_module: those that bring
 * tracepoints); the names are in the files.  A file that has changed since is
 * known by its build id and gives none.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/elf.h"
#include "server/mapping.h"
#include "server/root.h"
#include "server/shm.h"
#include "server/symbols.h"

#define PATH_BYTES_MAX	4096u

struct object {
	bool is_tried;			/* the rest is valid, or nothing there */
	uint64_t bias;			/* address in memory - in the file */
	char *name;			/* the file's, without directories */
	struct elf_symbols symbols;
};

struct symbols {
	struct object objects[ABI_MODULES];	/* by row of abi_module */
};

struct symbols *symbols_new(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < ABI_MODULES; i++) {
		free(symbols->objects[i].name);
		elf_symbols_done(&symbols->objects[i].symbols);
	}
	free(symbols);
}

/* A copy of the module's path, or NULL. */
static char *module_path(const struct root *root, const struct abi_module *module)
{
	uint64_t off = shm_load(&module->path);
	uint64_t bytes = shm_load(&module->path_bytes);

	if (!bytes || bytes > PATH_BYTES_MAX || off < root->heap_off ||
	    off > root->arena_off || bytes > root->arena_off - off)
		return NULL;
	return strndup((const char *)root->memory->addr + off, bytes);
}

static void object_read(const struct root *root, uint32_t row, struct object *object)
{
	const struct abi_module *shared = &root->modules_table[row];
	struct abi_module module = *(const volatile struct abi_module *)shared;
	char *path = module_path(root, shared);
	uint32_t id_bytes = module.build_id_bytes <= sizeof(module.build_id) ?
			    module.build_id_bytes : 0;
	const char *slash;

	object->is_tried = true;
	if (!path || elf_symbols_read(path, module.build_id, id_bytes,
				      &object->symbols)) {
		free(path);
		return;
	}
	object->bias = module.base - (object->symbols.first & ~4095ull);
	slash = strrchr(path, '/');
	object->name = strdup(slash ? slash + 1 : path);
	free(path);
}

/* The function that @addr is in, and its object. */
static const struct elf_symbol *find(struct root *root, uint64_t addr,
				     uint32_t *ret_row)
{
	uint32_t nr = shm_load(&root->control->nr_modules);

	for (uint32_t row = 0; row < nr && row < ABI_MODULES; row++) {
		struct object *object = &root->symbols->objects[row];
		uint64_t in_file;

		if (!object->is_tried)
			object_read(root, row, object);
		in_file = addr - object->bias;
		if (!object->name || in_file < object->symbols.first ||
		    in_file >= object->symbols.end)
			continue;
		*ret_row = row;
		return elf_symbols_find(&object->symbols, in_file);
	}
	return NULL;
}

int symbols_print(struct root *root, uint64_t addr, enum print_symbol style,
		  struct text *out)
{
	/* a return address may lie behind the end of its caller */
	uint64_t at = addr - (style == PRINT_SYMBOL_RETURN);
	const struct elf_symbol *symbol;
	const struct object *object;
	uint32_t row;

	symbol = find(root, at, &row);
	if (!symbol)
		return -ENOENT;
	object = &root->symbols->objects[row];
	text_puts(out, symbol->name);
	if (style == PRINT_SYMBOL_NAME)
		return 0;
	text_printf(out, "+0x%" PRIx64 "/0x%" PRIx64,
		    addr - object->bias - symbol->addr, symbol->size);
	if (row)			/* row 0 is the program itself */
		text_printf(out, " [%s]", object->name);
	return 0;
}
