/* SPDX-License-Identifier: MIT */
/*
 * ulf run: handle boot settings (event/boot.h).  Options of the command become settings
 * of ULF_TRACE, after the settings that ULF_TRACE contains already.  A wrong setting is
 * reported before the program starts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/config.h"
#include "cli/cli.h"
#include "cli/run_impl.h"
#include "cli/terminal.h"
#include "event/clock.h"
#include "event/option.h"
#include "event/tracer.h"

void run_words_init(struct run *run)
{
	const char *words = getenv("ULF_FOLLOW") ? NULL : getenv("ULF_TRACE");

	text_init(&run->words, 1 << 20);
	text_puts(&run->words, words ? words : "");
}

void run_words_add(struct run *run, enum boot_id id, const char *value)
{
	/* A value with blanks must be in quotes.  Use double quotes if it contains single
	 * quotes, because strings in a filter may have quotes of either kind. */
	char quote = value && strchr(value, '\'') ? '"' : '\'';

	text_printf(&run->words, " %s", boot_table[id].name);
	if (!value)
		return;
	if (!strchr(value, ' ')) {
		text_printf(&run->words, "=%s", value);
		return;
	}
	text_puts(&run->words, "=\"");
	for (; *value; value++)
		text_putc(&run->words, *value == '"' ? quote : *value);
	text_putc(&run->words, '"');
}

void run_words_option(struct run *run, int option, const char *value)
{
	enum boot_id id = option == 'e' ? BOOT_EVENT :
			  (enum boot_id)(option - RUN_WORD(EVENT) + BOOT_EVENT);

	run_words_add(run, id, value);
}

bool run_words_has(const struct run *run, enum boot_id id)
{
	return boot_has(text_str((struct text *)&run->words), id);
}

bool run_needs_library(const struct run *run)
{
	static const enum boot_id ids[] = {
		BOOT_TRACER, BOOT_FILTER, BOOT_STACK, BOOT_STACK_FILTER, BOOT_SYSCALLS,
		BOOT_USDT,
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (run_words_has(run, ids[i]))
			return true;
	return boot_has_own(text_str((struct text *)&run->words));
}

static void print_boot_row(const struct boot_row *row)
{
	fprintf(stderr, " %s%s%s", row->name, row->value ? "=" : "",
		row->value ? row->value : "");
}

/* Print the names or values that are allowed in place of the wrong setting @word. */
static void list_known_values(const struct boot_word *word)
{
	size_t i;

	if (word->id == BOOT_UNKNOWN) {
		for (i = 0; i < BOOT_UNKNOWN; i++)
			print_boot_row(&boot_table[i]);
	} else if (word->id == BOOT_CLOCK) {
		for (i = 0; i < clock_table_rows; i++)
			fprintf(stderr, " %s", clock_nth(i)->name);
	} else if (word->id == BOOT_OPTIONS) {
		for (i = 0; i < option_table_rows; i++)
			fprintf(stderr, " [no]%s", option_table[i].name);
	} else if (word->id == BOOT_TRACER) {
		for (i = 0; i < NR_TRACERS; i++)
			fprintf(stderr, " %s", tracer_table[i].name);
	} else {
		print_boot_row(&boot_table[word->id]);
	}
}

static int check_boot_word(const struct boot_word *word, const char *where)
{
	const char *at, *error = boot_check(word, &at);

	if (!error)
		return 0;
	cli_error("%s%.*s: %s", where, (int)word->whole.len, word->whole.text, error);
	fputs("     there is:", stderr);
	list_known_values(word);
	fputc('\n', stderr);
	return -EINVAL;
}

/* Prepare the setting tp_printk: add an instance to which the events of trace_event are
 * recorded, too. run_live() prints and consumes the records of this instance while the
 * program runs.  Records in other buffers are not consumed. */
static int add_console_instance(struct run *run)
{
	char *words = strdup(text_str(&run->words));
	const char *at = words;
	struct boot_word word;

	if (!words)
		return -ENOMEM;
	while (boot_next(&at, &word)) {
		if (word.id == BOOT_EVENT)
			text_printf(&run->words, " %s=" RUN_CONSOLE ",%.*s",
				    boot_table[BOOT_INSTANCE].name,
				    (int)word.value.len, word.value.text);
	}
	free(words);
	run->is_printk = true;
	return run->words.error;
}

static int check_console_setting(struct run *run)
{
	if (!run_words_has(run, BOOT_TP_PRINTK))
		return 0;
	if (run_words_has(run, BOOT_EVENT) && !run->is_live)
		return add_console_instance(run);
	cli_error(run->is_live ? "tp_printk cannot be used with --live, which prints all "
					 "records already" :
		  "tp_printk needs an event: add -e EVENT");
	return -EINVAL;
}

/* Check all boot settings of @words.  @where: prefix of messages, for example
 * "ulf.conf: ". */
static int check_boot_words(const char *words, const char *where)
{
	struct boot_word word;
	int ret = 0;

	while (!ret && boot_next(&words, &word))
		ret = check_boot_word(&word, where);
	return ret;
}

/* Check the boot settings of ulf.conf.  They are not added to ULF_TRACE, because the
 * program itself reads ulf.conf. */
static int check_config_words(const char *program)
{
	const char *slash = strrchr(program, '/');
	char words[ABI_BOOT_BYTES], comm[ABI_COMM_LEN];
	int ret;

	snprintf(comm, sizeof(comm), "%s", slash ? slash + 1 : program);
	ret = config_words(comm, words, sizeof(words));
	if (ret)
		cli_error("ulf.conf: %s", strerrordesc_np(-ret));
	return ret ? ret : check_boot_words(words, "ulf.conf: ");
}

int run_words_check(struct run *run)
{
	int ret = run->words.error;

	if (!ret)
		ret = check_config_words(run->program);
	if (!ret)
		ret = check_boot_words(text_str(&run->words), "");
	if (!ret)
		ret = check_console_setting(run);
	if (!ret && run->words.len >= ABI_BOOT_BYTES) {
		cli_error("the settings are longer than %u bytes together; globs help, as in "
			  "'sched:*'", ABI_BOOT_BYTES - 1);
		ret = -E2BIG;
	}
	return ret;
}
