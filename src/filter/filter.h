/* SPDX-License-Identifier: MIT */
/*
 * Event filters as text: the kernel's grammar and errors, and the `filter` files.
 *
 * This compiler differs from the kernel's where the kernel does not do what its documentation
 * says.  "*sh" also matches at the end of a string in a char array.  A glob may begin with a
 * digit.  CPU & 1 tests bit 0 of the CPU number.  CPUS{} may be compared with any dynamic
 * array of unsigned long, not only with cpumasks.  A number may also be written as its name:
 * op == DISK_READ, op == "read".  After .function a name of C++ may have blanks in brackets,
 * and may be in quotes: ip.function == "A::f(int) const".
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/filter.h"

struct event_format;
struct text;

/* Limit of the length of a filter's text in bytes, including the NUL. */
#define FILTER_TEXT_MAX		4096

/* Error codes, and the texts that error_log prints for them.  NONE: the error has no code,
 * only an errno. */
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
	X(ILLEGAL_FLOAT,	"Illegal floating-point value")		\
	X(TOO_MANY_FUNCTIONS,	"Too many functions have this name")

enum filter_error_code {
#define X(code, text) FILTER_ERR_##code,
	FILTER_ERRORS(X)
#undef X
	FILTER_NR_ERRORS,
};

struct filter_error {
	enum filter_error_code code;
	/* Column of the caret in error_log.  For most errors the kernel counts columns
	 * from 1, so the caret can be one or two columns after the end of the text. */
	uint32_t pos;
};

/* Returns the text for an error code, a constant string. */
const char *filter_error_text(enum filter_error_code code);

/*
 * Callback that gets a name which stands for the number @value.  The name has @len bytes
 * and no NUL.
 * @is_constant: the name is an identifier of the program; else it is a text that is printed
 * for the value.
 */
typedef void filter_name_fn(void *arg, const char *name, size_t len, uint64_t value,
			    bool is_constant);

/* The addresses of a function: from @start to before @end. */
struct filter_range {
	uint64_t start, end;
};

#define FILTER_RANGES_MAX	32u	/* maximum number of functions that may share a name */

/* Information that the filter compiler needs besides the event's format. */
struct filter_env {
	uint32_t nr_cpus;		/* number of CPUs of the machine; CPUS{} accepts only
					 * smaller CPU numbers */
	/*
	 * Callbacks for `.function`: find the functions with the name @name, or the function
	 * that contains @addr.  @functions returns the number of functions that it has stored in
	 * @ret_ranges, -E2BIG (more than FILTER_RANGES_MAX) or another -errno; @function_at
	 * returns 0 or -errno.  Both callbacks may be NULL if no function is known.
	 */
	int (*functions)(void *ctx, const char *name, size_t len,
			 struct filter_range ret_ranges[FILTER_RANGES_MAX]);
	int (*function_at)(void *ctx, uint64_t addr, struct filter_range *ret_range);
	/*
	 * Callback that calls @each for all names that can be compared with the field at
	 * @offset of the records of @fmt.  NULL: there are no such names.
	 */
	void (*names)(void *ctx, const struct event_format *fmt, uint32_t offset,
		      filter_name_fn *each, void *arg);
	void *ctx;			/* argument @ctx of the callbacks @functions,
					 * @function_at and @names */
};

/*
 * Compile a filter for records of @fmt.
 * Returns 0, and a program that the caller must free().  If the text has a mistake,
 * returns the -errno that the kernel returns for it, and describes the mistake in
 * *@ret_err.
 */
int filter_compile(const struct event_format *fmt, const char *text,
		   const struct filter_env *env,
		   struct filter_program **ret_program,
		   struct filter_error *ret_err);

/*
 * Suggest a name that the user probably meant, after filter_compile() has returned
 * @error for @text.  The result is a similar name, of a field or of a value.  @near:
 * memory of the caller for the result.
 * Returns NULL if there is no similar name, or if @error is not about a name.
 */
struct nearest;
const char *filter_error_near(const struct event_format *fmt, const char *text,
			      const struct filter_env *env,
			      const struct filter_error *error, struct nearest *near);

/* Suffix of a field in a filter, as in `ip.function == main`.  The value of the field is an
 * address, and the filter matches if this address is inside the function. */
#define FILTER_FUNCTION		".function"
/*
 * Search @text from *@at on for the next name that is compared with FIELD.function.
 * Addresses are skipped.  Moves *@at to the end of the name, because an error shows its
 * caret there.  Returns false if there is no such name.
 */
bool filter_next_function(const char *text, size_t *at, const char **ret_name,
			  size_t *ret_len);

/* ---- the `filter` files ---- */

/* The filter of one event.  If all members are 0, the event has no filter. */
struct event_filter {
	char *text;			/* the text as the user wrote it; NULL: there is
					 * no filter */
	struct filter_program *program;	/* the compiled filter; NULL: all records pass */
	struct filter_error error;	/* the reason why @text could not be compiled
					 * and @program is NULL */
};

/* Free the text and the program, and set @filter to zero. */
void event_filter_done(struct event_filter *filter);

/*
 * Handle a write to events/SYS/EVENT/filter.  "0" removes the filter.  A text that is
 * not a valid filter also removes the old filter.  This text is stored all the same,
 * because reads show it.  The caller writes @filter->text and @filter->error to
 * error_log.
 * Returns 0, the error of filter_compile(), -EINVAL (too long) or -ENOMEM.  If the text
 * is too long, or there is no memory, the old filter is unchanged.
 */
int event_filter_store(struct event_filter *filter,
		       const struct event_format *fmt, const char *data,
		       size_t bytes, const struct filter_env *env);
/* Handle a read of events/SYS/EVENT/filter: append the filter's text to @out. */
void event_filter_show(const struct event_filter *filter, struct text *out);

/*
 * Handle a write to events/SYS/filter: set the filter of all @nr events of the system.  If
 * the filter does not fit an event, the old filter of this event is removed, and its error is
 * BAD_SUBSYS_FILTER.  The caller reports this error in error_log, but the write succeeds.
 * Returns 0, -EINVAL (too long), -ENODEV (the system has no events) or -ENOMEM.
 */
int system_filter_store(struct event_filter *const *filters,
			const struct event_format *const *formats, size_t nr,
			const char *data, size_t bytes,
			const struct filter_env *env);
/* Handle a read of events/SYS/filter.  This file always shows one constant text, and
 * not the filter that was written. */
void system_filter_show(struct text *out);

#endif
