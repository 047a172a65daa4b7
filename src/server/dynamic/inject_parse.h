/* SPDX-License-Identifier: MIT */
/*
 * Make a record of an event from text, as the kernel's file `inject` does:
 * "FIELD=NUMBER FIELD='text' ...".  These functions depend on no root.
 */
#ifndef ULF_SERVER_INJECT_PARSE_H
#define ULF_SERVER_INJECT_PARSE_H

#include <stddef.h>
#include <stdint.h>

struct event_format;
struct text;

#define INJECT_TEXT_MAX		4095u	/* maximum length of the text that is written to
					 * `inject`, as in the kernel */
#define INJECT_STRING_MAX	255u	/* maximum length of a string in the text that is
					 * written to `inject` */

/*
 * Append a record of @format to @record, which must be empty.  Fields that @text does not name
 * are 0 or "".
 * @head: the common fields, 8 bytes; @text may change them.
 * Returns 0; -ENOENT if there is no such field; -ERANGE if a number is too large; -EINVAL; or
 * -ENOMEM.  If the record does not fit into @record, record->error is set.
 */
int inject_parse(const struct event_format *format, const char *text, const void *head,
		 struct text *record);

#endif
