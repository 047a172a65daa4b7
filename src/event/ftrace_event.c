/* SPDX-License-Identifier: MIT */
/* The table of the kernel's built-in events, one row for each event; see ftrace_event.h. */
#include "event/ftrace_event.h"

#include "abi/control.h"

#define FIELDS(rows) \
	.fields = (struct event_field *)(rows), \
	.nr_fields = sizeof(rows) / sizeof((rows)[0])

static const struct event_field function_fields[] = {
	{ .type = "unsigned long", .name = "ip", .offset = 8, .size = 8 },
	{ .type = "unsigned long", .name = "parent_ip", .offset = 16, .size = 8 },
	{ .type = "unsigned long[]", .name = "args", .offset = 24, .kind = FIELD_ARRAY },
};

/* The fields of a record with a call stack.  The number of callers differs from record to
 * record.  The format file says 8, as in the kernel, and tools compute the number from the
 * record's size. */
static const struct event_field stack_fields[] = {
	{ .type = "int", .name = "size", .offset = 8, .size = 4, .is_signed = true },
	{ .type = "unsigned long[8]", .name = "caller", .offset = 16, .size = 64,
	  .kind = FIELD_ARRAY },
};

static const struct event_field print_fields[] = {
	{ .type = "unsigned long", .name = "ip", .offset = 8, .size = 8 },
	{ .type = "char[]", .name = "buf", .offset = 16, .kind = FIELD_ARRAY },
};

static const struct event_field bprint_fields[] = {
	{ .type = "unsigned long", .name = "ip", .offset = 8, .size = 8 },
	{ .type = "const char *", .name = "fmt", .offset = 16, .size = 8 },
	{ .type = "u32[]", .name = "buf", .offset = 24, .kind = FIELD_ARRAY },
};

static const struct event_field graph_exit_fields[] = {
	{ .type = "unsigned long", .name = "func", .offset = 8, .size = 8 },
	{ .type = "unsigned long", .name = "retval", .offset = 16, .size = 8 },
	{ .type = "int", .name = "depth", .offset = 24, .size = 4, .is_signed = true },
	{ .type = "unsigned int", .name = "overrun", .offset = 28, .size = 4 },
	{ .type = "unsigned long long", .name = "calltime", .offset = 32, .size = 8 },
	{ .type = "unsigned long long", .name = "rettime", .offset = 40, .size = 8 },
};

static const struct event_field graph_entry_fields[] = {
	{ .type = "unsigned long", .name = "func", .offset = 8, .size = 8 },
	{ .type = "unsigned int", .name = "depth", .offset = 16, .size = 4 },
	{ .type = "unsigned long[]", .name = "args", .offset = 24, .kind = FIELD_ARRAY },
};

static const struct event_field graph_retaddr_fields[] = {
	{ .type = "unsigned long", .name = "func", .offset = 8, .size = 8 },
	{ .type = "unsigned int", .name = "depth", .offset = 16, .size = 4 },
	{ .type = "unsigned long", .name = "retaddr", .offset = 24, .size = 8 },
	{ .type = "unsigned long[]", .name = "args", .offset = 32, .kind = FIELD_ARRAY },
};

static const struct event_field bputs_fields[] = {
	{ .type = "unsigned long", .name = "ip", .offset = 8, .size = 8 },
	{ .type = "const char *", .name = "str", .offset = 16, .size = 8 },
};

static const struct event_field raw_data_fields[] = {
	{ .type = "unsigned int", .name = "id", .offset = 8, .size = 4 },
	{ .type = "char[]", .name = "buf", .offset = 12, .kind = FIELD_ARRAY },
};

static const struct event_field func_repeats_fields[] = {
	{ .type = "unsigned long", .name = "ip", .offset = 8, .size = 8 },
	{ .type = "unsigned long", .name = "parent_ip", .offset = 16, .size = 8 },
	{ .type = "u16", .name = "count", .offset = 24, .size = 2 },
	{ .type = "u16", .name = "top_delta_ts", .offset = 26, .size = 2 },
	{ .type = "u32", .name = "bottom_delta_ts", .offset = 28, .size = 4 },
};

const struct event_format ftrace_events[] = {
	{
		.system = "ftrace", .name = "function", .id = ABI_EVENT_ID_FUNCTION,
		FIELDS(function_fields),
		.print_fmt = "\" %ps <-- %ps\", (void *)REC->ip, "
			"(void *)REC->parent_ip",
	},
	{
		.system = "ftrace", .name = "kernel_stack", .id = ABI_EVENT_ID_STACK,
		FIELDS(stack_fields),
		.print_fmt = "\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "
			"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "
			"\"\\t=> %ps\\n\\t=> %ps\\n\", "
			"(void *)REC->caller[0], (void *)REC->caller[1], "
			"(void *)REC->caller[2], (void *)REC->caller[3], "
			"(void *)REC->caller[4], (void *)REC->caller[5], "
			"(void *)REC->caller[6], (void *)REC->caller[7]",
	},
	[FTRACE_PRINT] = {
		.system = "ftrace", .name = "print", .id = ABI_EVENT_ID_PRINT,
		FIELDS(print_fields),
		.print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->buf",
	},
	{
		.system = "ftrace", .name = "bprint", .id = ABI_EVENT_ID_BPRINT,
		FIELDS(bprint_fields),
		.print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->fmt",
	},
	{
		.system = "ftrace", .name = "funcgraph_exit",
		.id = ABI_EVENT_ID_GRAPH_EXIT,
		FIELDS(graph_exit_fields),
		.print_fmt = "\"<-- %ps (%d) (start: %llx  end: %llx) over: %d "
			"retval: %lx\", (void *)REC->func, REC->depth, "
			"REC->calltime, REC->rettime, REC->depth, REC->retval",
	},
	{
		.system = "ftrace", .name = "funcgraph_entry",
		.id = ABI_EVENT_ID_GRAPH_ENTRY,
		FIELDS(graph_entry_fields),
		.print_fmt = "\"--> %ps (%u)\", (void *)REC->func, REC->depth",
	},
	{
		.system = "ftrace", .name = "fgraph_retaddr_entry",
		.id = ABI_EVENT_ID_GRAPH_RETADDR,
		FIELDS(graph_retaddr_fields),
		.print_fmt = "\"--> %ps (%u) <- %ps\", (void *)REC->func, "
			"REC->depth, (void *)REC->retaddr",
	},
	{
		.system = "ftrace", .name = "bputs", .id = ABI_EVENT_ID_BPUTS,
		FIELDS(bputs_fields),
		.print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->str",
	},
	{
		.system = "ftrace", .name = "raw_data", .id = ABI_EVENT_ID_RAW_DATA,
		FIELDS(raw_data_fields),
		.print_fmt = "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
	},
	{
		.system = "ftrace", .name = "func_repeats",
		.id = ABI_EVENT_ID_FUNC_REPEATS,
		FIELDS(func_repeats_fields),
		.print_fmt = "\" %ps <-%ps\\t(repeats:%u  delta: -%llu)\", "
			"(void *)REC->ip, (void *)REC->parent_ip, REC->count, "
			"(((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)",
	},
};
const size_t nr_ftrace_events = sizeof(ftrace_events) / sizeof(ftrace_events[0]);
