/* SPDX-License-Identifier: MIT */
/* Print a record with a compiled print fmt. */
#include "event/print_impl.h"

#include <errno.h>

static void print_string_arg(struct run *run, struct val val)
{
	const uint8_t *mem;
	size_t len;

	if (val.kind == VAL_NODE) {
		print_helper(run, val.u);
		return;
	}
	mem = print_val_mem(run, val, &len);
	if (mem) {
		text_write(run->out, mem, strnlen((const char *)mem, len));
		return;
	}
	if (val.kind != VAL_INT) {
		text_puts(run->out, "(efault)");
	} else if (!val.u) {
		text_puts(run->out, "(null)");
	} else if (!run->env || !run->env->string ||
		   run->env->string(run->env->ctx, val.u, run->out) != 0) {
		/* The string is not in the record and cannot be read.  So print the text that
		 * the kernel prints in this case. */
		text_write(run->out, "(0x", 3);
		print_hex(run->out, val.u, 16);
		text_puts(run->out, ")[UNSAFE-MEMORY]");
	}
}

static void print_char_arg(struct run *run, struct val val, struct num_spec spec)
{
	size_t start = run->out->len;

	text_putc(run->out, val.u);
	spec.prec = -1;
	print_pad(run->out, start, spec);
}

static void print_int_arg(struct run *run, const struct directive *dir, struct val val,
			  struct num_spec spec)
{
	uint64_t u = print_extend(val.u, dir->type);
	bool is_negative = dir->type.is_signed && u >> 63;

	if (is_negative)
		u = -u;
	if (dir->is_plain && dir->base == 10)
		print_dec(run->out, u, is_negative);
	else if (dir->is_plain && dir->base == 16)
		print_hex(run->out, u, 1);
	else
		print_num(run->out, u, is_negative, spec);
}

/* Evaluate the argument that a `*` uses as width or precision.  The result is limited to
 * -PRINT_MAX_WIDTH ... PRINT_MAX_WIDTH. */
static int32_t eval_star_arg(struct run *run, uint32_t node)
{
	uint64_t u;

	if (!print_eval_int(run, node, &u))
		return 0;
	if ((int32_t)u > PRINT_MAX_WIDTH)
		return PRINT_MAX_WIDTH;
	return (int32_t)u < -PRINT_MAX_WIDTH ? -PRINT_MAX_WIDTH : (int32_t)u;
}

static struct num_spec eval_num_spec(struct run *run, const struct directive *dir)
{
	struct num_spec spec = { .base = dir->base, .flags = dir->flags,
				 .width = dir->width, .prec = dir->prec };

	if (dir->width_arg) {
		spec.width = eval_star_arg(run, dir->width_arg);
		if (spec.width < 0) {
			spec.width = -spec.width;
			spec.flags |= FLAG_LEFT;
		}
	}
	if (dir->prec_arg) {
		spec.prec = eval_star_arg(run, dir->prec_arg);
		/* A negative precision counts as 0, as in the kernel.  For floats it
		 * counts as "no precision", as in C. */
		if (spec.prec < 0)
			spec.prec = dir->conv == CONV_FLOAT ? -1 : 0;
	}
	return spec;
}

static void print_conversion(struct run *run, const struct directive *dir)
{
	struct num_spec spec = eval_num_spec(run, dir);
	struct val val = print_eval(run, dir->arg);
	size_t start = run->out->len;

	if (dir->conv == CONV_STR) {
		print_string_arg(run, val);
		if (!dir->is_plain)
			print_pad(run->out, start, spec);
	} else if (dir->conv == CONV_PTR) {
		print_ptr(run, dir, val, spec);
	} else if (val.kind == VAL_FAULT) {
		text_puts(run->out, "(efault)");
	} else if (dir->conv == CONV_FLOAT) {
		print_float(run->out, dir->ext[0], spec, val.u);
	} else if (dir->conv == CONV_CHAR) {
		print_char_arg(run, val, spec);
	} else {
		print_int_arg(run, dir, val, spec);
	}
}

static void fast_dec(struct run *run, const struct directive *dir)
{
	uint64_t u = print_load(run->rec + dir->offset, dir->load);
	bool is_negative;

	u = print_extend(u, dir->type);
	is_negative = dir->type.is_signed && u >> 63;
	print_dec(run->out, is_negative ? -u : u, is_negative);
}

static void fast_hex(struct run *run, const struct directive *dir)
{
	uint64_t u = print_load(run->rec + dir->offset, dir->load);

	print_hex(run->out, print_extend(u, dir->type), 1);
}

static void fast_array_str(struct run *run, const struct directive *dir)
{
	const char *s = (const char *)run->rec + dir->offset;

	text_write(run->out, s, strnlen(s, dir->size));
}

static void fast_dyn_str(struct run *run, const struct directive *dir)
{
	print_string_arg(run, print_eval(run, dir->arg));
}

static void print_directive(struct run *run, const struct directive *dir)
{
	switch (dir->fast) {
	case FAST_DEC:
		fast_dec(run, dir);
		break;
	case FAST_HEX:
		fast_hex(run, dir);
		break;
	case FAST_ARRAY_STR:
		fast_array_str(run, dir);
		break;
	case FAST_DYN_STR:
		fast_dyn_str(run, dir);
		break;
	default:
		if (dir->conv != CONV_NONE)
			print_conversion(run, dir);
		break;
	}
}

int print_record(const struct print_program *program, const void *rec,
		 size_t len, const struct print_env *env, struct text *out)
{
	const struct directive *dir;
	struct run run;
	size_t start;

	if (len < program->min_len)
		return -EBADMSG;
	run.program = program;
	run.rec = rec;
	run.len = len;
	run.env = env;
	run.out = out;

	for (size_t i = 0; i < program->nr_dirs && !out->error; i++) {
		dir = &program->dirs[i];
		start = out->len;
		text_write(out, program->pool.data + dir->lit, dir->lit_len);
		text_one_line(out, start);
		start = out->len;
		run.has_lines = false;
		print_directive(&run, dir);
		if (!run.has_lines)
			text_one_line(out, start);
	}
	return out->error;
}
