/* SPDX-License-Identifier: MIT */
/*
 * Parse the text of a file `hist`, of ulf or of a kernel.
 *
 * The text is made for people, not for programs.  But its line "# trigger info:" names the
 * fields of the key and the values, so the parser knows their order, labels and forms.  A
 * string of the traced program may contain the characters that end a field.  Such an entry is
 * parsed wrongly, or the parse fails; nothing worse happens.
 */
#ifndef ULF_CLI_HIST_TEXT_H
#define ULF_CLI_HIST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define HIST_TEXT_KEYS		3u	/* maximum number of fields of a key */
#define HIST_TEXT_VALS		16u	/* maximum number of values besides hitcount */
#define HIST_TEXT_SAVED		64u	/* maximum number of parameters of save() */

/* A part of the text, without a copy of it. */
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
	struct span token;		/* the field as in the trigger: "op.sym" */
	struct span label;		/* the field as in the entries: "op" */
	enum hist_field_form form;
	bool is_signed;			/* true: the numbers of the field are signed; see
					 * hist_text_set_format() */
};

enum hist_value_kind {
	VALUE_NUMBER,			/* hist_value.low; for .sym, .syscall and .execname
					 * also @text */
	VALUE_RANGE,			/* a bucket: from @low to @high */
	VALUE_TEXT,			/* a string, or the lines of a stack */
};

/* The value of a field of the key. */
struct hist_value {
	enum hist_value_kind kind;
	uint64_t low, high;
	struct span text;		/* the text of the value, without the blanks that fill
					 * the column */
};

/* A line of onmax() or onchange(). */
struct hist_track {
	bool is_max;			/* false: onchange() */
	uint64_t value;
	struct hist_value saved[HIST_TEXT_SAVED];
};

struct hist_entry {
	struct hist_value keys[HIST_TEXT_KEYS];
	uint64_t hits;			/* number of hits; 0 with nohitcount */
	uint64_t vals[HIST_TEXT_VALS];	/* for .percent: hundredths of a percent; for .graph:
					 * number of # */
	struct hist_track *tracks;	/* lines of onmax() and onchange(); NULL: none */
	uint32_t nr_tracks;
};

/* A histogram. */
struct hist_block {
	struct span text;		/* the whole histogram */
	struct span trigger;		/* "hist:keys=...", without filter and state */
	struct span name;		/* NAME of name=NAME; empty: none */
	struct span filter;		/* the text after "if"; empty: none */
	bool is_paused;
	bool is_nohitcount;
	struct hist_field keys[HIST_TEXT_KEYS];
	struct hist_field vals[HIST_TEXT_VALS];	/* the values that entries show */
	struct hist_field saved[HIST_TEXT_SAVED];
	uint32_t nr_keys, nr_vals, nr_saved;
	struct hist_entry *entries;
	uint32_t nr_entries;		/* number of entries in the text */
	uint64_t hits, dropped;
};

/* A parsed file.  The text itself must stay while this struct is used. */
struct hist_text {
	struct hist_block *blocks;
	uint32_t nr;
};

/*
 * hist_text_parse - parse a file
 * @text: its contents; a C string
 *
 * Returns 0; -ENOMEM; or -EBADMSG if the text is no file `hist`: then *@ret_line is the number
 * of the wrong line, from 1.  The caller must call hist_text_done() after success.
 */
int hist_text_parse(const char *text, struct hist_text *ret_hist, unsigned int *ret_line);
void hist_text_done(struct hist_text *hist);
/* Free the memory of one histogram, which the caller then removes from hist_text.blocks. */
void hist_block_done(struct hist_block *block);
/* Set is_signed of all fields from @format, the text of the event's file `format`. */
void hist_text_set_format(struct hist_text *hist, const char *format);

/* ---- hist_trigger_text.c ---- */

/* Parse the line after "# trigger info: ".  Returns false if it is no trigger. */
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

/* Return the text of @rest before @end, and remove both from @rest.  If @end is not there,
 * @rest becomes empty. */
struct span span_cut(struct span *rest, char end);
/* Return the span without blanks at its end. */
struct span span_trim(struct span span);
/* Parse @span as a number.  Returns false if it has other characters. */
bool span_number(struct span span, unsigned int base, uint64_t *ret_number);

#endif
