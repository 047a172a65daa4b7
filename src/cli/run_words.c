/* SPDX-License-Identifier: MIT */
/*
 * ulf run: settings from the start (event/boot.h).  Options are words of ULF_TRACE,
 * put behind those that are in the environment already.  A word that cannot be
 * right is told before the program starts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/config.h"
#include "cli/cli.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "event/clock.h"
#include "event/option.h"
#include "event/tracer.h"

#define EVENTS_SHOWN	20		/* when a word fits none of them */

void run_words_init(struct run *run)
{
	const char *words = getenv("ULF_TRACE");

	text_init(&run->words, 1 << 20);
	text_puts(&run->words, words ? words : "");
}

void run_words_add(struct run *run, enum boot_id id, const char *value)
{
	text_printf(&run->words, " %s", boot_table[id].name);
	if (!value)
		return;
	text_printf(&run->words, strchr(value, ' ') ? "=\"%s\"" : "=%s", value);
}

bool run_words_has(const struct run *run, enum boot_id id)
{
	return boot_has(text_str((struct text *)&run->words), id);
}

static void put_row(const struct boot_row *row)
{
	fprintf(stderr, " %s%s%s", row->name, row->value ? "=" : "",
		row->value ? row->value : "");
}

static void list_known(const struct boot_word *word)
{
	size_t i;

	if (word->id == BOOT_UNKNOWN) {
		for (i = 0; i < BOOT_UNKNOWN; i++)
			put_row(&boot_table[i]);
	} else if (word->id == BOOT_CLOCK) {
		for (i = 0; i < clock_table_rows; i++)
			fprintf(stderr, " %s", clock_nth(i)->name);
	} else if (word->id == BOOT_OPTIONS) {
		for (i = 0; i < option_table_rows; i++)
			fprintf(stderr, " [no]%s", option_table[i].name);
	} else if (word->id == BOOT_TRACER) {
		for (i = 0; i < ABI_TRACERS; i++)
			fprintf(stderr, " %s", tracer_names[i]);
	} else {
		put_row(&boot_table[word->id]);
	}
}

static int check_word(const struct boot_word *word, const char *where)
{
	const char *at, *error = boot_check(word, &at);

	if (!error)
		return 0;
	cli_error("%s%.*s: %s", where, (int)word->whole.len, word->whole.text, error);
	fputs("     there is:", stderr);
	list_known(word);
	fputc('\n', stderr);
	return -EINVAL;
}

/* tp_printk: what trace_event names goes to a buffer more, which we empty on the
 * console while the program runs; the others are left alone. */
static int add_console(struct run *run)
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

static int check_console(struct run *run)
{
	if (!run_words_has(run, BOOT_TP_PRINTK))
		return 0;
	if (run_words_has(run, BOOT_EVENT) && !run->is_live)
		return add_console(run);
	cli_error(run->is_live ? "tp_printk and --live: one of them prints it all" :
		  "tp_printk prints the events of -e, and there is none");
	return -EINVAL;
}

/* @where they stand, with a colon. */
static int check_all(const char *words, const char *where)
{
	struct boot_word word;
	int ret = 0;

	while (!ret && boot_next(&words, &word))
		ret = check_word(&word, where);
	return ret;
}

/* The program reads its file itself. */
static int check_config(const char *program)
{
	const char *slash = strrchr(program, '/');
	char words[ABI_BOOT_BYTES], comm[ABI_COMM_LEN];
	int ret;

	snprintf(comm, sizeof(comm), "%s", slash ? slash + 1 : program);
	ret = config_words(comm, words, sizeof(words));
	if (ret)
		cli_error("ulf.conf: %s", strerrordesc_np(-ret));
	return ret ? ret : check_all(words, "ulf.conf: ");
}

int run_words_check(struct run *run)
{
	int ret = run->words.error;

	if (!ret)
		ret = check_config(run->program);
	if (!ret)
		ret = check_all(text_str(&run->words), "");
	if (!ret)
		ret = check_console(run);
	if (!ret && run->words.len >= ABI_BOOT_BYTES) {
		cli_error("the settings are longer than %u bytes together; globs help, as in "
			  "'sched:*'", ABI_BOOT_BYTES - 1);
		ret = -E2BIG;
	}
	return ret;
}

/* ---- afterwards: the events that they name ---- */

/* @event is "system:name". */
static bool fits(const struct boot_piece *item, char *event)
{
	char *name = strchr(event, ':');
	bool is_fit;

	if (!name)
		return false;
	*name = '\0';
	is_fit = boot_fits(item, event, name + 1);
	*name = ':';
	return is_fit;
}

static bool fits_any(const struct boot_piece *item, char **events, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (fits(item, events[i]))
			return true;
	}
	return false;
}

static void show_events(const struct root_list *roots, char **events, size_t nr)
{
	size_t i;

	if (nr == 0) {
		fprintf(stderr, "     the program has no events\n");
		return;
	}
	fprintf(stderr, "     there are:");
	for (i = 0; i < nr && i < EVENTS_SHOWN; i++)
		terminal_print(stderr, " %s", events[i]);
	if (nr > EVENTS_SHOWN)
		terminal_print(stderr, " ... and %zu more: ulf cat %s/available_events",
			       nr - EVENTS_SHOWN, roots->rows[0].name);
	fputc('\n', stderr);
}

/* Is there an item in @list that fits no event? */
static bool check_list(struct boot_piece list, char **events, size_t nr)
{
	struct boot_piece item;
	bool is_bad = false;

	while (boot_item(&list, &item)) {
		if (fits_any(&item, events, nr))
			continue;
		cli_error("%.*s: no event is called so", (int)item.len, item.text);
		is_bad = true;
	}
	return is_bad;
}

/* Is there one for an event that is none? */
static bool check_triggers(struct boot_piece list, char **events, size_t nr)
{
	struct boot_trigger trigger;
	struct boot_piece item;
	bool is_bad = false;

	while (boot_item(&list, &item)) {
		/* Markers are not among the events that can be switched on. */
		if (boot_trigger(&item, &trigger) &&
		    !boot_piece_is(&trigger.event, "print"))
			is_bad |= check_list(trigger.event, events, nr);
	}
	return is_bad;
}

static void check_words(struct run *run, const struct root_list *roots, char **events,
			size_t nr)
{
	const char *words = text_str(&run->words), *at;
	struct boot_instance instance;
	struct boot_word word;
	bool is_bad = false;

	while (boot_next(&words, &word)) {
		if (word.id == BOOT_EVENT)
			is_bad |= check_list(word.value, events, nr);
		else if (word.id == BOOT_TRIGGER)
			is_bad |= check_triggers(word.value, events, nr);
		else if (word.id == BOOT_INSTANCE &&
			 !boot_instance(&word.value, &instance, &at) &&
			 !boot_piece_is(&instance.name, RUN_CONSOLE))
			is_bad |= check_list(instance.events, events, nr);
	}
	if (is_bad)
		show_events(roots, events, nr);
}

/* available_events of all roots, a line each. */
static int gather_events(struct run *run, const struct root_list *roots,
			 struct text *ret_lines)
{
	struct text text;
	char *path;
	size_t i;
	int ret = 0;

	for (i = 0; i < roots->nr && ret >= 0; i++) {
		if (asprintf(&path, "%s/available_events", roots->rows[i].name) < 0)
			return -ENOMEM;
		ret = conn_file_text(&run->conn, path, &text);
		if (ret < 0)
			root_path_error(path, ret);
		text_write(ret_lines, text.data, text.len);
		text_done(&text);
		free(path);
	}
	return ret < 0 ? ret : ret_lines->error;
}

/* Cut @lines (available_events) into an array of lines; free() it. */
static char **cut_lines(struct text *lines, size_t *ret_nr)
{
	char **array, *line, *save = NULL;
	size_t nr = 0, room = 1, i;

	for (i = 0; i < lines->len; i++)
		room += lines->data[i] == '\n';
	array = calloc(room, sizeof(*array));
	if (!array)
		return NULL;
	text_putc(lines, '\0');
	if (lines->error) {
		free(array);
		return NULL;
	}
	for (line = strtok_r(lines->data, "\n", &save); line && nr < room;
	     line = strtok_r(NULL, "\n", &save))
		array[nr++] = line;
	*ret_nr = nr;
	return array;
}

static void check_events(struct run *run, const struct root_list *roots)
{
	struct text lines;
	char **events;
	size_t nr;

	text_init(&lines, ABI_SOCKET_ANSWER_MAX);
	if (gather_events(run, roots, &lines) == 0) {
		events = cut_lines(&lines, &nr);
		if (events)
			check_words(run, roots, events, nr);
		free(events);
	}
	text_done(&lines);
}

/* What the server could not do about them. */
static void show_errors(struct run *run, const char *root)
{
	struct terminal terminal;
	struct text text;
	char *path;

	if (asprintf(&path, "%s/error_log", root) < 0)
		return;
	if (conn_file_text(&run->conn, path, &text) == 0 &&
	    strstr(text_str(&text), "] boot: error: ")) {
		cli_error("%s:", path);
		terminal_start(&terminal, stderr);
		terminal_write(&terminal, text.data, text.len);
		terminal_end(&terminal);
		fputc('\n', stderr);
	}
	text_done(&text);
	free(path);
}

void run_words_report(struct run *run, const struct root_list *roots)
{
	size_t i;

	if (roots->nr && run->words.len)
		check_events(run, roots);
	for (i = 0; i < roots->nr; i++)
		show_errors(run, roots->rows[i].name);
}
