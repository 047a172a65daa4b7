/* SPDX-License-Identifier: MIT */
/*
 * Inside of the printer: the program and what its files share.
 *
 * An expression is a tree of nodes in one array; a node is named by its index,
 * 0 is the constant 0. Values have a static type, as in C; pointers also carry
 * at run time what they point to (struct val), so that every load is checked.
 */
#ifndef EVENT_PRINT_IMPL_H
#define EVENT_PRINT_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "event/format.h"
#include "event/print.h"
#include "event/type.h"

enum {
	PRINT_MAX_DEPTH = 200,		/* of nesting in the text */
	PRINT_MAX_HEIGHT = 400,		/* of a tree of nodes */
	PRINT_MAX_NODES = 1 << 17,
	PRINT_MAX_POOL = 1 << 20,	/* bytes of strings */
	PRINT_MAX_TEXT = 1 << 20,	/* bytes of a print fmt */
	PRINT_MAX_ITEMS = 1 << 16,	/* directives, table rows, arguments */
	PRINT_MAX_LOCALS = 32,
	PRINT_MAX_WIDTH = 32767,
};

enum node_op {
	OP_CONST,		/* imm */
	OP_STR,			/* literal: imm offset in the pool, a length */
	OP_FIELD,		/* number in the record at imm */
	OP_ADDR,		/* pointer into the record: imm, a end */
	OP_DYN,			/* pointer to dynamic data: imm loc, a is_rel */
	OP_DYNLEN,		/* its bytes: imm loc */
	OP_LOAD,		/* *a */
	OP_PTRADD,		/* a + b * imm bytes */
	OP_CAST,		/* a */
	OP_NEG, OP_INV, OP_NOT,	/* -a ~a !a */
	OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB, OP_SHL, OP_SHR,
	OP_LT, OP_LE, OP_GT, OP_GE, OP_EQ, OP_NE,
	OP_AND, OP_XOR, OP_OR,
	OP_LAND, OP_LOR,
	OP_COND,		/* a ? b : c */
	OP_LET,			/* local imm = a; b */
	OP_LOCAL,		/* local imm */
	OP_BSWAP,		/* bytes of a in reverse, of its type */
	/* What only prints; the value stands for itself until it is printed. */
	OP_FLAGS,		/* a; rows b, number c; imm delimiter */
	OP_SYMBOLIC,		/* a; rows b, number c */
	OP_HEX,			/* a, length b; imm: without spaces */
	OP_ARRAY,		/* a, elements b, element size c */
	OP_BITMASK,		/* a, all of it */
	OP_HEXDUMP,		/* imm: first of HEXDUMP_ARGS in args */
};

enum { HEXDUMP_ARGS = 7 };

struct node {
	uint8_t op;
	struct value_type type;
	struct value_type calc;	/* comparisons: what the operands become */
	uint16_t height;
	uint32_t a, b, c;
	uint64_t imm;
};

/* A row of __print_flags() or __print_symbolic(). */
struct row {
	uint64_t value;
	uint32_t str, len;
	uint32_t name, name_len;	/* the value as the text has it, in the pool, if
					 * that is one identifier; name_len 0: it is not */
};

enum {
	FLAG_LEFT	= 1 << 0,
	FLAG_PLUS	= 1 << 1,
	FLAG_SPACE	= 1 << 2,
	FLAG_SPECIAL	= 1 << 3,	/* # */
	FLAG_ZEROPAD	= 1 << 4,
	FLAG_UPPER	= 1 << 5,
};

enum conversion { CONV_NONE, CONV_INT, CONV_FLOAT, CONV_CHAR, CONV_STR, CONV_PTR };

enum fast_path {
	FAST_NO,
	FAST_DEC,		/* field as decimal number */
	FAST_HEX,		/* field as hexadecimal number */
	FAST_ARRAY_STR,		/* char array in the record */
	FAST_DYN_STR,		/* __get_str() */
};

enum { EXT_MAX = 8 };

/* Text to copy, then one conversion. */
struct directive {
	uint32_t lit, lit_len;
	uint8_t conv, fast;
	uint8_t base;		/* 8, 10, 16 */
	uint8_t flags;
	struct value_type type;	/* CONV_INT: what the argument is cut to */
	int32_t width, prec;	/* -1: none */
	uint32_t width_arg, prec_arg, arg;	/* nodes; 0: none */
	char ext[EXT_MAX];	/* CONV_PTR: what follows %p; CONV_FLOAT: its letter */
	uint8_t ptr;		/* and who prints it */
	bool is_plain;		/* neither flags nor width nor precision */
	/* fast */
	struct value_type load;
	uint32_t offset, size;
};

struct print_program {
	struct node *nodes;
	size_t nr_nodes, cap_nodes;
	struct row *rows;
	size_t nr_rows, cap_rows;
	uint32_t *args;
	size_t nr_args, cap_args;
	struct directive *dirs;
	size_t nr_dirs, cap_dirs;
	struct text pool;	/* strings */
	uint32_t nr_locals;
	uint32_t min_len;	/* a record must reach over all fields used */
};

enum val_kind {
	VAL_INT,		/* u, extended as its type says; the bits of a double
				 * if that is float or double */
	VAL_REC,		/* pointer: u offset in the record, up to end */
	VAL_STR,		/* pointer: u offset in the pool, up to end */
	VAL_NODE,		/* text that node u prints */
	VAL_FAULT,		/* came from outside of the record */
};

struct val {
	uint64_t u;
	uint32_t end;
	uint32_t kind;
};

/* One record being printed. */
struct run {
	const struct print_program *program;
	const uint8_t *rec;
	size_t len;
	const struct print_env *env;
	struct text *out;
	bool has_lines;		/* the last directive printed lines on purpose */
	struct val locals[PRINT_MAX_LOCALS];
};

/* print_eval.c */
struct val print_eval(struct run *run, uint32_t node);
/* The value as a number; false if it has none. */
bool print_eval_int(struct run *run, uint32_t node, uint64_t *ret_value);
/* What a pointer points to, and how much of it there is; NULL if unknown. */
const uint8_t *print_val_mem(const struct run *run, struct val val,
			     size_t *ret_len);
uint64_t print_extend(uint64_t value, struct value_type type);

static inline uint64_t print_load(const uint8_t *p, struct value_type type)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (type.size) {
	case 1:
		return type.is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		memcpy(&u16, p, 2);
		return type.is_signed ? (uint64_t)(int16_t)u16 : u16;
	case 4:
		memcpy(&u32, p, 4);
		return type.is_signed ? (uint64_t)(int32_t)u32 : u32;
	default:
		memcpy(&u64, p, 8);
		return u64;
	}
}

static inline double print_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t print_double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* The value of a float or double at @p, which has type.size bytes. */
static inline double print_load_float(const uint8_t *p, struct value_type type)
{
	double value;
	float narrow;

	if (type.size == sizeof(narrow)) {
		memcpy(&narrow, p, sizeof(narrow));
		return (double)narrow;
	}
	memcpy(&value, p, sizeof(value));
	return value;
}

/* The kernel's isprint(): Latin-1 counts. */
static inline bool print_is_print(uint8_t byte)
{
	return (byte >= ' ' && byte <= '~') || byte >= 0xa0;
}

/* print_num.c */
struct num_spec {
	uint8_t base, flags;
	int32_t width, prec;
};
void print_num(struct text *out, uint64_t value, bool is_negative,
	       struct num_spec spec);
void print_dec(struct text *out, uint64_t value, bool is_negative);
/* Lower case, at least min_digits (up to 16). */
void print_hex(struct text *out, uint64_t value, unsigned int min_digits);
/* A plain %p: 16 digits if no width is given. */
void print_address(struct text *out, uint64_t address, struct num_spec spec);
/* Bring what stands from `start` to the width, and before that to prec. */
void print_pad(struct text *out, size_t start, struct num_spec spec);

/* printk_text.c: %f and its kin, as libc prints them. */
void print_float(struct text *out, char letter, struct num_spec spec, uint64_t bits);

/* print_ptr.c */
/* For directive.ptr; -EINVAL: the letters behind %p mean nothing here. */
int print_ptr_find(const char *ext);
void print_ptr(struct run *run, const struct directive *dir, struct val val,
	       struct num_spec spec);

/* print_net.c: %pI..., %pi..., %pM, %pm, %pU; false if mem is too short. */
bool print_ip(struct text *out, const char *ext, const uint8_t *mem, size_t len);
bool print_mac(struct text *out, const char *ext, const uint8_t *mem, size_t len);
bool print_uuid(struct text *out, const char *ext, const uint8_t *mem, size_t len);

/* print_special.c: %pE of len bytes, %pe, %pt..., %p4cc */
void print_escaped(struct text *out, const char *ext, const uint8_t *mem, size_t len);
void print_errno(struct text *out, int error);
bool print_time(struct text *out, const char *ext, const uint8_t *mem, size_t len);
bool print_fourcc(struct text *out, const char *ext, const uint8_t *mem, size_t len);

/* print_bytes.c: rows of bytes and bits */
void print_bytes(struct text *out, const uint8_t *mem, size_t len, char separator);
void print_bitmap(struct text *out, const uint8_t *mem, size_t nr_bits);
void print_bitmap_list(struct text *out, const uint8_t *mem, size_t nr_bits);

/* print_helper.c: what __print_flags() and its like print */
void print_helper(struct run *run, uint32_t node);

#endif
