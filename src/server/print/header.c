/* SPDX-License-Identifier: MIT */
/* Print the header of the files `trace` and `snapshot`. */
#include <inttypes.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "server/core/option_bits.h"
#include "server/print/latency.h"
#include "server/print/line.h"
#include "server/print/tracer.h"
#include "server/rings/rings.h"

#define INDENT		30		/* number of columns before the text that explains
					 * the flags */
#define TGID_BYTES	10		/* width of the column TGID (id of the process),
					 * in characters */

/* Print the header of latency-format, with the longest latency of @instance; with 0 if no latency
 * tracer is in use. */
static void print_latency(const struct instance *instance, const struct ring_stats *stats,
			  struct text *out)
{
	struct latency latency = { .task = "-0 (uid:0 nice:0 policy:0 rt_prio:0)" };
	struct utsname system;

	if (instance_tracer(instance)->is_latency)
		latency_get(instance, &latency);

	if (uname(&system))
		system.release[0] = '\0';
	text_printf(out,
		    "# %s latency trace v1.1.5 on %s\n"
		    "# --------------------------------------------------------------------\n"
		    "# latency: %" PRIu64 " us, #%" PRIu64 "/%" PRIu64 ", CPU#%" PRIu32 " |"
		    " (M:PREEMPT VP:0, KP:0, SP:0 HP:0 #P:%ld)\n"
		    "#    -----------------\n"
		    "#    | task: %s\n"
		    "#    -----------------\n"
		    "#\n",
		    instance_tracer_name(instance), system.release, latency.us, stats->entries,
		    stats->entries + stats->overrun, latency.cpu,
		    sysconf(_SC_NPROCESSORS_ONLN), latency.task);
}

static void print_latency_columns(struct text *out)
{
	text_puts(out,
		  "#                    _------=> CPU#            \n"
		  "#                   / _-----=> irqs-off/BH-disabled\n"
		  "#                  | / _----=> need-resched    \n"
		  "#                  || / _---=> hardirq/softirq \n"
		  "#                  ||| / _--=> preempt-depth   \n"
		  "#                  |||| / _-=> migrate-disable \n"
		  "#                  ||||| /     delay           \n"
		  "#  cmd     pid     |||||| time  |   caller     \n"
		  "#     \\   /        ||||||  \\    |    /       \n");
}

static void print_flags_legend(bool has_tgid, struct text *out)
{
	static const char *const lines[] = {
		"  _-----=> irqs-off/BH-disabled",
		" / _----=> need-resched",
		"| / _---=> hardirq/softirq",
		"|| / _--=> preempt-depth",
		"||| / _-=> migrate-disable",
		"|||| /     delay",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		text_printf(out, "#%*s%s\n",
			    has_tgid ? INDENT + TGID_BYTES : INDENT, "", lines[i]);
}

static void print_columns(uint64_t options, struct text *out)
{
	bool has_tgid = options & OPTION_RECORD_TGID;
	bool has_flags = options & OPTION_IRQ_INFO;

	if (has_flags)
		print_flags_legend(has_tgid, out);
	text_printf(out, "#           TASK-PID%sCPU#%s  TIMESTAMP  FUNCTION\n",
		    has_tgid ? "       TGID    " : "     ",
		    has_flags ? "  |||||" : "   ");
	text_printf(out, "#              | |%s|%s     |         |\n",
		    has_tgid ? "           |       " : "         ",
		    has_flags ? "   |||||" : "    ");
}

static void print_title(const char *tracer, struct text *out)
{
	text_printf(out, "# tracer: %s\n#\n", tracer);
}

void line_print_title(const struct instance *instance, struct text *out)
{
	print_title(instance_tracer_name(instance), out);
}

void line_print_heads(const struct line_heads *heads, struct text *out)
{
	print_title(heads->tracer_name, out);
	if (!(heads->options & OPTION_CONTEXT_INFO))
		return;
	if (heads->tracer->print_header) {
		heads->tracer->print_header(heads->options, out);
	} else if (!(heads->options & OPTION_VERBOSE)) {
		text_printf(out, "# entries-in-buffer/entries-written: %" PRIu64 "/%" PRIu64
			    "   #P:%ld\n#\n", heads->entries, heads->written, heads->cpus);
		print_columns(heads->options, out);
	}
}

void line_print_header(struct instance *instance, enum rings which,
		       struct text *out)
{
	const struct tracer *tracer = instance_tracer(instance);
	uint64_t options = instance_options(instance);
	struct ring_stats stats;

	instance_stats(instance, which, CPU_ALL, &stats);
	if (!(options & OPTION_LATENCY_FMT) || !(options & OPTION_CONTEXT_INFO)) {
		const struct line_heads heads = {
			.tracer = tracer, .tracer_name = instance_tracer_name(instance),
			.options = options, .entries = stats.entries,
			.written = stats.entries + stats.overrun,
			.cpus = sysconf(_SC_NPROCESSORS_ONLN),
		};

		line_print_heads(&heads, out);
		return;
	}
	line_print_title(instance, out);
	if (!stats.entries)
		return;
	print_latency(instance, &stats, out);
	if (tracer->print_header)
		tracer->print_header(options, out);
	else if (!(options & OPTION_VERBOSE))
		print_latency_columns(out);
}
