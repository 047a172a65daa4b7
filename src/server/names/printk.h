/* SPDX-License-Identifier: MIT */
/* The formats of trace_printk() that a root's program has. */
#ifndef ULF_SERVER_PRINTK_H
#define ULF_SERVER_PRINTK_H

#include <stdbool.h>
#include <stdint.h>

struct line;
struct printk_formats;
struct root;
struct text;

/* Return true if the program has formats of trace_printk().  Such a program may record
 * even if no event is on. */
bool printk_has_formats(const struct root *root);
/* Method root_part.done: free the formats of trace_printk() that the server has read. */
void printk_formats_done(struct root *root);

/* Return the format of trace_printk() whose address in the program is @addr, or NULL if
 * there is none.  The result is valid until the next call. */
const char *printk_find(struct root *root, uint64_t addr);
/*
 * Call @put for all formats of trace_printk(), in the order of their addresses.
 * Returns 0 or -ENOMEM.
 */
int printk_list(struct root *root,
		void (*put)(void *arg, uint64_t addr, const char *text), void *arg);
/*
 * Call @put for the strings of tracepoint_string() (printk_strings.c).  Returns 0 or
 * -ENOMEM.
 */
int printk_list_strings(struct root *root,
			void (*put)(void *arg, uint64_t addr, const char *text),
			void *arg);

/*
 * printk_print() prints a record of ftrace:print, bprint or bputs with its origin.
 * printk_print_message() prints only the text of the record (printk_line.c).
 */
void printk_print(const struct line *line, struct text *out);
void printk_print_message(const struct line *line, struct text *out);

#endif
