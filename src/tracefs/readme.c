/* SPDX-License-Identifier: MIT */
/* The file README.  Its text is made from the rows of the tables of files, tracers,
 * triggers and clocks. */
#include "tracefs/files.h"

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
		if (def->put_help)
			def->put_help(out);
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
