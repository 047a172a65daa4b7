/* SPDX-License-Identifier: MIT */
/* A record as a line of `trace`. */
#ifndef ULF_SERVER_LINE_H
#define ULF_SERVER_LINE_H

struct instance;
struct merge_record;
struct text;

/* With the `CPU:n [LOST m EVENTS]` line if some were lost before it. */
void line_print(struct instance *instance, const struct merge_record *record,
		struct text *out);
/* The header of `trace`. */
void line_print_header(struct instance *instance, struct text *out);

#endif
