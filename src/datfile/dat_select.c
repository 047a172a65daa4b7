/* SPDX-License-Identifier: MIT */
#include "datfile/dat_select.h"

#include <errno.h>
#include <string.h>

#include "abi/control.h"
#include "base/text.h"
#include "event/boot.h"
#include "event/format.h"
#include "filter/filter.h"
#include "filter/run.h"

/* Return true if the list @events names the event. */
static bool is_listed(const char *events, const struct datfile_event *event)
{
	struct boot_token list = { events, strlen(events) }, item;

	while (boot_item(&list, &item))
		if (boot_fits(&item, event->system, event->name))
			return true;
	return false;
}

static void each_symbol(void *ctx, const struct event_format *format, uint32_t offset,
			filter_name_fn *each, void *arg)
{
	const struct print_program *program =
		datfile_event_program(datfile_event(ctx, format->id));

	if (program)
		print_each_symbol(program, offset, each, arg);
}

static uint32_t nr_cpus_of(const struct datfile *file)
{
	uint32_t nr = datfile_nr_cpus(file);

	return nr < ABI_CPUS ? nr : ABI_CPUS;
}

/* Select @event if the filter of the selection fits it, and store the compiled filter.
 * Returns 0; -ENOENT if the event lacks a field of the filter; or another error of the
 * filter. */
static int select_event(const struct dat_selection *selection, struct datfile *file,
			struct datfile_event *event, struct filter_error *ret_error)
{
	const struct filter_env env = {
		.nr_cpus = nr_cpus_of(file), .names = each_symbol, .ctx = file,
	};
	int r = 0;

	if (selection->filter)
		r = filter_compile(event->format, selection->filter, &env, &event->filter,
				   ret_error);
	event->is_left_out = r;
	return r;
}

int dat_select_events(const struct dat_selection *selection, struct datfile *file,
		      struct text *why)
{
	struct filter_error error = { 0 }, first = { 0 };
	uint32_t nr = datfile_nr_events(file);
	bool has_listed = false, has_fit = false;
	int r = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct datfile_event *event = datfile_event_nth(file, i);
		int one;

		event->is_left_out = selection->events && !is_listed(selection->events, event);
		if (event->is_left_out)
			continue;
		one = select_event(selection, file, event, &error);
		if (one && !r) {
			r = one;
			first = error;
		}
		has_listed = true;
		has_fit |= !one;
	}
	if (!has_listed && selection->events) {
		text_printf(why, "%s: the file has no event `%s`", datfile_path(file),
			    selection->events);
		return -ENOENT;
	}
	if (has_fit || !r)
		return 0;
	text_printf(why, "%s: the filter fits no event: %s\n     %s\n     %*s^",
		    datfile_path(file), filter_error_text(first.code), selection->filter,
		    (int)first.pos, "");
	return r;
}

/* The record on which a filter runs, for get_comm(): filters that use `comm` need the
 * record's thread. */
static const struct datfile_record *filtered;

static void get_comm(char ret_comm[FILTER_COMM_LEN])
{
	const char *comm = datfile_comm(filtered->file, filtered->pid);

	memset(ret_comm, 0, FILTER_COMM_LEN);
	memcpy(ret_comm, comm, strnlen(comm, FILTER_COMM_LEN));
}

bool dat_select_has(const struct dat_selection *selection, const struct datfile_record *record)
{
	const struct filter_context context = { .cpu = record->cpu, .get_comm = get_comm };

	if (record->time < selection->since || record->time > selection->until)
		return false;
	if (!selection->events && !selection->filter)
		return true;
	if (!record->event || record->event->is_left_out)
		return false;
	filtered = record;
	return !record->event->filter ||
	       filter_match(record->event->filter, record->data, record->bytes, &context);
}
