/* SPDX-License-Identifier: MIT */
/* The files tracing_on, trace_clock, trace_marker and trace_marker_raw. */
#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "event/clock.h"
#include "server/core/error_log.h"
#include "server/core/option_bits.h"
#include "server/core/timebase.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/shm.h"
#include "server/hist/hists.h"
#include "server/rings/options.h"
#include "server/rings/rings.h"
#include "server/rules/marker.h"
#include "tracefs/files.h"

int tracing_on_show(struct tracefs_node *node, struct text *out)
{
	text_puts(out, instance_is_on(tracefs_instance(node)) ? "1\n" : "0\n");
	return 0;
}

/* Handle a write to tracing_on.  Processes need not be notified, because every writer
 * of a record reads this setting in shared memory. */
ssize_t tracing_on_store(struct tracefs_file *file, const char *buf, size_t size,
			 pid_t tid)
{
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)tid;
	if (r)
		return r;
	instance_set_on(tracefs_instance(file->node), value != 0);
	/* Tracing was switched off.  Before the write returns, agents must record those late
	 * events that happened while tracing was on. */
	if (!value && instance_has_late(tracefs_instance(file->node)))
		tracefs_file_apply(file);
	return (ssize_t)size;
}

/*
 * Return true if write(2) to tracing_on may return.  A write of 0 wakes readers of
 * trace_pipe_raw, as in the kernel.  The write also waits until these readers have
 * read everything.  The kernel does not do this.  The reason: `trace-cmd stream' stops
 * printing when this write returns, so it would not print the records that its
 * recorders have not read by then.
 */
bool tracing_on_is_done(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);

	return instance_is_on(instance) || raw_is_served(instance, file->write_tid);
}

int trace_clock_show(struct tracefs_node *node, struct text *out)
{
	const struct clock_row *in_use =
		clock_get(shm_load(&tracefs_instance(node)->abi->clock));

	for (size_t i = 0; i < clock_table_rows; i++) {
		const struct clock_row *row = clock_nth(i);

		if (row != in_use && !timebase_has(row))
			continue;
		text_printf(out, row == in_use ? "%s[%s]" : "%s%s",
			    i ? " " : "", row->name);
	}
	text_putc(out, '\n');
	return 0;
}

void clocks_help(struct text *out)
{
	for (size_t nth = 0; nth < clock_table_rows; nth++)
		text_printf(out, "\t\t\t  %s: %s\n", clock_nth(nth)->name,
			    clock_nth(nth)->help);
}

static void log_clock(struct tracefs_file *file, const char *name)
{
	struct nearest near;

	nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < clock_table_rows; i++)
		nearest_offer(&near, clock_table[i].name);
	error_log_add_near(tracefs_instance(file->node), file->def->name,
			   "Clock not found", name, 0, nearest_name(&near));
}

ssize_t trace_clock_store(struct tracefs_file *file, const char *buf, size_t size,
			  pid_t tid)
{
	const char *name;
	char text[64];
	int row, r;

	(void)tid;
	if (size >= sizeof(text))
		return -EINVAL;
	name = tracefs_trim(buf, size, text, sizeof(text));
	row = clock_find(name);
	if (row < 0) {
		log_clock(file, name);
		return row;
	}
	if (file->node->root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	r = hists_set_clock(tracefs_instance(file->node), (uint32_t)row);
	if (r)
		return r;
	tracefs_file_apply(file);
	return (ssize_t)size;
}

/* ---- functions for trace_marker and trace_marker_raw ---- */

static ssize_t marker_store(struct tracefs_file *file, const char *buf, size_t size,
			    pid_t tid,
			    ssize_t (*write)(struct instance *instance, const char *data,
					     size_t len, pid_t tid))
{
	struct instance *instance = tracefs_instance(file->node);
	bool had_rings = instance_has_rings(instance);
	ssize_t taken;

	if (!(instance_options(instance) & OPTION_MARKERS))
		return -EINVAL;
	taken = write(instance, buf, size, tid);
	/* The first marker has made the rings of the instance.  Notify the processes, so
	 * that they use these rings for their next events. */
	if (taken >= 0 && !had_rings)
		tracefs_file_apply(file);
	return taken;
}

ssize_t trace_marker_store(struct tracefs_file *file, const char *buf, size_t size,
			   pid_t tid)
{
	return marker_store(file, buf, size, tid, marker_write);
}

ssize_t trace_marker_raw_store(struct tracefs_file *file, const char *buf, size_t size,
			       pid_t tid)
{
	return marker_store(file, buf, size, tid, marker_write_raw);
}
