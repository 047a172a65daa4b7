/* SPDX-License-Identifier: MIT */
/* Output for a terminal: control characters are escaped, other characters are not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/escape.h"
#include "base/text.h"

#define TEXT(s)	(s), sizeof(s) - 1

static const struct escape_case {
	const char *name;
	const char *data;
	size_t bytes;
	int flags;
	const char *want;
	size_t left;			/* bytes that wait for the next ones */
} cases[] = {
	{ "plain", TEXT("a b~!\\x"), 0, "a b~!\\x", 0 },
	{ "tab", TEXT("a\tb"), ESCAPE_NEWLINES, "a\tb", 0 },
	{ "newline of a text", TEXT("a\nb\n"), 0, "a\nb\n", 0 },
	{ "newline of a name", TEXT("a\nb"), ESCAPE_NEWLINES, "a\\nb", 0 },
	{ "carriage return", TEXT("a\rb"), 0, "a\\rb", 0 },
	{ "escape sequence", TEXT("\033[31mred\033[0m"), 0, "\\x1b[31mred\\x1b[0m", 0 },
	{ "title", TEXT("\033]0;x\a"), 0, "\\x1b]0;x\\x07", 0 },
	{ "NUL, backspace, VT, FF", TEXT("\0\b\v\f"), 0, "\\x00\\x08\\x0b\\x0c", 0 },
	{ "DEL", TEXT("a\177"), 0, "a\\x7f", 0 },
	{ "C1 of one byte", TEXT("\2331m"), ESCAPE_END, "\\x9b1m", 0 },
	{ "C1 in UTF-8", TEXT("\302\2331m"), 0, "\\xc2\\x9b1m", 0 },
	{ "last of C1", TEXT("\302\237"), 0, "\\xc2\\x9f", 0 },
	{ "first after C1", TEXT("\302\240"), 0, "\302\240", 0 },
	{ "UTF-8 of 2, 3, 4 bytes", TEXT("\303\211\342\202\254\360\237\230\200"), 0,
	  "\303\211\342\202\254\360\237\230\200", 0 },
	{ "direction override", TEXT("\342\200\256x"), 0, "\\xe2\\x80\\xaex", 0 },
	{ "isolate", TEXT("\342\201\246"), 0, "\\xe2\\x81\\xa6", 0 },
	{ "line separator", TEXT("\342\200\250"), 0, "\\xe2\\x80\\xa8", 0 },
	{ "overlong escape", TEXT("\300\233"), 0, "\\xc0\\x9b", 0 },
	{ "overlong of 3 bytes", TEXT("\340\200\233"), 0, "\\xe0\\x80\\x9b", 0 },
	{ "surrogate", TEXT("\355\240\200"), 0, "\\xed\\xa0\\x80", 0 },
	{ "above 10ffff", TEXT("\364\220\200\200"), 0, "\\xf4\\x90\\x80\\x80", 0 },
	{ "no first byte", TEXT("\377\376"), 0, "\\xff\\xfe", 0 },
	{ "cut by another character", TEXT("\342\202x"), 0, "\\xe2\\x82x", 0 },
	{ "cut by the end of the text", TEXT("x\342\202"), 0, "x", 2 },
	{ "cut by the end", TEXT("x\342\202"), ESCAPE_END, "x\\xe2\\x82", 0 },
	{ "nothing", TEXT(""), ESCAPE_END, "", 0 },
};

static void each_case_is_escaped(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct escape_case *c = &cases[i];
		struct text text;
		size_t used;

		text_init(&text, 1000);
		used = escape_text(c->data, c->bytes, c->flags, &text);
		if (strcmp(text_str(&text), c->want) || used != c->bytes - c->left)
			fail_msg("%s: `%s', %zu bytes used", c->name, text_str(&text), used);
		text_done(&text);
	}
}

/* No string of up to 3 bytes leaves a control character in the output. */
static void no_control_passes(void **state)
{
	struct text text;

	(void)state;
	text_init(&text, 1000);
	for (uint32_t n = 0; n < 1u << 24; n += n < 1u << 17 ? 1 : 7) {
		char data[3] = { (char)(n >> 16), (char)(n >> 8), (char)n };
		uint8_t before = 0;

		text_reset(&text);
		escape_text(data, 3, ESCAPE_NEWLINES | ESCAPE_END, &text);
		for (size_t i = 0; i < text.len; i++) {
			uint8_t byte = (uint8_t)text.data[i];

			if ((byte < ' ' && byte != '\t') || byte == 0x7f ||
			    (byte >= 0x80 && byte < 0xa0 &&
			     (before < 0x80 || before == 0xc2)))
				fail_msg("%06x gives a control", n);
			before = byte;
		}
	}
	text_done(&text);
}

static const struct {
	const char *name, *text;
	size_t from;
	bool is_for_terminal;
	const char *want;
} line_cases[] = {
	{ "a pipe", "a\nb", 0, false, "a\nb" },
	{ "none", "ab", 0, true, "ab" },
	{ "inside", "a\nb", 0, true, "a\\nb" },
	{ "only", "\n\n\n", 0, true, "\\n\\n\\n" },
	{ "before the start", "a\nb\nc", 2, true, "a\nb\\nc" },
	{ "nothing after the start", "a\n", 2, true, "a\n" },
};

static void newlines_of_a_part_are_escaped(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(line_cases) / sizeof(line_cases[0]); i++) {
		struct text text;

		text_init(&text, 1000);
		text.is_for_terminal = line_cases[i].is_for_terminal;
		text_puts(&text, line_cases[i].text);
		text_one_line(&text, line_cases[i].from);
		if (strcmp(text_str(&text), line_cases[i].want))
			fail_msg("%s: `%s'", line_cases[i].name, text_str(&text));
		text_done(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case_is_escaped),
		cmocka_unit_test(no_control_passes),
		cmocka_unit_test(newlines_of_a_part_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
