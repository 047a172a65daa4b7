/* SPDX-License-Identifier: MIT */
/* Print the text of __print_flags(), __print_symbolic(), __print_hex() and the others. */
#include "event/print_impl.h"

static void put_pool_string(struct run *run, uint32_t str, uint32_t len)
{
	size_t start = run->out->len;

	text_write(run->out, run->program->pool.data + str, len);
	text_one_line(run->out, start);
}

static void put_efault(struct run *run)
{
	text_puts(run->out, "(efault)");
}

static void print_flags(struct run *run, const struct node *node)
{
	const struct row *row;
	bool is_first = true;
	uint64_t flags;

	if (!print_eval_int(run, node->a, &flags)) {
		put_efault(run);
		return;
	}
	for (uint32_t i = 0; i < node->c && flags; i++) {
		row = &run->program->rows[node->b + i];
		if ((flags & row->value) != row->value)
			continue;
		flags &= ~row->value;
		if (!is_first)
			put_pool_string(run, (uint32_t)node->imm, node->imm >> 32);
		is_first = false;
		put_pool_string(run, row->str, row->len);
	}
	if (!flags)
		return;
	/* Print the remaining bits of the value, for which the table has no row. */
	if (!is_first)
		put_pool_string(run, (uint32_t)node->imm, node->imm >> 32);
	text_write(run->out, "0x", 2);
	print_hex(run->out, flags, 1);
}

static void print_symbolic(struct run *run, const struct node *node)
{
	const struct row *row = NULL;
	uint64_t value;

	if (!print_eval_int(run, node->a, &value)) {
		put_efault(run);
		return;
	}
	for (uint32_t i = 0; i < node->c; i++) {
		row = &run->program->rows[node->b + i];
		if (row->value == value)
			break;
	}
	/* If the text of the row is empty, print the number instead, as for a value without a
	 * row. */
	if (row && row->value == value && row->len) {
		put_pool_string(run, row->str, row->len);
		return;
	}
	text_write(run->out, "0x", 2);
	print_hex(run->out, value, 1);
}

/* Evaluate the node @ptr, a pointer.  Returns the memory that it points to, or NULL if fewer
 * than @len bytes of this memory may be read. */
static const uint8_t *eval_buffer(struct run *run, uint32_t ptr, uint64_t len)
{
	const uint8_t *mem;
	size_t have;

	mem = print_val_mem(run, print_eval(run, ptr), &have);
	return mem && len <= have ? mem : NULL;
}

/* Evaluate the node @n, a length of type int.  A negative length counts as 0. */
static bool eval_len(struct run *run, uint32_t n, uint64_t *ret_len)
{
	uint64_t len;

	if (!print_eval_int(run, n, &len))
		return false;
	*ret_len = (int32_t)len > 0 ? (uint32_t)len : 0;
	return true;
}

static void print_hex_bytes(struct run *run, const struct node *node)
{
	const uint8_t *mem;
	uint64_t len;

	if (!eval_len(run, node->b, &len)) {
		put_efault(run);
		return;
	}
	mem = eval_buffer(run, node->a, len);
	if (mem)
		print_bytes(run->out, mem, len, node->imm ? '\0' : ' ');
	else
		put_efault(run);
}

static void put_array_element(struct text *out, const uint8_t *p, uint64_t elem)
{
	const struct value_type type = { .size = elem };

	text_write(out, "0x", 2);
	print_hex(out, print_load(p, type), 1);
}

static void print_array(struct run *run, const struct node *node)
{
	uint64_t count, elem, bytes;
	const uint8_t *mem;

	if (!eval_len(run, node->b, &count) ||
	    !print_eval_int(run, node->c, &elem)) {
		put_efault(run);
		return;
	}
	bytes = elem <= UINT32_MAX ? count * elem : count ? UINT64_MAX : 0;
	mem = eval_buffer(run, node->a, bytes);
	if (!mem) {
		put_efault(run);
		return;
	}
	text_putc(run->out, '{');
	if (bytes && elem != 1 && elem != 2 && elem != 4 && elem != 8) {
		/* The size of the elements is not supported.  So print a message, and print
		 * the array as bytes, as the kernel does. */
		text_puts(run->out, "BAD SIZE:");
		print_dec(run->out, elem, false);
		text_putc(run->out, ' ');
		elem = 1;
	}
	for (uint64_t i = 0; i < bytes; i += elem) {
		if (i)
			text_putc(run->out, ',');
		put_array_element(run->out, mem + i, elem);
	}
	text_putc(run->out, '}');
}

static void print_bitmask(struct run *run, const struct node *node)
{
	const uint8_t *mem;
	size_t len;

	mem = print_val_mem(run, print_eval(run, node->a), &len);
	if (mem)
		print_bitmap(run->out, mem, len * 8);
	else
		put_efault(run);
}

/* The arguments of __print_hex_dump(). */
struct hexdump {
	struct val prefix;
	uint64_t prefix_type, row_size, group_size, is_ascii;
	const uint8_t *mem;
	uint64_t address, len;
};

enum { DUMP_PREFIX_ADDRESS = 1, DUMP_PREFIX_OFFSET = 2 };

static bool eval_hexdump(struct run *run, const struct node *node,
			 struct hexdump *d)
{
	const uint32_t *args = run->program->args + node->imm;
	struct val buffer;
	size_t have;

	d->prefix = print_eval(run, args[0]);
	if (!print_eval_int(run, args[1], &d->prefix_type) ||
	    !print_eval_int(run, args[2], &d->row_size) ||
	    !print_eval_int(run, args[3], &d->group_size) ||
	    !eval_len(run, args[5], &d->len) ||
	    !print_eval_int(run, args[6], &d->is_ascii))
		return false;
	buffer = print_eval(run, args[4]);
	d->mem = print_val_mem(run, buffer, &have);
	d->address = buffer.u;
	if (d->row_size != 32)
		d->row_size = 16;
	if (d->group_size != 2 && d->group_size != 4 && d->group_size != 8)
		d->group_size = 1;
	return d->mem && d->len <= have;
}

static void put_hexdump_row(struct text *out, const struct hexdump *d,
			    const uint8_t *p, size_t len)
{
	size_t group = len % d->group_size ? 1 : d->group_size;
	size_t column = out->len + d->row_size * 2 + d->row_size / group + 1;
	struct value_type type = { .size = group };

	for (size_t i = 0; i < len; i += group) {
		if (i)
			text_putc(out, ' ');
		print_hex(out, print_load(p + i, type), group * 2);
	}
	if (!d->is_ascii)
		return;
	if (out->len < column)
		text_fill(out, ' ', column - out->len);
	for (size_t i = 0; i < len; i++)
		text_putc(out, p[i] >= ' ' && p[i] <= '~' ? p[i] : '.');
}

static void print_hexdump(struct run *run, const struct node *node)
{
	struct hexdump d;
	uint64_t left;

	if (!eval_hexdump(run, node, &d)) {
		put_efault(run);
		return;
	}
	run->has_lines = true;
	text_putc(run->out, '\n');
	for (uint64_t i = 0; i < d.len; i += d.row_size) {
		if (d.prefix.kind == VAL_STR)
			put_pool_string(run, d.prefix.u, d.prefix.end - d.prefix.u);
		if (d.prefix_type == DUMP_PREFIX_ADDRESS) {
			/* Print offsets in the record in place of addresses, because the
			 * address in the program is not known. */
			print_hex(run->out, d.address + i, 16);
			text_puts(run->out, ": ");
		} else if (d.prefix_type == DUMP_PREFIX_OFFSET) {
			print_hex(run->out, i, 8);
			text_puts(run->out, ": ");
		}
		left = d.len - i;
		put_hexdump_row(run->out, &d, d.mem + i,
				left < d.row_size ? left : d.row_size);
		text_putc(run->out, '\n');
	}
}

void print_helper(struct run *run, uint32_t n)
{
	const struct node *node = &run->program->nodes[n];

	switch (node->op) {
	case OP_FLAGS:
		print_flags(run, node);
		break;
	case OP_SYMBOLIC:
		print_symbolic(run, node);
		break;
	case OP_HEX:
		print_hex_bytes(run, node);
		break;
	case OP_ARRAY:
		print_array(run, node);
		break;
	case OP_BITMASK:
		print_bitmask(run, node);
		break;
	case OP_HEXDUMP:
		print_hexdump(run, node);
		break;
	}
}
