/* SPDX-License-Identifier: MIT */
/* Options and operands that completion finds in help texts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cli/usage_words.h"

#define TEXT_BYTES	512

static const struct help_case {
	const char *help;
	const char *want;		/* LETTER NAME VALUE SUMMARY| of each option */
} help_cases[] = {
	{ "", "" },
	{ "Prints -x and --long.\n\nExample:  ulf run -e x\n", "" },
	{ "  -e, --event=EVENT  switch on EVENT: sys:event\n", "e event EVENT switch on EVENT|" },
	{ "Text.\n\n  -l, --live         print (all) records\n                     -1 is text\n",
	  "l live - print|" },
	{ "      --no-pager        write to the terminal\n",
	  "- no-pager - write to the terminal|" },
	{ "  --one=FILE, --other=DIR\n      text\n", "- one FILE |- other DIR |" },
	{ "  --filter=FUNCTIONS functions; more\n", "- filter FUNCTIONS functions|" },
	{ "  --dump[=orig_cpu]  dump\n  -N HOST  send\n", "- dump [orig_cpu dump|N - HOST send|" },
	{ "  -q\n  --last", "q - - |- last - |" },
	{ "  - item\n  -- \n", "" },
};

static void each_option_of_a_help_text_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(help_cases) / sizeof(help_cases[0]); i++) {
		const char *at = help_cases[i].help;
		char got[TEXT_BYTES] = "", *end = got;
		struct usage_option o;

		while (usage_option_next(&at, &o))
			end += snprintf(end, (size_t)(got + TEXT_BYTES - end),
					"%c %.*s %s%.*s %.*s|",
					o.letter ? o.letter : '-',
					o.name.len ? (int)o.name.len : 1,
					o.name.len ? o.name.text : "-", o.is_optional ? "[" : "",
					o.value.len ? (int)o.value.len : 1,
					o.value.len ? o.value.text : "-",
					(int)o.summary.len, o.summary.text);
		assert_string_equal(got, help_cases[i].want);
	}
}

static const struct args_case {
	const char *args;
	const char *want;		/* operands that may come first; after one; after two */
} args_cases[] = {
	{ "", "//" },
	{ "VALUE PATH", "VALUE/PATH/" },
	{ "[-a] [-n] VALUE PATH", "VALUE/PATH/" },
	{ "[-o FILE] [-e EVENT]... [ROOT]", "ROOT//" },
	{ "[ROOT] EVENT FIELD", "ROOT EVENT/EVENT FIELD/FIELD" },
	{ "[-b FIGURE] FILE_A FILE_B", "FILE/FILE/" },
	{ "ROOT... | --dead", "ROOT/ROOT/ROOT" },
	{ "[ROOT]...", "ROOT/ROOT/ROOT" },
	{ "[OPTIONS] [SETTINGS] PID|NAME|ROOT", "PID NAME ROOT//" },
	{ "[--json | --prometheus] ROOT EVENT [TRIGGER]", "ROOT/EVENT/TRIGGER" },
	{ "[-e EVENT]... [--] PROGRAM [ARGS]", "PROGRAM/ARGS/" },
	{ "[ROOT | PID | -- PROGRAM [ARGS]]", "ROOT PID --PROGRAM ARGS/ARGS/" },
	{ "[ROOT]... | -- PROGRAM [ARGS]",
	  "ROOT --PROGRAM ARGS/ROOT --PROGRAM ARGS/ROOT --PROGRAM ARGS" },
	{ "[[ROOT] --] COMMAND [ARGS]", "ROOT COMMAND/COMMAND ARGS/ARGS" },
	{ "[[", "//" },
	{ "[-x", "//" },
	{ "]|--", "//" },
};

/* Append the operands in @places to @got. */
static char *print_operands(const struct usage_operands *operands, usage_places places, char *got)
{
	const char *blank = "";

	for (unsigned int i = 0; i < operands->nr; i++) {
		const struct usage_operand *operand = &operands->all[i];

		if (!(places & 1u << operand->place))
			continue;
		got += sprintf(got, "%s%s%.*s", blank, operand->needs_dashes ? "--" : "",
			       (int)operand->name.len, operand->name.text);
		blank = " ";
	}
	return got;
}

static void operands_have_their_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(args_cases) / sizeof(args_cases[0]); i++) {
		struct usage_operands operands;
		char got[TEXT_BYTES], *end = got;
		usage_places places;

		usage_operands_parse(args_cases[i].args, &operands);
		places = usage_places_first(&operands);
		for (int k = 0; k < 3; k++) {
			end = print_operands(&operands, places, end);
			end += sprintf(end, k < 2 ? "/" : "");
			places = usage_places_next(&operands, places);
		}
		assert_string_equal(got, args_cases[i].want);
	}
}

static void too_many_operands_are_left_out(void **state)
{
	struct usage_operands operands;
	char args[USAGE_OPERANDS_MAX * 4 + 5] = "";

	(void)state;
	for (unsigned int i = 0; i < USAGE_OPERANDS_MAX + 1; i++)
		strcat(args, "[A] ");
	usage_operands_parse(args, &operands);
	assert_int_equal(operands.nr, USAGE_OPERANDS_MAX);
	assert_int_equal(usage_places_first(&operands), (2u << USAGE_OPERANDS_MAX) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_option_of_a_help_text_is_found),
		cmocka_unit_test(operands_have_their_places),
		cmocka_unit_test(too_many_operands_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
