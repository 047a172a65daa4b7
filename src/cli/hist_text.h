/* SPDX-License-Identifier: MIT */
/*
 * Parse the text of a file `hist`, of ulf or of a kernel.
 *
 * The text is made for people, not for programs.  But its line "# trigger info:" names the
 * fields of the key and the values, so the parser knows their order, labels and forms.  A
 * string of the traced program may contain the characters that end a field.  Then the entry
 * is parsed wrongly, or parsing fails, but nothing worse happens.
 */
#ifndef ULF_CLI_HIST_TEXT_H
#define ULF_CLI_HIST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define HIST_TEXT_KEYS		3u	/* maximum number of fields in the key of a histogram */
#define HIST_TEXT_VALS		16u	/* maximum number of values of a histogram besides
					 * hitcount */
#define HIST_TEXT_SAVED		64u	/* maximum number of parameters of save() */

/* A part of the text, which is not copied. */
struct span {
	const char *at;
	size_t len;
};

enum hist_field_form {
	FIELD_PLAIN, FIELD_HEX, FIELD_SYM, FIELD_SYSCALL, FIELD_EXECNAME, FIELD_LOG2,
	FIELD_BUCKETS, FIELD_STACK, FIELD_PERCENT, FIELD_GRAPH,
};

/* A field of the key, a value, or a parameter of save(). */
struct hist_field {
	struct span token;		/* the field as the trigger shows it: "op.sym" */
	struct span label;		/* the field as the entries show it: "op" */
	enum hist_field_form form;
	bool is_signed;			/* true: the numbers of the field are signed; see
					 * hist_text_set_format() */
};

enum hist_value_kind {
	VALUE_NUMBER,			/* a number, in hist_value.low; for .sym, .syscall and
					 * .execname its text is in @text */
	VALUE_RANGE,			/* a bucket: the numbers from @low to @high */
	VALUE_TEXT,			/* a string, or the lines of a stack */
};

/* The value of a field in the key of an entry. */
struct hist_value {
	enum hist_value_kind kind;
	uint64_t low, high;
	struct span text;		/* the text of the value, without the blanks that fill
					 * the column */
};

/* The values in a line of onmax() or onchange(). */
struct hist_track {
	bool is_max;			/* false: onchange() */
	uint64_t value;
	struct hist_value saved[HIST_TEXT_SAVED];
};

struct hist_entry {
	struct hist_value keys[HIST_TEXT_KEYS];
	uint64_t hits;			/* number of hits; 0 if the histogram has nohitcount */
	uint64_t vals[HIST_TEXT_VALS];	/* values of the entry; for .percent: hundredths of a
					 * percent; for .graph: number of # characters */
	struct hist_track *tracks;	/* the entry's lines of onmax() and onchange(); NULL:
					 * there are none */
	uint32_t nr_tracks;
};

/* A histogram. */
struct hist_block {
	struct span text;		/* the whole histogram */
	struct span trigger;		/* text of the trigger, "hist:keys=...", without
					 * filter and state */
	struct span name;		/* name of the histogram, from name=NAME; empty: it
					 * has no name */
	struct span filter;		/* filter of the histogram, the text after "if";
					 * empty: it has no filter */
	bool is_paused;
	bool is_nohitcount;
	struct hist_field keys[HIST_TEXT_KEYS];
	struct hist_field vals[HIST_TEXT_VALS];	/* the values that the entries show */
	struct hist_field saved[HIST_TEXT_SAVED];
	uint32_t nr_keys, nr_vals, nr_saved;
	struct hist_entry *entries;
	uint32_t nr_entries;		/* number of the histogram's entries in the text */
	uint64_t hits, dropped;
};

/* A parsed file `hist`.  The text itself must stay valid while this struct is used. */
struct hist_text {
	struct hist_block *blocks;
	uint32_t nr;
};

/*
 * hist_text_parse - parse a file `hist`
 * @text: contents of the file, as a C string
 *
 * Returns 0; -ENOMEM; or -EBADMSG if the text is not that of a file `hist`; then *@ret_line
 * is the number of the first wrong line, counted from 1.  The caller must call
 * hist_text_done() after success.
 */
int hist_text_parse(const char *text, struct hist_text *ret_hist, unsigned int *ret_line);
void hist_text_done(struct hist_text *hist);
/* Free the memory of one histogram, which the caller then removes from hist_text.blocks. */
void hist_block_done(struct hist_block *block);
/* Set is_signed of all fields, from the text @format of the event's file `format`. */
void hist_text_set_format(struct hist_text *hist, const char *format);

/* ---- hist_trigger_text.c: parse the trigger of a histogram ---- */

/* Parse @line, the text after "# trigger info: ".  Returns false if it is no trigger. */
bool hist_trigger_parse(struct span line, struct hist_block *ret_block);

/* ---- spans ---- */

static inline bool span_is(struct span span, const char *text)
{
	return span.len == strlen(text) && !memcmp(span.at, text, span.len);
}

static inline bool span_starts(struct span span, const char *text)
{
	size_t len = strlen(text);

	return span.len >= len && !memcmp(span.at, text, len);
}

static inline struct span span_after(struct span span, size_t bytes)
{
	return (struct span){ span.at + bytes, span.len - bytes };
}

/* Return the text of @rest before @end, and remove both from @rest.  If @rest does not
 * contain @end, returns all of it. */
struct span span_cut(struct span *rest, char end);
/* Return @span without the blanks at its end. */
struct span span_trim(struct span span);
/* Parse @span as a number.  Returns false if it contains other characters than digits. */
bool span_number(struct span span, unsigned int base, uint64_t *ret_number);

#endif
