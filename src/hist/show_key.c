/* SPDX-License-Identifier: MIT */
/*
 * Print the key of an entry: "{ name: value, name: value }", with the column widths of the
 * kernel.  A table has a row for each modifier of a field, which says how the field is
 * printed.
 */
#include <string.h>

#include "base/bits.h"
#include "base/digits.h"
#include "base/text.h"
#include "hist/show_impl.h"

#define STACK_INDENT	9u

/* Append no name for a constant, because the kernel prints { : 5 }. */
void show_put_name(const struct hist_node *node, struct text *out)
{
	if (node->kind == HIST_NODE_REF && node->system)
		text_printf(out, "%s.%s.$", node->system, node->event);
	text_puts(out, node->name);
}

/* ---- columns ---- */

void show_put_number(uint64_t value, uint32_t width, struct text *out)
{
	char digits[DIGITS_MAX];
	char *end = digits + sizeof(digits), *start = digits_put(end, value);
	uint32_t len = (uint32_t)(end - start);

	if (len < width)
		text_fill(out, ' ', width - len);
	text_write(out, start, len);
}

void show_pad(struct text *out, size_t start, size_t width)
{
	size_t len = out->len - start;

	if (!out->error && len < width)
		text_fill(out, ' ', width - len);
}

/* Append a string of the program, left-aligned in at least @width columns. */
static void put_string(const char *string, uint32_t width, struct text *out)
{
	size_t start = out->len;

	text_puts(out, string);
	show_pad(out, start, width);
	text_one_line(out, start);
}

static void put_symbol(const struct hist_show *show, uint64_t ip, bool has_offset,
		       struct text *out)
{
	size_t start = out->len;

	show->env->put_symbol(show->env->ctx, ip, has_offset, out);
	if (out->len == start)
		text_printf(out, "0x%llx", (unsigned long long)ip);
	text_one_line(out, start);
}

void show_put_stack(const struct hist_show *show, const uint64_t *ips, struct text *out)
{
	for (uint32_t i = 0; i < HIST_STACK_DEPTH && ips[i]; i++) {
		text_fill(out, ' ', STACK_INDENT);
		put_symbol(show, ips[i], true, out);
		text_putc(out, '\n');
	}
}

/* ---- keys ---- */

/* A field of a key, which is being printed. */
struct field {
	const struct hist_show *show;
	const struct hist_node *node;
	const uint64_t *words;
	uint32_t index;			/* entry in the table */
};

static void put_plain(const struct field *field, struct text *out)
{
	if (field->node->type == HIST_STR)
		put_string((const char *)field->words, 50, out);
	else
		show_put_number(*field->words, 10, out);
}

static void put_hex(const struct field *field, struct text *out)
{
	text_printf(out, "%llx", (unsigned long long)*field->words);
}

/* Append "[ADDRESS] NAME".  The name takes at least @width columns. */
static void put_function(const struct field *field, bool has_offset, uint32_t width,
			 struct text *out)
{
	size_t start;

	text_putc(out, '[');
	put_hex(field, out);
	text_puts(out, "] ");
	start = out->len;
	put_symbol(field->show, *field->words, has_offset, out);
	show_pad(out, start, width);
}

static void put_sym(const struct field *field, struct text *out)
{
	put_function(field, false, 45, out);
}

static void put_sym_offset(const struct field *field, struct text *out)
{
	put_function(field, true, 55, out);
}

static void put_syscall(const struct field *field, struct text *out)
{
	const char *name = hist_syscall_name(*field->words);

	put_string(name ? name : "unknown_syscall", 30, out);
	text_putc(out, '[');
	show_put_number(*field->words, 3, out);
	text_putc(out, ']');
}

/* Append the name and the id of the thread that has inserted the key. */
static void put_execname(const struct field *field, struct text *out)
{
	const struct hist_view *view = field->show->view;
	const char *entry = show_entry_at(field->show, field->index);
	uint64_t comm[HIST_COMM_LEN / 8 + 1] = { 0 };

	if (view->geometry.flags & HIST_GEO_COMM) {
		for (uint32_t i = 0; i < HIST_COMM_LEN / 8; i++)
			comm[i] = show_load(entry + view->layout.comm_off + 8 * i);
	}
	put_string((const char *)comm, 16, out);
	text_putc(out, '[');
	show_put_number(*field->words, 10, out);
	text_putc(out, ']');
}

/* Append the bucket of a field with .log2=N.  A bucket contains the numbers of the same
 * length whose first N + 1 bits are equal.  A number of at most N + 1 bits has its own
 * bucket. */
static void put_log2(const struct field *field, struct text *out)
{
	uint64_t low = *field->words, sub = field->node->value;
	uint32_t top = low ? 63u - (uint32_t)__builtin_clzll(low) : 0;
	size_t start;

	if (sub) {
		show_put_number(low, 0, out);
		text_putc(out, '-');
		show_put_number(low + (top > sub ? (1ull << (top - sub)) - 1 : 0), 0, out);
		return;
	}
	text_puts(out, "2^");
	start = out->len;
	show_put_number(low, 0, out);
	show_pad(out, start, 2);
}

static void put_bucket(const struct field *field, struct text *out)
{
	show_put_number(*field->words, 0, out);
	text_putc(out, '-');
	show_put_number(*field->words + field->node->value - 1, 0, out);
}

/* Table of how a field is printed, with a row for each modifier.  A field whose modifier has
 * no row is printed by put_plain(). */
static const struct key_row {
	const char *separator;		/* between name and value */
	void (*put)(const struct field *field, struct text *out);
} key_rows[] = {
	[HIST_MOD_HEX]		= { ": ", put_hex },
	[HIST_MOD_SYM]		= { ": ", put_sym },
	[HIST_MOD_SYM_OFFSET]	= { ": ", put_sym_offset },
	[HIST_MOD_SYSCALL]	= { ": ", put_syscall },
	[HIST_MOD_EXECNAME]	= { ": ", put_execname },
	[HIST_MOD_LOG2]		= { ": ~ ", put_log2 },
	[HIST_MOD_BUCKETS]	= { ": ~ ", put_bucket },
};
static const struct key_row plain_row = { ": ", put_plain };

/* Append a stack.  As in the kernel, there is no newline after the name of the field. */
static void put_stack(const struct field *field, struct text *out)
{
	show_put_name(field->node, out);
	text_puts(out, field->node->kind == HIST_NODE_STACK ? ":\n" : ".stacktrace");
	show_put_stack(field->show, field->words, out);
}

static void put_field(const struct field *field, struct text *out)
{
	enum hist_modifier modifier = field->node->modifier;
	const struct key_row *row = &plain_row;

	if (field->node->type == HIST_STACK) {
		put_stack(field, out);
		return;
	}
	if (modifier < ARRAY_SIZE(key_rows) && key_rows[modifier].put)
		row = &key_rows[modifier];
	show_put_name(field->node, out);
	text_puts(out, row->separator);
	row->put(field, out);
}

void show_put_key(const struct hist_show *show, const uint64_t *words, uint32_t index,
		  struct text *out)
{
	bool has_stack = false;

	text_puts(out, "{ ");
	for (uint32_t i = 0; i < show->def->nr_keys; i++) {
		const struct field field = {
			.show = show, .node = show->def->keys[i], .words = words, .index = index,
		};

		if (i)
			text_puts(out, ", ");
		put_field(&field, out);
		has_stack |= field.node->type == HIST_STACK;
		words += show_key_width(field.node, words);
	}
	text_puts(out, has_stack ? "}" : " }");
}
