/* SPDX-License-Identifier: MIT */
/*
 * The language of event probes: parse
 *
 *	e[:[GROUP/][NAME]] SYSTEM.EVENT [[ARGUMENT=]FETCH[:TYPE]]... [if FILTER]
 *
 * and make the event's format.  An event probe is an event that is recorded when another event,
 * its target, is hit.  Depends on no root: the caller finds the target through struct eprobe_env.
 */
#ifndef ULF_SERVER_EPROBE_PARSE_H
#define ULF_SERVER_EPROBE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

struct event_format;
struct text;
struct words;

#define EPROBE_SYSTEM		"eprobes"	/* default of GROUP */
#define EPROBE_NAME_BYTES	64u	/* limit of the length of an event probe's name,
					 * with its NUL */
#define EPROBE_ARGS_MAX		128u
#define EPROBE_RECORD_MAX	3072u	/* maximum size of the fields of an event probe's
					 * record, bytes */
#define EPROBE_DEREFS_MAX	15u	/* limit of the number of dereferences in one
					 * argument; the kernel allows fewer than this
					 * number */

/* Errors of event probes, with their texts: those of the kernel, and at the end those of
 * ulf. */
#define EPROBE_ERRORS(X)						\
	X(NONE,			"No error")				\
	X(NO_GROUP_NAME,	"Group name is not specified")		\
	X(GROUP_TOO_LONG,	"Group name is too long")		\
	X(BAD_GROUP_NAME,	"Group name must follow the same rules as C identifiers") \
	X(NO_EVENT_NAME,	"Event name is not specified")		\
	X(EVENT_TOO_LONG,	"Event name is too long")		\
	X(BAD_EVENT_NAME,	"Event name must follow the same rules as C identifiers") \
	X(EVENT_EXIST,		"Given group/event name is already used by another event") \
	X(BAD_VAR,		"Invalid $-variable specified")		\
	X(BAD_MEM_ADDR,		"Invalid memory address")		\
	X(BAD_IMM,		"Invalid immediate value")		\
	X(IMMSTR_NO_CLOSE,	"String is not closed with '\"'")	\
	X(FILE_ON_KPROBE,	"File offset is not available with kprobe") \
	X(TOO_MANY_OPS,		"Dereference is too much nested")	\
	X(DEREF_NEED_BRACE,	"Dereference needs a brace")		\
	X(BAD_DEREF_OFFS,	"Invalid dereference offset")		\
	X(DEREF_OPEN_BRACE,	"Dereference brace is not closed")	\
	X(COMM_CANT_DEREF,	"$comm can not be dereferenced")	\
	X(BAD_FETCH_ARG,	"Invalid fetch argument")		\
	X(ARRAY_NO_CLOSE,	"Array is not closed")			\
	X(BAD_ARRAY_SUFFIX,	"Array has wrong suffix")		\
	X(BAD_ARRAY_NUM,	"Invalid array size")			\
	X(ARRAY_TOO_BIG,	"Array number is too big")		\
	X(BAD_TYPE,		"Unknown type is specified")		\
	X(BAD_STRING,		"String accepts only memory argument")	\
	X(BAD_BITFIELD,		"Invalid bitfield")			\
	X(ARG_NAME_TOO_LONG,	"Argument name is too long")		\
	X(NO_ARG_NAME,		"Argument name is not specified")	\
	X(BAD_ARG_NAME,		"Argument name must follow the same rules as C identifiers") \
	X(USED_ARG_NAME,	"This argument name is already used")	\
	X(ARG_TOO_LONG,		"Argument expression is too long")	\
	X(NO_ARG_BODY,		"No argument expression")		\
	X(NO_EVENT_INFO,	"This requires both group and event name to attach") \
	X(BAD_ATTACH_EVENT,	"Attached event does not exist")	\
	X(NO_EP_FILTER,		"No filter rule after 'if'")		\
	X(NOSUP_BTFARG,		"BTF is not available or not supported") \
	X(EVENT_TOO_BIG,	"Event too big (too many fields?)")	\
	X(NO_POINTER,							\
	  "Memory is only read at an address in a field that is a pointer, plus 0 to 4095; "\
	  "more if the program runs with ULF_READ_MEMORY=1")		\
	X(NO_SYMBOL,		"Addresses of symbols are not known")	\
	X(NO_ADDRESS,		"This is part of the record and has no address; add :string") \
	X(OUTSIDE_FIELD,	"This is outside of the field")		\
	X(TOO_MANY_VALUES,	"Too many values; ulf records 64 numbers and strings at most")

enum eprobe_error_code {
#define X(code, text) EPROBE_ERR_##code,
	EPROBE_ERRORS(X)
#undef X
	EPROBE_NR_ERRORS,
};

struct eprobe_error {
	enum eprobe_error_code code;
	uint32_t pos;			/* column of the command at which the caret is
					 * printed */
};

/* The mistakes in a command that defines an event probe.  The kernel reports some
 * mistakes twice, with two texts. */
struct eprobe_errors {
	uint32_t nr;
	struct eprobe_error errors[2];
};

/* Return the text for an error code of event probes; a constant string. */
const char *eprobe_error_text(enum eprobe_error_code code);

/* How the value of an argument is stored in the record and printed. */
enum eprobe_print {
	EPROBE_UNSIGNED, EPROBE_SIGNED, EPROBE_HEX, EPROBE_CHAR, EPROBE_SYMBOL, EPROBE_STRING,
};

struct eprobe_type {
	const char *name;		/* name of the argument's type, as users write it */
	const char *field_type;		/* type of the argument's field in the event's
					 * format */
	const char *spec;		/* conversion of printf() for the argument in the
					 * print format */
	uint32_t size;			/* bytes */
	bool is_signed;
	enum eprobe_print print;
};

/* Where an event probe gets the value of an argument from. */
enum eprobe_base {
	EPROBE_VARIABLE,		/* value of $text: a field of the target's record,
					 * or the name of the thread */
	EPROBE_NUMBER,			/* \number, @number */
	EPROBE_TEXT,			/* \"text" */
	EPROBE_ADDRESS_OF,		/* value of @text: the address of a symbol, plus a
					 * number */
};

struct eprobe_arg {
	char *name;
	char *body;			/* text of the argument as it was written, for the
					 * list of events */
	const struct eprobe_type *type;
	uint32_t count;			/* number of elements if the argument is an array,
					 * else 0 */
	uint32_t offset;		/* offset of the argument in the event probe's
					 * record, bytes */
	bool is_bitfield;
	uint8_t left, right;		/* for a bit field: how many bits to shift the
					 * number of type->size bytes to the left, and
					 * then to the right */
	enum eprobe_base base;
	char *text;			/* text of the base (see enum eprobe_base); NULL
					 * if the base has none */
	uint64_t number;
	/* Offsets of the addresses at which memory is read: the value of the base plus
	 * derefs[0], then the value at this address plus derefs[1], and so on. */
	int64_t derefs[EPROBE_DEREFS_MAX];
	uint32_t nr_derefs;
};

struct eprobe {
	char *group, *name;
	char *system, *event;		/* the target */
	char *filter;			/* text of the event probe's filter; NULL if it
					 * has none */
	struct eprobe_arg *args;
	uint32_t nr_args;
	uint32_t record_bytes;		/* size of the fixed part of the event probe's
					 * record, including the common fields, bytes */
};

/* The callbacks of eprobe_parse().  The first argument of each callback is @ctx. */
struct eprobe_env {
	void *ctx;
	/* Return the format of the event @system:@event; NULL if the event cannot be a
	 * target. */
	const struct event_format *(*find_target)(void *ctx, const char *system,
						  const char *event);
	/*
	 * Check the text @filter as a filter of the target that find_target() has
	 * returned last.  Returns 0, or -errno if there is a mistake, which is then in
	 * error_log.
	 */
	int (*check_filter)(void *ctx, const char *filter);
	/* Return true if an event @system:@name exists. */
	bool (*has_event)(void *ctx, const char *system, const char *name);
};

/*
 * Parse a command, which was split into @words.
 * @env: callbacks; NULL if the command is a definition of the previous server (then
 * its target need not exist).  Returns 0; -ECANCELED if the command is not one of an
 * event probe; -ENODEV, -EEXIST, -E2BIG, -ERANGE or -EINVAL as the kernel does, with
 * the mistakes in *@ret_errors; or -ENOMEM.  The caller frees the result with
 * eprobe_free().
 */
int eprobe_parse(const struct words *words, const struct eprobe_env *env,
		 struct eprobe **ret_eprobe, struct eprobe_errors *ret_errors);
/* Free @eprobe, which may be NULL. */
void eprobe_free(struct eprobe *eprobe);
/* Return the format of the event that @eprobe defines and that has the id @id; NULL if
 * there is no memory.  The caller frees the format. */
struct event_format *eprobe_format(const struct eprobe *eprobe, uint32_t id);
/* Append the event probe as dynamic_events lists it, without a newline and without its
 * filter: "e:GROUP/NAME SYSTEM.EVENT ARGUMENT=BODY". */
void eprobe_show(const struct eprobe *eprobe, struct text *out);

#endif
