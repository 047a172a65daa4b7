/* SPDX-License-Identifier: MIT */
/* ulf complete: find out which options and operands are possible for a word; see complete.h. */
#include "cli/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"
#include "event/boot.h"

#define NAME_BYTES	64

/* ---- options ---- */

/* The position in the list of all options that a command accepts. */
struct option_list {
	const struct cli_cmd *cmd;
	const char *at;			/* position in the help text of the command */
	unsigned int setting;		/* next row of boot_table to return; BOOT_UNKNOWN:
					 * settings are not options of the command */
	bool is_end;
	char name[NAME_BYTES];		/* name of the boot setting that was returned last */
};

static void option_list_init(struct option_list *list, const struct cli_cmd *cmd)
{
	*list = (struct option_list){
		.cmd = cmd,
		.at = cmd->help,
		.setting = strstr(cmd->args, "[SETTINGS]") ? 0 : BOOT_UNKNOWN,
	};
}

/* Return true if the help text of @cmd describes the option --@name. */
static bool is_described(const struct cli_cmd *cmd, const char *name)
{
	const char *at = cmd->help;
	struct usage_option option;

	while (usage_option_next(&at, &option)) {
		if (usage_word_is(&option.name, name))
			return true;
	}
	return false;
}

/* Get the next boot setting (event/boot.h) as an option.  Skips tp_printk and follow, because
 * only `ulf run` has options for them, and its help text describes these. */
static bool next_setting(struct option_list *list, struct usage_option *ret_option)
{
	const struct boot_row *row;
	char *underscore;

	while (list->setting < BOOT_UNKNOWN) {
		unsigned int id = list->setting++;

		row = &boot_table[id];
		snprintf(list->name, sizeof(list->name), "%s", row->name);
		while ((underscore = strchr(list->name, '_')))
			*underscore = '-';
		if (id == BOOT_TP_PRINTK || id == BOOT_FOLLOW ||
		    is_described(list->cmd, list->name))
			continue;
		*ret_option = (struct usage_option){
			.name = { list->name, strlen(list->name) },
			.value = { row->value, row->value ? strcspn(row->value, "[.") : 0 },
		};
		return true;
	}
	return false;
}

/* Get the next option of a command: first the options of its help text, then boot settings,
 * then --help.  Names are valid until the next call.  Returns false if there are no more
 * options. */
static bool next_option(struct option_list *list, struct usage_option *ret_option)
{
	static const char help[] = "help", summary[] = "explain the command";

	if (usage_option_next(&list->at, ret_option) || next_setting(list, ret_option))
		return true;
	if (list->is_end)
		return false;
	list->is_end = true;
	*ret_option = (struct usage_option){
		.letter = 'h',
		.name = { help, sizeof(help) - 1 },
		.summary = { summary, sizeof(summary) - 1 },
	};
	return true;
}

/* Return true if @word is the option @option, in the form -e, --event or --event=VALUE. */
static bool is_option(const struct usage_option *option, const char *word)
{
	size_t len = option->name.len;

	if (word[1] != '-')
		return word[1] == option->letter && !word[2];
	return strcspn(word + 2, "=") == len && !memcmp(word + 2, option->name.text, len);
}

/* Find the option that @word names.  Returns the placeholder of its value.  The placeholder
 * has len 0 if there is no such option, or if the option takes no value or only an optional
 * value. */
static struct usage_word value_of_option(const struct cli_cmd *cmd, const char *word)
{
	struct option_list list;
	struct usage_option option;

	option_list_init(&list, cmd);
	while (next_option(&list, &option)) {
		if (is_option(&option, word) && !option.is_optional)
			return option.value;
	}
	return (struct usage_word){ 0 };
}

static void offer_options(const struct complete *complete, const struct cli_cmd *cmd)
{
	struct option_list list;
	struct usage_option option;
	char text[NAME_BYTES];

	option_list_init(&list, cmd);
	while (next_option(&list, &option)) {
		if (option.name.len) {
			snprintf(text, sizeof(text), "--%.*s%s", (int)option.name.len,
				 option.name.text,
				 option.value.len && !option.is_optional ? "=" : "");
			complete_offer(complete, text, option.summary.text, option.summary.len);
		}
		if (option.letter) {
			snprintf(text, sizeof(text), "-%c", option.letter);
			complete_offer(complete, text, option.summary.text, option.summary.len);
		}
	}
}

/* ---- operands ---- */

/* The contents of the command line before the word to complete. */
struct arguments {
	const struct cli_cmd *cmd;
	struct usage_operands operands;
	usage_places places;		/* possible places of the next operand
					 * (usage_operand.place) */
	bool has_dashes;		/* `--` was read */
	struct usage_word value;	/* placeholder of the option whose value is the next
					 * word; len 0: the next word is not such a value */
	int command_at;			/* index of the word that begins the command line of
					 * another program; 0: there is none */
};

/* Return true if @operand is a program, so that the words after it are arguments of the
 * program. */
static bool is_program(const struct usage_operand *operand)
{
	return usage_word_is(&operand->name, "PROGRAM") || usage_word_is(&operand->name, "COMMAND");
}

/* Return true if the next operand of the command line may be @operand. */
static bool is_possible(const struct arguments *args, const struct usage_operand *operand)
{
	return args->places & 1u << operand->place &&
	       (!operand->needs_dashes || args->has_dashes);
}

/* Handle the word `--`.  If the command runs a program, the program's name is the next word. */
static void read_dashes(struct arguments *args)
{
	usage_places programs = 0;
	unsigned int i;

	for (i = 0; i < args->operands.nr; i++) {
		if (is_program(&args->operands.all[i]))
			programs |= 1u << args->operands.all[i].place;
	}
	args->has_dashes = true;
	if (programs)
		args->places = programs;
}

static bool may_be_program(const struct arguments *args)
{
	unsigned int i;

	for (i = 0; i < args->operands.nr; i++) {
		if (is_program(&args->operands.all[i]) &&
		    is_possible(args, &args->operands.all[i]))
			return true;
	}
	return false;
}

/* Read the option words[@i] of the command line.  Its value may be the next word, or, if that
 * is words[@last], the word to complete.  Returns the index of the last word that was read. */
static int read_option(struct arguments *args, char **words, int i, int last)
{
	struct usage_word value = value_of_option(args->cmd, words[i]);

	if (!value.len || strchr(words[i], '='))
		return i;
	if (i + 1 < last)
		return i + 1;
	args->value = value;
	return i;
}

/* Read the words from 1 to @last - 1 of the command line, and store which of them are
 * operands. */
static void read_arguments(struct arguments *args, char **words, int last,
			   struct complete *complete, const char **operands)
{
	int i;

	usage_operands_parse(args->cmd->args, &args->operands);
	args->places = usage_places_first(&args->operands);
	for (i = 1; i < last && !args->command_at; i++) {
		if (!args->has_dashes && !strcmp(words[i], "--")) {
			read_dashes(args);
		} else if (!args->has_dashes && words[i][0] == '-' && words[i][1]) {
			i = read_option(args, words, i, last);
		} else if (may_be_program(args) && (i + 1 == last || strcmp(words[i + 1], "--"))) {
			args->command_at = i;
		} else {
			operands[complete->nr_operands++] = words[i];
			args->places = usage_places_next(&args->operands, args->places);
		}
	}
}

static void offer_operands(const struct complete *complete, const struct arguments *args, int last)
{
	const struct usage_operand *operand = args->operands.all;

	for (; operand < args->operands.all + args->operands.nr; operand++) {
		if (!is_possible(args, operand))
			continue;
		if (is_program(operand))
			printf(":command %d\n", last);
		else if (!args->has_dashes || !may_be_program(args))
			complete_value(complete, &operand->name);
	}
}

/* Complete the last of the @nr words of a command line of @cmd. */
static void complete_arguments(struct complete *complete, const struct cli_cmd *cmd, char **words,
			       int nr, const char **operands)
{
	struct arguments args = { .cmd = cmd };
	struct usage_word value;

	complete->cmd = cmd;
	complete->operands = operands;
	read_arguments(&args, words, nr - 1, complete, operands);
	if (args.command_at) {
		printf(":command %d\n", args.command_at);
	} else if (args.value.len) {
		complete_value(complete, &args.value);
	} else if (*complete->word != '-' || args.has_dashes) {
		offer_operands(complete, &args, nr - 1);
	} else if (strchr(complete->word, '=')) {
		value = value_of_option(cmd, complete->word);
		complete->prefix = strcspn(complete->word, "=") + 1;
		complete_value(complete, &value);
	} else {
		offer_options(complete, cmd);
	}
}

/* ---- commands ---- */

/* Return true if a terminal can show the bytes of @text unchanged, and no byte has a special
 * meaning in the output of this command. */
static bool is_printable(const char *text)
{
	size_t len = strlen(text);
	struct text escaped;
	bool is_same;

	text_init(&escaped, 4 * len + 1);
	escape_text(text, len, ESCAPE_NEWLINES | ESCAPE_END, &escaped);
	is_same = !escaped.error && escaped.len == len && !strchr(text, '\t');
	text_done(&escaped);
	return is_same;
}

void complete_offer(const struct complete *complete, const char *candidate, const char *summary,
		    size_t summary_len)
{
	const char *typed = complete->word + complete->prefix;

	if (strncmp(candidate, typed, strlen(typed)) || !is_printable(candidate))
		return;
	printf("%.*s%s\t%.*s\n", (int)complete->prefix, complete->word, candidate,
	       summary ? (int)summary_len : 0, summary ? summary : "");
}

void complete_offer_row(const struct complete *complete, const char *name, const char *summary)
{
	complete_offer(complete, name, summary, summary ? strlen(summary) : 0);
}

/* The table of commands. */
struct command_table {
	const struct cli_cmd *const *rows;
	size_t nr;
};

static void offer_commands(const struct complete *complete, const struct command_table *table)
{
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (!complete->is_other_user || table->rows[i]->is_for_users)
			complete_offer_row(complete, table->rows[i]->name, table->rows[i]->summary);
	}
}

static void offer_first_words(const struct complete *complete, const struct command_table *table)
{
	offer_commands(complete, table);
	if (complete->is_other_user)
		return;
	complete_offer_row(complete, "help", "explain a command");
	complete_offer_row(complete, "--user", "run a command for another user");
	complete_offer_row(complete, "--help", "list the commands");
	complete_offer_row(complete, "--version", "print the version");
}

static const struct cli_cmd *find_row(const struct command_table *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (!strcmp(table->rows[i]->name, name))
			return table->rows[i];
	}
	return NULL;
}

/* Complete the last of the @nr words after `ulf`.  @operands: array with space for all words. */
static void complete_words(struct complete *complete, const struct command_table *table,
			   char **words, int nr, const char **operands)
{
	const struct cli_cmd *cmd;
	int first = 0;

	if (nr > 1 && !strcmp(words[0], "--user")) {
		if (nr == 2)
			complete_value(complete, &(struct usage_word){ "USER", 4 });
		complete->is_other_user = true;
		first = 2;
	}
	if (nr == first + 1) {
		offer_first_words(complete, table);
	} else if (nr > first + 1 && !strcmp(words[first], "help")) {
		offer_commands(complete, table);
	} else if (nr > first + 1) {
		cmd = find_row(table, words[first]);
		if (cmd)
			complete_arguments(complete, cmd, words + first, nr - first, operands);
	}
}

int complete_print(const struct cli_cmd *const *commands, size_t nr, int argc, char **argv)
{
	const struct command_table table = { commands, nr };
	struct complete complete = { 0 };
	const char **operands;

	if (argc < 3 || strcmp(argv[1], "--")) {
		cli_error("usage: ulf complete -- WORD..., the words after `ulf` in a line");
		return CLI_USAGE;
	}
	operands = calloc((size_t)argc, sizeof(*operands));
	if (!operands) {
		cli_error("out of memory");
		return CLI_FAILED;
	}
	complete.word = argv[argc - 1];
	complete_words(&complete, &table, argv + 2, argc - 2, operands);
	free(operands);
	return 0;
}
