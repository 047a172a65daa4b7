/* SPDX-License-Identifier: MIT */
/*
 * Parse the help texts of commands (struct cli_cmd), so that completion needs no second list
 * of options and arguments.
 *
 * A line of cli_cmd.help that begins with blanks and an option describes options:
 *
 *	"  -e, --event=EVENT  switch on EVENT"
 *	"  --since=TIME, --until=TIME"
 *
 * Words of capital letters in cli_cmd.args are operands: arguments that are no options.
 *
 *	"[-o FILE] [ROOT] EVENT..."	operands: ROOT, which may be missing, then EVENTs
 *	"[ROOT | PID | -- PROGRAM]"	one operand; the program needs -- before it
 *	"FILE_A FILE_B"			two operands; both are called FILE
 *
 * No function prints or allocates.
 */
#ifndef ULF_CLI_USAGE_WORDS_H
#define ULF_CLI_USAGE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A part of a longer text: @len bytes at @text. */
struct usage_word {
	const char *text;
	size_t len;
};

/* An option, as a help text describes it. */
struct usage_option {
	char letter;			/* 'e' of -e; 0: none */
	struct usage_word name;		/* "event" of --event; len 0: none */
	struct usage_word value;	/* "EVENT" of --event=EVENT; len 0: no value */
	bool is_optional;		/* the value may be missing: --name[=VALUE] */
	struct usage_word summary;	/* the first words of the description; may be empty */
};

/*
 * usage_option_next - find the next option of a help text
 * @at: position in the text; moved past the option
 *
 * Returns false if the text has no further option.
 */
bool usage_option_next(const char **at, struct usage_option *ret_option);

#define USAGE_OPERANDS_MAX	16u

/* An operand, or one of several that may stand in the same place. */
struct usage_operand {
	struct usage_word name;		/* "ROOT"; without an underscore and what follows it */
	unsigned int place;		/* operands with the same number are alternatives */
	bool is_optional;		/* the operand may be missing */
	bool repeats;			/* the operand may be repeated */
	bool needs_dashes;		/* `--` must stand before it */
};

struct usage_operands {
	struct usage_operand all[USAGE_OPERANDS_MAX];	/* sorted by place */
	unsigned int nr;
};

/* Parse @args, a text of cli_cmd.args.  Operands beyond USAGE_OPERANDS_MAX are left out. */
void usage_operands_parse(const char *args, struct usage_operands *ret_operands);

/* A set of places (usage_operand.place): a bit for each. */
typedef unsigned int usage_places;

/* Return the places of the first operand. */
usage_places usage_places_first(const struct usage_operands *operands);
/* Return the places of the operand after one that may have any of the places @at. */
usage_places usage_places_next(const struct usage_operands *operands, usage_places at);

/* Return true if @word is @text. */
bool usage_word_is(const struct usage_word *word, const char *text);

#endif
