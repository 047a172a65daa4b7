/* SPDX-License-Identifier: MIT */
/* What may be written to `trigger`: COMMAND[:COUNT] [if FILTER], or the same with !
 * before it, which takes it away again. */
#ifndef ULF_SERVER_TRIGGER_WORDS_H
#define ULF_SERVER_TRIGGER_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct root;
struct trigger_cmd;

struct trigger_words {
	const struct trigger_cmd *cmd;
	bool is_removal;
	const struct event *target;	/* NULL: it has none */
	char *count;			/* NULL: none */
	char *filter;			/* from "if" on; NULL: none */
};

/* Cuts @text, which has no blank at its ends, into pieces. */
int trigger_parse(struct root *root, char *text, struct trigger_words *ret_words);
/* NULL: there is none; one whose module has gone can still be taken away. */
const struct event *trigger_find_event(struct root *root, const char *system,
				       const char *name, bool is_removal);
/* Of words.count, which it cuts, too. */
int trigger_parse_count(char *text, uint64_t *ret_count);

#endif
