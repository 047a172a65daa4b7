/* SPDX-License-Identifier: MIT */
/*
 * ulf record: write what programs record to a trace.dat.
 *
 * A program that this command starts records to its top instance from its first event on, by
 * boot settings.  Each root that exists already gets an instance for the time of the
 * recording.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/recorder.h"
#include "cli/record_net.h"
#include "cli/record_instance.h"
#include "cli/run_impl.h"
#include "cli/terminal.h"

#define STATE_MS	200		/* time between two looks at the state of the
					 * recording, ms */

struct record_cmd {
	struct run run;			/* the program to start, and its boot settings */
	struct record_settings settings;
	struct record_instance instance;
	struct record_session *session;
	bool is_program;		/* true: the command line names a program to start */
	bool is_terminal;		/* true: progress is shown */
	uint64_t started_ms, shown_ms, shown_records;
};

static volatile sig_atomic_t got_signal;

static void note_signal(int signal)
{
	got_signal = signal;
}

/* ---- progress ---- */

/* Show the numbers of records so far in one line of the terminal.  Called often, prints about
 * once a second. */
static void show_progress(struct record_cmd *record, const struct record_state *state)
{
	uint64_t now_ms = clock_monotonic_ms(), passed_ms = now_ms - record->shown_ms;

	if (!record->is_terminal || (record->shown_ms && passed_ms < 1000))
		return;
	if (!record->shown_ms)
		passed_ms = now_ms - record->started_ms + 1;
	fprintf(stderr, "\r%6.1f s  %" PRIu64 " records  %" PRIu64 " per second  %" PRIu64
		" KiB  %" PRIu64 " lost\033[K", (double)(now_ms - record->started_ms) / 1e3,
		state->records, (state->records - record->shown_records) * 1000 / passed_ms,
		state->bytes / 1024, state->lost);
	record->shown_ms = now_ms;
	record->shown_records = state->records;
}

static void end_progress(const struct record_cmd *record)
{
	if (record->is_terminal && record->shown_ms)
		fputs("\r\033[K", stderr);
}

/* Wait until the recording ends by itself, the program has ended, or a signal has come. */
static void wait_for_end(struct record_cmd *record)
{
	struct record_state state = { 0 };
	bool is_over = false;

	while (!is_over && !state.has_ended && !got_signal) {
		if (record->is_program)
			is_over = run_has_ended(&record->run, STATE_MS);
		else
			usleep(STATE_MS * 1000);
		record_finish_some(record->session, &record->run.conn);
		record_get_state(record->session, &state);
		show_progress(record, &state);
	}
	end_progress(record);
}

/* ---- record a program that this command starts ---- */

/* If the user has not given the size of the rings, choose one.  It must hold all records of a
 * time in which the recorder gets no CPU, but takes at most a quarter of the free space. */
static void add_buffer_size(struct record_cmd *record)
{
	char size[32];

	if (run_words_has(&record->run, BOOT_BUF_SIZE))
		return;
	snprintf(size, sizeof(size), "%" PRIu64 "K",
		 record_instance_default_kb(record->run.conn.dir));
	run_words_add(&record->run, BOOT_BUF_SIZE, size);
}

static void report_mistakes(struct run *run)
{
	struct root_list roots;

	if (run_roots(run, &roots) < 0)
		return;
	run_events_report(run, &roots);
	run_functions_report(run, &roots);
	run_errors_report(run, &roots);
	root_list_done(&roots);
}

/* Print why no trace.dat was written. */
static void explain_no_file(struct run *run)
{
	if (run_explain_no_root(run) || run->has_reported_why || run->has_reported_events)
		return;
	if (run->about.kind == RUN_FOR_ULF)
		run_explain_nothing(run);
	else
		run_program_explain(run);
}

static int record_program(struct record_cmd *record, char **argv)
{
	struct run *run = &record->run;
	int ret, wait_status;
	uint32_t nr_files;

	add_buffer_size(record);
	run->started_ns = clock_posix_ns(CLOCK_BOOTTIME);
	run->id = (uint32_t)(run->started_ns ^ run->started_ns >> 32) | 1;
	record->settings.run_id = run->id;
	record->settings.instance = "";
	run_check_program(run);
	if (record_start(&record->settings, &record->session) < 0)
		return CLI_NOT_STARTED;
	ret = run_child_start(run, argv);
	if (ret < 0) {
		record_stop(record->session, &run->conn, &nr_files);
		return ret == -ENOENT ? CLI_NOT_FOUND : CLI_NOT_STARTED;
	}
	run_watch(run);
	wait_for_end(record);
	wait_status = run_child_wait(run);
	ret = record_stop(record->session, &run->conn, &nr_files);
	report_mistakes(run);
	if (!nr_files && !ret) {
		explain_no_file(run);
		ret = -ENOENT;
	}
	if (ret < 0 && wait_status == 0)
		return CLI_FAILED;
	return run_child_repeat_end(wait_status);
}

/* ---- record a root ---- */

static void catch_signals(void)
{
	/* SA_RESETHAND: a second signal ends the recorder at once. */
	struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* Make an instance in each root that @words name; without words, in the only root that is
 * alive. */
static int make_instances(struct record_cmd *record, char **words)
{
	struct conn *conn = &record->run.conn;
	struct record_instance *instance = &record->instance;
	int r = *words ? 0 : record_instance_make(conn, NULL, instance);

	for (; !r && *words; words++)
		r = record_instance_make(conn, *words, instance);
	record->settings.roots = instance->roots;
	record->settings.nr_roots = instance->nr_roots;
	record->settings.instance = instance->name;
	return r;
}

/* Record the new instances until the recording ends.  Returns 0 or -errno; prints errors. */
static int record_instances(struct record_cmd *record)
{
	struct conn *conn = &record->run.conn;
	uint32_t nr_files;
	int ret = record_start(&record->settings, &record->session);

	if (ret)
		return ret;
	ret = record_instance_begin(conn, &record->instance);
	if (!ret)
		wait_for_end(record);
	record_instance_stop(conn, &record->instance);
	if (record_stop(record->session, conn, &nr_files) < 0)
		ret = -EIO;
	if (!ret && !nr_files) {
		cli_error("%s has recorded nothing: it has ended before",
			  record->instance.roots[0]);
		ret = -ENOENT;
	}
	return ret;
}

static int record_roots(struct record_cmd *record, char **words)
{
	int ret = make_instances(record, words);

	catch_signals();
	if (!ret)
		ret = record_instances(record);
	record_instance_remove(&record->run.conn, &record->instance);
	return ret < 0 ? CLI_FAILED : 0;
}

/* ---- parse the command line ---- */

static int parse_size(const char *option, const char *value, uint64_t *ret_bytes)
{
	const struct boot_token token = { value, strlen(value) };

	if (!boot_size(&token, ret_bytes) && *ret_bytes)
		return 0;
	cli_error("%s: `%s` is no size; write a number, which K, M or G may follow", option,
		  value);
	return -EINVAL;
}

static int parse_keep(const char *value, uint32_t *ret_keep)
{
	char *end;
	unsigned long nr = strtoul(value, &end, 10);

	if (*value && !*end && nr && nr <= 1000) {
		*ret_keep = (uint32_t)nr;
		return 0;
	}
	cli_error("--rotate: `%s` is no number of files from 1 to 1000", value);
	return -EINVAL;
}

/* Add a filter for the events of the last option -e. */
static int add_filter(struct record_cmd *record, const char *filter)
{
	struct record_instance *instance = &record->instance;
	int r = record_instance_add(instance, RECORD_FILTER, filter);
	char *setting;

	if (r)
		return r;
	if (asprintf(&setting, "%s %s", instance->list[instance->nr - 2].value, filter) < 0)
		return -ENOMEM;
	run_words_add(&record->run, BOOT_EVENT_FILTER, setting);
	free(setting);
	return 0;
}

/* Apply one option of the command line.  Returns 0 or -errno. */
static int apply_option(struct record_cmd *record, int option)
{
	struct record_instance *instance = &record->instance;
	uint64_t bytes;

	switch (option) {
	case 'o':
		record->settings.path = optarg;
		return 0;
	case 'N':
		record->settings.path = optarg;
		record->settings.is_network = true;
		return record_net_check(optarg);
	case 'm':
		return parse_size("--max-size", optarg, &record->settings.max_bytes);
	case 'r':
		return parse_keep(optarg, &record->settings.keep);
	case 'b':
		run_words_add(&record->run, BOOT_BUF_SIZE, optarg);
		if (parse_size("--buffer-size", optarg, &bytes))
			return -EINVAL;
		instance->kb = (bytes + 1023) / 1024;
		return 0;
	case 'e':
		run_words_add(&record->run, BOOT_EVENT, optarg);
		return record_instance_add(instance, RECORD_EVENT, optarg);
	case 'p':
		run_words_add(&record->run, BOOT_TRACER, optarg);
		return record_instance_add(instance, RECORD_TRACER, optarg);
	case 'F':
		run_words_add(&record->run, BOOT_FILTER, optarg);
		return record_instance_add(instance, RECORD_FUNCTIONS, optarg);
	default:
		return add_filter(record, optarg);
	}
}

/* Check that the options can be used together.  Returns 0 or -errno. */
static int check_options(struct record_cmd *record)
{
	if (record->settings.keep && !record->settings.max_bytes) {
		cli_error("--rotate needs the size of a file: add --max-size");
		return -EINVAL;
	}
	if (record->settings.keep && record->settings.is_network) {
		cli_error("--rotate keeps files here, and --network sends the records away");
		return -EINVAL;
	}
	if (record->is_program ? run_wants_records(&record->run) :
	    record_instance_has(&record->instance, RECORD_EVENT) ||
	    record_instance_has(&record->instance, RECORD_TRACER))
		return record->is_program ? run_words_check(&record->run) : 0;
	cli_error("there is nothing to record: add -e EVENT or -p TRACER");
	return -EINVAL;
}

/* Parse the options.  Returns 0, or -2 if the command must exit with *@ret_status. */
static int parse_options(struct record_cmd *record, const struct cli_cmd *cmd, int argc,
			 char **argv, int *ret_status)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "network", required_argument, NULL, 'N' },
		{ "event", required_argument, NULL, 'e' },
		{ "tracer", required_argument, NULL, 'p' },
		{ "functions", required_argument, NULL, 'F' },
		{ "filter", required_argument, NULL, 'f' },
		{ "buffer-size", required_argument, NULL, 'b' },
		{ "max-size", required_argument, NULL, 'm' },
		{ "rotate", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	*ret_status = CLI_USAGE;
	while ((option = cli_option(cmd, argc, argv, "+o:N:e:p:F:f:b:m:r:h", options,
				    ret_status)) != -1)
		if (option == -2 || apply_option(record, option))
			return -2;
	record->is_program = optind > 1 && !strcmp(argv[optind - 1], "--");
	if (record->is_program && optind == argc) {
		*ret_status = cli_usage(cmd);
		return -2;
	}
	record->run.program = record->is_program ? argv[optind] : NULL;
	return check_options(record) ? -2 : 0;
}

static int cmd_record(const struct cli_cmd *cmd, int argc, char **argv)
{
	struct record_cmd record = {
		.run.pidfd = -1, .settings.path = "trace.dat", .is_terminal = terminal_is(stderr),
		.started_ms = clock_monotonic_ms(),
	};
	struct run *run = &record.run;
	int status;

	run_words_init(run);
	if (parse_options(&record, cmd, argc, argv, &status) == 0) {
		if (record.is_program)
			run_program_find(run->program, run_needs_library(run), false,
					 &run->about);
		status = record.is_program ? CLI_NOT_STARTED : CLI_FAILED;
		if (conn_open(&run->conn, CONN_START) == 0 &&
		    conn_check_version(&run->conn) == 0) {
			record.settings.dir = run->conn.dir;
			status = record.is_program ? record_program(&record, argv + optind) :
						     record_roots(&record, argv + optind);
		}
		conn_close(&run->conn);
	}
	record_free(record.session);
	record_instance_done(&record.instance);
	run_program_done(&run->about);
	run_errors_done(run);
	text_done(&run->words);
	return status;
}

const struct cli_cmd cli_record = {
	.name = "record",
	.args = "[-o FILE] [-e EVENT]... [-p TRACER] [OPTIONS] [ROOT | PID]... | -- PROGRAM [ARGS]",
	.summary = "write records to a file, which trace-cmd opens, too",
	.help =
"Writes what programs record to FILE, in the format of trace-cmd (trace.dat,\n"
"version 7), until ^C, or until they have ended.\n"
"\n"
"PROGRAM records from its first event on, to its top instance.  Programs that it\n"
"starts are recorded, too, each to a file of its own: FILE is that of the program\n"
"with most records, FILE.ROOT that of each other one.  The exit status is that of\n"
"PROGRAM.  A root that runs already gets an instance record.PID of its own, so its\n"
"other settings do not change; the instance is removed at the end.  PID is a\n"
"program without libulf: `ulf attach` loads it.  Without ROOT, the only root that\n"
"is alive is recorded.  With several, FILE is that of the first one.\n"
"\n"
"  -o, --output=FILE     file to write; default: trace.dat\n"
"  -N, --network=H:PORT  send the records to `trace-cmd listen -p PORT` on the host H,\n"
"                        which writes the file\n"
"  -e, --event=EVENT     record EVENT: sys:event, sys:*, sys, event; may be repeated\n"
"  -p, --tracer=TRACER   use a tracer: function, function_graph\n"
"  -F, --functions=GLOB  trace these functions only; may be repeated; without any such\n"
"                        function TRACER records nothing\n"
"  -f, --filter=FILTER   filter of the event before it, which must be written as\n"
"                        sys:event or sys if the root runs already\n"
"  -b, --buffer-size=N   size of the ring of each CPU: 512K, 64M\n"
"  -m, --max-size=N      end soon after the file has this size, or with --rotate\n"
"                        begin the next one\n"
"  -r, --rotate=N        keep the last N files: FILE is the newest, then FILE.1 ...\n"
"\n"
"At the end the numbers of saved and lost records are printed.\n"
"\n"
"Example:  ulf record -e 'sched:*' -- ./minikernel\n"
"          ulf report\n",
	.run = cmd_record,
};
