/* SPDX-License-Identifier: MIT */
/* Print records of synthetic events and event probes.  Records come from the traced program
 * and are not trusted. */
#include "server/dynamic/dynamic_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "event/format.h"
#include "event/print.h"
#include "server/dynamic/eprobe_parse.h"
#include "server/dynamic/synth_parse.h"
#include "server/rules/events.h"

/* A record of a dynamic event that is being printed. */
struct record {
	const char *rec;
	size_t bytes;
	const struct print_env *env;
	struct text *out;
};

/* ---- names of the kernel's allocation flags, which fields of the type gfp_t show ---- */

#define GFP_RECLAIM	(1u << 10 | 1u << 11)
#define GFP_NOFS	(GFP_RECLAIM | 1u << 6)
#define GFP_KERNEL	(GFP_NOFS | 1u << 7)
#define GFP_USER	(GFP_KERNEL | 1u << 20)
#define GFP_HIGHUSER	(GFP_USER | 1u << 1)
#define GFP_MOVABLE	(GFP_HIGHUSER | 1u << 3)
#define GFP_HUGE	(GFP_MOVABLE | 1u << 18 | 1u << 19 | 1u << 13)

static const struct {
	uint32_t bits;
	const char *name;
} gfp_names[] = {
	{ (GFP_HUGE & ~GFP_RECLAIM) | 1u << 10, "GFP_TRANSHUGE" },
	{ GFP_HUGE & ~GFP_RECLAIM, "GFP_TRANSHUGE_LIGHT" },
	{ GFP_MOVABLE, "GFP_HIGHUSER_MOVABLE" },
	{ GFP_HIGHUSER, "GFP_HIGHUSER" },
	{ GFP_USER, "GFP_USER" },
	{ GFP_KERNEL | 1u << 22, "GFP_KERNEL_ACCOUNT" },
	{ GFP_KERNEL, "GFP_KERNEL" },
	{ GFP_NOFS, "GFP_NOFS" },
	{ 1u << 5 | 1u << 11, "GFP_ATOMIC" },
	{ GFP_RECLAIM, "GFP_NOIO" },
	{ 1u << 11 | 1u << 13, "GFP_NOWAIT" },
	{ 1u << 0, "GFP_DMA" },
	{ 1u << 1, "__GFP_HIGHMEM" },
	{ 1u << 2, "GFP_DMA32" },
	{ 1u << 5, "__GFP_HIGH" },
	{ 1u << 6, "__GFP_IO" },
	{ 1u << 7, "__GFP_FS" },
	{ 1u << 13, "__GFP_NOWARN" },
	{ 1u << 14, "__GFP_RETRY_MAYFAIL" },
	{ 1u << 15, "__GFP_NOFAIL" },
	{ 1u << 16, "__GFP_NORETRY" },
	{ 1u << 18, "__GFP_COMP" },
	{ 1u << 8, "__GFP_ZERO" },
	{ 1u << 19, "__GFP_NOMEMALLOC" },
	{ 1u << 17, "__GFP_MEMALLOC" },
	{ 1u << 20, "__GFP_HARDWALL" },
	{ 1u << 21, "__GFP_THISNODE" },
	{ 1u << 4, "__GFP_RECLAIMABLE" },
	{ 1u << 3, "__GFP_MOVABLE" },
	{ 1u << 22, "__GFP_ACCOUNT" },
	{ 1u << 12, "__GFP_WRITE" },
	{ GFP_RECLAIM, "__GFP_RECLAIM" },
	{ 1u << 10, "__GFP_DIRECT_RECLAIM" },
	{ 1u << 11, "__GFP_KSWAPD_RECLAIM" },
	{ 1u << 23, "__GFP_ZEROTAGS" },
};

static void put_gfp_names(uint32_t flags, struct text *out)
{
	const char *between = "";

	text_puts(out, " (");
	for (size_t i = 0; flags && i < ARRAY_SIZE(gfp_names); i++) {
		if ((flags & gfp_names[i].bits) != gfp_names[i].bits)
			continue;
		text_printf(out, "%s%s", between, gfp_names[i].name);
		flags &= ~gfp_names[i].bits;
		between = "|";
	}
	if (flags)
		text_printf(out, "%s0x%" PRIx32, between, flags);
	text_putc(out, ')');
}

/* ---- fields ---- */

/* Load an unsigned number of @size bytes from the record.  The caller has checked that
 * the bytes are in the record. */
static uint64_t load_number(const struct record *r, uint32_t offset, uint32_t size)
{
	uint64_t value = 0;

	memcpy(&value, r->rec + offset, size <= sizeof(value) ? size : sizeof(value));
	return value;
}

/* Print a string of at most @max bytes that begins at @offset of the record. */
static void put_string(const struct record *r, uint64_t offset, uint64_t max)
{
	size_t start = r->out->len;

	if (offset >= r->bytes)
		return;
	text_write(r->out, r->rec + offset,
		   strnlen(r->rec + offset, min_u64(max, r->bytes - offset)));
	text_one_line(r->out, start);
}

static void put_symbol(const struct record *r, uint64_t address)
{
	if (!r->env || !r->env->symbol ||
	    r->env->symbol(r->env->ctx, address, PRINT_SYMBOL_OFFSET, r->out))
		text_printf(r->out, "0x%" PRIx64, address);
}

/* Print the stack to which the word @loc of the record refers. */
static void put_stack(const struct record *r, uint64_t loc)
{
	uint32_t offset = loc & 0xffff, bytes = loc >> 16 & 0xffff;

	text_puts(r->out, "STACK:\n");
	for (uint32_t at = 0; at + 8 <= bytes && offset + at + 8 <= r->bytes; at += 8) {
		text_puts(r->out, "=> ");
		put_symbol(r, load_number(r, offset + at, 8));
		text_putc(r->out, '\n');
	}
}

/* Print the number @value with the conversion @spec.  A number of 1 or 2 bytes is printed
 * without a sign, as in the kernel. */
static void put_number(const struct record *r, const char *spec, uint64_t value, uint32_t size)
{
	if (!strcmp(spec, "%x"))
		text_printf(r->out, "%" PRIx64, value);
	else if (strchr(spec, 'u') || size < 4)
		text_printf(r->out, "%" PRIu64, value);
	else
		text_printf(r->out, "%" PRId64, size == 4 ? (int32_t)value : (int64_t)value);
}

/* Print a field of a synthetic event, and @space after it. */
static void put_field(const struct record *r, const struct synth_field *field,
		      const char *space)
{
	uint64_t value = load_number(r, field->offset, field->size);

	text_printf(r->out, "%s=", field->name);
	switch (field->kind) {
	case SYNTH_NUMBER:
		put_number(r, field->spec, value, field->size);
		break;
	case SYNTH_STRING:
		put_string(r, field->offset, SYNTH_STR_BYTES);
		break;
	case SYNTH_DYN_STRING:
		put_string(r, value & 0xffff, value >> 16 & 0xffff);
		break;
	case SYNTH_STACK:
		put_stack(r, value);
		return;
	}
	text_puts(r->out, space);
	if (!strcmp(field->type, "gfp_t"))
		put_gfp_names((uint32_t)value, r->out);
}

/* Return true if the record of @bytes bytes is long enough to contain all fields. */
static bool has_fields(const struct event_format *format, size_t bytes)
{
	for (size_t i = 0; i < format->nr_fields; i++)
		if (format->fields[i].offset + format->fields[i].size > bytes)
			return false;
	return true;
}

int synth_print(const struct event *event, const void *rec, size_t bytes,
		const struct print_env *env, bool is_verbose, struct text *out)
{
	const struct record r = { rec, bytes, env, out };
	const struct synth *synth = event->def;

	if (!has_fields(event->format, bytes))
		return -EBADMSG;
	for (uint32_t i = 0; i < synth->nr_fields; i++) {
		if (is_verbose)
			text_printf(out, "%s ", synth->fields[i].spec);
		put_field(&r, &synth->fields[i], i + 1 < synth->nr_fields ? " " : "");
	}
	return 0;
}

/* ---- event probes ---- */

/* Print, in quotes, the string to which the word @loc of the record refers.  A string
 * that the process could not read has the length 0. */
static void put_quoted(const struct record *r, uint64_t loc)
{
	if (!(loc >> 16 & 0xffff)) {
		text_puts(r->out, "(fault)");
		return;
	}
	text_putc(r->out, '"');
	put_string(r, loc & 0xffff, loc >> 16 & 0xffff);
	text_putc(r->out, '"');
}

/* Convert @value, a signed number of @size bytes, to a number of 64 bits. */
static int64_t sign_extend(uint64_t value, uint32_t size)
{
	uint32_t shift = 64 - 8 * size;

	return (int64_t)(value << shift) >> shift;
}

/* Print one element of the type @type, which begins at @offset of the record. */
static void put_element(const struct record *r, const struct eprobe_type *type,
			uint32_t offset)
{
	uint64_t value = load_number(r, offset, type->size);
	size_t start = r->out->len;

	switch (type->print) {
	case EPROBE_UNSIGNED:
		text_printf(r->out, "%" PRIu64, value);
		break;
	case EPROBE_SIGNED:
		text_printf(r->out, "%" PRId64, sign_extend(value, type->size));
		break;
	case EPROBE_HEX:
		text_printf(r->out, "0x%" PRIx64, value);
		break;
	case EPROBE_CHAR:
		text_printf(r->out, "'%c'", (char)value);
		text_one_line(r->out, start);
		break;
	case EPROBE_SYMBOL:
		put_symbol(r, value);
		break;
	case EPROBE_STRING:
		put_quoted(r, value);
		break;
	}
}

static void put_arg(const struct record *r, const struct eprobe_arg *arg)
{
	text_printf(r->out, " %s=", arg->name);
	if (!arg->count)
		put_element(r, arg->type, arg->offset);
	for (uint32_t i = 0; i < arg->count; i++) {
		text_putc(r->out, i ? ',' : '{');
		put_element(r, arg->type, arg->offset + i * arg->type->size);
	}
	if (arg->count)
		text_putc(r->out, '}');
}

int eprobe_print(const struct event *event, const void *rec, size_t bytes,
		 const struct print_env *env, bool is_verbose, struct text *out)
{
	const struct record r = { rec, bytes, env, out };
	const struct eprobe *eprobe = event->def;

	(void)is_verbose;
	if (!has_fields(event->format, bytes))
		return -EBADMSG;
	text_printf(out, "(%s.%s)", eprobe->system, eprobe->event);
	for (uint32_t i = 0; i < eprobe->nr_args; i++)
		put_arg(&r, &eprobe->args[i]);
	return 0;
}
