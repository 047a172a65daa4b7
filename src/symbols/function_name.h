/* SPDX-License-Identifier: MIT */
/*
 * Parse and match names of functions as users write them: `f`, `ns::C::f`, `f(int, char
 * const*)`, `operator new`, `(anonymous namespace)::f`, with wildcards and a command.  These
 * functions work on text only; server/functions/functions_list.c finds the functions of a
 * root that can be traced, server/names/symbols_written.c finds all functions.
 *
 * A C++ name as the demangler prints it, and the names of its parts in this code:
 *
 *	void ns::Map<int, char>::put<long>(int, long) const [clone .part.0]
 *	     |------------- name --------||-- params --|tail |--- clone ---|
 *	     |ns::Map::put|   bare: the name without < > and [abi: ] and their contents
 *
 * The return type of a template, which is before the name, is left out.  Blanks are
 * ignored.
 */
#ifndef ULF_SYMBOLS_FUNCTION_NAME_H
#define ULF_SYMBOLS_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/elf.h"

/*
 * function_word_len - return the length of the first token of @text
 *
 * A token ends before a blank, a newline or a NUL.  A blank does not end the token inside (
 * ), < > and { }, after `operator`, and after a `)` that const, volatile, &, && or [clone
 * ...] follows.  If one of these may have begun at the end of @text, the token extends to the
 * end of @text, because only the user's next write can show where the token ends.  @text must
 * begin with the token, not with a blank.
 */
size_t function_word_len(const char *text, size_t len);
/*
 * Return the position of the colon between NAME and COMMAND in @word, which has the form
 * [!]NAME:COMMAND.  A `::` belongs to the name.  Returns NULL if there is no command.
 */
const char *function_word_colon(const char *word, size_t len);
/* Return the length of the first name of @list, whose names are separated by commas. */
size_t function_item_len(const char *list, size_t len);

/*
 * Return true if @raw is a clone that the compiler made of @name, for example
 * execute.constprop.0 of execute.  execute.cold is not a clone: it is a part of execute
 * that is never called.
 */
bool function_name_is_clone(const char *raw, const char *name, size_t len);
/*
 * Return the part of @plain that lists show: from the name on, without the return type.
 * @plain is a name as the demangler prints it.
 */
const char *function_name_shown(const char *plain);

/*
 * function_name_each - call @each for the names that users may write for the function
 * @plain
 *
 * These are the bare name, and the bare name without its first scopes: `ns::Map::put`,
 * `Map::put`, `put`.  Does nothing for a name that is longer than FUNCTION_SEARCH_MAX.
 */
void function_name_each(const char *plain, void (*each)(void *arg, const char *name),
			void *arg);
/* Return the number of bytes of the name @word before its parameters. */
size_t function_name_len(const char *word, size_t len);

/*
 * How well a name that a user has written matches a function, from the best rung to the
 * worst.  A written name stands for the functions on one rung only: the best rung that any
 * function reaches.
 */
enum function_rung {
	RUNG_NAME,			/* the written name is equal to the function's name or
					 * bare name, with or without params, tail and clone */
	RUNG_SCOPED,			/* as RUNG_NAME, but equal to the function's name
					 * without its first scopes: `put` for ns::Map::put */
	RUNG_GLOB,			/* the written name is a glob that matches a name that
					 * RUNG_NAME would compare */
	RUNG_SCOPED_GLOB,		/* the written name is a glob that matches a name that
					 * RUNG_SCOPED would compare */
	RUNG_NONE,			/* no match */
};

/* Maximum length of a function's name that is searched, bytes.  A function with a
 * longer name is only found by its raw name, and by its name as lists show it.  There
 * is a limit because the time of a match grows with the square of the length. */
#define FUNCTION_SEARCH_MAX	1024u

/* A function's name without blanks, in @text.  The other members are offsets in @text at
 * which the parts of the name end. */
struct function_form {
	size_t name, params, tail, all;
	size_t nr_scopes;
#define FORM_SCOPES	32
	size_t scopes[FORM_SCOPES];	/* offsets in @text of the ends of each `::` of the
					 * name */
	char text[FUNCTION_SEARCH_MAX + 1];
};

/* A name that a user has written, prepared for matching. */
struct function_pattern {
	char scoped[2 * ELF_NAME_MAX + 3];	/* "*::", followed by @text */
	const char *text;		/* the written name without blanks; points into
					 * @scoped */
	size_t len;			/* bytes of @text */
	bool has_params;
	bool has_wildcards;
	char key[ELF_NAME_MAX];		/* key of the pattern: letters that every matching
					 * name must contain */
};

/* Prepare @text, a name without its command, for matching.  Returns false if @text is empty
 * or too long; then it matches no function. */
bool function_pattern_init(struct function_pattern *pattern, const char *text, size_t len);
/* Compare the pattern with @plain, the name of a function as the demangler prints it.
 * Returns how well @plain matches the pattern. */
enum function_rung function_pattern_match(const struct function_pattern *pattern,
					  const char *plain);

#endif
