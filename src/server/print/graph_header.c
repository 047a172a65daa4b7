/* SPDX-License-Identifier: MIT */
/* Print the heads of the function_graph tracer's columns. */
#include "base/bits.h"
#include "base/text.h"
#include "event/option.h"
#include "server/print/graph.h"

/* The columns that precede a function's name in a line.  A column whose option is off is
 * not printed. */
static const struct column {
	uint64_t option;
	const char *name, *mark;
} columns[] = {
	{ OPTION_GRAPH_ABSTIME, "     TIME       ", "      |         " },
	{ OPTION_GRAPH_CPU, " CPU", " |  " },
	{ OPTION_GRAPH_PROC, "  TASK/PID       ", "   |    |        " },
	{ OPTION_LATENCY_FMT, "||||   ", "||||   " },
	{ OPTION_GRAPH_DURATION, "  DURATION   ", "   |   |      " },
};

static void print_flags_legend(uint64_t options, struct text *out)
{
	static const char *const lines[] = {
		"  _-----=> irqs-off        ",
		" / _----=> need-resched    ",
		"| / _---=> hardirq/softirq ",
		"|| / _--=> preempt-depth   ",
		"||| /                      ",
	};
	size_t width = 0;

	for (size_t i = 0; columns[i].option != OPTION_LATENCY_FMT; i++)
		if (options & columns[i].option)
			width += strlen(columns[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		text_printf(out, "#%*s%s\n", (int)width, "", lines[i]);
}

void graph_print_header(uint64_t options, struct text *out)
{
	if (options & OPTION_LATENCY_FMT)
		print_flags_legend(options, out);
	text_putc(out, '#');
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (options & columns[i].option)
			text_puts(out, columns[i].name);
	text_puts(out, "               FUNCTION CALLS\n#");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (options & columns[i].option)
			text_puts(out, columns[i].mark);
	text_puts(out, "               |   |   |   |\n");
}
