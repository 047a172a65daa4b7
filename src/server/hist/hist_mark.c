/* SPDX-License-Identifier: MIT */
/*
 * Count records of the server in histograms.  The server itself records markers and the
 * events that users inject, so it also runs the programs of these events' `hist` triggers.
 * The figures that it counts go to the last part of a table, under the lock, like the figures
 * of threads that cannot use rseq.
 */
#include <string.h>

#include "server/core/mapping.h"
#include "server/core/root.h"
#include "server/dynamic/inject.h"
#include "server/hist/hist_impl.h"
#include "server/rules/print_triggers.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

/* The mapped tables that a histogram's program uses while it runs. */
struct tables {
	struct hist_view views[HIST_TABLES_MAX];
	struct mapping *maps[HIST_TABLES_MAX];
	uint32_t nr;
};

/* Data for the callbacks of a histogram's program. */
struct hit {
	struct instance *instance;
	const struct trigger_mark *mark;
};

static uint64_t mark_now(void *ctx)
{
	const struct hit *hit = ctx;

	return hit->mark->time;
}

static void get_comm(void *ctx, char ret_comm[HIST_COMM_LEN])
{
	const struct hit *hit = ctx;

	memcpy(ret_comm, hit->mark->comm, HIST_COMM_LEN);
}

/* Record a synthetic event in each instance in which it is on. */
static void emit_synthetic(void *ctx, uint32_t row, void *entry, size_t bytes)
{
	const struct hit *hit = ctx;

	inject_emit(hit->instance->root, NULL, row, entry, bytes, hit->mark);
}

static void unmap_tables(struct tables *tables)
{
	for (uint32_t i = 0; i < tables->nr; i++)
		mapping_put(tables->maps[i]);
}

/* Map all tables of @program.  Returns false if one of them cannot be mapped. */
static bool map_tables(const struct root *root, const struct hist_program *program,
		       struct tables *ret_tables)
{
	const struct hist_table_ref *refs = hist_tables(program);

	ret_tables->nr = 0;
	for (uint32_t i = 0; i < program->nr_tables; i++) {
		struct mapping **map = &ret_tables->maps[i];

		if (mapping_new(root->fd, refs[i].off, ABI_PAGE_ALIGN(refs[i].bytes), map)) {
			unmap_tables(ret_tables);
			return false;
		}
		hist_view_init(&ret_tables->views[i], (*map)->addr, &refs[i].geometry);
		ret_tables->nr++;
	}
	return true;
}

bool hist_mark(struct instance *instance, const struct trigger *trigger,
	       struct trigger_mark *mark)
{
	const struct hist_trigger *hist = trigger->state;
	const struct trigger_program *compiled = trigger_program(trigger, mark->row);
	struct hit hit = { instance, mark };
	const struct hist_context context = {
		.ctx = &hit, .cpu = mark->cpu, .now = mark_now, .get_comm = get_comm,
		.emit = emit_synthetic,
	};
	struct tables tables;
	struct hist_unit unit;

	if (hist_is_paused(hist) || !map_tables(instance->root, compiled->data, &tables))
		return false;
	hist_unit_init(&unit, compiled->data, tables.views);
	if (hist_run(&unit, mark->rec, mark->bytes, &context))
		mark->wants_snapshot = true;
	unmap_tables(&tables);
	return true;
}
