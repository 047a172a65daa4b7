/* SPDX-License-Identifier: MIT */
/*
 * The formats of trace_printk(): parse them, record the arguments, and print them.  The
 * rules are the kernel's (vbin_printf(), bstr_printf()), with floating point added.
 * Depends on libc alone: the runtime uses it, too.
 *
 * Recorded arguments are stored one after the other.  A number takes as many bytes as
 * its type, and is aligned to its size, but to 4 bytes at most.  A string has a NUL at
 * its end.
 */
#ifndef EVENT_PRINTK_H
#define EVENT_PRINTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct num_spec;
struct text;

/* ---- functions of printk_format.c: parse formats ---- */

enum printk_kind {
	PRINTK_INVALID,		/* unknown conversion: printing stops before this
				 * conversion */
	PRINTK_PERCENT,
	PRINTK_CHAR,
	PRINTK_INT,
	PRINTK_FLOAT,		/* a double; a long double is recorded as a double */
	PRINTK_STR,
	PRINTK_PTR,
	PRINTK_PTR_TEXT,	/* a pointer whose target is printed, for example %pI4;
				 * the target is recorded as text */
};

#define PRINTK_STAR	INT32_MAX	/* value of printk_conv.width and prec for a
					 * `*`: the number is an int argument, which
					 * comes before the argument to print */

/* One conversion of a format. */
struct printk_conv {
	uint8_t kind;		/* enum printk_kind */
	uint8_t flags;		/* bits FLAG_LEFT to FLAG_UPPER (print_impl.h) */
	uint8_t base;
	uint8_t bytes;		/* bytes of the number */
	bool is_signed;
	bool is_long;		/* true: the argument is a long double */
	char letter;		/* PRINTK_FLOAT: the letter of the conversion; pointers:
				 * the letter after %p, or NUL if no letter follows */
	int32_t width, prec;	/* width and precision; -1: not given; PRINTK_STAR: an
				 * int argument gives the number */
};

/*
 * Parse the conversion at @fmt, which points to its %.
 * Returns the text after the conversion.
 */
const char *printk_decode(const char *fmt, struct printk_conv *ret_conv);

/* How to record one argument of a format. */
struct printk_arg {
	uint8_t kind;		/* enum printk_kind; an element with PRINTK_INVALID ends
				 * the array */
	uint8_t bytes;		/* bytes of the number */
	bool is_limit;		/* true: the argument is the precision in %.*s, which
				 * limits the string that follows */
	bool is_long;		/* true: the argument is a long double */
	uint32_t limit;		/* for a string: maximum number of bytes to record */
};

#define PRINTK_ARGS_MAX	64	/* maximum number of elements of an array of struct
				 * printk_arg, including the element that ends it;
				 * further arguments of a format are not recorded */

/*
 * Fill @args with a description of the arguments of @fmt.
 * Returns the number of elements, including the element that ends the array.
 */
uint32_t printk_args(const char *fmt, struct printk_arg args[PRINTK_ARGS_MAX]);

/* ---- functions of printk_text.c: print formats with recorded arguments ---- */

/* Callback that prints a pointer.  @letter: the letter after %p, or NUL if no letter
 * follows. */
typedef void printk_pointer(void *ctx, char letter, uint64_t value,
			    struct num_spec spec, struct text *out);

/*
 * Print @fmt with its recorded arguments, which have @bytes bytes.
 * Returns 0, -EBADMSG (the arguments end too early) or -EINVAL (an unknown conversion).
 * After an error @out has the text that was printed before the error.
 */
int printk_text(const char *fmt, const void *args, size_t bytes,
		printk_pointer *pointer, void *ctx, struct text *out);

#endif
