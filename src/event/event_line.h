/* SPDX-License-Identifier: MIT */
/*
 * Events whose records the kernel prints by a function of its own, not by their print fmt.  The
 * table has one row for each kind of such events.  event_format_alloc() finds the row, so that an
 * event of the program, of a trace.dat file and of the kernel are printed in one way.
 */
#ifndef EVENT_LINE_H
#define EVENT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_format;
struct text;

struct event_line {
	const char *system;
	const char *prefix;		/* text with which the names of these events begin */
	/* Return true if the fields of @format are those that @print needs. */
	bool (*is_known)(const struct event_format *format);
	/* Append the text of the record @rec, of @len bytes, with the event's name and without a
	 * newline.  Returns 0, or -EINVAL: the record is too short. */
	int (*print)(const struct event_format *format, const void *rec, size_t len,
		     bool is_verbose, struct text *out);
};

/* Return the row of the event @name of @system; NULL: the event is printed by its print fmt. */
const struct event_line *event_line_find(const char *system, const char *name);

#endif
