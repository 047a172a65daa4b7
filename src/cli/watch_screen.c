/* SPDX-License-Identifier: MIT */
/* ulf watch: draw the screen; see watch.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/screen.h"
#include "cli/watch.h"

#define TEXT_BYTES	(16u << 20)
#define SCREEN_LINES	3u		/* number of lines of the screen that show neither
					 * events nor records */
#define NAME_WIDTH	40

/* ---- which events ---- */

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(struct watch_event *const *)a)->name,
		      (*(struct watch_event *const *)b)->name);
}

static int compare_rates(const void *a, const void *b)
{
	const struct watch_event *x = *(struct watch_event *const *)a;
	const struct watch_event *y = *(struct watch_event *const *)b;

	if (x->rate != y->rate)
		return x->rate < y->rate ? 1 : -1;
	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	if (x->is_on != y->is_on)
		return x->is_on ? -1 : 1;
	return strcmp(x->name, y->name);
}

int watch_view_sort(struct watch_view *view, const struct watch_root *watch)
{
	struct watch_event **list = calloc(watch->nr + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	free(view->list);
	view->list = list;
	view->nr = 0;
	for (uint32_t i = 0; i < watch->nr; i++)
		if (strstr(watch->events[i].name, view->search))
			list[view->nr++] = &watch->events[i];
	qsort(list, view->nr, sizeof(*list), view->is_by_rate ? compare_rates : compare_names);
	for (uint32_t i = 0; i < view->nr; i++)
		if (!strcmp(list[i]->name, view->name))
			view->selected = i;
	if (view->selected >= view->nr)
		view->selected = view->nr ? view->nr - 1 : 0;
	return 0;
}

struct watch_event *watch_view_selected(const struct watch_view *view)
{
	return view->selected < view->nr ? view->list[view->selected] : NULL;
}

/* ---- lines ---- */

/* Append text of the traced program, with control characters escaped for the terminal. */
static void put_safe(const char *text, size_t len, struct text *out)
{
	escape_text(text, len, ESCAPE_NEWLINES | ESCAPE_END, out);
}

static void put_event(const struct watch_event *event, bool is_selected, struct text *out)
{
	size_t len = strlen(event->name);

	if (is_selected)
		text_putc(out, SCREEN_MARK);
	text_puts(out, event->is_on ? " * " : "   ");
	put_safe(event->name, len, out);
	text_fill(out, ' ', len < NAME_WIDTH ? NAME_WIDTH - len : 0);
	if (event->is_on)
		text_printf(out, " %12.1f %14" PRIu64, event->rate, event->hits);
	else
		text_printf(out, " %12s %14s", "-", "-");
	if (event->filter) {
		text_puts(out, "  ");
		put_safe(event->filter, strlen(event->filter), out);
	}
	text_putc(out, '\n');
}

static void put_summary(const struct watch_view *view, const struct watch_root *watch,
			struct text *out)
{
	uint32_t nr_on = 0;
	double rate = 0;

	for (uint32_t i = 0; i < watch->nr; i++) {
		nr_on += watch->events[i].is_on;
		rate += watch->events[i].rate;
	}
	put_safe(watch->root, strlen(watch->root), out);
	text_printf(out, ": %s, %u of %u events on, %.1f hits/s%s",
		    watch->is_alive ? "alive" : "dead", nr_on, watch->nr, rate,
		    view->is_paused ? ", paused" : "");
	if (*view->search)
		text_printf(out, ", with `%s`: %u", view->search, view->nr);
	text_putc(out, '\n');
}

/* Return the start of the last @nr lines of @text; if fewer lines follow the last comment
 * (#), the start of these lines. */
static const char *last_lines(const char *text, size_t len, uint32_t nr)
{
	const char *at = text + len;

	while (nr && at > text) {
		const char *start = at - 1;

		while (start > text && start[-1] != '\n')
			start--;
		if (*start == '#')
			break;
		at = start;
		nr--;
	}
	return at;
}

static void put_tail(const struct watch_root *watch, uint32_t nr, struct text *out)
{
	const char *end = watch->tail.data + watch->tail.len;
	const char *at = watch->tail.len ? last_lines(watch->tail.data, watch->tail.len, nr) : end;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);

		put_safe(at, len, out);
		text_putc(out, '\n');
		at += len + (newline != NULL);
	}
}

/* Change the first event on the screen, if necessary, so that the selected event is on the
 * screen. */
static void scroll(struct watch_view *view)
{
	if (view->selected < view->first)
		view->first = view->selected;
	if (view->selected >= view->first + view->page)
		view->first = view->selected - view->page + 1;
	if (view->first + view->page > view->nr)
		view->first = view->nr > view->page ? view->nr - view->page : 0;
}

/* Divide the lines of the screen between events and records.  Returns the number of lines for
 * records. */
static uint32_t share_lines(struct watch_view *view, uint32_t height)
{
	uint32_t lines = height > SCREEN_LINES + 1 ? height - SCREEN_LINES : 1;

	view->page = lines;
	if (!view->has_tail || lines < 4)
		return 0;
	view->page = view->nr < lines / 2 ? view->nr : lines / 2;
	view->page = view->page ? view->page : 1;
	return lines - view->page - 1;		/* one line between them */
}

void watch_view_show(struct watch_view *view, const struct watch_root *watch, const char *status)
{
	struct text summary, titles, rows;
	uint32_t width, height, nr_tail;

	screen_size(&width, &height);
	nr_tail = share_lines(view, height);
	scroll(view);
	snprintf(view->name, sizeof(view->name), "%s", view->nr ?
		 view->list[view->selected]->name : "");
	text_init(&summary, TEXT_BYTES);
	text_init(&titles, TEXT_BYTES);
	text_init(&rows, TEXT_BYTES);
	put_summary(view, watch, &summary);
	text_printf(&titles, "ON %-*s %12s %14s  FILTER", NAME_WIDTH, "EVENT", "HITS/S", "HITS");
	for (uint32_t i = view->first; i < view->nr && i < view->first + view->page; i++)
		put_event(view->list[i], i == view->selected, &rows);
	if (nr_tail) {
		text_fill(&rows, '-', width);
		text_putc(&rows, '\n');
		put_tail(watch, nr_tail, &rows);
	}
	screen_show(text_str(&summary), text_str(&titles), text_str(&rows), status);
	text_done(&summary);
	text_done(&titles);
	text_done(&rows);
}
