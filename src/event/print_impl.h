/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of the printer share: the compiled print fmt, and functions.
 *
 * An expression is a tree of nodes in one array.  A node refers to other nodes by their
 * indices.  Node 0 is the constant 0.  Values have a static type, as in C.  At run time
 * a pointer comes with the range of bytes that it may access (struct val), so that
 * every load can be checked.
 *
 * Example: REC->a + 1, with an int field a at offset 8, becomes
 *
 *	node 1: OP_FIELD	imm = 8			type int
 *	node 2: OP_CONST	imm = 1			type int
 *	node 3: OP_ADD		a = 1, b = 2		type int
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
	PRINT_MAX_DEPTH = 200,		/* maximum nesting depth of expressions in a
					 * print fmt */
	PRINT_MAX_HEIGHT = 400,		/* maximum height of a tree of nodes: number of levels */
	PRINT_MAX_NODES = 1 << 17,
	PRINT_MAX_POOL = 1 << 20,	/* maximum total size of the strings of a program,
					 * bytes */
	PRINT_MAX_TEXT = 1 << 20,	/* maximum length of a print fmt, bytes */
	PRINT_MAX_ITEMS = 1 << 16,	/* maximum number of directives, of
					 * arguments, and of rows { value, "name" } */
	PRINT_MAX_LOCALS = 32,
	PRINT_MAX_WIDTH = 32767,
};

/* Operators of nodes.  The comment of an operator says how it uses the members a, b, c and
 * imm of struct node.  a, b and c are numbers of nodes unless stated otherwise. */
enum node_op {
	OP_CONST,		/* imm = value */
	OP_STR,			/* string literal: imm is its offset in print_program.pool, a
				 * is its length */
	OP_FIELD,		/* number in the record: imm is the offset of the number */
	OP_ADDR,		/* pointer into the record: imm is the offset of the data, a
				 * is the offset of its end (UINT32_MAX: the record's end) */
	OP_DYN,			/* pointer to the data of a dynamic field: imm is the offset in
				 * the record of the word that says where the data is
				 * (FIELD_DATA_LOC); a is 1 for __rel_loc, else 0 */
	OP_DYNLEN,		/* length of the data of a dynamic field, bytes: imm is the
				 * offset in the record of the word that contains the length */
	OP_LOAD,		/* value in the memory to which pointer a points: *a */
	OP_PTRADD,		/* pointer a, moved by b elements of imm bytes */
	OP_CAST,		/* value of a, converted to the node's type */
	OP_NEG, OP_INV, OP_NOT,	/* the three operators compute -a, ~a and !a */
	OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB, OP_SHL, OP_SHR,
	OP_LT, OP_LE, OP_GT, OP_GE, OP_EQ, OP_NE,
	OP_AND, OP_XOR, OP_OR,
	OP_LAND, OP_LOR,
	OP_COND,		/* the value is a ? b : c */
	OP_LET,			/* store a in the local variable with the number imm; the
				 * value of the node is b */
	OP_LOCAL,		/* value of the local variable with the number imm */
	OP_BSWAP,		/* value of a with its bytes in reverse order */
	/* OP_FLAGS to OP_HEXDUMP have a value of kind VAL_NODE: a text that is made only when
	 * it is printed. */
	OP_FLAGS,		/* __print_flags(): a is the value, b the index of the first
				 * row, c the number of rows, imm is the delimiter (length <<
				 * 32 | offset in print_program.pool) */
	OP_SYMBOLIC,		/* __print_symbolic(): a is the value, b the index of the
				 * first row, c the number of rows */
	OP_HEX,			/* __print_hex(): a is the buffer, b the length; imm is 1 if
				 * there are no spaces between the bytes */
	OP_ARRAY,		/* __print_array(): a is the buffer, b the number of
				 * elements, c the size of an element */
	OP_BITMASK,		/* __get_bitmask(): a is the dynamic array */
	OP_HEXDUMP,		/* __print_hex_dump(): imm is the index of the first of
				 * its HEXDUMP_ARGS arguments in print_program.args */
};

enum { HEXDUMP_ARGS = 7 };

/* A node of an expression.  enum node_op says what a, b, c and imm are. */
struct node {
	uint8_t op;
	struct value_type type;
	struct value_type calc;	/* for binary operators: the type to which both operands are
				 * converted before the calculation */
	uint16_t height;	/* height of the tree whose root is this node: number of
				 * levels, including the node */
	uint32_t a, b, c;
	uint64_t imm;
};

/* A row of the table of __print_flags() or __print_symbolic(). */
struct row {
	uint64_t value;
	uint32_t str, len;		/* offset and length of the text to print, in
					 * print_program.pool */
	uint32_t name, name_len;	/* offset and length, in print_program.pool, of the
					 * identifier that the print fmt has for the value;
					 * length 0: the value is not written as an identifier */
};

/* Flags of a conversion, with the meaning that they have in printf(). */
enum {
	FLAG_LEFT	= 1 << 0,
	FLAG_PLUS	= 1 << 1,
	FLAG_SPACE	= 1 << 2,
	FLAG_SPECIAL	= 1 << 3,	/* '#': print the prefix 0x or 0 */
	FLAG_ZEROPAD	= 1 << 4,
	FLAG_UPPER	= 1 << 5,
};

enum conversion { CONV_NONE, CONV_INT, CONV_FLOAT, CONV_CHAR, CONV_STR, CONV_PTR };

/* Frequent conversions, for which there is faster code. */
enum fast_path {
	FAST_NO,
	FAST_DEC,		/* print a field as a decimal number */
	FAST_HEX,		/* print a field as a hexadecimal number */
	FAST_ARRAY_STR,		/* print a char array in the record as a string */
	FAST_DYN_STR,		/* print the string of __get_str() */
};

/* Size of directive.ext, which holds the letters after %p and a NUL, bytes.  Letters for
 * which there is no space are dropped. */
enum { EXT_MAX = 8 };

/* One step of a compiled print fmt: copy a literal text to the output, then print one
 * conversion. */
struct directive {
	uint32_t lit, lit_len;	/* offset and length, in print_program.pool, of the literal
				 * text before the conversion */
	uint8_t conv, fast;	/* conv: kind of the conversion (enum conversion); fast:
				 * faster code for it (enum fast_path) */
	uint8_t base;		/* base in which the number is printed: 8, 10 or 16 */
	uint8_t flags;
	struct value_type type;	/* for CONV_INT: the type to which the argument is
				 * converted */
	int32_t width, prec;	/* width and precision of the conversion; -1: not given */
	uint32_t width_arg, prec_arg, arg;	/* numbers of nodes, 0 if there is none: the
						 * width and the precision if they are written
						 * as `*`, and the value to print */
	char ext[EXT_MAX];	/* for CONV_PTR: the letters after %p; for CONV_FLOAT:
				 * the letter of the conversion */
	uint8_t ptr;		/* for CONV_PTR: the number of the conversion that
				 * print_ptr_find() has found */
	bool is_plain;		/* true: the conversion has no flags, no width and no
				 * precision */
	/* type, offset and size of the field that the fast path (@fast) prints */
	struct value_type load;
	uint32_t offset, size;
};

/* A compiled print fmt.  nr_X is the number of elements of the array X, cap_X its capacity. */
struct print_program {
	struct node *nodes;
	size_t nr_nodes, cap_nodes;
	struct row *rows;
	size_t nr_rows, cap_rows;
	uint32_t *args;		/* numbers of the nodes that are arguments of OP_HEXDUMP */
	size_t nr_args, cap_args;
	struct directive *dirs;
	size_t nr_dirs, cap_dirs;
	struct text pool;	/* all texts of the compiled print fmt, one after the other,
				 * without NULs */
	uint32_t nr_locals;	/* number of local variables that the program uses */
	uint32_t min_len;	/* minimum size of a record that contains all fields
				 * that the program uses, bytes */
};

/* Kinds of values at run time.  The comment of a kind says what the members u and end of
 * struct val contain. */
enum val_kind {
	VAL_INT,		/* a number: u contains it, extended to 64 bits as its type
				 * requires; for float and double, u contains the bits of a
				 * double */
	VAL_REC,		/* a pointer into the record: u is an offset, end is the
				 * offset after the last byte that may be read */
	VAL_STR,		/* a pointer into print_program.pool: u is an offset, end is
				 * the offset after the last byte that may be read */
	VAL_NODE,		/* a text that is made when it is printed, by the node with
				 * the number u */
	VAL_FAULT,		/* the result of a load from an address outside of the record */
};

/* A value at run time. */
struct val {
	uint64_t u;
	uint32_t end;
	uint32_t kind;
};

/* The state of print_record() while it prints one record. */
struct run {
	const struct print_program *program;
	const uint8_t *rec;
	size_t len;
	const struct print_env *env;
	struct text *out;
	bool has_lines;		/* true: the directive that is being printed
				 * prints several lines on purpose, so its
				 * newlines must stay */
	struct val locals[PRINT_MAX_LOCALS];
};

/* ---- print_eval.c: evaluate nodes ---- */
/* Returns the value of the node with the number @node. */
struct val print_eval(struct run *run, uint32_t node);
/* Get the value of a node as a number.  Returns false if the value is no number. */
bool print_eval_int(struct run *run, uint32_t node, uint64_t *ret_value);
/* Returns the memory to which the pointer @val points, and the number of bytes that may be
 * read from it.  Returns NULL if the pointer does not point into the record or
 * print_program.pool. */
const uint8_t *print_val_mem(const struct run *run, struct val val,
			     size_t *ret_len);
/* Returns @value, cut to the size of @type and then extended to 64 bits. */
uint64_t print_extend(uint64_t value, struct value_type type);

/* Returns the number at @p, which has type.size bytes, extended to 64 bits. */
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

/* Returns the double that has the bit pattern @bits. */
static inline double print_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Returns the bit pattern of a double. */
static inline uint64_t print_double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Returns the float or double at @p, which has type.size bytes. */
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

/* Returns true if the kernel's isprint() returns true for this byte, which it also does for
 * Latin-1 letters. */
static inline bool print_is_printable(uint8_t byte)
{
	return (byte >= ' ' && byte <= '~') || byte >= 0xa0;
}

/* ---- print_num.c: print numbers, and pad texts ---- */
/* How to print a number or a text.  width and prec are -1 if they are not given. */
struct num_spec {
	uint8_t base, flags;
	int32_t width, prec;
};
/* Print a number by printk()'s rules.  @value: the number without its sign. */
void print_num(struct text *out, uint64_t value, bool is_negative,
	       struct num_spec spec);
/* Print a decimal number without padding.  @value: the number without its sign. */
void print_dec(struct text *out, uint64_t value, bool is_negative);
/* Print a hexadecimal number in lower case with at least @min_digits digits (up to 16). */
void print_hex(struct text *out, uint64_t value, unsigned int min_digits);
/* Print an address as plain %p does: with 16 digits unless a width is given. */
void print_address(struct text *out, uint64_t address, struct num_spec spec);
/* Cut the text of @out that begins at offset @start to spec.prec bytes, then pad it to
 * spec.width. */
void print_pad(struct text *out, size_t start, struct num_spec spec);

/* Print a double with %f, %e, %g or %a (@letter), as libc prints it.  Defined in
 * printk_text.c. */
void print_float(struct text *out, char letter, struct num_spec spec, uint64_t bits);

/* ---- print_ptr.c: print %p and the letters after it ---- */
/* Find the conversion for the letters after %p.  Returns its number for directive.ptr, or
 * -EINVAL if the letters are not supported. */
int print_ptr_find(const char *ext);
/* Print a pointer, in the form that the letters after %p (dir->ext) select. */
void print_ptr(struct run *run, const struct directive *dir, struct val val,
	       struct num_spec spec);

/* Print network addresses and UUIDs: %pI..., %pi..., %pM, %pm and %pU.  The functions return
 * false if @mem has too few bytes.  Defined in print_net.c. */
bool print_ip(struct text *out, const char *ext, const uint8_t *mem, size_t len);
bool print_mac(struct text *out, const char *ext, const uint8_t *mem, size_t len);
bool print_uuid(struct text *out, const char *ext, const uint8_t *mem, size_t len);

/* ---- print_special.c: print %pE, %pe, %pt and %p4cc; functions of type bool return false if
 * @mem has too few bytes ---- */
/* Print @len bytes for %pE.  The letters in @ext say which bytes are escaped, and how. */
void print_escaped(struct text *out, const char *ext, const uint8_t *mem, size_t len);
/* Print the name of an error for %pe, for example -ENOENT, or its number if it has no name. */
void print_errno(struct text *out, int error);
/* Print a date, a time or both, for %pt. */
bool print_time(struct text *out, const char *ext, const uint8_t *mem, size_t len);
/* Print a four-character code, for %p4cc. */
bool print_fourcc(struct text *out, const char *ext, const uint8_t *mem, size_t len);

/* ---- print_bytes.c: print bytes and bitmaps ---- */
/* Print bytes in hexadecimal, with @separator between them.  A @separator of NUL stands for
 * no separator. */
void print_bytes(struct text *out, const uint8_t *mem, size_t len, char separator);
/* Print a bitmap as hexadecimal numbers of 32 bits.  Example: ff,00000001 */
void print_bitmap(struct text *out, const uint8_t *mem, size_t nr_bits);
/* Print the numbers of the bitmap's set bits as ranges.  Example: 0-3,7,9-10 */
void print_bitmap_list(struct text *out, const uint8_t *mem, size_t nr_bits);

/* Print the text of __print_flags() and the other helpers.  Defined in print_helper.c. */
void print_helper(struct run *run, uint32_t node);

#endif
