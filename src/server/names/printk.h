/* SPDX-License-Identifier: MIT */
/* The formats of trace_printk() that a root has. */
#ifndef ULF_SERVER_PRINTK_H
#define ULF_SERVER_PRINTK_H

#include <stdbool.h>
#include <stdint.h>

struct line;
struct printk_formats;
struct root;
struct text;

/* Has the program any?  Then it may record at any time. */
bool printk_has_formats(const struct root *root);
/* root_part.done */
void printk_formats_done(struct root *root);

/* The text at @addr of the program, until the next call; NULL: none. */
const char *printk_find(struct root *root, uint64_t addr);
/* All that there are, in the order in which they came. */
int printk_list(struct root *root,
		void (*put)(void *arg, uint64_t addr, const char *text), void *arg);
/* printk_strings.c: those of tracepoint_string(), by their addresses in the program. */
int printk_list_strings(struct root *root,
			void (*put)(void *arg, uint64_t addr, const char *text),
			void *arg);

/* printk_line.c: a record of ftrace:print, bprint or bputs; and its text alone. */
void printk_print(const struct line *line, struct text *out);
void printk_print_message(const struct line *line, struct text *out);

#endif
