/* SPDX-License-Identifier: MIT */
/*
 * ulf complete: print the completions of a command line.  The completion of each shell
 * (tools/completion) runs it:
 *
 *	ulf complete -- WORD...		the words after `ulf`, of which the last one,
 *					perhaps empty, is completed
 *
 * A line of the output is a completion of the whole word, a tab, and a description.  Or it asks
 * the shell to complete the word itself:
 *
 *	:files, :dirs	with names of files or of directories
 *	:command N	as the last word of a command line that begins with word N
 *
 * Commands, options and their values come from the table of commands: usage_words.h.  A command
 * needs no code here, unless its help text has a placeholder of a new kind (complete_value.c).
 *
 *	complete.c		which options and operands may stand there
 *	complete_value.c	values of options and operands, by their placeholders
 *
 * Completion starts no server.  Without a server it knows only the roots, and no events.
 */
#ifndef ULF_CLI_COMPLETE_H
#define ULF_CLI_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"
#include "cli/usage_words.h"

/*
 * complete_print - print the completions of a command line
 * @commands, @nr: the table of commands
 * @argc, @argv: arguments of `ulf complete`: argv[0], --, words
 *
 * Returns the exit status.
 */
int complete_print(const struct cli_cmd *const *commands, size_t nr, int argc, char **argv);

/* ---- between complete.c and complete_value.c ---- */

/* The word to complete. */
struct complete {
	const struct cli_cmd *cmd;	/* command of the line; NULL: the word is the name of a
					 * command or of a user */
	const char *word;		/* the whole word */
	size_t prefix;			/* length of the part of it that stays: "--event=" */
	const char *const *operands;	/* the operands before the word */
	size_t nr_operands;
	bool is_other_user;		/* --user was given: read no files of users */
};

/* Print @candidate, after the prefix, if it fits the word.  @summary: the description, of which
 * @summary_len bytes count; NULL: none.  A name with control characters is not printed. */
void complete_offer(const struct complete *complete, const char *candidate, const char *summary,
		    size_t summary_len);
/* As complete_offer(), with a description that is a string; NULL: none. */
void complete_offer_row(const struct complete *complete, const char *candidate,
			const char *summary);

/* Print the values of the placeholder @name that fit the word.  Unknown placeholders have
 * none. */
void complete_value(const struct complete *complete, const struct usage_word *name);

#endif
