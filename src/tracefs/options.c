/* SPDX-License-Identifier: MIT */
/* The file trace_options, and the files in options/, one file per option. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "server/core/error_log.h"
#include "server/core/option_bits.h"
#include "server/functions/function_need.h"
#include "server/print/tracer.h"
#include "server/rings/options.h"
#include "server/usdt/usdt.h"
#include "tracefs/files.h"

#define WRITE_MAX	63		/* maximum length of a write to trace_options, as
					 * in the kernel, bytes */

/* Return true if @instance has the option of @row.  Options of a tracer exist only in
 * instances that use this tracer. */
static bool is_listed(const struct instance *instance,
		      const struct option_row *row)
{
	return row->tracer == TRACER_NOP ||
	       row->tracer == instance_tracer_number(instance);
}

int trace_options_show(struct tracefs_node *node, struct text *out)
{
	const struct instance *instance = tracefs_instance(node);
	uint64_t options = instance_options(instance);

	for (size_t i = 0; i < option_table_rows; i++)
		if (is_listed(instance, &option_table[i]))
			text_printf(out, "%s%s\n",
				    options & option_table[i].bit ? "" : "no",
				    option_table[i].name);
	return 0;
}

/* Set or clear an option.  After -ERESTART the option has its new value, but the caller
 * must call again later, because files are being parsed for the option. */
static int set_option(struct tracefs_file *file, uint64_t bit, bool is_on)
{
	struct instance *instance = tracefs_instance(file->node);
	int r = 0;

	if (bit & OPTION_OVERWRITE && !is_on && instance_tracer(instance)->is_latency) {
		error_log_add(instance, file->def->name,
			      "A latency tracer needs the option overwrite", "overwrite", 0);
		return -EINVAL;
	}
	instance_set_option(instance, bit, is_on);
	if (bit & OPTION_FUNCTIONS)
		r = functions_option_changed(instance);
	if (bit & OPTION_EVENTS)
		r = usdt_option_changed(instance);
	if (r && r != -ERESTART)
		instance_set_option(instance, bit, !is_on);
	if (!r && bit & OPTION_PROGRAM)	/* the program itself acts on this option, so
					 * processes must apply it */
		tracefs_file_apply(file);
	return r;
}

/* Write to error_log why the option @name was refused.  @row: the option with this name,
 * if it belongs to a tracer that is not in use; NULL if there is no such option. */
static void log_option(struct tracefs_file *file, const char *name,
		       const struct option_row *row)
{
	char negated[WRITE_MAX + 1];
	struct nearest near;

	nearest_init(&near, name, strlen(name));
	for (size_t i = 0; !row && i < option_table_rows; i++) {
		if (!is_listed(tracefs_instance(file->node), &option_table[i]))
			continue;
		snprintf(negated, sizeof(negated), "no%s", option_table[i].name);
		nearest_offer(&near, option_table[i].name);
		nearest_offer(&near, negated);
	}
	error_log_add_near(tracefs_instance(file->node), file->def->name,
			   row ? "Option of a tracer that is not in current_tracer" :
				 "Option not found",
			   name, 0, nearest_name(&near));
}

ssize_t trace_options_store(struct tracefs_file *file, const char *buf, size_t size,
			    pid_t tid)
{
	char text[WRITE_MAX + 1];
	const struct option_row *row;
	const char *name;
	bool is_on;
	int r;

	(void)tid;
	if (size > WRITE_MAX)
		return -EINVAL;
	name = tracefs_trim(buf, size, text, sizeof(text));
	is_on = strncmp(name, "no", 2) != 0;
	row = option_find(is_on ? name : name + 2);
	if (!row || !is_listed(tracefs_instance(file->node), row)) {
		log_option(file, name, row);
		return -EINVAL;
	}
	r = set_option(file, row->bit, is_on);
	return r ? r : (ssize_t)size;
}

/* Return the bit of the option that belongs to the file options/NAME. */
static uint64_t bit_of(const struct tracefs_node *node)
{
	return option_find(node->def->name)->bit;
}

int option_show(struct tracefs_node *node, struct text *out)
{
	text_puts(out, instance_options(tracefs_instance(node)) & bit_of(node) ?
		  "1\n" : "0\n");
	return 0;
}

ssize_t option_store(struct tracefs_file *file, const char *buf, size_t size,
		     pid_t tid)
{
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	(void)tid;
	if (r)
		return r;
	if (value > 1)
		return -EINVAL;
	r = set_option(file, bit_of(file->node), value);
	return r ? r : (ssize_t)size;
}
