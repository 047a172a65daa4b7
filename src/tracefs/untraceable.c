/* SPDX-License-Identifier: MIT */
/* The file untraceable_functions, which shows the functions that cannot be traced, and
 * the reasons. */
#include "mover/mover.h"
#include "server/core/option_bits.h"
#include "server/functions/function_need.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "symbols/function_name.h"
#include "symbols/parse_result.h"
#include "tracefs/files.h"

/* Return the name of the function in row @row of the object's table.  @is_written: true to
 * return the name of a C++ function as users write it. */
static const char *name_of(const struct function_object *object, const struct moved_row *row,
			   bool is_written)
{
	const struct elf_symbol *symbol =
		function_moved_symbol(&object->moved, &object->symbols, row);
	const char *plain = NULL;

	if (!symbol)
		return "[unknown]";
	if (is_written && symbol >= object->symbols.rows &&
	    symbol < object->symbols.rows + object->symbols.nr)
		plain = parsed_plain(&object->symbols, symbol);
	return plain ? function_name_shown(plain) : symbol->name;
}

static void print_line(const struct function_object *object, const char *name,
		       const char *reason, struct text *out)
{
	size_t start = out->len;

	text_puts(out, name);
	if (object->module)
		text_printf(out, " [%s]", object->module);
	text_one_line(out, start);
	text_printf(out, "\t%s\n", reason);
}

/* Returns true if all functions of the object are refused because it is the dynamic linker. */
static bool is_linker(const struct moved_head *head)
{
	for (uint32_t i = 0; i < head->nr_rows; i++)
		if (moved_rows(head)[i].reason == MOVED_BY_LINKER)
			return true;
	return false;
}

static void print_object(const struct function_object *object, bool is_written,
			 struct text *out)
{
	const struct moved_head *head = object->moved.head;
	const struct moved_row *row = head ? moved_rows(head) : NULL;

	if (!head)
		print_line(object, "*", function_left_out_reason(object->moved.left_out), out);
	if (head && is_linker(head)) {
		print_line(object, "*", mover_reason_text(MOVED_BY_LINKER), out);
		return;
	}
	for (uint32_t i = 0; head && i < head->nr_rows; i++, row++)
		if (row->class == MOVED_REFUSED)
			print_line(object, name_of(object, row, is_written),
				   mover_reason_text(row->reason), out);
}

int untraceable_functions_show(struct tracefs_node *node, struct text *out)
{
	const struct functions *functions = root_functions(node->root);
	bool is_written = instance_options(tracefs_instance(node)) & OPTION_DEMANGLE;
	int r = functions_refresh_all(node->root);

	if (!r)
		r = function_shown_prepare(tracefs_instance(node));
	for (uint32_t i = 0; !r && i < functions->nr_objects; i++)
		if (functions->objects[i]->is_moved && functions->objects[i]->is_there)
			print_object(functions->objects[i], is_written, out);
	return r;
}
