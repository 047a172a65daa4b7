/* SPDX-License-Identifier: MIT */
/*
 * The formats of trace_printk(): parse them, record the arguments, and print them.  The
 * rules are the kernel's (vbin_printf(), bstr_printf()), with floating point added.
 * Depends on libc alone: the runtime uses it, too.
 *
 * Recorded arguments are stored one after the other.  A number takes as many bytes as its
 * type.  It is aligned to its size, but to at most 4 bytes.  A string has a NUL at its end.
 */
#ifndef EVENT_PRINTK_H
#define EVENT_PRINTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct num_spec;
struct text;

/* ---- printk_format.c: parse formats ---- */

enum printk_kind {
	PRINTK_INVALID,		/* unknown conversion: nothing is printed from this conversion
				 * on */
	PRINTK_PERCENT,
	PRINTK_CHAR,
	PRINTK_INT,
	PRINTK_FLOAT,		/* the argument is a double; a long double is recorded as a
				 * double */
	PRINTK_STR,
	PRINTK_PTR,
	PRINTK_PTR_TEXT,	/* a pointer whose target is printed, for example %pI4; the
				 * target's text is recorded */
};

#define PRINTK_STAR	INT32_MAX	/* value of printk_conv.width and prec if they are
					 * written as `*`: an int argument before the argument
					 * to print gives the number */

/* One conversion of a format of trace_printk(). */
struct printk_conv {
	uint8_t kind;		/* enum printk_kind */
	uint8_t flags;		/* flags of the conversion: bits FLAG_LEFT to FLAG_UPPER
				 * (print_impl.h) */
	uint8_t base;
	uint8_t bytes;		/* bytes of the number */
	bool is_signed;
	bool is_long;		/* true: the argument is a long double */
	char letter;		/* for PRINTK_FLOAT: the letter of the conversion; for
				 * pointers: the letter after %p, or NUL if there is none */
	int32_t width, prec;	/* width and precision; -1: not given; PRINTK_STAR: an
				 * int argument gives the number */
};

/*
 * Parse the conversion that begins with the % at @fmt.  Returns the text after the
 * conversion.
 */
const char *printk_decode(const char *fmt, struct printk_conv *ret_conv);

/* How to record one argument of a format of trace_printk(). */
struct printk_arg {
	uint8_t kind;		/* enum printk_kind: the kind of the argument; PRINTK_INVALID
				 * ends the array of arguments */
	uint8_t bytes;		/* bytes of the number */
	bool is_limit;		/* true: the argument is the precision of %.*s, which limits
				 * the length of the next argument, the string */
	bool is_long;		/* true: the argument is a long double */
	uint32_t limit;		/* for a string: maximum number of its bytes to record */
};

#define PRINTK_ARGS_MAX	64	/* maximum number of elements of an array of struct
				 * printk_arg, including the element that ends it;
				 * further arguments of a format are not recorded */

/*
 * Describe the arguments of the format @fmt in @args.  Returns the number of elements that
 * were filled, including the element that ends the array.
 */
uint32_t printk_args(const char *fmt, struct printk_arg args[PRINTK_ARGS_MAX]);

/* ---- printk_text.c: print formats with recorded arguments ---- */

/* Callback that prints a pointer.  @letter: the letter after %p, or NUL if there is none. */
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
