/* SPDX-License-Identifier: MIT */
/* Files to be read: printk_formats, saved_cmdlines(_size), saved_tgids,
 * timestamp_mode, README. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "event/clock.h"
#include "server/names/comm.h"
#include "server/rules/triggers.h"
#include "server/names/printk.h"
#include "tracefs/files.h"

#define SAVED_CMDLINES_MAX	32768	/* the kernel's */

static void put_comm(void *arg, uint32_t tid, uint32_t tgid, const char *name)
{
	struct text *out = arg;
	size_t start = out->len;

	(void)tgid;
	if (!*name)
		return;
	text_printf(out, "%" PRIu32 " %s", tid, name);
	text_one_line(out, start);
	text_putc(out, '\n');
}

static void put_tgid(void *arg, uint32_t tid, uint32_t tgid, const char *name)
{
	(void)name;
	text_printf(arg, "%" PRIu32 " %" PRIu32 "\n", tid, tgid);
}

int saved_cmdlines_show(struct tracefs_node *node, struct text *out)
{
	return comms_list(node->root, put_comm, out);
}

/*
 * The table is as large as it ever gets.  As in the kernel what is asked for is
 * made room for at least, so whatever it has room for is granted.
 */
int saved_cmdlines_size_show(struct tracefs_node *node, struct text *out)
{
	(void)node;
	text_printf(out, "%u\n", ABI_COMMS);
	return 0;
}

ssize_t saved_cmdlines_size_store(struct tracefs_file *file, const char *buf,
				  size_t size, pid_t tid)
{
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)file;
	(void)tid;
	if (r)
		return r;
	if (!value || value > SAVED_CMDLINES_MAX)
		return -EINVAL;
	return value > ABI_COMMS ? -ENOMEM : (ssize_t)size;
}

int saved_tgids_show(struct tracefs_node *node, struct text *out)
{
	return comms_list(node->root, put_tgid, out);
}

static void put_format(void *arg, uint64_t addr, const char *text)
{
	text_printf(arg, "0x%" PRIx64 " : \"", addr);
	for (; *text; text++) {
		switch (*text) {
		case '\n':
			text_puts(arg, "\\n");
			break;
		case '\t':
			text_puts(arg, "\\t");
			break;
		case '"':
			text_puts(arg, "\\\"");
			break;
		default:
			text_putc(arg, *text);
		}
	}
	text_puts(arg, "\"\n");
}

int printk_formats_show(struct tracefs_node *node, struct text *out)
{
	int r = printk_list(node->root, put_format, out);

	return r ? r : printk_list_strings(node->root, put_format, out);
}

/* A record holds the time since the one before it, always. */
int timestamp_mode_show(struct tracefs_node *node, struct text *out)
{
	(void)node;
	text_puts(out, "[delta] absolute\n");
	return 0;
}

/* The commands of an event, or of a function. */
static void put_commands(struct text *out, bool is_function)
{
	for (uint32_t i = 0; i < nr_trigger_cmds; i++)
		if (is_function || !trigger_cmds[i].is_function_only)
			text_printf(out, "\t\t\t  %s%s: %s\n",
				    trigger_cmds[i].name,
				    trigger_cmds[i].has_target ?
				    ":SYSTEM:EVENT" : "", trigger_cmds[i].help);
}

static void put_dir(const struct tracefs_dir *dir, const char *path,
		    struct text *out)
{
	for (size_t i = 0; i < dir->nr_defs; i++) {
		const struct tracefs_def *def = &dir->defs[i];

		if (!def->help)
			continue;
		text_printf(out, "  %s%s%s%s\n\t\t\t- %s\n", path, def->name,
			    def->is_per_cpu ? "<n>" : "", def->dir ? "/" : "",
			    def->help);
		if (def->show == trigger_show || !strcmp(def->name, "set_ftrace_filter"))
			put_commands(out, def->show != trigger_show);
		if (def->show != trace_clock_show)
			continue;
		for (size_t nth = 0; nth < clock_table_rows; nth++)
			text_printf(out, "\t\t\t  %s: %s\n", clock_nth(nth)->name,
				    clock_nth(nth)->help);
	}
}

int readme_show(struct tracefs_node *node, struct text *out)
{
	(void)node;
	text_puts(out,
		  "ulf: the events of this program, its children included\n"
		  "\n"
		  "  echo 1 > events/enable   record every event from now on\n"
		  "  cat trace                look at what was recorded\n"
		  "  cat trace_pipe           watch, until interrupted\n"
		  "  echo 0 > tracing_on      stop recording, keep what there is\n"
		  "  echo > trace             forget what was recorded\n"
		  "\n"
		  "Files:\n");
	put_dir(&root_dir, "", out);
	put_dir(&options_dir, "options/", out);
	put_dir(&events_dir, "events/", out);
	put_dir(&system_dir, "events/<system>/", out);
	put_dir(&event_dir, "events/<system>/<event>/", out);
	put_dir(&ftrace_print_dir, "events/ftrace/print/", out);
	put_dir(&cpu_dir, "per_cpu/cpu<n>/", out);
	put_dir(&trace_stat_dir, "trace_stat/", out);
	return 0;
}
