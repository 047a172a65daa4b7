/* SPDX-License-Identifier: MIT */
/*
 * Print records: an event's `print fmt` is compiled once to a small program.  This program
 * then prints any number of records.
 *
 * Formats and records come from the traced program and are not trusted.  The compiler limits
 * depth and size.  When the program runs, it reads nothing outside of the record: a load from
 * another address prints (efault).
 *
 * A compiled program is read-only, so threads may share it.
 */
#ifndef EVENT_PRINT_H
#define EVENT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_format;
struct print_program;
struct text;

enum print_symbol {
	PRINT_SYMBOL_NAME,	/* write the name of the function that contains the address,
				 * for %ps */
	PRINT_SYMBOL_OFFSET,	/* write the address as function+0x12/0x80 [object], for %pS */
	PRINT_SYMBOL_RETURN,	/* write the address, a return address, as function+0x12/0x80,
				 * for %pB */
	PRINT_SYMBOL_CALLER,	/* write only the name of the function that contains the
				 * address, a return address */
};

/* Callbacks for values that are not in the record.  The program that prints provides them.
 * Each of them may be NULL. */
struct print_env {
	void *ctx;
	/* Callback that writes the symbol at @addr.  Returns 0; or another value if the
	 * address is unknown, and then has written nothing. */
	int (*symbol)(void *ctx, uint64_t addr, enum print_symbol style,
		      struct text *out);
	/* Callback that returns the number to print for a plain %p instead of the pointer.
	 * NULL: print the pointer. */
	uint64_t (*hash_ptr)(void *ctx, uint64_t ptr);
	/* Callback that writes the string at @addr of the traced program.  Returns 0; or
	 * another value if the string cannot be read. */
	int (*string)(void *ctx, uint64_t addr, struct text *out);
};

/* A callback that finds the values of identifiers in a print fmt.  Example: the values
 * of enumerators, which the text of the print fmt does not contain.  lookup() returns 0
 * or -ENOENT. */
struct print_names {
	void *ctx;
	int (*lookup)(void *ctx, const char *name, size_t len,
		      int64_t *ret_value);
	/* true: check only the syntax of the tables of __print_symbolic() and
	 * __print_flags(), not their values.  A caller sets this member if it does not know
	 * these values, which the traced program provides. */
	bool skip_tables;
};

/* The reason why a print fmt cannot be compiled. */
struct print_error {
	size_t pos;		/* offset in print_fmt of the text that cannot be compiled */
	const char *message;	/* text of the error; a constant that is never freed */
	const char *remedy;	/* advice what to change in the trace header; a constant
				 * that is never freed.  NULL: no advice */
};

/*
 * Compile fmt->print_fmt.  @names and @ret_err may be NULL; print_compile() passes NULL for
 * both.  Returns 0, -EINVAL (the compiler does not understand the text at ret_err->pos; use
 * print_record_fields() instead), -E2BIG (the print fmt is nested too deeply or too large) or
 * -ENOMEM.
 */
int print_compile_names(const struct event_format *fmt,
			const struct print_names *names,
			struct print_program **ret_program,
			struct print_error *ret_err);
int print_compile(const struct event_format *fmt,
		  struct print_program **ret_program);
/* Free a compiled print fmt.  @program may be NULL. */
void print_program_free(struct print_program *program);

/*
 * Append the text of one record to @out, without a newline.  @rec: the record, from
 * common_type on.  @env may be NULL.
 * Returns 0 or out->error.  If the record is too short for the fields that are printed,
 * writes nothing and returns -EBADMSG.
 */
int print_record(const struct print_program *program, const void *rec,
		 size_t len, const struct print_env *env, struct text *out);

/*
 * print_each_symbol - call @each for each name in the tables of a compiled print fmt
 * @offset: offset of a field in the record
 * @each: called with each name and its value; the name has @len bytes and no NUL
 *
 * The tables are those of __print_symbolic() and __print_flags().  Their rows contain two
 * kinds of names.  For an identifier @is_constant is true.  @each is called for the
 * identifiers of all tables.  For a text @is_constant is false.  @each is called for the
 * texts of the tables that print the field at @offset, or, in __print_flags(), some bits of
 * this field.
 */
typedef void print_symbol_fn(void *arg, const char *name, size_t len, uint64_t value,
			     bool is_constant);
void print_each_symbol(const struct print_program *program, uint32_t offset,
		       print_symbol_fn *each, void *arg);

/*
 * Append all fields of a record with their values, as the option `fields` shows them.  @env
 * may be NULL.
 * Returns out->error.
 */
int print_record_fields(const struct event_format *fmt, const void *rec,
			size_t len, const struct print_env *env,
			struct text *out);

#endif
