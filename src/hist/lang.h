/* SPDX-License-Identifier: MIT */
/*
 * The language of histograms: parse the text of a `hist` trigger, print it as the kernel
 * does, and compile it to programs (abi/hist.h).  Depends on src/event and src/base only.
 * Events and other histograms are found by the callbacks of struct hist_env, which the server
 * implements.
 *
 * These functions run in the server's thread and do not sleep.
 */
#ifndef HIST_LANG_H
#define HIST_LANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/hist.h"

struct event_format;
struct hist_def;
struct text;

/* ---- the definition of a histogram ---- */

/* How a key or value is printed or changed.  The user writes the modifier as the suffix of a
 * field: pid.execname. */
enum hist_modifier {
	HIST_MOD_NONE, HIST_MOD_HEX, HIST_MOD_SYM, HIST_MOD_SYM_OFFSET, HIST_MOD_SYSCALL,
	HIST_MOD_EXECNAME, HIST_MOD_LOG2, HIST_MOD_BUCKETS, HIST_MOD_USECS, HIST_MOD_PERCENT,
	HIST_MOD_GRAPH, HIST_MOD_STACKTRACE,
};

enum hist_node_kind {
	HIST_NODE_FIELD,		/* field @name of the event */
	HIST_NODE_TIME,			/* common_timestamp */
	HIST_NODE_CPU,			/* common_cpu, cpu */
	HIST_NODE_STACK,		/* call stack: common_stacktrace, stacktrace */
	HIST_NODE_HITCOUNT,
	HIST_NODE_CONST,		/* @value */
	HIST_NODE_REF,			/* reference to a variable: $name, or
					 * system.event.$name */
	HIST_NODE_ADD, HIST_NODE_SUB, HIST_NODE_MUL, HIST_NODE_DIV, HIST_NODE_NEG,
};

/* Returns true if a node is the result of an operator. */
static inline bool hist_node_is_expr(enum hist_node_kind kind)
{
	return kind >= HIST_NODE_ADD;
}

/*
 * A node of an expression.  The definition of a histogram owns its nodes and their texts.  A
 * node of kind HIST_NODE_REF may be the operand of several nodes.
 */
struct hist_node {
	enum hist_node_kind kind;
	enum hist_modifier modifier;
	uint64_t value;			/* for HIST_NODE_CONST: the constant; for
					 * HIST_MOD_BUCKETS: the size of a bucket; for
					 * HIST_MOD_LOG2: N, if each power of 2 has 2^N
					 * buckets; 0 for the kernel's .log2 */
	const char *name;		/* name of the node's field or variable, or the text
					 * of its expression, without the modifier; "" for a
					 * constant */
	const char *field;		/* name of the record's field that the node reads;
					 * NULL: the node is not a field of the record.  As in
					 * the kernel, "cpu" and "CPU" count as fields, too */
	const char *system, *event;	/* for a reference (HIST_NODE_REF): system and event
					 * as the user has written them; NULL: not written */
	struct hist_def *ref;		/* for a reference (HIST_NODE_REF): the histogram that
					 * has the variable */
	uint32_t ref_var;		/* for a reference (HIST_NODE_REF): index of the
					 * variable in ref->vars */
	uint32_t ref_index;		/* for a reference (HIST_NODE_REF): its index in
					 * hist_def.refs */
	bool is_once;			/* for a reference (HIST_NODE_REF): true: a hit that
					 * reads the value also removes it from the variable */
	enum hist_kind type;		/* number, string or stack */
	const char *type_name;		/* C type of the node's value, as in `format`; used by
					 * synthetic events */
	uint32_t size;			/* size of the field in bytes; for an expression, the
					 * size of its first operand */
	bool is_signed;
	bool is_time, is_usecs;		/* @is_time: the value of the node is a time;
					 * @is_usecs: it is a time in microseconds */
	struct hist_node *left, *right;	/* operands; NULL: none */
};

enum hist_var_use {
	HIST_VAR_USER,			/* variable that a user has defined as
					 * NAME=EXPRESSION; references can name it */
	HIST_VAR_TRACK,			/* hidden variable with the last value of onmax() or
					 * onchange() */
	HIST_VAR_SAVE,			/* a parameter of save() */
	HIST_VAR_PARAM,			/* hidden variable for a field that is a parameter of
					 * a synthetic event; it takes no space in the table */
};

struct hist_var_def {
	const char *name;
	const struct hist_node *expr;	/* NULL for HIST_VAR_TRACK */
	enum hist_var_use use;
	enum hist_kind kind;
	uint8_t bit;			/* hist_var.bit */
	uint16_t offset;
};

struct hist_action_def {
	enum hist_handler handler;
	enum hist_action_kind kind;
	const char *name;		/* the action as the user has written it: "save",
					 * "trace", or the name of a synthetic event */
	const char *system, *event;	/* onmatch(system.event) */
	const char *var;		/* for onmax($var) and onchange($var): name of the
					 * variable, without the $ */
	bool has_dollar;		/* true: the user has written the $ of the variable;
					 * without it the text is wrong */
	bool is_trace_keyword;		/* true: the user has written the action as
					 * trace(synth, ...) */
	const char *synth;		/* name of the synthetic event that the action
					 * records; NULL: none */
	const char **params;		/* texts of the action's parameters, as the user has
					 * written them */
	uint32_t nr_params;
	/* The members below are set by hist_create_actions(). */
	const struct hist_node **values; /* for HIST_DO_TRACE: the values of the parameters */
	struct hist_param *stores;	/* for HIST_DO_TRACE: where and how the parameters are
					 * stored in the record; their registers are not set
					 * yet */
	uint32_t synth_row;		/* for HIST_DO_TRACE: number of the synthetic event's
					 * row in the table of events */
	uint32_t record_bytes;		/* for HIST_DO_TRACE: value for
					 * hist_action.record_bytes */
	uint32_t watch_var;		/* for onmax and onchange: index of the compared
					 * variable in the vars of its histogram */
	uint32_t watch_ref;		/* for onmax and onchange: index in hist_def.refs of
					 * the reference to the compared variable */
	uint32_t track_var;		/* for onmax and onchange: index in hist_def.vars of
					 * the variable with the last value */
	uint32_t first_save;		/* for HIST_DO_SAVE: index in hist_def.vars of the
					 * first of nr_params saved variables */
};

struct hist_sort {
	uint32_t field;			/* number of the field to sort by: 0 is the hitcount; 1
					 * to nr_vals is 1 + index of a value; a larger number
					 * is 1 + nr_vals + index of a key */
	bool is_descending;
};

#define HIST_SORT_MAX		2u
#define HIST_DEF_REFS_MAX	96u	/* maximum number of references in a definition,
					 * including those to variables of the same histogram */

struct hist_def {
	char *name;			/* name=NAME; NULL: none */
	const struct hist_node *keys[HIST_KEYS_MAX];
	uint32_t nr_keys;
	const struct hist_node *vals[HIST_VALS_MAX];	/* values besides the plain hitcount,
							 * which every histogram has;
							 * hitcount.percent and hitcount.graph
							 * are among them */
	uint32_t nr_vals;
	struct hist_var_def *vars;	/* HIST_VARS_MAX elements */
	uint32_t nr_vars;		/* number of all variables */
	uint32_t nr_user_vars;		/* number of variables of the use HIST_VAR_USER, which
					 * are the first elements of @vars */
	uint32_t var_bytes;		/* hist_geometry.var_bytes */
	struct hist_node *refs[HIST_DEF_REFS_MAX];
	uint32_t nr_refs;
	struct hist_action_def *actions; /* array of HIST_ACTIONS_MAX actions, of which
					  * nr_actions are used */
	uint32_t nr_actions;
	struct hist_sort sort[HIST_SORT_MAX];
	uint32_t nr_sort;
	uint32_t nr_entries;		/* number of entries of the table: value of size=,
					 * rounded up to a power of 2 */
	bool is_nohitcount;
	bool has_time;			/* true: the definition uses common_timestamp, so clock=
					 * is shown and the clock of the instance is set */
	bool is_usecs;			/* true: the definition uses common_timestamp.usecs, so
					 * all its times are microseconds */
	bool is_clock_ns;		/* true: the clock counts ns, so @is_usecs divides by
					 * 1000.  hist_parse() sets this member for @clock;
					 * the caller may change it before hist_compile() */
	const char *clock;		/* name of the clock: value of clock=; "global" if it
					 * is not written */
	/* true: the user has written pause, continue or clear in the text of the trigger. */
	bool is_pause, is_continue, is_clear;
	uint32_t debug_id;		/* number of the definition, which hist_debug shows in
					 * place of an address */
	struct hist_chunk *chunks;	/* memory that contains the nodes and texts of the
					 * definition */
};

/* ---- the environment: callbacks and errors ---- */

struct hist_errors;

/*
 * Callbacks of the parser, which the server implements.  @ctx is the first argument of each
 * callback.
 */
struct hist_env {
	void *ctx;
	const struct event_format *format;	/* format of the trigger's event */
	/* Return the format of an event, or NULL. */
	const struct event_format *(*find_event)(void *ctx, const char *system,
						 const char *event);
	/*
	 * Find the histogram of this instance that has the variable @name
	 * (hist_def_find_var()).
	 * @system, @event: search the histograms of this event, oldest first; NULL: search
	 *	all events.
	 * @ret_is_ambiguous: set to true if histograms of several events have the variable
	 * Returns NULL if no histogram has the variable, or if @ret_is_ambiguous is set.
	 */
	struct hist_def *(*find_var)(void *ctx, const char *system, const char *event,
				     const char *name, uint32_t *ret_var,
				     bool *ret_is_ambiguous);
	/*
	 * Called if the parameter of an action is a field of another event, @system.@event.
	 * Find the first histogram of that event whose keys have the same types as those of
	 * @def.  If no histogram of that event has the variable synthetic_FIELD, create a
	 * histogram with this variable, with the keys and the filter of the histogram that was
	 * found.  The new histogram exists as long as @def.
	 * @errors: the mistakes in the new histogram are appended here; the carets are in
	 *	the text of @def.
	 * Returns 0, -ENOENT (there is no histogram with these keys) or another -errno.
	 */
	int (*save_field)(void *ctx, const struct hist_def *def, const char *system,
			  const char *event, const char *field, struct hist_errors *errors);
	/*
	 * Return the format of the synthetic event @name, and store the number of the event's
	 * row in *@ret_row.  Return NULL if there is no such event.
	 */
	const struct event_format *(*find_synth)(void *ctx, const char *name, uint32_t *ret_row);
};

/* ---- errors ---- */

/* The errors that the kernel logs, with its texts, and some errors that only ulf has. */
#define HIST_ERRORS(X)							\
	X(NONE,			"No error")				\
	X(DUPLICATE_VAR,	"Variable already defined")		\
	X(VAR_NOT_UNIQUE,	"Variable name not unique, need to use fully qualified " \
				"name (subsys.event.var) for variable")	\
	X(TOO_MANY_VARS,	"Too many variables defined")		\
	X(MALFORMED_ASSIGNMENT,	"Malformed assignment")			\
	X(NAMED_MISMATCH,	"Named hist trigger doesn't match existing named " \
				"trigger (includes variables)")		\
	X(TRIGGER_EEXIST,	"Hist trigger already exists")		\
	X(TRIGGER_ENOENT_CLEAR,	"Can't clear or continue a nonexistent hist trigger") \
	X(SET_CLOCK_FAIL,	"Couldn't set trace_clock")		\
	X(BAD_FIELD_MODIFIER,	"Invalid field modifier")		\
	X(TOO_MANY_SUBEXPR,	"Too many subexpressions (3 max)")	\
	X(TIMESTAMP_MISMATCH,	"Timestamp units in expression don't match") \
	X(TOO_MANY_FIELD_VARS,	"Too many field variables defined")	\
	X(EVENT_FILE_NOT_FOUND,	"Event file not found")			\
	X(HIST_NOT_FOUND,	"Matching event histogram not found")	\
	X(HIST_CREATE_FAIL,	"Couldn't create histogram for field")	\
	X(SYNTH_VAR_NOT_FOUND,	"Couldn't find synthetic variable")	\
	X(SYNTH_EVENT_NOT_FOUND, "Couldn't find synthetic event")	\
	X(SYNTH_TYPE_MISMATCH,	"Param type doesn't match synthetic event field type") \
	X(SYNTH_COUNT_MISMATCH,	"Param count doesn't match synthetic event field count") \
	X(FIELD_VAR_PARSE_FAIL,	"Couldn't parse field variable")	\
	X(VAR_CREATE_FIND_FAIL,	"Couldn't create or find variable")	\
	X(ONX_NOT_VAR,		"For onmax(x) or onchange(x), x must be a variable") \
	X(ONX_VAR_NOT_FOUND,	"Couldn't find onmax or onchange variable") \
	X(ONX_VAR_CREATE_FAIL,	"Couldn't create onmax or onchange variable") \
	X(FIELD_VAR_CREATE_FAIL, "Couldn't create field variable")	\
	X(TOO_MANY_PARAMS,	"Too many action params")		\
	X(PARAM_NOT_FOUND,	"Couldn't find param")			\
	X(INVALID_PARAM,	"Invalid action param")			\
	X(ACTION_NOT_FOUND,	"No action found")			\
	X(NO_SAVE_PARAMS,	"No params found for save()")		\
	X(TOO_MANY_SAVE_ACTIONS, "Can't have more than one save() action per hist") \
	X(ACTION_MISMATCH,	"Handler doesn't support action")	\
	X(NO_CLOSING_PAREN,	"No closing paren found")		\
	X(SUBSYS_NOT_FOUND,	"Missing subsystem")			\
	X(INVALID_SUBSYS_EVENT,	"Invalid subsystem or event name")	\
	X(INVALID_REF_KEY,	"Using variable references in keys not supported") \
	X(VAR_NOT_FOUND,	"Couldn't find variable")		\
	X(FIELD_NOT_FOUND,	"Couldn't find field")			\
	X(EMPTY_ASSIGNMENT,	"Empty assignment")			\
	X(INVALID_SORT_MODIFIER, "Invalid sort modifier")		\
	X(EMPTY_SORT_FIELD,	"Empty sort field")			\
	X(TOO_MANY_SORT_FIELDS,	"Too many sort fields (Max = 2)")	\
	X(INVALID_SORT_FIELD,	"Sort field must be a key or a val")	\
	X(INVALID_STR_OPERAND,	"String type can not be an operand in expression") \
	X(EXPECT_NUMBER,	"Expecting numeric literal")		\
	X(UNARY_MINUS_SUBEXPR,	"Unary minus not supported in sub-expressions") \
	X(DIVISION_BY_ZERO,	"Division by zero")			\
	X(NEED_NOHC_VAL,	"Non-hitcount value is required for 'nohitcount'") \
	/* ulf's own */							\
	X(FLOAT_FIELD,		"Floating-point field can not be used in a histogram") \
	X(STR_VALUE,		"String or stack can not be a value")	\
	X(STR_MODIFIER,		"String or stack can not have buckets")

enum hist_error_code {
#define X(code, text) HIST_ERR_##code,
	HIST_ERRORS(X)
#undef X
	HIST_NR_ERRORS,
};

struct hist_error {
	enum hist_error_code code;
	uint32_t pos;			/* column of the caret below hist_errors.command */
};

#define HIST_ERRORS_KEPT	8u	/* maximum number of mistakes that are stored: as many
					 * as error_log shows */

/*
 * The mistakes in a text, in the order in which they were found.  One write may log several
 * mistakes, and a write that succeeds may log mistakes, too.  In the kernel this is so
 * because the search for a parameter first looks for a field of the trigger's own event.
 */
struct hist_errors {
	const char *command;		/* the command that error_log shows: "hist:" and the
					 * text that was written, with the filter */
	struct hist_error list[HIST_ERRORS_KEPT];
	uint32_t nr;
	const char *reason;		/* text for a mistake that the kernel does not log;
					 * NULL: there is no such mistake */
	uint32_t reason_pos;		/* offset of the mistake in @command */
};

/* Returns the text for an error code, which is a constant string. */
const char *hist_error_text(enum hist_error_code code);
/* Append a mistake.  The caret is where @at occurs first in the command; if @at is NULL, at
 * the start of the command.  If there is no space, the oldest mistake is dropped. */
void hist_error_add(struct hist_errors *errors, enum hist_error_code code, const char *at);
/* Set the reason for an error that the kernel does not log.  @at: the text in the command to
 * which the error belongs, or NULL, as for hist_error_add();
 * @skip: number of characters from @at to the caret.  @reason must be a constant string. */
void hist_error_set_reason(struct hist_errors *errors, const char *reason, const char *at,
			   size_t skip);

/* ---- functions ---- */

/*
 * Parse the parameters of a `hist` trigger.
 * @text: the text after "hist:", without the filter ("if ...") and without blanks at its end.
 * @is_remove: true if the text is that of a trigger to remove (!hist); such a text may define
 *	variables that exist already.
 * @errors: the caller sets @command; the mistakes are appended.  Some mistakes are not
 *	appended, because the kernel does not log them.
 * Returns 0 and a definition, which the caller frees with hist_def_free(); or the -errno of
 * the kernel.  The actions of the definition can be compared and shown, but they do not run
 * before hist_create_actions().
 */
int hist_parse(const char *text, bool is_remove, const struct hist_env *env,
	       struct hist_errors *errors, struct hist_def **ret_def);
/*
 * Find the objects that the actions of a new histogram name: synthetic events, variables,
 * fields.  The kernel does this after it has compiled the filter, and after it has looked for
 * a histogram that the text pauses, continues or clears.  It is not done for a trigger to
 * remove.  Returns 0 or the -errno of the kernel.  After an error @def can only be freed.
 */
int hist_create_actions(struct hist_def *def, const struct hist_env *env,
			struct hist_errors *errors);
/* Free a definition.  NULL is allowed.  Afterwards a definition that refers to variables of
 * @def must not be used, except to free it. */
void hist_def_free(struct hist_def *def);
/* Append the definition as `trigger` shows it, from "hist:" to the actions, without the
 * filter and the state: "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048". */
void hist_def_show(const struct hist_def *def, struct text *out);
/*
 * Return true if the kernel takes @a and @b for the same histogram: equal keys, values,
 * names of variables, sort keys and actions.  Names of the histograms, sizes of buckets and
 * operands of expressions are not compared.
 */
bool hist_def_is_same(const struct hist_def *a, const struct hist_def *b);
/* Return the index of the user's variable @name in @def, or -ENOENT.  Hidden variables are
 * not found. */
int hist_def_find_var(const struct hist_def *def, const char *name);
/* Return true if @def refers to a variable of @other.  A histogram cannot be removed while
 * other histograms refer to its variables. */
bool hist_def_refers_to(const struct hist_def *def, const struct hist_def *other);
/*
 * Return true if the keys of both histograms have the same types, as hist_env.save_field()
 * needs.
 */
bool hist_def_has_keys_of(const struct hist_def *def, const struct hist_def *other);
/* Append the text of a histogram with the keys of @def that saves @field in the variable
 * synthetic_FIELD: "keys=pid:synthetic_prio=prio". */
void hist_def_field_text(const struct hist_def *def, const char *field, struct text *out);
/* Append the internals of @def as hist_debug shows them, from "hist_data:" on. */
void hist_def_show_debug(const struct hist_def *def, struct text *out);
/* Fill in the geometry of the table for @def, except nr_parts and seed.
 * hist_create_actions() must have been called before. */
void hist_def_geometry(const struct hist_def *def, struct hist_geometry *ret_geometry);

/*
 * Compile @def for records of @format.
 * @place: callback that returns the table of @def, or of a histogram to which @def refers;
 *	NULL if there is none.  @ctx is its first argument.
 * @paused: value for hist_program.paused
 * Returns 0 and a program, which the caller frees with free(); -EINVAL (a field of @def is
 * missing in @format or has another type there), -ENOENT (@place has no table), -E2BIG (a
 * program cannot have so many instructions, registers or references) or -ENOMEM.
 */
int hist_compile(const struct hist_def *def, const struct event_format *format,
		 const struct hist_table_ref *(*place)(void *ctx, const struct hist_def *def),
		 void *ctx, uint32_t paused, struct hist_program **ret_program);

#endif
