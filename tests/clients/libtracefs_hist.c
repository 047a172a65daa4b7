/* SPDX-License-Identifier: MIT */
/*
 * A client of libtracefs that makes histograms, synthetic events and event probes, run by
 * libtracefs_hist.sh under `ulf exec':
 *
 *   libtracefs_hist COMMAND
 *
 * COMMAND has the sample server kvd answer NR_GETS gets and NR_SETS sets.  Prints what the files
 * have then.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <tracefs/tracefs.h>

static const char *command;
static struct tep_handle *tep;

static void die(const char *what)
{
	char *log = tracefs_instance_file_read(NULL, "error_log", NULL);

	fprintf(stderr, "%s: %s\n%s", what, strerror(errno), log ? log : "");
	exit(1);
}

static void check(const char *what, int ret)
{
	if (ret < 0)
		die(what);
}

static void run_requests(void)
{
	if (system(command))
		die(command);
}

/* ---- histograms ---- */

static unsigned long figure(const char *hist, const char *name)
{
	const char *at = strstr(hist, name);

	return at ? strtoul(at + strlen(name), NULL, 10) : 999999;
}

/* Print the figures of a histogram, and its entries if @is_whole. */
static void show_hist(const char *title, struct tracefs_instance *instance, const char *system,
		      const char *event, bool is_whole)
{
	char *text = tracefs_event_file_read(instance, system, event, "hist", NULL), *line;

	if (!text)
		die("hist");
	printf("%s: %lu hits, %lu entries, %lu dropped\n", title, figure(text, "Hits: "),
	       figure(text, "Entries: "), figure(text, "Dropped: "));
	for (line = strtok(text, "\n"); is_whole && line; line = strtok(NULL, "\n"))
		if (*line == '{')
			puts(line);
	free(text);
}

static void show_trigger(const char *title, struct tracefs_instance *instance,
			 const char *system, const char *event)
{
	char *text = tracefs_event_file_read(instance, system, event, "trigger", NULL);

	if (!text)
		die("trigger");
	text[strcspn(text, "\n")] = '\0';
	printf("%s: %s\n", title, *text == '#' ? "none" : text);
	free(text);
}

/* All commands of one histogram. */
static void test_commands(void)
{
	struct tracefs_hist *hist = tracefs_hist_alloc(tep, "kv", "kv_end", "op",
						       TRACEFS_HIST_KEY_NORMAL);

	if (!hist)
		die("tracefs_hist_alloc");
	check("add_value", tracefs_hist_add_value(hist, "client"));
	check("add_sort_key", tracefs_hist_add_sort_key(hist, "op"));
	check("direction", tracefs_hist_sort_key_direction(hist, "op",
							   TRACEFS_HIST_SORT_DESCENDING));
	check("start", tracefs_hist_start(NULL, hist));
	show_trigger("started", NULL, "kv", "kv_end");
	run_requests();
	show_hist("by op", NULL, "kv", "kv_end", true);
	check("pause", tracefs_hist_pause(NULL, hist));
	run_requests();
	show_hist("paused", NULL, "kv", "kv_end", false);
	check("continue", tracefs_hist_continue(NULL, hist));
	run_requests();
	show_hist("continued", NULL, "kv", "kv_end", false);
	check("reset", tracefs_hist_reset(NULL, hist));
	show_hist("reset", NULL, "kv", "kv_end", false);
	check("destroy", tracefs_hist_destroy(NULL, hist));
	show_trigger("destroyed", NULL, "kv", "kv_end");
	tracefs_hist_free(hist);
}

/* A histogram with two keys, a name and a filter, in an instance. */
static void test_instance(void)
{
	struct tracefs_instance *instance = tracefs_instance_create("mine");
	struct tracefs_hist *hist =
		tracefs_hist_alloc_2d(tep, "kv", "kv_begin", "op", TRACEFS_HIST_KEY_HEX,
				      "key", TRACEFS_HIST_KEY_NORMAL);

	if (!instance || !hist)
		die("an instance and a histogram");
	check("add_name", tracefs_hist_add_name(hist, "requests"));
	check("add_sort_key", tracefs_hist_add_sort_key(hist, "key"));
	check("append_filter", tracefs_hist_append_filter(hist, TRACEFS_FILTER_COMPARE, "op",
							  TRACEFS_COMPARE_EQ, "1"));
	check("start", tracefs_hist_start(instance, hist));
	show_trigger("instance", instance, "kv", "kv_begin");
	run_requests();
	show_hist("sets", instance, "kv", "kv_begin", true);
	check("destroy", tracefs_hist_destroy(instance, hist));
	tracefs_hist_free(hist);
	check("instance_destroy", tracefs_instance_destroy(instance));
	tracefs_instance_free(instance);
}

/* Three keys with modifiers. */
static void test_modifiers(void)
{
	struct tracefs_hist_axis_cnt axes[] = {
		{ "op", TRACEFS_HIST_KEY_LOG, 0 },
		{ "client", TRACEFS_HIST_KEY_BUCKETS, 1000 },
		{ "common_pid", TRACEFS_HIST_KEY_EXECNAME, 0 },
		{ NULL, TRACEFS_HIST_KEY_NORMAL, 0 },
	};
	struct tracefs_hist *hist = tracefs_hist_alloc_nd_cnt(tep, "kv", "kv_end", axes);

	if (!hist)
		die("tracefs_hist_alloc_nd_cnt");
	check("start", tracefs_hist_start(NULL, hist));
	show_trigger("modifiers", NULL, "kv", "kv_end");
	run_requests();
	show_hist("modifiers", NULL, "kv", "kv_end", false);
	check("destroy", tracefs_hist_destroy(NULL, hist));
	tracefs_hist_free(hist);
}

/* ---- synthetic events ---- */

/* Make a histogram of the synthetic event, have it hit, and remove all. */
static void use_synth(struct tracefs_synth *synth, const char *key)
{
	const char *name = tracefs_synth_get_name(synth);
	struct tep_event *event;
	struct tracefs_hist *hist;

	check("tracefs_synth_create", tracefs_synth_create(synth));
	event = tracefs_synth_get_event(tep, synth);
	if (!event)
		die("tracefs_synth_get_event");
	show_trigger(name, NULL, "kv", "kv_begin");
	show_trigger(name, NULL, "kv", "kv_end");
	hist = tracefs_hist_alloc(tep, event->system, event->name, key,
				  TRACEFS_HIST_KEY_NORMAL);
	if (!hist)
		die("a histogram of the synthetic event");
	check("start", tracefs_hist_start(NULL, hist));
	run_requests();
	show_hist(name, NULL, event->system, event->name, true);
	check("destroy", tracefs_hist_destroy(NULL, hist));
	tracefs_hist_free(hist);
	check("tracefs_synth_destroy", tracefs_synth_destroy(synth));
	show_trigger("without", NULL, "kv", "kv_begin");
}

static struct tracefs_synth *alloc_latency(const char *name)
{
	struct tracefs_synth *synth =
		tracefs_synth_alloc(tep, name, "kv", "kv_begin", "kv", "kv_end", "client",
				    "client", "client");

	if (!synth)
		die("tracefs_synth_alloc");
	check("compare", tracefs_synth_add_compare_field(synth, TRACEFS_TIMESTAMP_USECS,
							 TRACEFS_TIMESTAMP_USECS,
							 TRACEFS_SYNTH_DELTA_END, "lat"));
	check("start_field", tracefs_synth_add_start_field(synth, "op", "what"));
	check("end_field", tracefs_synth_add_end_field(synth, "usecs", NULL));
	return synth;
}

static void test_synth(void)
{
	struct tracefs_synth *synth = alloc_latency("kv_lat");

	check("start_filter", tracefs_synth_append_start_filter(synth, TRACEFS_FILTER_COMPARE,
								"op", TRACEFS_COMPARE_NE, "2"));
	check("trace", tracefs_synth_trace(synth, TRACEFS_SYNTH_HANDLE_MATCH, NULL));
	use_synth(synth, "what");
	tracefs_synth_free(synth);
}

/* Get the name of the variable that is the latency.  libtracefs 1.6.4 makes one up, and takes only
 * this name for the largest latency. */
static void find_variable(struct tracefs_synth *synth, char *ret_name, size_t bytes)
{
	struct trace_seq commands;
	const char *name;

	trace_seq_init(&commands);
	check("tracefs_synth_echo_cmd", tracefs_synth_echo_cmd(&commands, synth));
	trace_seq_terminate(&commands);
	name = strstr(commands.buffer, "__lat_");
	if (!name)
		die("the variable of the latency");
	snprintf(ret_name, bytes, "%.*s", (int)strcspn(name, "="), name);
	trace_seq_destroy(&commands);
}

/* The largest latency: saved, with a snapshot. */
static void test_max(void)
{
	char *fields[] = { (char *)"usecs", NULL };
	struct tracefs_synth *synth = alloc_latency("kv_max");
	char var[64], *text;

	check("trace", tracefs_synth_trace(synth, TRACEFS_SYNTH_HANDLE_MATCH, NULL));
	find_variable(synth, var, sizeof(var));
	check("save", tracefs_synth_save(synth, TRACEFS_SYNTH_HANDLE_MAX, var, fields));
	check("snapshot", tracefs_synth_snapshot(synth, TRACEFS_SYNTH_HANDLE_MAX, var));
	check("tracefs_synth_create", tracefs_synth_create(synth));
	show_trigger("kv_max", NULL, "kv", "kv_end");
	run_requests();
	text = tracefs_event_file_read(NULL, "kv", "kv_end", "hist", NULL);
	printf("the largest: %s, %s\n", text && strstr(text, "\n\tmax: ") ? "saved" : "not saved",
	       text && strstr(text, "\nSnapshot taken ") ? "snapshot" : "no snapshot");
	free(text);
	check("tracefs_synth_destroy", tracefs_synth_destroy(synth));
	tracefs_synth_free(synth);
	check("snapshot", tracefs_instance_file_write(NULL, "snapshot", "0"));
}

static void test_sql(void)
{
	char *errors = NULL;
	struct tracefs_synth *synth = tracefs_sql(tep, "kv_sql",
		"SELECT end.client, end.op AS what, "
		"(end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat "
		"FROM kv_begin AS start JOIN kv_end AS end ON start.client = end.client "
		"WHERE end.op = 0", &errors);

	if (!synth) {
		fprintf(stderr, "tracefs_sql: %s\n", errors);
		exit(1);
	}
	use_synth(synth, "what");
	tracefs_synth_free(synth);
}

/* ---- event probes ---- */

static int count_record(struct tep_event *event, struct tep_record *record, int cpu, void *arg)
{
	unsigned long long op = 99, *sums = arg;

	(void)cpu;
	if (strcmp(event->name, "kv_probe"))
		return 0;
	sums[0]++;
	if (tep_get_field_val(NULL, event, "what", record, &op, 1) == 0)
		sums[1] += op;
	return 0;
}

static void test_probe(void)
{
	struct tracefs_dynevent *probe, **all;
	unsigned long long sums[2] = { 0, 0 };

	probe = tracefs_eprobe_alloc("mine", "kv_probe", "kv", "kv_end",
				     "what=$op:u32 usecs=$usecs");
	if (!probe)
		die("tracefs_eprobe_alloc");
	check("create", tracefs_dynevent_create(probe));
	all = tracefs_dynevent_get_all(TRACEFS_DYNEVENT_EPROBE, NULL);
	printf("probes: %s\n", all && all[0] && !all[1] ? "one" : "not one");
	tracefs_dynevent_list_free(all);
	if (!tracefs_dynevent_get_event(tep, probe))
		die("tracefs_dynevent_get_event");
	check("enable", tracefs_event_enable(NULL, "mine", "kv_probe"));
	run_requests();
	check("disable", tracefs_event_disable(NULL, "mine", "kv_probe"));
	check("iterate", tracefs_iterate_raw_events(tep, NULL, NULL, 0, count_record, sums));
	printf("kv_probe: %llu records, %llu sets\n", sums[0], sums[1]);
	check("destroy", tracefs_dynevent_destroy(probe, false));
	tracefs_dynevent_free(probe);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	command = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	tep = tracefs_local_events(NULL);
	if (!tep)
		die("tracefs_local_events");
	test_commands();
	test_instance();
	test_modifiers();
	test_synth();
	test_max();
	test_sql();
	test_probe();
	tep_free(tep);
	return 0;
}
