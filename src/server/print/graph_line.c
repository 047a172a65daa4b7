/* SPDX-License-Identifier: MIT */
/*
 * Print the calls of the function_graph tracer as nested blocks:
 *
 *	 0)               |  outer() {
 *	 0)   1.234 us    |    inner();
 *	 0) + 12.345 us   |  }
 *
 * A leaf, a function whose end is the next record of its CPU, is printed as one line.
 * A signal handler, which is the program's interrupt, is printed between arrows.
 * struct graph_cpu is the state between two lines.  Printing a line does not change the
 * state, so a line that does not fit into the output can be printed again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/option.h"
#include "server/print/graph.h"
#include "server/print/line_impl.h"
#include "server/rings/merge.h"

#define TASK_WIDTH	14		/* width of the column "name-4711", in which the
					 * text is centred, in characters */
#define COMM_WIDTH	7		/* maximum number of characters of a task's name
					 * that are printed */
#define NUMBER_WIDTH	8		/* width of a duration in a line, in characters */
#define NO_DURATION	"              |  "
#define HANDLER_START	"==========>"
#define HANDLER_END	"<=========="

/* ---- functions that read the records of the graph tracer ---- */

/* Sizes and offsets of the graph tracer's records, in bytes. */
#define ENTRY_BYTES	20u		/* size of the record of a function's start,
					 * without data that options add */
#define ARGS_OFFSET	24u		/* offset of the data that options add to the
					 * record of a function's start */
#define RETADDR_BYTES	32u		/* size of the record of a function's start that
					 * contains a return address */
#define EXIT_BYTES	48u		/* size of the record of a function's end */
#define MARKS_BYTES	4u		/* size of the marks (ABI_GRAPH_...), which may
					 * follow the first ENTRY_BYTES or EXIT_BYTES
					 * bytes of a record */

/* A record of the graph tracer: the start or the end of a function. */
struct call {
	bool is_end;
	bool is_in_handler;		/* true: the function was called in a signal
					 * handler */
	bool is_handler;		/* true: the function is the signal handler itself */
	int32_t pid;			/* thread id */
	uint64_t func;			/* address of the function */
	int32_t depth;			/* depth of the call, limited to 0 to
					 * GRAPH_DEPTH_MAX */
	/* The members from @retaddr to @args are set only for the start of a function. */
	uint64_t retaddr;		/* return address of the call; 0 if it was not
					 * recorded */
	bool has_args;
	uint64_t args[ARCH_ARG_REGS];
	/* The next members are set only for the end of a function. */
	uint32_t overrun;
	uint64_t retval;
	bool has_retval;
	uint64_t duration_ns;
};

static void load_call(const struct merge_record *record, uint32_t off, void *to,
		      size_t bytes)
{
	memcpy(to, record->data + off, bytes);
}

/* Read the data that options add to the record of a function's start: the return address
 * and the arguments. */
static void read_more(const struct merge_record *record, uint16_t type,
		      struct call *call)
{
	uint32_t at = ARGS_OFFSET;

	if (type == ABI_EVENT_ID_GRAPH_RETADDR) {
		load_call(record, at, &call->retaddr, sizeof(call->retaddr));
		at += sizeof(call->retaddr);
	}
	call->has_args = record->bytes >= at + sizeof(call->args);
	if (call->has_args)
		load_call(record, at, call->args, sizeof(call->args));
}

/* Return the minimum size of a record of type @type, bytes.  Returns 0 if the type is not
 * one of the graph tracer's. */
static uint32_t call_bytes(uint16_t type)
{
	switch (type) {
	case ABI_EVENT_ID_GRAPH_EXIT:
		return EXIT_BYTES;
	case ABI_EVENT_ID_GRAPH_ENTRY:
		return ENTRY_BYTES;
	case ABI_EVENT_ID_GRAPH_RETADDR:
		return RETADDR_BYTES;
	default:
		return 0;
	}
}

static void read_marks(const struct merge_record *record, struct call *call)
{
	uint32_t at = call->is_end ? EXIT_BYTES : ENTRY_BYTES;
	uint32_t marks = 0;

	if (record->bytes >= at + MARKS_BYTES)
		load_call(record, at, &marks, MARKS_BYTES);
	call->is_handler = marks & ABI_GRAPH_HANDLER;
	call->has_retval = !(marks & ABI_GRAPH_TAIL);
}

/* Read a record of the graph tracer into *@ret_call.  Returns false if @record is another record,
 * or is too short. */
static bool read_call(const struct merge_record *record, struct call *ret_call)
{
	uint64_t start_ns, end_ns;
	struct entry entry = entry_of(record);
	uint32_t bytes = call_bytes(entry.type);
	struct call call = {
		.is_end = entry.type == ABI_EVENT_ID_GRAPH_EXIT,
		.is_in_handler = entry.flags & ABI_FLAG_HANDLER,
		.pid = entry.pid,
	};

	if (!bytes || record->bytes < bytes)
		return false;
	load_call(record, 8, &call.func, 8);
	load_call(record, call.is_end ? 24 : 16, &call.depth, 4);
	if (call.is_end) {
		load_call(record, 16, &call.retval, 8);
		load_call(record, 28, &call.overrun, 4);
		load_call(record, 32, &start_ns, 8);
		load_call(record, 40, &end_ns, 8);
		call.duration_ns = end_ns - start_ns;
	} else {
		read_more(record, entry.type, &call);
	}
	read_marks(record, &call);
	if (call.depth < 0)
		call.depth = 0;
	if (call.depth > GRAPH_DEPTH_MAX)
		call.depth = GRAPH_DEPTH_MAX;
	*ret_call = call;
	return true;
}

/* Return true if records of type @type are printed in the usual way, and not as the graph
 * tracer prints records. */
static bool is_foreign(uint16_t type)
{
	return type == ABI_EVENT_ID_FUNCTION || type == ABI_EVENT_ID_STACK;
}

/*
 * Return true if @start is the start of a leaf, and store the leaf's end in *@ret_end.  The
 * depths must be equal, too: a function may call itself, and after a longjmp() the inner call has
 * no end.
 */
static bool read_leaf(const struct call *start, const struct line_place *place,
		      struct call *ret_end)
{
	return place->second && !start->is_end &&
	       read_call(place->second, ret_end) && ret_end->is_end &&
	       ret_end->pid == start->pid && ret_end->func == start->func &&
	       ret_end->depth == start->depth;
}

bool graph_is_call(const struct merge_record *record, bool *ret_is_end)
{
	struct call call;

	if (!read_call(record, &call))
		return false;
	*ret_is_end = call.is_end;
	return true;
}

bool graph_is_leaf(const struct merge_record *record, const struct line_place *place)
{
	struct call call, end;

	return place->second && read_call(record, &call) &&
	       read_leaf(&call, place, &end);
}

bool graph_leaves_out(const struct merge_record *record, uint64_t options)
{
	struct call call;

	return !(options & OPTION_GRAPH_IRQS) && read_call(record, &call) &&
	       call.is_in_handler;
}

void graph_note(const struct merge_record *record, const struct line_place *place)
{
	struct graph_cpu *graph = place->state;
	struct entry entry = entry_of(record);
	struct call call, end;
	int32_t depth;
	bool is_open;

	if (place->is_left_out)
		return;
	if (!is_foreign(entry.type))
		graph->pid = entry.pid;
	if (!read_call(record, &call))
		return;
	is_open = !call.is_end && !read_leaf(&call, place, &end);
	graph->leaf = !call.is_end && !is_open ? call.func : 0;
	depth = call.depth;
	graph->depth = is_open ? depth : depth - 1;
	if (depth < GRAPH_DEPTH_MAX)
		graph->funcs[depth] = is_open ? call.func : 0;
}

/* ---- functions that print the columns before the function ---- */

static void print_func(const struct line *line, uint64_t func, struct text *out)
{
	if (line->source->names->symbol(line, func, PRINT_SYMBOL_NAME, out))
		text_printf(out, "0x%" PRIx64, func);
}

static void print_cpu(const struct line *line, struct text *out)
{
	int width = 1;

	for (uint32_t n = line->source->nr_cpus; n > 10; n = (n + 9) / 10)
		width++;
	text_printf(out, " %*" PRIu32 ") ", width, line->record->cpu);
}

static void print_task(const struct line *line, int32_t pid, struct text *out)
{
	char task[TASK_WIDTH + 8];
	int len = snprintf(task, sizeof(task), "%.*s-%" PRId32, COMM_WIDTH,
			   line->source->names->comm(line->source->ctx, pid), pid);
	int padding = len < TASK_WIDTH ? TASK_WIDTH - len : 0;
	size_t start = out->len;

	text_printf(out, "%*s%s%*s", padding / 2, "", task, padding - padding / 2, "");
	text_one_line(out, start);
}

/* If the last record of this CPU was of another thread, print the change of thread as `a
 * => b`. */
static void print_switch(const struct line *line, struct text *out)
{
	static const char rule[] =
		" ------------------------------------------\n";
	const struct graph_cpu *graph = line->place->state;

	if (!graph || !graph->pid || graph->pid == line->entry.pid)
		return;
	text_puts(out, rule);
	print_cpu(line, out);
	print_task(line, graph->pid, out);
	text_puts(out, " => ");
	print_task(line, line->entry.pid, out);
	text_printf(out, "\n%s\n", rule);
}

static void print_context(const struct line *line, struct text *out)
{
	uint64_t options = line->options;
	uint64_t us = line->record->time / 1000;

	if (!(options & OPTION_CONTEXT_INFO))
		return;
	if (options & OPTION_GRAPH_ABSTIME)
		text_printf(out, "%5" PRIu64 ".%06" PRIu64 " |  ", us / 1000000,
			    us % 1000000);
	if (options & OPTION_GRAPH_CPU)
		print_cpu(line, out);
	if (options & OPTION_GRAPH_PROC) {
		print_task(line, line->entry.pid, out);
		text_puts(out, " | ");
	}
	if (options & OPTION_LATENCY_FMT) {
		text_putc(out, ' ');
		context_print_flags(line, out);
		text_puts(out, " | ");
	}
}

static bool has_durations(const struct line *line)
{
	return (line->options & OPTION_GRAPH_DURATION) &&
	       (line->options & OPTION_CONTEXT_INFO);
}

void graph_print_us(uint64_t ns, struct text *out)
{
	char digits[4], number[32];
	int len;

	snprintf(digits, sizeof(digits), "%03u", (unsigned int)(ns % 1000));
	len = snprintf(number, sizeof(number), "%" PRIu64, ns / 1000);
	if (len < NUMBER_WIDTH - 1)
		snprintf(number + len, sizeof(number) - (size_t)len, ".%.*s",
			 NUMBER_WIDTH - 1 - len, digits);
	len = (int)strlen(number);
	text_printf(out, "%s us %*s", number,
		    len < NUMBER_WIDTH ? NUMBER_WIDTH - len : 0, "");
}

static void print_duration(const struct line *line, uint64_t ns, struct text *out)
{
	if (!has_durations(line))
		return;
	text_printf(out, "%c ",
		    line->options & OPTION_GRAPH_OVERHEAD ? context_mark(ns) : ' ');
	graph_print_us(ns, out);
	text_puts(out, "|  ");
}

static void print_no_duration(const struct line *line, struct text *out)
{
	if (has_durations(line))
		text_puts(out, NO_DURATION);
}

/* Print a line for the start or the end of a signal handler.  The arrow is in the column of
 * durations. */
static void print_arrow(const struct line *line, const char *arrow, struct text *out)
{
	bool has_column = has_durations(line);

	print_context(line, out);
	text_printf(out, "%s%s%s\n", has_column ? "  " : "", arrow, has_column ? " |" : "");
}

static void print_indent(int32_t depth, struct text *out)
{
	text_fill(out, ' ', 2 * (size_t)depth);
}

/* ---- functions that print starts and ends of functions ---- */

/* Print the return value as " = 0x12".  A value from -4095 to -1, which looks like an
 * errno, is printed as a decimal number: " = -2". */
static void print_retval(const struct line *line, const struct call *end, struct text *out)
{
	uint64_t value = end->retval;
	uint64_t error = value >> 31 == 1 ? (uint64_t)(int32_t)value : value;

	if (!end->has_retval)
		text_puts(out, " = ?");
	else if (!(line->options & OPTION_GRAPH_RETVAL_HEX) && error >= (uint64_t)-4095)
		text_printf(out, " = %" PRId64, (int64_t)error);
	else
		text_printf(out, " = 0x%" PRIx64, value);
}

static void print_start_of(const struct line *line, const struct call *call,
			   struct text *out)
{
	size_t name;

	print_indent(call->depth, out);
	name = out->len;
	print_func(line, call->func, out);
	/* Add no parentheses to a demangled C++ name that already has some. */
	if (call->has_args)
		args_print(line, call->func, call->args, out);
	else if (out->len == name || !memchr(out->data + name, '(', out->len - name))
		text_puts(out, "()");
}

/* Print the return address, and the return value unless @end is NULL, as a C comment
 * after the call.  Each of these values is printed only if its option is set. */
static void print_remark(const struct line *line, const struct call *call,
			 const struct call *end, struct text *out)
{
	bool has_retaddr = (line->options & OPTION_GRAPH_RETADDR) && call->retaddr;
	bool has_retval = (line->options & OPTION_GRAPH_RETVAL) && end;
	struct line with_offset = *line;

	if (!has_retaddr && !has_retval)
		return;
	text_puts(out, " /*");
	if (has_retaddr) {
		with_offset.options |= OPTION_SYM_OFFSET;
		text_puts(out, " <-");
		ip_print(&with_offset, call->retaddr, true, out);
	}
	if (has_retval)
		print_retval(line, end, out);
	text_puts(out, " */");
}

static void print_start(const struct line *line, const struct call *call,
			struct text *out)
{
	print_no_duration(line, out);
	print_start_of(line, call, out);
	text_puts(out, " {");
	print_remark(line, call, NULL, out);
	text_putc(out, '\n');
}

static void print_leaf(const struct line *line, const struct call *call,
		       const struct call *end, struct text *out)
{
	print_duration(line, end->duration_ns, out);
	print_start_of(line, call, out);
	text_putc(out, ';');
	print_remark(line, call, end, out);
	text_putc(out, '\n');
}

/*
 * Return true if the `}' at a function's end needs a comment with the function's name.
 * This is so if an option requires the comment, or if the last start that was printed at
 * this depth is the start of another function.
 */
static bool is_named(const struct line *line, const struct call *end)
{
	const struct graph_cpu *graph = line->place->state;

	return (line->options & (OPTION_GRAPH_TAIL | OPTION_GRAPH_RETVAL)) ||
	       (graph && end->depth < GRAPH_DEPTH_MAX &&
		graph->funcs[end->depth] != end->func);
}

static void print_end(const struct line *line, const struct call *end,
		      struct text *out)
{
	print_duration(line, end->duration_ns, out);
	print_indent(end->depth, out);
	text_putc(out, '}');
	if (is_named(line, end)) {
		text_puts(out, " /* ");
		print_func(line, end->func, out);
		if (line->options & OPTION_GRAPH_RETVAL)
			print_retval(line, end, out);
		text_puts(out, " */");
	}
	text_putc(out, '\n');
	if (line->options & OPTION_GRAPH_OVERRUN)
		text_printf(out, " (Overruns: %" PRIu32 ")\n", end->overrun);
}

static bool was_leaf(const struct line *line, const struct call *call)
{
	const struct graph_cpu *graph = line->place->state;

	return graph && call->is_end && graph->leaf == call->func &&
	       graph->leaf && graph->pid == call->pid;
}

static void print_call(const struct line *line, const struct call *call,
		       struct text *out)
{
	struct call end;
	bool is_leaf = read_leaf(call, line->place, &end);

	if (line->place->is_left_out || was_leaf(line, call))
		return;
	print_switch(line, out);
	if (call->is_handler && !call->is_end)
		print_arrow(line, HANDLER_START, out);
	print_context(line, out);
	if (call->is_end)
		print_end(line, call, out);
	else if (is_leaf)
		print_leaf(line, call, &end, out);
	else
		print_start(line, call, out);
	if (is_leaf ? end.is_handler : call->is_end && call->is_handler)
		print_arrow(line, HANDLER_END, out);
}

static void print_comment(const struct line *line, struct text *out)
{
	const struct graph_cpu *graph = line->place->state;

	print_switch(line, out);
	print_context(line, out);
	print_no_duration(line, out);
	if (graph->depth > 0)
		print_indent(graph->depth + 1, out);
	text_puts(out, "/* ");
	line_print_message(line, out);
	if (out->len && out->data[out->len - 1] == '\n')
		out->len--;
	text_puts(out, " */\n");
}

void graph_print(const struct line *line, struct text *out)
{
	struct call call;

	if (read_call(line->record, &call))
		print_call(line, &call, out);
	else
		text_puts(out, "[a function cut short]\n");
}

bool graph_print_line(const struct line *line, struct text *out)
{
	struct call call;

	if (is_foreign(line->entry.type))
		return false;
	if (read_call(line->record, &call))
		print_call(line, &call, out);
	else
		print_comment(line, out);
	return true;
}
