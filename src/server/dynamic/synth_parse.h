/* SPDX-License-Identifier: MIT */
/*
 * The language of synthetic events.  Parse "NAME TYPE FIELD[; TYPE FIELD]...", and make
 * the format of the event.  These functions depend on no root.
 */
#ifndef ULF_SERVER_SYNTH_PARSE_H
#define ULF_SERVER_SYNTH_PARSE_H

#include <stdbool.h>
#include <stdint.h>

struct event_format;
struct text;

#define SYNTH_SYSTEM		"synthetic"
#define SYNTH_FIELDS_MAX	64u
#define SYNTH_WORD_BYTES	8u	/* space that a field needs in a record, bytes,
					 * unless it is a string of fixed size */
#define SYNTH_STR_BYTES		256u	/* space that a string of fixed size needs in a
					 * record, bytes, whatever its size is */

/* Errors of synthetic events, with the texts of the kernel. */
#define SYNTH_ERRORS(X)							\
	X(NONE,			"No error")				\
	X(BAD_NAME,		"Illegal name")				\
	X(INVALID_CMD,		"Command must be of the form: <name> field[;field] ...") \
	X(INVALID_DYN_CMD,						\
	  "Command must be of the form: s or -:[synthetic/]<name> field[;field] ...") \
	X(EVENT_EXISTS,		"Event already exists")			\
	X(TOO_MANY_FIELDS,	"Too many fields")			\
	X(INCOMPLETE_TYPE,	"Incomplete type")			\
	X(INVALID_TYPE,		"Invalid type")				\
	X(INVALID_FIELD,	"Invalid field")			\
	X(INVALID_ARRAY_SPEC,	"Invalid array specification")

enum synth_error_code {
#define X(code, text) SYNTH_ERR_##code,
	SYNTH_ERRORS(X)
#undef X
	SYNTH_NR_ERRORS,
};

struct synth_error {
	enum synth_error_code code;	/* code of the mistake; SYNTH_ERR_NONE if the
					 * mistake has no text but only an errno */
	uint32_t pos;			/* column of the command at which the caret is
					 * printed */
};

/* Return the text for an error code of synthetic events; a constant string. */
const char *synth_error_text(enum synth_error_code code);

enum synth_kind {
	SYNTH_NUMBER,
	SYNTH_STRING,			/* the type char[N], a string in the fixed part of
					 * the record */
	SYNTH_DYN_STRING,		/* the type char[], a string after the fixed part
					 * of the record */
	SYNTH_STACK,			/* the type long[], a stack after the fixed part
					 * of the record */
};

struct synth_field {
	char *type;			/* type of the field as files show it: u64,
					 * char[16], unsigned long[] */
	char *name;
	const char *spec;		/* conversion of printf() by which values of the
					 * field are printed */
	enum synth_kind kind;
	uint32_t size;			/* size of the field, bytes; for a string, the
					 * number in brackets */
	uint32_t offset;		/* offset of the field in the record, bytes */
	bool is_signed;
};

/* A synthetic event. */
struct synth {
	char *name;
	struct synth_field *fields;
	uint32_t nr_fields;
};

/*
 * Parse the fields of the synthetic event @name.
 * @command: the whole command, in which the column of a mistake is found
 * @fields: the fields, the rest of the command
 * Returns 0; -EINVAL and the mistake in *@ret_error; or -ENOMEM.  The caller frees the result
 * with synth_free().
 */
int synth_parse(const char *command, const char *name, const char *fields,
		struct synth **ret_synth, struct synth_error *ret_error);
/* Free @synth, which may be NULL. */
void synth_free(struct synth *synth);
/* Return the format of the event that @synth defines and that has the id @id; NULL if
 * there is no memory.  The caller frees the format. */
struct event_format *synth_format(const struct synth *synth, uint32_t id);
/* Append the synthetic event as synthetic_events lists it, without a newline: "name\ttype
 * field; type field". */
void synth_show(const struct synth *synth, struct text *out);
/*
 * Find the numeric type of a field by its text.  Returns the size of the type in bytes; 0
 * if there is no such numeric type.  *@ret_spec is set to the conversion of printf() that
 * prints a value of the type.
 */
uint32_t synth_type(const char *type, const char **ret_spec);

#endif
