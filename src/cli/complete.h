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
 * Commands, options and their values come from the table of commands: usage_words.h.  A new
 * command needs no code for completion, unless its help text has a placeholder of a new kind
 * (complete_value.c).
 *
 *	complete.c which options and operands are possible
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
 * @argc, @argv: argv[0], `--`, and the words of the command line to complete
 *
 * Returns the exit status.
 */
int complete_print(const struct cli_cmd *const *commands, size_t nr, int argc, char **argv);

/* ---- shared by complete.c and complete_value.c ---- */

/* The word to complete. */
struct complete {
	const struct cli_cmd *cmd;	/* command whose arguments are completed; NULL: the
					 * word is the name of a command or of a user */
	const char *word;		/* the whole word */
	size_t prefix;			/* length of the start of the word that is not
					 * completed, such as "--event=" */
	const char *const *operands;	/* the operands of the command line before the word to
					 * complete */
	size_t nr_operands;
	bool is_other_user;		/* true: the option --user was given, so no files of
					 * users are read */
};

/* Print @candidate as a completion if the word is the start of it.  @summary: description of
 * @summary_len bytes; NULL: none.  A name with control characters is not printed. */
void complete_offer(const struct complete *complete, const char *candidate, const char *summary,
		    size_t summary_len);
/* Print a completion as complete_offer() does.  The description is a string with a NUL; NULL:
 * none. */
void complete_offer_row(const struct complete *complete, const char *candidate,
			const char *summary);

/* Print the values for the placeholder @name that complete the word.  There are none for an
 * unknown placeholder. */
void complete_value(const struct complete *complete, const struct usage_word *name);

#endif
