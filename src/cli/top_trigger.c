/* SPDX-License-Identifier: MIT */
/* ulf top: set, read and remove the trigger of the histogram; see top.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/life.h"
#include "cli/top.h"
#include "cli/tree_write.h"

#define NAME_PREFIX	"ulf_top_"
#define SUB_BUCKETS	4		/* value N for .log2=N: 2^N = 16 buckets for each
					 * power of 2 */
#define SIZE_PLAIN	2048u		/* entries without buckets */
#define SIZE_RANGES	16384u		/* default number of entries of a table whose key has
					 * buckets: each group needs some 50 entries */

/* ---- connection ---- */

/* Connect again if @error says that the server has ended.  Starts a server if none runs.  The
 * new server finds the histogram in the root. */
static bool reconnect_server(struct top_trigger *trigger, int error)
{
	if (error != -EPIPE)
		return false;
	conn_close(trigger->conn);
	return conn_open(trigger->conn, CONN_START) == 0;
}

static int read_event_file(struct top_trigger *trigger, const char *name, struct text *ret_text)
{
	char *path = event_path_file(trigger->event, name);
	int ret;

	text_init(ret_text, 0);
	if (!path)
		return -ENOMEM;
	ret = conn_file_text(trigger->conn, path, ret_text);
	if (ret < 0 && reconnect_server(trigger, ret)) {
		text_done(ret_text);
		ret = conn_file_text(trigger->conn, path, ret_text);
	}
	if (ret < 0)
		root_path_error(path, ret);
	free(path);
	return ret;
}

/* Append a line to the event's file `trigger`: "@prefix@text@suffix if @filter". */
static int write_trigger(struct top_trigger *trigger, const char *prefix, const char *text,
			 const char *suffix, const char *filter, bool is_loud)
{
	char *path = event_path_file(trigger->event, "trigger"), *line = NULL;
	struct tree_write write;
	int ret;

	if (!path || asprintf(&line, "%s%s%s%s%s\n", prefix, text, suffix, filter ? " if " : "",
			      filter ? filter : "") < 0) {
		free(path);
		return -ENOMEM;
	}
	tree_write_init(&write, path, line, O_APPEND);
	ret = tree_write(trigger->conn, &write);
	if (ret < 0 && reconnect_server(trigger, ret))
		ret = tree_write(trigger->conn, &write);
	if (ret < 0 && is_loud)
		tree_write_error(&write, ret);
	tree_write_done(&write);
	free(line);
	free(path);
	return ret;
}

/* ---- make the text of the trigger ---- */

/* Returns the inode number of this process's pid namespace; 0 if it is not known. */
static unsigned long long pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 ? 0 : (unsigned long long)st.st_ino;
}

/* Returns the number of fields in KEY, which are separated by commas. */
static unsigned int count_fields(const char *key)
{
	unsigned int nr = 1;

	for (; *key; key++)
		nr += *key == ',';
	return nr;
}

/* Return true if @field is a field with buckets: "NAME.log2", "NAME.log2=N" or
 * "NAME.buckets=N". */
static bool is_range(const char *field)
{
	const char *dot = strchr(field, '.');

	return dot && (!strncmp(dot, ".log2", 5) || !strncmp(dot, ".bucket", 7));
}

/* Set has_range, and the name of the field with buckets, which is the last field of the key,
 * or VALUE. */
static int set_range(struct top_trigger *trigger, const char *field, bool is_last)
{
	trigger->has_range = true;
	trigger->is_range_only = is_last;
	trigger->range_label = strndup(field, strcspn(field, "."));
	return trigger->range_label ? 0 : -ENOMEM;
}

/*
 * Make the text of the trigger.  Quantiles need small buckets, so .log2 becomes .log2=4.
 * VALUE also becomes the last field of the key, if a key can have one more field.
 */
static int make_text(struct top_trigger *trigger, const char *key, const char *value,
		     unsigned int size)
{
	const char *last = strrchr(key, ',') ? strrchr(key, ',') + 1 : key;
	size_t len = strlen(last);
	bool is_log2 = len > 5 && !strcmp(last + len - 5, ".log2");
	char buckets[256] = "";
	int ret = 0;

	if (is_range(last)) {
		ret = set_range(trigger, last, last == key);
	} else if (value && count_fields(key) < HIST_TEXT_KEYS) {
		snprintf(buckets, sizeof(buckets), ",%.200s.log2=%d", value, SUB_BUCKETS);
		ret = set_range(trigger, value, false);
		trigger->has_means = true;
	}
	if (!size)
		size = trigger->has_range ? SIZE_RANGES : SIZE_PLAIN;
	if (!ret && asprintf(&trigger->text, "hist:name=%s:keys=%s%s%s:vals=hitcount%s%s:size=%u",
			     trigger->name, key, is_log2 ? "=4" : "", buckets, value ? "," : "",
			     value ? value : "", size) < 0)
		ret = -ENOMEM;
	return ret;
}

/* ---- leftovers ---- */

/* Return true if the histogram was left by a process of `ulf top` that has ended.  Returns
 * false for a process of another pid namespace, about which nothing is known. */
static bool is_leftover(const struct hist_block *block)
{
	struct span rest = block->name, pid_span;
	uint64_t pid, namespace;

	if (!span_starts(rest, NAME_PREFIX))
		return false;
	rest = span_after(rest, strlen(NAME_PREFIX));
	pid_span = span_cut(&rest, '_');
	return span_number(pid_span, 10, &pid) && span_number(rest, 10, &namespace) &&
	       namespace && namespace == pid_namespace() && pid && pid < INT32_MAX &&
	       life_has_ended((int)pid);
}

static void remove_leftovers(struct top_trigger *trigger, const struct hist_text *hist)
{
	for (uint32_t i = 0; i < hist->nr; i++) {
		const struct hist_block *block = &hist->blocks[i];
		char *text, *filter;

		if (!is_leftover(block))
			continue;
		text = strndup(block->trigger.at, block->trigger.len);
		filter = block->filter.at ? strndup(block->filter.at, block->filter.len) : NULL;
		if (text)
			write_trigger(trigger, "!", text, "", filter, false);
		free(text);
		free(filter);
	}
}

/* ---- set, read and remove the trigger ---- */

/* Print the fields of the event, because the server has refused the trigger. */
static void report_fields(struct top_trigger *trigger)
{
	struct text format, names;
	char *rest, *line;

	if (read_event_file(trigger, "format", &format) < 0) {
		text_done(&format);
		return;
	}
	text_init(&names, 1 << 16);
	for (rest = (char *)text_str(&format); (line = strsep(&rest, "\n"));) {
		char *end = strchr(line, ';'), *name;

		if (strncmp(line, "\tfield:", 7) || !end)
			continue;
		*end = '\0';
		name = strrchr(line, ' ');
		if (name)
			text_printf(&names, " %.*s", (int)strcspn(name + 1, "["), name + 1);
	}
	cli_error("fields of %s:%s; also common_cpu, common_stacktrace", trigger->event->name,
		  text_str(&names));
	text_done(&names);
	text_done(&format);
}

/* Return the histogram of @trigger, which is found by its name, or NULL. */
static const struct hist_block *find_own(const struct top_trigger *trigger,
					 const struct hist_text *hist)
{
	for (uint32_t i = 0; i < hist->nr; i++) {
		if (span_is(hist->blocks[i].name, trigger->name))
			return &hist->blocks[i];
	}
	return NULL;
}

/* Read and parse the event's file `hist`.  Prints errors. */
static int read_hist(struct top_trigger *trigger, struct text *ret_text,
		     struct hist_text *ret_hist)
{
	unsigned int line;
	int ret;

	*ret_hist = (struct hist_text){ NULL, 0 };
	ret = read_event_file(trigger, "hist", ret_text);
	if (ret < 0)
		return ret;
	ret = hist_text_parse(text_str(ret_text), ret_hist, &line);
	if (ret == -EBADMSG)
		cli_error("%s/hist: line %u cannot be parsed; a string of the program may contain "
			  "what separates fields", trigger->event->dir, line);
	else if (ret < 0)
		cli_error("%s/hist: %s", trigger->event->dir, strerror(-ret));
	return ret;
}

int top_trigger_set(struct top_trigger *trigger, const char *key, const char *value,
		    unsigned int size)
{
	struct hist_text hist;
	struct text text;
	int ret;

	trigger->has_value = value;
	if (asprintf(&trigger->name, NAME_PREFIX "%d_%llu", getpid(), pid_namespace()) < 0) {
		trigger->name = NULL;
		return -ENOMEM;
	}
	ret = make_text(trigger, key, value, size);
	if (ret < 0)
		return ret;
	ret = read_hist(trigger, &text, &hist);
	if (!ret)
		remove_leftovers(trigger, &hist);
	hist_text_done(&hist);
	text_done(&text);
	if (ret < 0 && ret != -EBADMSG)
		return ret;
	ret = write_trigger(trigger, "", trigger->text, "", trigger->filter, true);
	trigger->is_set = !ret;
	if (ret == -EINVAL)
		report_fields(trigger);
	return ret;
}

const struct hist_block *top_trigger_read(struct top_trigger *trigger, struct text *ret_text,
					  struct hist_text *ret_hist)
{
	const struct hist_block *block;
	struct text format;

	if (read_hist(trigger, ret_text, ret_hist) < 0)
		return NULL;
	block = find_own(trigger, ret_hist);
	if (!block) {
		cli_error("%s: somebody has removed the histogram %s", trigger->event->dir,
			  trigger->name);
		trigger->is_set = false;
		return NULL;
	}
	if (!read_event_file(trigger, "format", &format))
		hist_text_set_format(ret_hist, text_str(&format));
	text_done(&format);
	return block;
}

int top_trigger_clear(struct top_trigger *trigger)
{
	return write_trigger(trigger, "", trigger->text, ":clear", trigger->filter, true);
}

void top_trigger_remove(struct top_trigger *trigger)
{
	int ret = 0;

	if (trigger->is_set)
		ret = write_trigger(trigger, "!", trigger->text, "", trigger->filter, false);
	if (ret < 0 && ret != -ENOENT && ret != -ENODEV)
		cli_error("%s: the histogram could not be removed: %s; remove it with "
			  "`ulf echo -a '!%s' %s/trigger`", trigger->event->dir, strerror(-ret),
			  trigger->text, trigger->event->dir);
	free(trigger->name);
	free(trigger->text);
	free(trigger->range_label);
	trigger->is_set = false;
}
