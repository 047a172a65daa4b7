/* SPDX-License-Identifier: MIT */
/* Handle writes to `filter` files.  A write changes the filters of all rows of its event,
 * or of all events of its system.  If it cannot change all of them, it changes none. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "event/format.h"
#include "event/print.h"
#include "filter/filter.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/names/objects.h"
#include "server/names/symbols.h"
#include "server/rules/events.h"
#include "server/rules/filters.h"
#include "server/rules/rules.h"
#include "server/rules/suggest.h"

#define FILTER_PLACE	"event filter parse error"

/* New filters for several rows of the table of events.  Either all of them are put in
 * force, or none. */
struct change {
	uint32_t nr;			/* number of rows to change, and length of each
					 * array of this struct */
	uint32_t *rows;
	struct event_filter *filters;	/* array with the new filter of each row; after
					 * change_swap() it has the old filters */
	struct event_filter **pointers;	/* array of pointers to the elements of @filters,
					 * for system_filter_store() */
	const struct event_format **formats;
};

static void change_done(struct change *change)
{
	for (uint32_t i = 0; change->filters && i < change->nr; i++)
		event_filter_done(&change->filters[i]);
	free(change->rows);
	free(change->filters);
	free(change->pointers);
	free(change->formats);
}

/* Collect the rows of all events of @system, or, if @name is not NULL, only those of the
 * event @name. */
static int change_init(struct change *change, const struct root *root,
		       uint32_t system, const char *name)
{
	struct events *events = root_events(root);
	uint32_t nr = events->nr + 1;

	*change = (struct change){
		.rows = calloc(nr, sizeof(*change->rows)),
		.filters = calloc(nr, sizeof(*change->filters)),
		.pointers = calloc(nr, sizeof(*change->pointers)),
		.formats = calloc(nr, sizeof(*change->formats)),
	};
	if (!change->rows || !change->filters || !change->pointers ||
	    !change->formats) {
		change_done(change);
		return -ENOMEM;
	}
	for (uint32_t row = 0; row < events->nr; row++) {
		const struct event *event = events->rows[row];

		if (!event || event->system_number != system ||
		    (name && strcmp(event->format->name, name)))
			continue;
		change->rows[change->nr] = row;
		change->formats[change->nr] = event->format;
		change->pointers[change->nr] = &change->filters[change->nr];
		change->nr++;
	}
	return 0;
}

static void change_swap(struct instance *instance, struct change *change)
{
	struct instance_rules *rules = instance_rules(instance);

	for (uint32_t i = 0; i < change->nr; i++) {
		struct event_filter *filter = &rules->filters[change->rows[i]];
		struct event_filter old = *filter;

		*filter = change->filters[i];
		change->filters[i] = old;
	}
}

static int change_apply(struct instance *instance, struct change *change)
{
	int r = rules_need_rows(instance, root_events(instance->root)->nr);

	if (r)
		return r;
	change_swap(instance, change);
	r = rules_publish(instance);
	if (r)
		change_swap(instance, change);
	return r;
}

/* @text has `FIELD.function == NAME` before the caret at @pos, and there is no
 * function NAME.  Return the name of a similar function, or NULL if there is none. */
static const char *near_function(struct root *root, const char *text, uint32_t pos,
				 struct nearest *near)
{
	const char *name;
	size_t at = 0, len;

	while (filter_next_function(text, &at, &name, &len))
		if (at == pos - 1)
			return suggest_symbol(root, name, len, near);
	return NULL;
}

bool filters_log_missed(struct instance *instance, const char *text)
{
	if (!root_rules(instance->root)->is_name_missed)
		return false;
	error_log_add(instance, FILTER_PLACE, "There are too many names to search all of "
		      "them at once; use the number, or filter fewer events", text, 0);
	return true;
}

void filters_log_error(struct instance *instance, const struct event *event,
		       const char *text, const struct filter_error *error)
{
	struct filter_env env = filters_env(instance);
	struct nearest near;
	const char *name = filter_error_near(event->format, text, &env, error, &near);

	if (error->code == FILTER_ERR_NO_FUNCTION && error->pos &&
	    error->pos - 1 <= strlen(text))
		name = near_function(instance->root, text, error->pos, &near);
	error_log_add_near(instance, FILTER_PLACE,
			   filter_error_text(error->code), text, error->pos, name);
}

static void log_error(struct instance *instance, const struct event *event)
{
	const struct event_filter *filter = rules_filter(instance, event);

	filters_log_error(instance, event, filter->text, &filter->error);
}

#define NEAR_EVENTS	64u		/* maximum number of events that near_in_system()
					 * searches */

/*
 * Suggest a name for a filter that fits no event of its system: the name of a field or
 * constant that is most similar to the wrong one.  Searches only the first NEAR_EVENTS
 * events of the system.  Returns NULL if no name is similar.
 */
static const char *near_in_system(const struct instance *instance,
				  const struct change *change, const char *text,
				  struct nearest *near)
{
	struct filter_env env = filters_env(instance);
	struct filter_program *program = NULL;
	struct filter_error error;
	struct nearest other;
	bool is_found = false;

	for (uint32_t i = 0; i < change->nr && i < NEAR_EVENTS; i++) {
		if (!filter_compile(change->formats[i], text, &env, &program, &error))
			free(program);
		else if (filter_error_near(change->formats[i], text, &env, &error, &other) &&
			 (!is_found || other.rank < near->rank)) {
			*near = other;
			is_found = true;
		}
	}
	return is_found ? nearest_name(near) : NULL;
}

/* After a write to events/SYS/filter, add an entry to error_log for each event that
 * the filter does not fit, as the kernel does. */
static void log_system(struct instance *instance, const struct change *change)
{
	struct instance_rules *rules = instance_rules(instance);
	const struct events *events = root_events(instance->root);
	const struct event_filter *filter;
	const char *name = NULL;
	struct nearest near;
	uint32_t taken = 0;

	for (uint32_t i = 0; i < change->nr; i++) {
		filter = &rules->filters[change->rows[i]];
		taken += !filter->text || filter->program;
	}
	if (!taken && change->nr) {
		name = near_in_system(instance, change, filter->text, &near);
		error_log_warn();
	}
	for (uint32_t i = 0; i < change->nr; i++) {
		filter = &rules->filters[change->rows[i]];
		if (events->rows[change->rows[i]]->is_visible && filter->text &&
		    !filter->program)
			error_log_add_near(instance, FILTER_PLACE,
					   filter_error_text(filter->error.code),
					   filter->text, filter->error.pos, name);
	}
}

/* ---- functions that find constants whose names filters may use ---- */

/*
 * Limit of the search for names of constants.  The program decides how many names
 * there are, and how many events.  So the server searches at most NAMES_BYTES bytes of
 * a root's names at once, and afterwards NAMES_BYTES bytes per second.
 */
#define NAMES_BYTES	(16u << 20)

static void refill_names(struct root *root)
{
	struct root_rules *limits = root_rules(root);
	uint64_t now = server_now_ns();
	uint64_t passed = now - limits->names_ns;

	limits->names_ns = now;
	limits->names_left += passed < 1000000000 ? NAMES_BYTES * passed / 1000000000 :
						  NAMES_BYTES;
	if (limits->names_left > NAMES_BYTES)
		limits->names_left = NAMES_BYTES;
}

static bool may_search(struct root *root, uint64_t bytes)
{
	struct root_rules *limits = root_rules(root);
	bool is_allowed = bytes <= limits->names_left;

	limits->names_left -= is_allowed ? bytes : limits->names_left;
	limits->is_name_missed |= !is_allowed;
	return is_allowed;
}

/* Call @each for the constants of TRACE_DEFINE_ENUM() that the program has stored for
 * @event. */
static void each_constant(struct root *root, const struct event *event,
			  filter_name_fn *each, void *arg)
{
	const struct abi_event *shared = &root->events_table[event->row];
	uint64_t off = shm_load(&shared->names);
	uint32_t bytes = shm_load(&shared->names_bytes), at = 0, len;
	int64_t value;
	char *names;

	if (!bytes || bytes > ABI_NAMES_BYTES || off < root->heap_off ||
	    off > root->arena_off || bytes > root->arena_off - off ||
	    !may_search(root, bytes))
		return;
	names = malloc(bytes);
	if (!names)
		return;
	memcpy(names, (char *)root->memory->addr + off, bytes);
	names[bytes - 1] = '\0';
	for (; bytes - at > sizeof(value); at += len + 1) {
		memcpy(&value, names + at, sizeof(value));
		at += sizeof(value);
		len = (uint32_t)strlen(names + at);
		each(arg, names + at, len, (uint64_t)value, true);
	}
	free(names);
}

/* Call @each for those names that the tables of __print_symbolic() and __print_flags() in
 * the event's print format contain. */
static void each_printed(struct root *root, struct event *event, uint32_t offset,
			 filter_name_fn *each, void *arg)
{
	const struct event_format *format = event->format;
	uint64_t bytes = strlen(format->print_fmt);
	const struct print_program *program;

	if (!event->is_compiled)
		bytes += bytes / 8 * format->nr_fields;
	program = may_search(root, bytes) ? event_program(event) : NULL;
	if (program)
		print_each_symbol(program, offset, each, arg);
}

static void each_name(void *ctx, const struct event_format *format, uint32_t offset,
		      filter_name_fn *each, void *arg)
{
	struct root *root = ctx;
	struct event *event = events_by_id(root, format->id);

	if (!event || event->format != format)
		return;
	each_constant(root, event, each, arg);
	each_printed(root, event, offset, each, arg);
}

/* ---- functions that find the functions whose names filters may use ---- */

static int find_functions(void *root, const char *name, size_t len,
			  struct filter_range ret_ranges[FILTER_RANGES_MAX])
{
	return symbols_functions(root, name, len, ret_ranges);
}

static int function_at(void *root, uint64_t addr, struct filter_range *ret_range)
{
	return symbols_function_at(root, addr, ret_range);
}

/* Search for the functions that the filter @text names.  If a search needs more time,
 * stops and returns the error of this search. */
static int search_functions(struct root *root, const char *text)
{
	const char *name;
	size_t at = 0, len;
	int r = 0;

	while (!r && filter_next_function(text, &at, &name, &len))
		r = symbols_functions_search(root, name, len);
	return r;
}

int filters_parse_more(struct root *root, const char *text, size_t bytes)
{
	char *copy;
	int r = 0;

	if (!memmem(text, bytes, FILTER_FUNCTION, strlen(FILTER_FUNCTION)))
		return 0;
	r = objects_parse(root);
	if (r)
		return r;
	copy = malloc(bytes + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	for (size_t at = 0; !r && at < bytes; at += strlen(copy + at) + 1)
		r = search_functions(root, copy + at);
	free(copy);
	return r;
}

int filters_parse(struct root *root, const char *text, size_t bytes)
{
	symbols_functions_begin(root);
	return filters_parse_more(root, text, bytes);
}

struct filter_env filters_env(const struct instance *instance)
{
	refill_names(instance->root);
	root_rules(instance->root)->is_name_missed = false;
	return (struct filter_env){
		.nr_cpus = instance->root->nr_cpus,
		.functions = find_functions,
		.function_at = function_at,
		.names = each_name,
		.ctx = instance->root,
	};
}

/* ---- functions that handle writes to filter files ---- */

/*
 * Return true if a new filter is wrong, and some names of constants were not searched.
 * In this case the filter is possibly correct, so filters_log_missed() adds this reason
 * to error_log.
 */
static bool is_missed(struct instance *instance, const struct change *change)
{
	for (uint32_t i = 0; i < change->nr; i++)
		if (change->filters[i].text && !change->filters[i].program)
			return filters_log_missed(instance, change->filters[i].text);
	return false;
}

int filters_set(struct instance *instance, const struct event *event,
		const char *data, size_t bytes, bool *ret_is_changed)
{
	struct filter_env env = filters_env(instance);
	struct change change;
	int ret = 0, r;

	*ret_is_changed = false;
	if (bytes >= FILTER_TEXT_MAX)
		return -EINVAL;
	rules_refresh(instance);
	r = change_init(&change, instance->root, event->system_number,
			event->format->name);
	if (r)
		return r;
	for (uint32_t i = 0; r != -ENOMEM && i < change.nr; i++) {
		r = event_filter_store(&change.filters[i], change.formats[i],
				       data, bytes, &env);
		if (change.rows[i] == event->row)
			ret = r;
	}
	if (r != -ENOMEM)
		r = is_missed(instance, &change) ? -EBUSY : change_apply(instance, &change);
	*ret_is_changed = !r;
	if (!r && ret)
		log_error(instance, event);
	change_done(&change);
	return r ? r : ret;
}

int filters_set_system(struct instance *instance, uint32_t system,
		       const char *data, size_t bytes, bool *ret_is_changed)
{
	struct filter_env env = filters_env(instance);
	struct change change;
	int r;

	*ret_is_changed = false;
	rules_refresh(instance);
	r = change_init(&change, instance->root, system, NULL);
	if (r)
		return r;
	r = system_filter_store(change.pointers, change.formats, change.nr, data,
				bytes, &env);
	if (!r)
		r = is_missed(instance, &change) ? -EBUSY : change_apply(instance, &change);
	*ret_is_changed = !r;
	if (!r)
		log_system(instance, &change);
	change_done(&change);
	return r;
}
