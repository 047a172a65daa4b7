/* SPDX-License-Identifier: MIT */
/* error_log, the log of wrong writes.  Entries are in the server's memory only, so they
 * are lost when the server ends. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/now.h"

#define COMMAND		"  Command: "

struct error_entry {
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	const char *error;		/* why the write was wrong, for the message; a
					 * constant string */
	const char *place;		/* file or area of the mistake, for the message;
					 * stored after the NUL of @command */
	const char *near;		/* name that the user may have meant, for the
					 * message; stored after the NUL of @place; NULL
					 * if there is no such name */
	uint32_t pos;			/* column of @command below which the caret is
					 * printed */
	char command[];
};

/*
 * Text to which new entries of error_log are also appended, as the answer to the current
 * request.  One variable is enough, because the server has one thread and handles one
 * request at a time.
 */
static struct text *capture;		/* text that gets the entries of the current
					 * request; NULL if there is no request */
static size_t captured_at;		/* offset in @capture of the entry that was
					 * appended last */
static bool is_warning;

void error_log_capture(struct text *to)
{
	capture = to;
	captured_at = to ? to->len : 0;
	is_warning = false;
}

void error_log_warn(void)
{
	is_warning = true;
}

bool error_log_is_warning(void)
{
	return is_warning;
}

/* Print the three lines of an entry of error_log, without the entry's time. */
static void show_entry(const struct error_entry *entry, struct text *out)
{
	text_printf(out, "%s: error: %s", entry->place, entry->error);
	if (entry->near)
		text_printf(out, " (did you mean '%s'?)", entry->near);
	text_printf(out, "\n" COMMAND "%s\n", entry->command);
	text_fill(out, ' ', strlen(COMMAND) + entry->pos);
	text_puts(out, "^\n");
}

/* Append @entry to @capture, unless @entry equals the entry that was appended last: one
 * write to all events of a system may cause one error many times. */
static void capture_entry(const struct error_entry *entry)
{
	size_t start = capture->len, before = start - captured_at;

	show_entry(entry, capture);
	if (capture->len - start == before &&
	    !memcmp(capture->data + start, capture->data + captured_at, before))
		text_truncate(capture, start);
	else
		captured_at = start;
}

void error_log_add_near(struct instance *instance, const char *place,
			const char *error, const char *command, uint32_t pos,
			const char *near)
{
	struct error_log *log = &instance->errors;
	size_t command_bytes = strlen(command) + 1, place_bytes = strlen(place) + 1;
	struct error_entry *entry = malloc(sizeof(*entry) + command_bytes + place_bytes +
					   (near ? strlen(near) + 1 : 0));

	if (!entry)
		return;
	entry->time_ns = server_now_ns();
	entry->error = error;
	entry->pos = pos;
	strcpy(entry->command, command);
	entry->place = strcpy(entry->command + command_bytes, place);
	entry->near = near ? strcpy(entry->command + command_bytes + place_bytes, near) : NULL;
	free(log->entry[log->next]);
	log->entry[log->next] = entry;
	log->next = (log->next + 1) % ERROR_LOG_ENTRIES;
	if (capture)
		capture_entry(entry);
}

void error_log_add(struct instance *instance, const char *place,
		   const char *error, const char *command, uint32_t pos)
{
	error_log_add_near(instance, place, error, command, pos, NULL);
}

void error_log_clear(struct instance *instance)
{
	for (uint32_t i = 0; i < ERROR_LOG_ENTRIES; i++)
		free(instance->errors.entry[i]);
	instance->errors = (struct error_log){ 0 };
}

bool error_log_is_empty(const struct instance *instance)
{
	for (uint32_t i = 0; i < ERROR_LOG_ENTRIES; i++)
		if (instance->errors.entry[i])
			return false;
	return true;
}

void error_log_show(const struct instance *instance, struct text *out)
{
	const struct error_log *log = &instance->errors;

	for (uint32_t i = 0; i < ERROR_LOG_ENTRIES; i++) {
		const struct error_entry *entry =
			log->entry[(log->next + i) % ERROR_LOG_ENTRIES];

		if (!entry)
			continue;
		text_printf(out, "[%5" PRIu64 ".%06" PRIu64 "] ",
			    entry->time_ns / 1000000000,
			    entry->time_ns % 1000000000 / 1000);
		show_entry(entry, out);
	}
}
