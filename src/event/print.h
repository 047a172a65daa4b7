/* SPDX-License-Identifier: MIT */
/*
 * Printing records: an event's `print fmt` is compiled once to a small program
 * that then prints any number of records.
 *
 * Formats and records come from the traced program and are trusted in nothing:
 * a compile is bounded in depth and size, a run reads nothing outside of the
 * record, and what a record points to outside of itself prints as (efault).
 *
 * A program is read-only once compiled: threads may share it.
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
	PRINT_SYMBOL_NAME,	/* %ps: function */
	PRINT_SYMBOL_OFFSET,	/* %pS: function+0x12/0x80 [object] */
	PRINT_SYMBOL_RETURN,	/* %pB: the same for a return address */
	PRINT_SYMBOL_CALLER,	/* function, for a return address */
};

/* What the printer must ask others for. Each method may be NULL. */
struct print_env {
	void *ctx;
	/* Write the symbol at addr; not 0: there is none, nothing written. */
	int (*symbol)(void *ctx, uint64_t addr, enum print_symbol style,
		      struct text *out);
	/* What a plain %p shows of a pointer; without it, the pointer. */
	uint64_t (*hash_ptr)(void *ctx, uint64_t ptr);
	/* Write the string at addr of the traced program; not 0: cannot. */
	int (*string)(void *ctx, uint64_t addr, struct text *out);
};

/* Values of names in a print fmt that C resolved (enums): 0 or -ENOENT. */
struct print_names {
	void *ctx;
	int (*lookup)(void *ctx, const char *name, size_t len,
		      int64_t *ret_value);
	/* The values in tables are known, but not here: to check only. */
	bool skip_tables;
};

struct print_error {
	size_t pos;		/* in print_fmt */
	const char *message;	/* a constant, as is remedy */
	const char *remedy;	/* what the trace header may do; NULL: nothing */
};

/*
 * -EINVAL: what stands at err->pos is not understood (print_record_fields()
 * then serves); -E2BIG: too deep or too large; -ENOMEM. names and ret_err
 * may be NULL.
 */
int print_compile_names(const struct event_format *fmt,
			const struct print_names *names,
			struct print_program **ret_program,
			struct print_error *ret_err);
int print_compile(const struct event_format *fmt,
		  struct print_program **ret_program);
void print_program_free(struct print_program *program);

/*
 * Append the text of one record (which starts with common_type), without a
 * newline. -EBADMSG, and nothing written, if it is shorter than the fields
 * that are printed; else out->error. env may be NULL.
 */
int print_record(const struct print_program *program, const void *rec,
		 size_t len, const struct print_env *env, struct text *out);

/*
 * print_each_symbol - the names of numbers in a program's tables
 * @offset: of a field in the record
 * @each: is called for each name, of @len bytes and without a NUL, and its value
 *
 * Names are the identifiers in all tables of __print_symbolic() and __print_flags()
 * (@is_constant), and the texts in those tables that print the field at @offset, or, of
 * __print_flags(), some bits of it.
 */
typedef void print_symbol_fn(void *arg, const char *name, size_t len, uint64_t value,
			     bool is_constant);
void print_each_symbol(const struct print_program *program, uint32_t offset,
		       print_symbol_fn *each, void *arg);

/* All fields with their values, as the option `fields` shows them. */
int print_record_fields(const struct event_format *fmt, const void *rec,
			size_t len, const struct print_env *env,
			struct text *out);

#endif
