/* SPDX-License-Identifier: MIT */
/* Report in error_log which events processes could not switch on. */
#include <errno.h>
#include <stdio.h>

#include "event/format.h"
#include "server/core/error_log.h"
#include "server/core/shm.h"
#include "server/rules/events.h"

#define FAILED	"A process could not switch the event on: "

/* All texts that the function returns are constant, because error_log keeps their
 * addresses. */
static const char *reason_of(uint32_t error)
{
	switch (error) {
	case ENOMEM:
		return FAILED "no memory can be mapped where the jump at the probe would lead, "
			      "and the instructions there cannot be moved";
	case EAGAIN:
		return FAILED "a thread is at the probe, or does not stop; switch it on again";
	case EPERM:
		return FAILED "the threads must be stopped for it, and cannot be traced";
	case EBUSY:
		return FAILED "a function that is traced contains the probe";
	case EILSEQ:
		return FAILED "the code at the probe is not that of the file";
	case EOPNOTSUPP:
		return FAILED "it cannot be patched; untraceable_events has the reason";
	default:
		return FAILED "its function, or the process, has returned an error";
	}
}

void events_log_failed(struct root *root, const char *file)
{
	const struct events *events = root_events(root);
	char name[256];

	for (uint32_t row = 0; row < events->nr; row++) {
		const struct event *event = events->rows[row];
		const struct abi_event *shared = &root->events_table[row];
		uint32_t error = event && event->is_visible ? shm_load(&shared->failed) : 0;

		if (!error || error >= 4096 || !shm_load(&shared->wanted))
			continue;
		snprintf(name, sizeof(name), "%s:%s", event->format->system, event->format->name);
		error_log_add(&root->top, file, reason_of(error), name, 0);
	}
}
