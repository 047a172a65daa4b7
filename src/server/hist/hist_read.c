/* SPDX-License-Identifier: MIT */
/* Read the histograms of an event, for the file `hist`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/root.h"
#include "server/hist/hist_impl.h"
#include "server/names/symbols.h"
#include "server/rules/events.h"
#include "server/rules/triggers.h"

#define LINE_BYTES_MAX	(64u << 10)	/* maximum length of one line of the file
					 * `trigger`, bytes */

/* Return the line of the file `trigger` that shows @trigger, without the newline.
 * Returns NULL if there is no memory. */
static char *line_of(const struct instance *instance, const struct trigger *trigger)
{
	struct text text;
	char *line = NULL;

	text_init(&text, LINE_BYTES_MAX);
	hist_show_trigger(instance, trigger, &text);
	if (text.len && !text.error)
		line = strndup(text_str(&text), text.len - 1);
	text_done(&text);
	return line;
}

static int add_source(const struct instance *instance, const struct trigger *trigger,
		      struct hist_source *ret_source)
{
	const struct hist_trigger *hist = trigger->state;
	char *line = line_of(instance, trigger);

	if (!line)
		return -ENOMEM;
	*ret_source = (struct hist_source){ hist->histogram, hist->histogram->def, line };
	hist->histogram->readers++;
	return 0;
}

int hist_sources_init(struct instance *instance, const struct event *event,
		      struct hist_sources *ret_sources)
{
	bool has_module = event->row != ABI_ROW_PRINT && !event_is_dynamic(event);
	struct hist_sources sources = {
		.module = has_module ? event->module : SYMBOLS_NO_MODULE,
	};
	struct trigger *t = hist_next(triggers_first(instance, event));
	uint32_t nr = 0;
	int r = 0;

	for (struct trigger *each = t; each; each = hist_next(each->next))
		nr++;
	sources.list = calloc(nr + 1, sizeof(*sources.list));
	if (!sources.list)
		return -ENOMEM;
	for (; t && !r; t = hist_next(t->next)) {
		r = add_source(instance, t, sources.list + sources.nr);
		sources.nr += !r;
	}
	if (r) {
		hist_sources_done(instance->root, &sources);
		return r;
	}
	*ret_sources = sources;
	return 0;
}

void hist_sources_done(struct root *root, struct hist_sources *sources)
{
	(void)root;
	for (uint32_t i = 0; i < sources->nr; i++) {
		sources->list[i].histogram->readers--;
		histogram_release(sources->list[i].histogram);
		free(sources->list[i].line);
	}
	free(sources->list);
	*sources = (struct hist_sources){ .nr = 0 };
}

static int map_table(const struct root *root, const struct histogram *histogram,
		     struct hist_view *ret_view, struct mapping **ret_map)
{
	int r;

	if (histogram->is_gone)
		return -ENODEV;		/* the memory of the removed table may be in use
					 * for other data now */
	r = mapping_new(root->fd, histogram->block.off, histogram->block.bytes, ret_map);
	if (r)
		return r == -ENOMEM ? r : -EIO;
	hist_view_init(ret_view, (*ret_map)->addr, &histogram->table.geometry);
	return 0;
}

int hist_source_map(const struct root *root, const struct hist_source *source,
		    struct hist_view *ret_view, struct mapping **ret_map)
{
	return map_table(root, source->histogram, ret_view, ret_map);
}

/* Return the number of hits of @histogram.  Hits that were dropped count, too. */
static uint64_t count_hits(const struct root *root, const struct histogram *histogram)
{
	uint64_t sums[HIST_VALS_MAX], hits;
	struct mapping *map;
	struct hist_view view;

	if (map_table(root, histogram, &view, &map))
		return 0;
	hits = hist_read_dropped(&view);
	for (uint32_t i = 0; i < view.layout.nr_slots; i++) {
		int64_t index = hist_read_slot(&view, i);

		if (index >= 0)
			hits += hist_read_figures(&view, (uint32_t)index, sums);
	}
	mapping_put(map);
	return hits;
}

uint64_t hists_count(const struct instance *instance, const struct event *event)
{
	struct trigger *t = hist_next(triggers_first(instance, event));
	uint64_t hits = 0;

	for (; t; t = hist_next(t->next)) {
		const struct hist_trigger *hist = t->state;

		hits += count_hits(instance->root, hist->histogram);
	}
	return hits;
}
