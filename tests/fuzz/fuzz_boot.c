/* SPDX-License-Identifier: MIT */
/*
 * Settings from the start: random tokens are parsed and checked.  Everything that the parser
 * returns must be in the text.  The memory ends where the text ends, so that the sanitizer
 * finds a read beyond it.
 *
 *	fuzz-fuzz_boot [COUNT [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/boot.h"

#define TOKENS_MAX	24

static const char *const tokens[] = {
	"trace_event", "trace-event", "trace_buf_size", "trace_clock",
	"trace_options", "trace_instance", "tp_printk", "alloc_snapshot",
	"traceoff_on_warning", "trace_trigger", "trace_filter", "ftrace",
	"ftrace_filter", "ftrace_graph_max_depth", "function", "nosuch", "\"", "\"",
	".", "a.b", "=", "=", "=", ",", ",", " ", " ", "\t",
	"\n", "^", "^traceoff", "!", "!*", ":", "*", "?", "[a-", "\\", "sched",
	"sched:*", "mono", "raw", "nohex", "no", "4", "0x", "0", "64K", "9e", "..",
	"/", "\xff", "a", "-", "_",
};

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static char *make_text(void)
{
	char text[TOKENS_MAX * 32] = "";

	for (uint64_t nr = random_below(TOKENS_MAX); nr; nr--)
		strcat(text, tokens[random_below(sizeof(tokens) / sizeof(tokens[0]))]);
	return strdup(text);
}

static const char *text_start, *text_end;

static void check(bool is_true, const char *what)
{
	if (is_true)
		return;
	printf("%s: '%s'\n", what, text_start);
	exit(1);
}

static void check_token(const struct boot_token *token, const char *what)
{
	check(token->text >= text_start && token->text + token->len <= text_end, what);
}

static size_t try_list(struct boot_token list)
{
	struct boot_token item;
	size_t nr = 0;

	while (boot_item(&list, &item)) {
		struct boot_trigger trigger;

		check_token(&item, "an item");
		check(item.len, "an empty item");
		if (boot_trigger(&item, &trigger)) {
			check_token(&trigger.event, "an event");
			check_token(&trigger.command, "a trigger");
		}
		nr += boot_fits(&item, "sched", "sched_switch");
	}
	return nr;
}

static void try_instance(const struct boot_word *word)
{
	struct boot_instance instance;
	const char *at;

	if (boot_instance(&word->value, &instance, &at))
		return;
	check_token(&instance.name, "a name");
	check(instance.name.len && instance.name.len < 256, "a name's length");
	try_list(instance.events);
}

static bool try_word(const struct boot_word *word)
{
	const char *at = NULL, *error = boot_check(word, &at);

	check_token(&word->whole, "a word");
	if (word->value.text) {
		check_token(&word->value, "a value");
		try_list(word->value);
		try_instance(word);
	}
	check(!error || (at >= word->whole.text &&
			 at <= word->whole.text + word->whole.len), "a caret");
	return !error;
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	uint64_t count = torture && !strcmp(torture, "long") ? 20000000 : 200000;
	uint64_t seed = 1, right = 0;

	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	for (uint64_t i = 0; i < count; i++) {
		char *text;
		const char *at;
		struct boot_word word;

		random_state = (seed + i) * 0x9e3779b97f4a7c15 | 1;
		text = make_text();
		if (!text)
			return 1;
		text_start = at = text;
		text_end = text + strlen(text);
		while (boot_next(&at, &word))
			right += try_word(&word);
		free(text);
	}
	check(right, "no word was right");
	printf("score: %llu texts, %llu words were right\n", (unsigned long long)count,
	       (unsigned long long)right);
	return 0;
}
