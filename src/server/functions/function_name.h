/* SPDX-License-Identifier: MIT */
/*
 * Names of functions as users write them: `f`, `ns::C::f`, `f(int, char const*)`,
 * `operator new`, `(anonymous namespace)::f`, with a glob and a command.  Text only: which
 * functions there are is in functions_list.c.
 *
 * A name of C++ as the demangler has it, and what its parts are called here:
 *
 *	void ns::Map<int, char>::put<long>(int, long) const [clone .part.0]
 *	     |------------- name --------||-- params --|tail |--- clone ---|
 *	     |ns::Map::put|   bare: the name without what is in < > and [abi: ]
 *
 * The type that a template returns, which stands before the name, is left out.  Blanks do
 * not count.
 */
#ifndef ULF_SERVER_FUNCTION_NAME_H
#define ULF_SERVER_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/elf.h"

/*
 * function_word_len - how much of @text is its first word
 *
 * A word ends before a blank, a newline or a NUL.  A blank does not end it in ( ), < > and
 * { }, after `operator`, and after a `)` that const, volatile, &, && or [clone ...]
 * follows.  If @text ends where one of these may have begun, the word goes on to the end:
 * only the next write tells.  @text begins with the word: no blank is before it.
 */
size_t function_word_len(const char *text, size_t len);
/* The colon of @word, [!]NAME:COMMAND, between the two, or NULL: `::` is of the name. */
const char *function_word_colon(const char *word, size_t len);
/* The comma that ends the first name of a list, or the list's end. */
size_t function_item_len(const char *list, size_t len);

/* Is @raw a function that the compiler made of @name: execute.constprop.0 of execute?
 * Not execute.cold, which is a part of it that is not called. */
bool function_name_is_clone(const char *raw, const char *name, size_t len);
/* The part of @plain, a name as the demangler has it, that lists show: from the name on. */
const char *function_name_shown(const char *plain);

/*
 * function_name_each - hand out what users may write for @plain
 *
 * Its bare name, and that without each of the scopes before it: `ns::Map::put`, `Map::put`,
 * `put`.  Nothing for a name that is longer than FUNCTION_SEARCH_MAX.
 */
void function_name_each(const char *plain, void (*each)(void *arg, const char *name),
			void *arg);
/* How much of @word is before its parameters. */
size_t function_name_len(const char *word, size_t len);

/* How well a written name matches; the first that any function has counts. */
enum function_rung {
	RUNG_NAME,			/* [name or bare][params[tail[clone]]] */
	RUNG_SCOPED,			/* RUNG_NAME without the scopes before it */
	RUNG_GLOB,			/* RUNG_NAME, with wildcards */
	RUNG_SCOPED_GLOB,		/* RUNG_SCOPED, with wildcards */
	RUNG_NONE,			/* not at all */
};

/* Longer names are not searched: functions that have one are found by raw names, and by names as
 * lists show them.  A match takes time that grows with the square of the length. */
#define FUNCTION_SEARCH_MAX	1024u

/* A name as it is written, without blanks, and where its parts end. */
struct function_form {
	size_t name, params, tail, all;
	size_t nr_scopes;
#define FORM_SCOPES	32
	size_t scopes[FORM_SCOPES];	/* where the name goes on after a `::` */
	char text[FUNCTION_SEARCH_MAX + 1];
};

struct function_pattern {
	char scoped[2 * ELF_NAME_MAX + 3];	/* "*::" and text */
	const char *text;		/* without blanks; in scoped */
	size_t len;			/* of text */
	bool has_params;
	bool has_wildcards;
	char key[ELF_NAME_MAX];		/* what each match has */
};

/* Compile @text, a name without its command.  False: too long, it matches nothing. */
bool function_pattern_init(struct function_pattern *pattern, const char *text, size_t len);
/* Match @plain, a name as the demangler has it. */
enum function_rung function_pattern_match(const struct function_pattern *pattern,
					  const char *plain);

#endif
