/* SPDX-License-Identifier: MIT */
#include "cli/root_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"

void root_table_widen(int *width, const char *text)
{
	if ((int)strlen(text) > *width)
		*width = (int)strlen(text);
}

void root_table_widen_names(struct root_columns *columns, const struct root_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		root_table_widen(&columns->name, list->rows[i].name);
}

void root_table_put_titles(const struct root_columns *columns, struct text *out)
{
	if (columns->user)
		text_printf(out, "%-*s ", columns->user, "USER");
	text_printf(out, "%-*s %8s %-8s %11s %12s %10s\n", columns->name, "ROOT", "PID", "STATE",
		    "EVENTS", "BYTES", "OVERRUNS");
}

/* Append a name, and blanks until it has the width @width. */
static void put_name(const char *name, int width, bool is_terminal, struct text *out)
{
	size_t len = strlen(name);

	if (is_terminal)
		escape_text(name, len, ESCAPE_NEWLINES | ESCAPE_END, out);
	else
		text_write(out, name, len);
	text_fill(out, ' ', (size_t)width > len ? (size_t)width - len : 0);
}

void root_table_put_row(const struct root_columns *columns, const char *user,
			const struct abi_root_row *row, const char *state, bool is_terminal,
			struct text *out)
{
	bool is_readable = row->state < ABI_ROOT_CORRUPT;
	bool has_figures = is_readable && row->events_known != ABI_EVENTS_UNREAD;
	const char *none = is_readable ? "?" : "-";
	char pid[16] = "-", events[32], bytes[24], overruns[24];

	if (is_readable)
		snprintf(pid, sizeof(pid), "%u", row->pid);
	snprintf(events, sizeof(events), "%u/%u", row->events_on, row->events_known);
	snprintf(bytes, sizeof(bytes), "%" PRIu64, row->bytes);
	snprintf(overruns, sizeof(overruns), "%" PRIu64, row->overruns);
	if (columns->user && user) {
		put_name(user, columns->user, is_terminal, out);
		text_putc(out, ' ');
	}
	put_name(row->name, columns->name, is_terminal, out);
	text_printf(out, " %8s %-8s %11s %12s %10s\n", pid, state, has_figures ? events : none,
		    has_figures ? bytes : none, has_figures ? overruns : none);
}
