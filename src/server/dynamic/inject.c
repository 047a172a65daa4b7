/* SPDX-License-Identifier: MIT */
#include "server/dynamic/inject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "filter/filter.h"
#include "filter/run.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/dynamic/dynamic.h"
#include "server/dynamic/inject_parse.h"
#include "server/dynamic/words.h"
#include "server/names/comm.h"
#include "server/rules/events.h"
#include "server/rules/marker.h"
#include "server/rules/pids.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

#define RECORD_MAX	(1u << 17)	/* limit of the size of an injected record while
					 * it is being made, bytes; a ring accepts only
					 * smaller records */
#define DEPTH_MAX	4u		/* maximum length of a chain of dynamic events in
					 * which each event causes the next one */

/*
 * Name of the thread that writes to `inject`, for filters. filter_context.get_comm()
 * cannot pass the name, so a global variable holds it.  This is safe, because the server
 * has one thread.
 */
static char writer_comm[FILTER_COMM_LEN];

static void get_comm(char ret_comm[FILTER_COMM_LEN])
{
	memcpy(ret_comm, writer_comm, sizeof(writer_comm));
}

/* Return true if the filter of @event in this instance rejects the record. */
static bool is_filtered(struct instance *instance, const struct event *event,
			const struct trigger_mark *mark)
{
	const struct event_filter *filter = rules_filter(instance, event);
	const struct filter_context context = {
		.cpu = mark->cpu, .tid = (uint32_t)mark->tid, .get_comm = get_comm,
	};

	if (!filter->program)
		return false;
	strncpy(writer_comm, comms_find(instance->root, (uint32_t)mark->tid),
		sizeof(writer_comm) - 1);
	return !filter_match(filter->program, mark->rec, mark->bytes, &context);
}

/* Return true if @trigger, or a trigger after it in the list, needs the record in order to act:
 * the trigger has a filter, or its command reads the record. */
static bool is_conditional(const struct trigger *trigger)
{
	for (; trigger; trigger = trigger->next)
		if (trigger->filter || trigger->cmd->flags & CMD_CONDITIONAL)
			return true;
	return false;
}

/* Record the event of @mark, and then run its triggers.  The event is not recorded if its
 * filter or a list of threads forbids it, or if the event is soft disabled. */
static int record_event(struct instance *instance, const struct event *event,
			struct trigger_mark *mark)
{
	const struct soft_event *soft = soft_find(instance, event);
	int r = -EBADF;

	if (pids_ignore(instance, (uint32_t)mark->tid))
		return 0;
	comms_meet(instance->root, (uint32_t)mark->tid);
	if (!(soft && soft_is_disabled(instance, soft)) && !is_filtered(instance, event, mark))
		r = marker_write_record(instance, mark->rec, mark->bytes, mark->cpu, &mark->time);
	if (r)
		mark->time = marker_time(instance);
	if (soft && is_conditional(soft->triggers))
		triggers_mark(instance, event, mark);
	return r == -EBADF || r == -E2BIG ? 0 : r;
}

void inject_emit(struct root *root, struct instance *only, uint32_t row, void *entry,
		 size_t bytes, const struct trigger_mark *cause)
{
	const struct dynamic_event *dynamic = dynamic_of(root, row);
	const struct event *event = dynamic ? dynamic_row_of(root, dynamic) : NULL;
	const struct marker_head head = {
		.type = (uint16_t)(ABI_EVENT_ID_FIRST + row), .pid = cause->tid,
	};
	struct instance *instance;

	if (!event || !entry || cause->depth >= DEPTH_MAX)
		return;
	memcpy(entry, &head, sizeof(head));
	for_each_instance(instance, root) {
		struct trigger_mark mark = {
			.depth = cause->depth + 1, .rec = entry, .bytes = bytes,
			.tid = cause->tid, .cpu = cause->cpu,
		};

		if ((!only || instance == only) && event_is_enabled(instance, event))
			record_event(instance, event, &mark);
	}
}

/* Return a copy of @data up to its first NUL, without white space at both ends; NULL if
 * there is no memory.  *@ret_copy is set to the allocated memory, which the caller frees. */
static const char *copy_trimmed(const char *data, size_t size, char **ret_copy)
{
	char *copy = strndup(data, size);
	size_t len = copy ? strlen(copy) : 0;

	while (len && word_is_space(copy[len - 1]))
		copy[--len] = '\0';
	*ret_copy = copy;
	return copy ? word_skip_spaces(copy) : NULL;
}

ssize_t inject_write(struct instance *instance, const struct event *event, const char *data,
		     size_t size, pid_t tid)
{
	const struct marker_head head = {
		.type = (uint16_t)event->format->id, .pid = tid,
	};
	struct text record;
	const char *text;
	char *copy;
	int r;

	if (instance->root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	if (size > INJECT_TEXT_MAX)
		return -EINVAL;
	text = copy_trimmed(data, size, &copy);
	if (!text)
		return -ENOMEM;
	text_init(&record, RECORD_MAX);
	r = inject_parse(event->format, text, &head, &record);
	free(copy);
	if (!r && !record.error)
		r = record_event(instance, event, &(struct trigger_mark){
			.rec = record.data, .bytes = record.len, .tid = tid,
			.cpu = marker_cpu(instance, tid),
		});
	text_done(&record);
	return r ? r : (ssize_t)size;
}
