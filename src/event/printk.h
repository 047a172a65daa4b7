/* SPDX-License-Identifier: MIT */
/*
 * The formats of trace_printk(): what is in them, how arguments are recorded, how
 * they are printed.  The kernel's rules (vbin_printf(), bstr_printf()), and
 * floating point besides.  Depends on libc alone: the runtime uses it too.
 *
 * Arguments are one behind the other: numbers in as many bytes as they have, on a
 * multiple of that but never of more than 4; strings with their NUL.
 */
#ifndef EVENT_PRINTK_H
#define EVENT_PRINTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct num_spec;
struct text;

/* ---- printk_format.c ---- */

enum printk_kind {
	PRINTK_INVALID,		/* nothing behind it is printed either */
	PRINTK_PERCENT,
	PRINTK_CHAR,
	PRINTK_INT,
	PRINTK_FLOAT,		/* a double; recorded as one, too, if it is long */
	PRINTK_STR,
	PRINTK_PTR,
	PRINTK_PTR_TEXT,	/* one that the kernel follows: recorded as text */
};

#define PRINTK_STAR	INT32_MAX	/* width, prec: an int before the argument */

struct printk_conv {
	uint8_t kind;		/* enum printk_kind */
	uint8_t flags;		/* FLAG_... of print_impl.h */
	uint8_t base;
	uint8_t bytes;		/* of the number */
	bool is_signed;
	bool is_long;		/* a long double */
	char letter;		/* PRINTK_FLOAT: the conversion; pointers: what
				 * follows the p, or NUL */
	int32_t width, prec;	/* -1: none */
};

/* The conversion at @fmt, which is a %.  Returns what is behind it. */
const char *printk_decode(const char *fmt, struct printk_conv *ret_conv);

/* How to record the arguments of a format. */
struct printk_arg {
	uint8_t kind;		/* enum printk_kind; PRINTK_INVALID: the end */
	uint8_t bytes;
	bool is_limit;		/* of the string behind it: %.*s */
	bool is_long;
	uint32_t limit;		/* characters of a string */
};

#define PRINTK_ARGS_MAX	64	/* what has more is printed so far */

/* Returns how many, the end included. */
uint32_t printk_args(const char *fmt, struct printk_arg args[PRINTK_ARGS_MAX]);

/* ---- printk_text.c ---- */

/* Prints a pointer: @letter is what follows %p. */
typedef void printk_pointer(void *ctx, char letter, uint64_t value,
			    struct num_spec spec, struct text *out);

/* -EBADMSG: the arguments end before the format does; -EINVAL: it is none of ours
 * from some place on.  What comes before that is printed. */
int printk_text(const char *fmt, const void *args, size_t bytes,
		printk_pointer *pointer, void *ctx, struct text *out);

#endif
