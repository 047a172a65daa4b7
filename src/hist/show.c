/* SPDX-License-Identifier: MIT */
/* Print a histogram: run the stages of printing one after the other; see show.h. */
#include "hist/show.h"

#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "hist/show_impl.h"

static bool put_header(struct hist_show *show, struct text *out)
{
	text_puts(out, "# event histogram\n#\n# trigger info: ");
	show->env->put_trigger(show->env->ctx, out);
	text_puts(out, "\n#\n\n");
	return true;
}

/* As in the kernel, `Hits` does not include the hits that were dropped. */
static bool put_totals(struct hist_show *show, struct text *out)
{
	uint64_t hits = 0;

	for (uint32_t i = 0; i < show->nr_entries; i++)
		hits += show->entries[i].hits;
	show_put_snapshot(show, out);
	text_puts(out, "\nTotals:\n    Hits: ");
	show_put_number(hits, 0, out);
	text_puts(out, "\n    Entries: ");
	show_put_number(show->nr_entries, 0, out);
	text_puts(out, "\n    Dropped: ");
	show_put_number(hist_read_dropped(show->view), 0, out);
	text_putc(out, '\n');
	return true;
}

static bool (*const stages[SHOW_DONE])(struct hist_show *show, struct text *out) = {
	[SHOW_HEADER]		= put_header,
	[SHOW_SLOTS]		= show_scan_slots,
	[SHOW_ENTRIES]		= show_read_entries,
	[SHOW_STATS]		= show_count_stats,
	[SHOW_SORT_KEYS]	= show_sort_keys,
	[SHOW_SORT_FIRST]	= show_sort_first,
	[SHOW_SORT_SECOND]	= show_sort_second,
	[SHOW_PRINT]		= show_print_entries,
	[SHOW_TOTALS]		= put_totals,
};

int hist_show_start(const struct hist_def *def, const struct hist_view *view,
		    const struct hist_show_env *env, struct hist_show **ret_show)
{
	struct hist_show *show = calloc(1, sizeof(*show));

	if (!show)
		return -ENOMEM;
	show->def = def;
	show->view = view;
	show->env = env;
	show->used = calloc((view->geometry.nr_entries + 63) / 64, sizeof(*show->used));
	show->stats = calloc(HIST_VALS_MAX, sizeof(*show->stats));
	if (!show->used || !show->stats) {
		hist_show_free(show);
		return -ENOMEM;
	}
	*ret_show = show;
	return 0;
}

int hist_show_step(struct hist_show *show, struct text *out)
{
	while (show->stage < SHOW_DONE) {
		bool is_complete = stages[show->stage](show, out);

		if (show->error || out->error)
			return show->error ? show->error : out->error;
		if (is_complete) {
			show->stage++;
			show->has_begun = false;
			show->at = 0;
		} else if (show->env->is_spent && show->env->is_spent(show->env->ctx)) {
			return 0;
		}
	}
	return 1;
}

void hist_show_free(struct hist_show *show)
{
	if (!show)
		return;
	free(show->used);
	free(show->entries);
	free(show->sums);
	free(show->keys);
	free(show->stats);
	free(show->items);
	free(show);
}

int hist_show(const struct hist_def *def, const struct hist_view *view,
	      const struct hist_show_env *env, struct text *out)
{
	struct hist_show *show;
	int ret = hist_show_start(def, view, env, &show);

	if (ret < 0)
		return ret;
	do
		ret = hist_show_step(show, out);
	while (!ret);
	hist_show_free(show);
	return ret < 0 ? ret : 0;
}
