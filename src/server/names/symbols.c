/* SPDX-License-Identifier: MIT */
/*
 * Find names of functions, and constant strings, by address.  Both are in the files of the
 * program's objects; objects.c finds the right file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/core/option_bits.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/names/objects.h"
#include "server/names/symbols.h"
#include "server/names/symbols_written.h"
#include "server/part_numbers.h"
#include "symbols/elf.h"

#define STRINGS		256u		/* number of rows of the cache of strings; a power
					 * of two */

/* A cached string.  The cache is effective because most programs use only a few
 * strings, but use them often. */
struct string {
	uint64_t addr;			/* address of the string in the program; 0 if the
					 * row is free */
	uint32_t module;		/* module (symbols_from.module) of the event in
					 * whose record the address was */
	char *text;			/* text of the string; NULL if there is no string
					 * at this address */
};

struct symbols {
	struct string strings[STRINGS];		/* cache of strings, indexed by a hash of
						 * their address; a new string replaces an
						 * old one */
	uint32_t tables_seen;			/* value that abi_control.tables_changed
						 * had when @strings were read */
	struct written_names written;		/* searches for functions by name, and
						 * their results */
};

static struct symbols *root_symbols(const struct root *root)
{
	return root->part_state[ROOT_PART_SYMBOLS];
}

int symbols_init(struct root *root)
{
	root->part_state[ROOT_PART_SYMBOLS] = calloc(1, sizeof(struct symbols));
	return root_symbols(root) ? 0 : -ENOMEM;
}

static void forget_strings(struct symbols *symbols)
{
	for (uint32_t i = 0; i < STRINGS; i++) {
		free(symbols->strings[i].text);
		symbols->strings[i] = (struct string){ 0 };
	}
}

void symbols_done(struct root *root)
{
	if (!root_symbols(root))
		return;
	forget_strings(root_symbols(root));
	written_names_done(&root_symbols(root)->written);
	free(root_symbols(root));
	root->part_state[ROOT_PART_SYMBOLS] = NULL;
}

size_t symbols_module_len(const char *file)
{
	const char *end = strstr(file, ".so");

	return end && end > file ? (size_t)(end - file) : strlen(file);
}

const struct symbols_from symbols_now = { .module = SYMBOLS_NO_MODULE };

/* Ask the other parts of the server for a symbol.  Another part may know a file that was too
 * large for the limit of objects.c, or that was removed since. */
static int find_in_parts(struct root *root, const struct symbols_from *from, uint64_t addr,
			 const struct object *object, struct function_symbol *ret)
{
	const struct root_part *part;

	for_each_root_part(part, root->parts, find_symbol)
		if (!part->find_symbol(root, from, addr, object, ret))
			return 0;
	return -ENOENT;
}

/* Find the symbol at @addr in @object.  If @object has none, ask other parts of the
 * server.  Returns 0 or -ENOENT. */
static int find_symbol(struct root *root, const struct symbols_from *from, uint64_t addr,
		       const struct object *object, struct function_symbol *ret)
{
	const struct elf_symbol *symbol =
		object ? elf_symbols_find(&object->file->symbols, addr - object->bias) :
			 NULL;

	if (!symbol)
		return find_in_parts(root, from, addr, object, ret);
	*ret = (struct function_symbol){
		.symbol = symbol, .start = object->bias + symbol->addr,
		.symbols = &object->file->symbols, .path = object->file->path,
	};
	return 0;
}

/*
 * Find the symbol that begins at @addr, for a return address with no call before it.
 * Such an address is the start of libc's __restore_rt, to which a signal handler
 * returns.  This is assembler code, and its symbol has no size.  Refuse a symbol with
 * a size, because it may belong to another function: if an unknown function ends with
 * a call, the return address is the start of the function after it.
 */
static int find_restorer(struct root *root, const struct symbols_from *from,
			 uint64_t addr, const struct object *object,
			 struct function_symbol *ret)
{
	int r = find_symbol(root, from, addr, object, ret);

	return !r && ret->symbol->size ? -ENOENT : r;
}

/* Print the name of the module to which @object belongs as [MODULE], as
 * available_filter_functions shows it. */
static void print_module(const struct object *object, struct text *out)
{
	const char *file = basename(object->file->path);
	size_t start = out->len;

	text_printf(out, "[%.*s]", (int)symbols_module_len(file), file);
	text_one_line(out, start);
}

int symbols_print(struct root *root, const struct symbols_from *from, uint64_t addr,
		  enum print_symbol style, struct text *out)
{
	/* For a return address, look up the byte before it, because that byte belongs to
	 * the call.  The return address itself may lie after the end of the caller. */
	uint64_t at = addr - (style == PRINT_SYMBOL_RETURN ||
			      style == PRINT_SYMBOL_CALLER);
	const struct object *object = objects_find(root, from, at);
	struct function_symbol found;
	size_t out_start = out->len;
	int r = find_symbol(root, from, at, object, &found);

	if (r && at != addr) {
		object = objects_find(root, from, addr);
		r = find_restorer(root, from, addr, object, &found);
	}
	if (r)
		return r;
	if (from->instance && instance_options(from->instance) & OPTION_DEMANGLE)
		text_puts(out, objects_plain(root, found.symbols, found.symbol,
					     found.path));
	else
		text_puts(out, found.symbol->name);
	text_one_line(out, out_start);
	if (style == PRINT_SYMBOL_NAME || style == PRINT_SYMBOL_CALLER)
		return 0;
	text_printf(out, "+0x%" PRIx64 "/0x%" PRIx64, addr - found.start,
		    found.symbol->size);
	if (object && !object->is_program) {
		text_putc(out, ' ');
		print_module(object, out);
	}
	return 0;
}

int symbols_file(struct root *root, const struct symbols_from *from, uint64_t addr,
		 struct text *out)
{
	const struct object *object = objects_find(root, from, addr);
	size_t start = out->len;

	if (!object)
		return -ENOENT;
	text_printf(out, "%s[+0x%" PRIx64 "]", object->file->path,
		    addr - object->bias);
	text_one_line(out, start);
	return 0;
}

static void list_function(const struct object *object, uint64_t addr,
			  const char *name, struct text *out)
{
	text_printf(out, "%016" PRIx64 " t %s", object->bias + addr, name);
	if (!object->is_program) {
		text_putc(out, '\t');
		print_module(object, out);
	}
	text_putc(out, '\n');
}

const char *const symbols_builtin[ABI_IPS] = {
	[ABI_IP_MARKER] = "tracing_mark_write",
	[ABI_IP_SNAPSHOT] = "tracing_snapshot",
};

static void list_functions(const struct object *object, const struct elf_symbols *symbols,
			   struct text *out)
{
	for (uint32_t i = 0; i < symbols->nr; i++)
		list_function(object, symbols->rows[i].addr, symbols->rows[i].name, out);
}

/* List the functions that have a made-up name.  Without their lines, a reader of the list
 * would give them the name of the function before them. */
static void list_made(struct root *root, const struct object *object, struct text *out)
{
	const struct root_part *part;

	for_each_root_part(part, root->parts, made_symbols) {
		const struct elf_symbols *made = part->made_symbols(root, object);

		if (made)
			list_functions(object, made, out);
	}
}

void symbols_list(struct root *root, struct text *out)
{
	const struct object *object;
	uint32_t at = 0;

	for (unsigned int i = 0; i < ABI_IPS; i++)
		text_printf(out, "%016x t %s\n", i, symbols_builtin[i]);
	text_printf(out, "%016x t _end\n", ABI_IPS);
	while ((object = objects_next(root, 0, &at))) {
		const struct elf_symbols *symbols = &object->file->symbols;

		/* Skip the object if another object is loaded at its address now. */
		if (objects_find(root, &symbols_now,
				 object->bias + symbols->first) != object)
			continue;
		list_functions(object, symbols, out);
		list_made(root, object, out);
		list_function(object, symbols->end, "_end", out);
	}
}

int symbols_string(struct root *root, const struct symbols_from *from, uint64_t addr,
		   struct text *out)
{
	struct symbols *symbols = root_symbols(root);
	struct string *string = &symbols->strings[(addr ^ addr >> 8) % STRINGS];
	uint32_t tables = shm_load(&root->control->tables_changed);
	const struct object *object;

	if (symbols->tables_seen != tables)
		forget_strings(symbols);
	symbols->tables_seen = tables;
	if (string->addr != addr || string->module != from->module) {
		free(string->text);
		*string = (struct string){ .addr = addr, .module = from->module };
		object = objects_find(root, from, addr);
		if (object)
			string->text = objects_string(root, object, addr);
		else if (objects_has_missing(root))
			string->addr = 0;	/* a parser is still working, so leave the
						 * row free and try again next time */
	}
	if (!string->text)
		return -ENOENT;
	text_puts(out, string->text);
	return 0;
}

void symbols_functions_begin(struct root *root)
{
	written_names_begin(&root_symbols(root)->written);
}

int symbols_functions_search(struct root *root, const char *name, size_t len)
{
	int r = objects_parse(root);

	return r ? r : written_names_search(&root_symbols(root)->written, root, name, len);
}

int symbols_functions(struct root *root, const char *name, size_t len,
		      struct filter_range ret_ranges[FILTER_RANGES_MAX])
{
	int nr;

	objects_wait(root);
	nr = written_names_get(&root_symbols(root)->written, root, name, len, ret_ranges);
	return nr ? nr : -ENOENT;
}

int symbols_function_at(struct root *root, uint64_t addr, struct filter_range *ret_range)
{
	const struct elf_symbol *symbol;
	const struct object *object;

	objects_wait(root);
	object = objects_find(root, &symbols_now, addr);
	symbol = object ? elf_symbols_find(&object->file->symbols, addr - object->bias) :
			  NULL;
	if (!symbol)
		return -ENOENT;
	ret_range->start = object->bias + symbol->addr;
	ret_range->end = ret_range->start + symbol->size;
	return 0;
}
