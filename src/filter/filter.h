/* SPDX-License-Identifier: MIT */
/*
 * Event filters as text: the kernel's grammar, its errors, and what the
 * `filter` files make of a write.
 *
 * It differs from the kernel where the kernel does not do what its own
 * documentation says: "*sh" finds the end of the string in a char array too,
 * a glob may begin with a digit, CPU & 1 is what it looks like, and CPUS{} may
 * be compared with any dynamic array of unsigned long, not with cpumasks only.
 * A number may be written as its name: op == DISK_READ, op == "read".
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/filter.h"

struct event_format;
struct text;

/* A text is shorter than this. */
#define FILTER_TEXT_MAX		4096

/* Code and text, as error_log says it; NONE: the errno is all there is. */
#define FILTER_ERRORS(X)						\
	X(NONE,			"Error")				\
	X(INVALID_OP,		"Invalid operator")			\
	X(TOO_MANY_OPEN,	"Too many '('")				\
	X(TOO_MANY_CLOSE,	"Too few '('")				\
	X(MISSING_QUOTE,	"Missing matching quote")		\
	X(MISSING_BRACE_OPEN,	"Missing '{'")				\
	X(MISSING_BRACE_CLOSE,	"Missing '}'")				\
	X(OPERAND_TOO_LONG,	"Operand too long")			\
	X(EXPECT_STRING,	"Expecting string field")		\
	X(EXPECT_DIGIT,		"Expecting numeric field")		\
	X(ILLEGAL_FIELD_OP,	"Illegal operation for field type")	\
	X(FIELD_NOT_FOUND,	"Field not found")			\
	X(ILLEGAL_INTVAL,	"Illegal integer value")		\
	X(BAD_SUBSYS_FILTER,						\
	  "Couldn't find or set field in one of a subsystem's events")	\
	X(TOO_MANY_PREDS,	"Too many terms in predicate expression") \
	X(INVALID_FILTER,	"Meaningless filter expression")	\
	X(INVALID_VALUE,	"Invalid value (did you forget quotes)?") \
	X(NO_FUNCTION,		"Function not found")			\
	X(INVALID_CPULIST,	"Invalid cpulist")			\
	X(NO_FILTER,		"No filter found")			\
	X(AMBIGUOUS_NAME,	"Name stands for several values")	\
	X(ILLEGAL_FLOAT,	"Illegal floating-point value")

enum filter_error_code {
#define X(code, text) FILTER_ERR_##code,
	FILTER_ERRORS(X)
#undef X
	FILTER_NR_ERRORS,
};

struct filter_error {
	enum filter_error_code code;
	/* Of error_log's caret: the kernel counts from 1 in most of its
	 * errors, so it may stand one or two behind the text's end. */
	uint32_t pos;
};

const char *filter_error_text(enum filter_error_code code);

/* Called for a name of @len bytes, without a NUL, that stands for @value.  @is_constant: an
 * identifier of the program's; else a text that the field prints. */
typedef void filter_name_fn(void *arg, const char *name, size_t len, uint64_t value,
			    bool is_constant);

/* What a filter needs to know besides the event. */
struct filter_env {
	uint32_t nr_cpus;		/* CPUS{} ends there */
	/*
	 * For `.function`: the function of that name, or the one that the
	 * address is in; 0 and where it begins and ends, or -errno. Both may
	 * be NULL: there are none.
	 */
	int (*function)(void *ctx, const char *name, size_t len,
			uint64_t *ret_start, uint64_t *ret_end);
	int (*function_at)(void *ctx, uint64_t addr,
			   uint64_t *ret_start, uint64_t *ret_end);
	/*
	 * Hand all names for numbers to @each that may be compared with the
	 * field at @offset of records of @fmt. NULL: there are none.
	 */
	void (*names)(void *ctx, const struct event_format *fmt, uint32_t offset,
		      filter_name_fn *each, void *arg);
	void *ctx;
};

/*
 * Compile a filter for an event. 0 and a program, to be freed with free(); or
 * the kernel's -errno for that mistake, and which one it is in *ret_err.
 */
int filter_compile(const struct event_format *fmt, const char *text,
		   const struct filter_env *env,
		   struct filter_program **ret_program,
		   struct filter_error *ret_err);

/*
 * The field, or the name for a number, that was most likely meant where
 * filter_compile() has found @error in @text. NULL: none, or another mistake.
 * @near is the caller's memory for the answer.
 */
struct nearest;
const char *filter_error_near(const struct event_format *fmt, const char *text,
			      const struct filter_env *env,
			      const struct filter_error *error, struct nearest *near);

/* ---- the files ---- */

/* An event's filter; all zero: none. */
struct event_filter {
	char *text;			/* as written; NULL: none */
	struct filter_program *program;	/* NULL: all records pass */
	struct filter_error error;	/* why there is a text, no program */
};

void event_filter_done(struct event_filter *filter);

/*
 * A write to events/SYS/EVENT/filter. "0" takes the filter away; a wrong one
 * does too, but leaves its text to be shown, and `text` and `error` are for
 * error_log. What is too long (-EINVAL), and -ENOMEM, change nothing.
 */
int event_filter_store(struct event_filter *filter,
		       const struct event_format *fmt, const char *data,
		       size_t bytes, const struct filter_env *env);
void event_filter_show(const struct event_filter *filter, struct text *out);

/*
 * A write to events/SYS/filter: every event of the system gets the filter; one
 * that it does not fit loses its own, has BAD_SUBSYS_FILTER as its error (each
 * is for error_log), and the write succeeds all the same. -ENODEV if the
 * system has no events.
 */
int system_filter_store(struct event_filter *const *filters,
			const struct event_format *const *formats, size_t nr,
			const char *data, size_t bytes,
			const struct filter_env *env);
/* events/SYS/filter reads the same whatever was written. */
void system_filter_show(struct text *out);

#endif
