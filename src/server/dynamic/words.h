/* SPDX-License-Identifier: MIT */
/* Split the commands of dynamic events into tokens, as the kernel does. */
#ifndef ULF_SERVER_WORDS_H
#define ULF_SERVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tokens of a text. */
struct words {
	char *copy;			/* copy of the text that was split; a NUL ends
					 * each token */
	char **word;			/* array of @nr tokens, which point into @copy, and a
					 * NULL after them */
	uint32_t nr;
};

/* Split the first @len bytes of @text at white space.  Returns 0 or -ENOMEM.  The caller
 * frees the result with words_free(). */
int words_split(const char *text, size_t len, struct words *ret_words);
/* Free the memory of @words. */
void words_free(struct words *words);

/* Return true if @c is white space, as the kernel's isspace() defines it for ASCII.
 * Returns false for a NUL. */
bool word_is_space(char c);
/* Return the address of the first character of @text that is not white space. */
const char *word_skip_spaces(const char *text);
/* Return true if @name follows the rules of C identifiers. */
bool word_is_name(const char *name);
/* Return the column of the first occurrence of @word in @command, where the kernel puts
 * the caret.  Returns 0 if @word does not occur. */
uint32_t word_column(const char *command, const char *word);

#endif
