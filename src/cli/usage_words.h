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
 * None of these functions prints or allocates.
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

/* An option, as the help text of a command describes it. */
struct usage_option {
	char letter;			/* 'e' of -e; 0: none */
	struct usage_word name;		/* name of the option: "event" for --event; len 0: it
					 * has no name */
	struct usage_word value;	/* placeholder of the value: "EVENT" for
					 * --event=EVENT; len 0: the option takes no value */
	bool is_optional;		/* true: the value is optional: --name[=VALUE] */
	struct usage_word summary;	/* the first words of the option's description;
					 * possibly empty */
};

/*
 * usage_option_next - find the next option of a help text
 * @at: position in the text; moved past the option
 *
 * Returns false if the text has no further option.
 */
bool usage_option_next(const char **at, struct usage_option *ret_option);

#define USAGE_OPERANDS_MAX	16u

/* An operand of a command.  Several operands may be possible at the same place. */
struct usage_operand {
	struct usage_word name;		/* name of the operand, such as "ROOT", without an
					 * underscore and the text after it */
	unsigned int place;		/* number of the operand's place; operands with the
					 * same number are alternatives */
	bool is_optional;		/* true: the operand may be missing */
	bool repeats;			/* true: the operand may be repeated */
	bool needs_dashes;		/* true: the operand must come after `--` */
};

struct usage_operands {
	struct usage_operand all[USAGE_OPERANDS_MAX];	/* sorted by place */
	unsigned int nr;
};

/* Parse @args, the text of cli_cmd.args of a command.  Operands beyond USAGE_OPERANDS_MAX are
 * left out. */
void usage_operands_parse(const char *args, struct usage_operands *ret_operands);

/* A set of places of operands (usage_operand.place), with a bit for each place. */
typedef unsigned int usage_places;

/* Return the set of places that the first operand can have. */
usage_places usage_places_first(const struct usage_operands *operands);
/* Return the set of places that an operand can have if the operand before it has one of the
 * places @at. */
usage_places usage_places_next(const struct usage_operands *operands, usage_places at);

/* Return true if @word is equal to the string @text. */
bool usage_word_is(const struct usage_word *word, const char *text);

#endif
