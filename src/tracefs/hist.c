/* SPDX-License-Identifier: MIT */
/*
 * The files `hist` and `hist_debug` of events.
 *
 * A read of `hist` at offset 0 prints all histograms of the event; later reads get their bytes
 * from this text.  If printing a large table takes too long for one read, the read returns
 * -ERESTART and continues later.  Triggers may be removed in between, so an open file holds
 * references of the histograms that it prints.
 *
 * poll(2) returns what it returns in the kernel: POLLIN if the number of hits has changed
 * since the last read, POLLPRI if it has changed since the last read or poll.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "hist/lang.h"
#include "hist/show.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/root.h"
#include "server/hist/hists.h"
#include "server/names/objects.h"
#include "server/names/symbols.h"
#include "server/rules/events.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"
#include "tracefs/files.h"

#define SHOW_BYTES_MAX	(256u << 20)	/* maximum length of the text that a file `hist`
					 * prints, bytes */
/* Counting the hits of a large table takes long.  So poll(2) uses the result of a count for at
 * least POLL_FACTOR times the time that the count has taken. */
#define POLL_FACTOR	20u

/* An open `hist` file. */
struct hist_file {
	struct text text;		/* text of the file that was printed so far */
	bool is_shown;			/* true: @text is complete, with all histograms */
	/* The histograms of the event that are being printed. */
	struct hist_sources sources;
	bool is_printing;		/* true: @sources is valid */
	struct hist_show *show;		/* printer of the histogram that is printed next;
					 * NULL if printing of it has not begun */
	struct hist_show_env env;
	struct hist_view view;
	struct mapping *map;
	struct root *root;
	uint64_t until_ns;		/* time at which the current read must stop
					 * printing, CLOCK_MONOTONIC */
	/* The members @last_read to @count_ns are for poll(2). */
	uint64_t last_read;		/* hits at the last read */
	uint64_t last_act;		/* number of hits at the last read or poll,
					 * whichever came later */
	uint64_t count;			/* number of hits when they were last counted */
	uint64_t count_ns;		/* time until which @count is used without a new
					 * count, CLOCK_MONOTONIC */
};

/* Return the event of a file in events/SYSTEM/EVENT/ or in events/ftrace/print; NULL if the
 * event's module is gone. */
static const struct event *event_of(const struct tracefs_node *node)
{
	return node->in->kind == TRACEFS_FTRACE_PRINT ? &print_event : tracefs_event(node);
}

/* Return true if the event of @node cannot have triggers, because it is a built-in event
 * other than ftrace:print.  The files of such an event are empty. */
static bool is_empty(const struct tracefs_node *node)
{
	return node->in->kind == TRACEFS_FTRACE_EVENT;
}

/* ---- print ---- */

/* Return the histogram that is being printed now. */
static const struct hist_source *current_source(const struct hist_file *hist)
{
	return hist->sources.list + hist->sources.next;
}

static void put_trigger(void *ctx, struct text *out)
{
	text_puts(out, current_source(ctx)->line);
}

static void put_symbol(void *ctx, uint64_t ip, bool has_offset, struct text *out)
{
	const struct hist_file *hist = ctx;
	const struct symbols_from from = { .module = hist->sources.module };

	if (ip < ABI_IPS) {		/* a value below ABI_IPS is not an address but an
					 * index of symbols_builtin: it stands for a marker or
					 * other code of ulf */
		text_puts(out, symbols_builtin[ip]);
		if (has_offset)
			text_puts(out, "+0x0/0x1");
		return;
	}
	symbols_print(hist->root, &from, ip,
		      has_offset ? PRINT_SYMBOL_OFFSET : PRINT_SYMBOL_NAME, out);
}

static bool is_spent(void *ctx)
{
	const struct hist_file *hist = ctx;

	return server_now_ns() >= hist->until_ns;
}

/* Stop printing histograms, even before the end, and free what printing has used. */
static void stop_printing(struct hist_file *hist)
{
	hist_show_free(hist->show);
	mapping_put(hist->map);
	hist->show = NULL;
	hist->map = NULL;
	if (hist->is_printing)
		hist_sources_done(hist->root, &hist->sources);
	hist->is_printing = false;
}

static int start_printing(struct hist_file *hist, struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	const struct event *event = event_of(file->node);
	int r;

	stop_printing(hist);
	hist->is_shown = false;
	text_reset(&hist->text);
	objects_clear_missing(hist->root);
	if (!event)
		return -ENODEV;
	rules_refresh(instance);
	hist->last_read = hist->last_act = hist->count = hists_count(instance, event);
	r = hist_sources_init(instance, event, &hist->sources);
	hist->is_printing = !r;
	return r;
}

/* Begin to print the next histogram of the event. */
static int next_source(struct hist_file *hist)
{
	const struct hist_source *source = current_source(hist);
	int r = hist_source_map(hist->root, source, &hist->view, &hist->map);

	if (r)
		return r;
	if (hist->sources.next)
		text_puts(&hist->text, "\n\n");
	return hist_show_start(source->def, &hist->view, &hist->env, &hist->show);
}

/* Print the histograms that are not printed yet.  Returns 0, -ERESTART if this takes more
 * time, or another -errno. */
static int print_rest(struct hist_file *hist)
{
	int r = 0;

	while (hist->sources.next < hist->sources.nr) {
		if (!hist->show)
			r = next_source(hist);
		if (!r)
			r = hist_show_step(hist->show, &hist->text);
		if (r <= 0)
			return r ? r : -ERESTART;
		hist_show_free(hist->show);
		mapping_put(hist->map);
		hist->show = NULL;
		hist->map = NULL;
		hist->sources.next++;
		r = 0;
	}
	return hist->text.error;
}

/* Print all histograms of the event.  Returns 0, -ERESTART if this takes more time, or
 * another -errno. */
static int print_histograms(struct hist_file *hist, struct tracefs_file *file)
{
	int r = hist->is_printing ? 0 : start_printing(hist, file);

	hist->until_ns = server_now_ns() + TRACEFS_READ_NS;
	if (!r)
		r = print_rest(hist);
	if (r == -ERESTART)
		return r;
	stop_printing(hist);
	if (!r && objects_has_missing(hist->root))
		return -ERESTART;
	hist->is_shown = !r;
	return r;
}

static ssize_t hist_read(struct tracefs_file *file, char *buf, size_t size, off_t offset)
{
	struct hist_file *hist = file->state;
	size_t left;

	if (is_empty(file->node))
		return 0;
	if (offset == 0 || !hist->is_shown) {
		int r = print_histograms(hist, file);

		if (r)
			return r;
	}
	if (offset < 0 || (size_t)offset >= hist->text.len)
		return 0;
	left = hist->text.len - (size_t)offset;
	if (size > left)
		size = left;
	memcpy(buf, hist->text.data + offset, size);
	return (ssize_t)size;
}

/* ---- poll(2) ---- */

static uint64_t count_hits(struct hist_file *hist, const struct tracefs_file *file)
{
	const struct event *event = is_empty(file->node) ? NULL : event_of(file->node);
	uint64_t now = server_now_ns();

	if (now < hist->count_ns || !event)
		return hist->count;
	hist->count = hists_count(tracefs_instance(file->node), event);
	hist->count_ns = server_now_ns();
	hist->count_ns += (hist->count_ns - now) * POLL_FACTOR;
	return hist->count;
}

static unsigned int hist_poll(struct tracefs_file *file)
{
	struct hist_file *hist = file->state;
	uint64_t count = count_hits(hist, file);
	unsigned int events = 0;

	if (hist->last_read != count)
		events |= POLLIN | POLLRDNORM;
	if (hist->last_act != count) {
		hist->last_act = count;
		events |= POLLPRI;
	}
	return events;
}

static int hist_open(struct tracefs_file *file)
{
	struct hist_file *hist = calloc(1, sizeof(*hist));

	if (!hist)
		return -ENOMEM;
	text_init(&hist->text, SHOW_BYTES_MAX);
	hist->text.is_for_terminal = file->flags & TRACEFS_TERMINAL;
	hist->root = file->node->root;
	hist->env = (struct hist_show_env){
		.ctx = hist,
		.put_trigger = put_trigger,
		.put_symbol = put_symbol,
		.is_spent = is_spent,
	};
	hist->last_act = count_hits(hist, file);
	file->state = hist;
	return 0;
}

static void hist_close(struct tracefs_file *file)
{
	struct hist_file *hist = file->state;

	stop_printing(hist);
	text_done(&hist->text);
	free(hist);
}

const struct tracefs_stream hist_stream = {
	.open = hist_open,
	.close = hist_close,
	.read = hist_read,
	.poll = hist_poll,
};

/* ---- the file hist_debug ---- */

int hist_debug_show(struct tracefs_node *node, struct text *out)
{
	struct instance *instance = tracefs_instance(node);
	const struct event *event = is_empty(node) ? NULL : event_of(node);
	struct hist_sources sources;
	int r;

	if (is_empty(node))
		return 0;
	if (!event)
		return -ENODEV;
	rules_refresh(instance);
	r = hist_sources_init(instance, event, &sources);
	if (r)
		return r;
	for (uint32_t i = 0; i < sources.nr; i++) {
		if (i)
			text_puts(out, "\n\n");
		text_printf(out, "# event histogram\n#\n# trigger info: %s\n#\n\n",
			    sources.list[i].line);
		hist_def_show_debug(sources.list[i].def, out);
	}
	hist_sources_done(node->root, &sources);
	return 0;
}
