/* SPDX-License-Identifier: MIT */
/*
 * Compile a print fmt: first each argument becomes a node, then the format string is
 * compiled.  The conversions of the format string use the arguments in their order.
 */
#include "event/print_parse.h"

#include <errno.h>
#include <stdlib.h>

/* The arguments of a print fmt's format string. */
struct arguments {
	uint32_t *nodes;
	size_t nr, cap, next;		/* nr: number of arguments; cap: number of arguments
					 * for which there is space; next: index of the first
					 * argument that no conversion has used yet */
};

/*
 * Returns the address of the quote that ends the format string.  The kernel's macros put
 * the text between quotes without escaping it, so the text may contain quotes.  The quote
 * that ends the string is followed by a comma, another literal or nothing.  Example:
 * "name="%s"", REC->name
 */
static const char *format_end(const char *p)
{
	const char *next;

	for (; *p; p++) {
		if (p[0] == '\\' && p[1]) {
			p++;
			continue;
		}
		if (*p != '"')
			continue;
		next = p + 1;
		if (*next == '"')	/* skip the first of two quotes in a row: it belongs
					 * to the text */
			continue;
		next += strspn(next, " \t\n");
		if (!*next || *next == ',' || *next == '"')
			return p;
	}
	return NULL;
}

/* Decode the format string, which may consist of several literals, into @ret_format. */
static void read_format(struct compiler *c, struct text *ret_format)
{
	struct text *pool = &c->program->pool;
	size_t start = pool->len;
	const char *end;

	c->pos += strspn(c->pos, " \t\n");
	if (*c->pos != '"')
		print_fail(c, -EINVAL, "format string expected");
	while (!c->error && *c->pos == '"') {
		end = format_end(c->pos + 1);
		if (!end) {
			print_fail(c, -EINVAL, "string without an end");
			return;
		}
		print_string_decode(c, c->pos + 1, end - c->pos - 1);
		c->pos = end + 1 + strspn(end + 1, " \t\n");
	}
	text_write(ret_format, pool->data + start, pool->len - start);
	text_putc(ret_format, '\0');
	text_truncate(pool, start);
	if (pool->error || ret_format->error)
		print_fail(c, pool->error ? pool->error : ret_format->error,
			   "too large");
}

static void parse_arguments(struct compiler *c, struct arguments *args)
{
	uint32_t n;

	print_next_token(c);
	while (print_accept_punct(c, ',')) {
		/* Nothing follows the comma, so there are no arguments. */
		if (c->tok.kind == TOK_END)
			break;
		n = print_parse_arg(c);
		if (!print_reserve_row(c, (void **)&args->nodes, args->nr, &args->cap,
				       sizeof(n), PRINT_MAX_ITEMS))
			return;
		args->nodes[args->nr++] = n;
	}
	if (c->tok.kind != TOK_END)
		print_fail(c, -EINVAL, "not expected here");
}

static uint32_t next_argument(struct compiler *c, struct arguments *args)
{
	if (args->next == args->nr) {
		print_fail(c, -EINVAL, "more conversions than arguments");
		return 0;
	}
	return args->nodes[args->next++];
}

static const char *parse_directive_flags(const char *p, struct directive *dir)
{
	static const char letters[] = "-+ #0";	/* flag characters, in the order of the
						 * bits FLAG_LEFT, FLAG_PLUS ... */
	const char *letter;

	while (*p && (letter = strchr(letters, *p))) {
		dir->flags |= 1 << (letter - letters);
		p++;
	}
	return p;
}

/* Parse a width or precision, which is a number or a `*`.  If it is a `*`, *@ret_arg is the
 * node of the argument that it uses. */
static const char *parse_directive_width(struct compiler *c, const char *p,
					 struct arguments *args, int32_t *ret_width,
					 uint32_t *ret_arg)
{
	if (*p == '*') {
		*ret_arg = next_argument(c, args);
		return p + 1;
	}
	if (*p >= '0' && *p <= '9')
		*ret_width = 0;
	for (; *p >= '0' && *p <= '9'; p++) {
		*ret_width = *ret_width * 10 + (*p - '0');
		if (*ret_width > PRINT_MAX_WIDTH)
			*ret_width = PRINT_MAX_WIDTH;
	}
	return p;
}

static const char *parse_length_modifier(const char *p, struct value_type *type)
{
	type->size = 4;
	switch (*p) {
	case 'h':
		type->size = p[1] == 'h' ? 1 : 2;
		return p + (p[1] == 'h' ? 2 : 1);
	case 'l':
		type->size = 8;
		return p + (p[1] == 'l' ? 2 : 1);
	case 'L':
	case 'z':
	case 'Z':
	case 't':
	case 'j':
		type->size = 8;
		return p + 1;
	default:
		return p;
	}
}

static const char *parse_pointer_extension(struct compiler *c, const char *p,
					   struct directive *dir)
{
	size_t len = 0;
	int ptr;

	while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
	       (*p >= '0' && *p <= '9')) {
		if (len < EXT_MAX - 1)
			dir->ext[len++] = *p;
		p++;
	}
	dir->conv = CONV_PTR;
	ptr = print_ptr_find(dir->ext);
	if (ptr < 0)
		print_fail_unknown(c, c->tok,
				   "what such a pointer points to is not in the record",
				   "keep what is to be printed in a field");
	else
		dir->ptr = ptr;
	return p;
}

static const char *parse_conversion(struct compiler *c, const char *p,
				    struct directive *dir)
{
	dir->conv = CONV_INT;
	dir->base = 10;
	switch (*p) {
	case 'd':
	case 'i':
		dir->type.is_signed = true;
		break;
	case 'u':
		break;
	case 'X':
		dir->flags |= FLAG_UPPER;
		dir->base = 16;
		break;
	case 'x':
		dir->base = 16;
		break;
	case 'o':
		dir->base = 8;
		break;
	case 'c':
		dir->conv = CONV_CHAR;
		break;
	case 's':
		dir->conv = CONV_STR;
		break;
	case 'f': case 'F':
	case 'e': case 'E':
	case 'g': case 'G':
	case 'a': case 'A':
		dir->conv = CONV_FLOAT;
		dir->ext[0] = *p;
		if (p[-1] == 'L')
			print_fail(c, -EINVAL,
				   "long double cannot be printed: keep a double");
		break;
	case 'p':
		return parse_pointer_extension(c, p + 1, dir);
	default:
		print_fail(c, -EINVAL, "conversion not known");
		return p;
	}
	return p + 1;
}

/* Fail if an integer conversion gets a float argument, or a float conversion an integer
 * argument.  In C the result of such a mismatch is undefined. */
static void check_float(struct compiler *c, const struct directive *dir)
{
	bool is_float = type_is_float(print_node_at(c, dir->arg)->type);

	if (is_float && dir->conv != CONV_FLOAT)
		print_fail(c, -EINVAL, "a floating-point value: %f, %e, %g or %a");
	else if (!is_float && dir->conv == CONV_FLOAT)
		print_fail(c, -EINVAL, "an integer where a float or double belongs");
}

/* Parse a conversion.  @p points to the character after the % of the conversion.  Returns the
 * text after the conversion. */
static const char *parse_directive(struct compiler *c, const char *p,
				   struct arguments *args, struct directive *dir)
{
	dir->width = -1;
	dir->prec = -1;
	p = parse_directive_flags(p, dir);
	p = parse_directive_width(c, p, args, &dir->width, &dir->width_arg);
	if (*p == '.') {
		dir->prec = 0;
		p = parse_directive_width(c, p + 1, args, &dir->prec, &dir->prec_arg);
	}
	p = parse_length_modifier(p, &dir->type);
	p = parse_conversion(c, p, dir);
	dir->arg = next_argument(c, args);
	if (!c->error)
		check_float(c, dir);
	return p;
}

/* Set dir->is_plain.  Also set dir->fast if the conversion can print a field directly from
 * the record. */
static void find_fast_path(const struct compiler *c, struct directive *dir)
{
	const struct node *node = print_node_at(c, dir->arg);

	dir->is_plain = !dir->flags && dir->width < 0 && dir->prec < 0 &&
			!dir->width_arg && !dir->prec_arg;
	if (!dir->is_plain)
		return;
	if (dir->conv == CONV_STR && node->op == OP_CAST &&
	    print_node_at(c, node->a)->op == OP_DYN) {
		dir->fast = FAST_DYN_STR;
		dir->arg = node->a;
	} else if (dir->conv == CONV_STR && node->op == OP_DYN) {
		dir->fast = FAST_DYN_STR;
	} else if (dir->conv == CONV_STR && node->op == OP_ADDR &&
		   node->a != UINT32_MAX) {
		dir->fast = FAST_ARRAY_STR;
		dir->offset = node->imm;
		dir->size = node->a - node->imm;
	} else if (dir->conv == CONV_INT && node->op == OP_FIELD &&
		   dir->base != 8) {
		dir->fast = dir->base == 10 ? FAST_DEC : FAST_HEX;
		dir->offset = node->imm;
		dir->load = node->type;
		if (node->type.is_ptr)
			dir->load = print_type_ulong;
	}
}

static void append_directive(struct compiler *c, struct directive *dir, size_t lit)
{
	struct print_program *p = c->program;

	dir->lit = lit;
	dir->lit_len = p->pool.len - lit;
	if (dir->conv == CONV_NONE && !dir->lit_len)
		return;
	if (!print_reserve_row(c, (void **)&p->dirs, p->nr_dirs, &p->cap_dirs,
			       sizeof(*dir), PRINT_MAX_ITEMS))
		return;
	if (dir->conv != CONV_NONE)
		find_fast_path(c, dir);
	p->dirs[p->nr_dirs++] = *dir;
}

/*
 * Move c->tok.text, the position at which an error is reported, to the next % of the print
 * fmt.
 */
static void move_to_next_percent(struct compiler *c)
{
	if (*c->tok.text)
		c->tok.text = strchrnul(c->tok.text + 1, '%');
}

static void compile_format(struct compiler *c, const char *p,
			   struct arguments *args)
{
	struct text *pool = &c->program->pool;
	struct directive dir = { .conv = CONV_NONE };
	size_t lit = pool->len;

	/* @p points into the decoded string.  c->tok.text points into the print fmt,
	 * where errors are reported.  Both move from one % to the next.  So c->tok.text
	 * is always at the % that is being parsed. */
	c->tok.text = c->text;
	while (*p && !c->error) {
		if (p[0] != '%') {
			text_putc(pool, *p++);
			continue;
		}
		move_to_next_percent(c);
		if (p[1] == '%') {
			text_putc(pool, '%');
			move_to_next_percent(c);
			p += 2;
		} else {
			dir = (struct directive){ .conv = CONV_NONE };
			p = parse_directive(c, p + 1, args, &dir);
			append_directive(c, &dir, lit);
			lit = pool->len;
		}
	}
	dir = (struct directive){ .conv = CONV_NONE };
	append_directive(c, &dir, lit);
	if (pool->error)
		print_fail(c, pool->error, "too large");
}

static int compile_print_fmt(struct compiler *c)
{
	struct arguments args = { .nr = 0 };
	struct text format;

	text_init(&format, PRINT_MAX_POOL);
	/* Reserve node 0, because functions return 0 for "no node" after an error. */
	if (!print_reserve_row(c, (void **)&c->program->nodes, 0,
			       &c->program->cap_nodes, sizeof(struct node),
			       PRINT_MAX_NODES))
		return c->error;
	/* Allocate print_program.pool now, so that pool.data is valid even if the pool
	 * stays empty. */
	if (!text_reserve(&c->program->pool, 1)) {
		print_fail(c, -ENOMEM, "out of memory");
		return c->error;
	}
	c->program->nodes[0] = (struct node){ .op = OP_CONST,
					      .type = print_type_int };
	c->program->nr_nodes = 1;

	if (strlen(c->text) > PRINT_MAX_TEXT)
		print_fail(c, -E2BIG, "too large");
	if (!c->error)
		read_format(c, &format);
	if (!c->error)
		parse_arguments(c, &args);
	if (!c->error)
		compile_format(c, format.data, &args);
	free(args.nodes);
	text_done(&format);
	return c->error;
}

int print_compile_names(const struct event_format *fmt,
			const struct print_names *names,
			struct print_program **ret_program,
			struct print_error *ret_err)
{
	struct print_program *program = calloc(1, sizeof(*program));
	struct compiler c = {
		.fmt = fmt, .names = names, .program = program,
		.text = fmt->print_fmt, .pos = fmt->print_fmt,
	};

	if (!program) {
		c.error = -ENOMEM;
		c.where.message = "out of memory";
	} else {
		text_init(&program->pool, PRINT_MAX_POOL);
		compile_print_fmt(&c);
	}
	if (c.error) {
		print_program_free(program);
		if (ret_err)
			*ret_err = c.where;
		return c.error;
	}
	*ret_program = program;
	return 0;
}

int print_compile(const struct event_format *fmt,
		  struct print_program **ret_program)
{
	return print_compile_names(fmt, NULL, ret_program, NULL);
}

void print_program_free(struct print_program *program)
{
	if (!program)
		return;
	free(program->nodes);
	free(program->rows);
	free(program->args);
	free(program->dirs);
	text_done(&program->pool);
	free(program);
}
