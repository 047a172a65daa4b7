/* SPDX-License-Identifier: MIT */
/* The kernel's own events: a new one is a row; see ftrace_event.h. */
#include "event/ftrace_event.h"

#include "abi/control.h"

#define FIELDS(rows) \
	.fields = (struct event_field *)(rows), \
	.nr_fields = sizeof(rows) / sizeof((rows)[0])

static const struct event_field print_fields[] = {
	{ .type = "unsigned long", .name = "ip", .offset = 8, .size = 8 },
	{ .type = "char[]", .name = "buf", .offset = 16, .kind = FIELD_ARRAY },
};

static const struct event_field raw_data_fields[] = {
	{ .type = "unsigned int", .name = "id", .offset = 8, .size = 4 },
	{ .type = "char[]", .name = "buf", .offset = 12, .kind = FIELD_ARRAY },
};

const struct event_format ftrace_events[] = {
	{
		.system = "ftrace", .name = "print", .id = ABI_EVENT_ID_PRINT,
		FIELDS(print_fields),
		.print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->buf",
	},
	{
		.system = "ftrace", .name = "raw_data", .id = ABI_EVENT_ID_RAW_DATA,
		FIELDS(raw_data_fields),
		.print_fmt = "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
	},
};
const size_t nr_ftrace_events = sizeof(ftrace_events) / sizeof(ftrace_events[0]);
