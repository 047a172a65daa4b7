/* SPDX-License-Identifier: MIT */
/* ulf blackbox: keep the trace around each hit of an event that passes a limit; see
 * blackbox.h. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/blackbox.h"
#include "cli/cli.h"
#include "cli/terminal.h"

#define LOOK_MS		100		/* time between two looks at the trigger, ms */
#define LOOKS_ALIVE	10		/* number of looks at the trigger after which the
					 * command checks that the program is alive */
#define LOOKS_SNAPSHOT	20		/* maximum number of looks at a snapshot that has no
					 * records yet */

/* ---- signals that end the command ---- */

/* true: the command must end; set by the signal handler, read by the loop */
static volatile sig_atomic_t has_to_end;

static void on_signal(int signal)
{
	(void)signal;
	has_to_end = 1;
}

/* Catch the signals that end commands, so that the root's settings are restored.  A signal that
 * is ignored, as SIGHUP by nohup(1), stays ignored. */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = on_signal }, old;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

/* Sleep until the next look at the trigger.  A signal ends the sleep. */
static void pause_look(void)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };

	if (!has_to_end)
		nanosleep(&pause, NULL);
}

/* ---- incidents ---- */

static void print_line(const char *line)
{
	terminal_line(stdout, "%s", line);
	fflush(stdout);
}

/* Get and report the number of missed incidents that were not reported yet.  Before, the
 * caller must wait until the trigger has fired, or remove it: only then is it known for each
 * incident whether it has fired the trigger or was missed. */
static uint64_t report_missed(struct blackbox *box)
{
	uint64_t nr, missed;
	char line[80];

	if (blackbox_count(box, &nr) < 0 || nr < box->nr_fired + box->nr_missed)
		return 0;
	missed = nr - box->nr_fired - box->nr_missed;
	box->nr_missed += missed;
	if (missed) {
		snprintf(line, sizeof(line), "missed: %" PRIu64 " incident%s since then", missed,
			 missed == 1 ? "" : "s");
		print_line(line);
	}
	return missed;
}

/*
 * Wait until the snapshot has records.  The thread that fires the trigger first decrements
 * its count, and then takes the snapshot.  Returns false if there is no snapshot, because the
 * thread was killed between these steps, or nothing was recorded.
 */
static bool await_snapshot(struct blackbox *box)
{
	int i, ret;

	for (i = 0; i < LOOKS_SNAPSHOT; i++) {
		ret = blackbox_has_snapshot(box);
		if (ret)
			return ret > 0;
		if (!blackbox_is_alive(box))
			return blackbox_has_snapshot(box) > 0;
		pause_look();
	}
	return false;
}

/* Write the incident that has fired the trigger to a file.  If there is no snapshot, the
 * records come from `trace`. */
static int keep_incident(struct blackbox *box, uint64_t nr_missed)
{
	const char *source = await_snapshot(box) ? "snapshot" : "trace";
	char name[BLACKBOX_NAME_BYTES];
	int ret;

	box->nr_fired++;
	ret = blackbox_write(box, source, nr_missed, name);
	if (ret < 0)
		return ret;
	box->nr_written++;
	terminal_line(stdout, "incident %u: %s/%s", box->nr_fired, box->out_dir, name);
	fflush(stdout);
	return 0;
}

/* Wait for an incident.  Returns 1 if the trigger has fired; 0 if the command has to end, because
 * of a signal or because the program has ended; or -errno. */
static int wait_for_incident(struct blackbox *box)
{
	bool is_over = false;
	int i, fired;

	for (i = 1;; i++) {
		fired = blackbox_has_fired(box);
		if (fired || is_over || has_to_end)
			return fired;
		if (i % LOOKS_ALIVE == 0)
			is_over = !blackbox_is_alive(box);
		if (!is_over)
			pause_look();
	}
}

/* Write incidents to files until the command has to end.  Returns 0; or -EIO if a file could
 * not be written. */
static int keep_incidents(struct blackbox *box)
{
	uint64_t nr_missed = 0;
	int fired, ret, status = 0;

	while ((fired = wait_for_incident(box)) > 0) {
		if (keep_incident(box, nr_missed) < 0)
			status = -EIO;
		blackbox_disarm(box);
		nr_missed = report_missed(box);
		if (has_to_end)
			return status;
		ret = blackbox_rearm(box);
		if (ret == -ENODEV)
			return status;
		if (ret < 0)
			return ret;
	}
	if (fired < 0)
		return fired;
	/* Check the snapshot once more, because an incident may have fired the trigger since
	 * the last look. */
	blackbox_disarm(box);
	if (blackbox_has_snapshot(box) > 0 && keep_incident(box, nr_missed) < 0)
		status = -EIO;
	report_missed(box);
	return status;
}

static void print_summary(const struct blackbox *box)
{
	char missed[48] = "";

	if (box->is_counting)
		snprintf(missed, sizeof(missed), ", %" PRIu64 " missed", box->nr_missed);
	terminal_line(stdout, "%u incident%s in %s%s", box->nr_written,
		      box->nr_written == 1 ? "" : "s", box->out_dir, missed);
}

static int run_blackbox(struct blackbox *box)
{
	int ret;

	if (conn_open(&box->conn, CONN_START) < 0 || blackbox_find(box) < 0)
		return CLI_FAILED;
	catch_signals();
	ret = blackbox_start(box);
	if (!ret) {
		terminal_line(stdout, "%s: waiting for %s if %s; ^C ends", box->dir, box->event,
			      box->limit);
		fflush(stdout);
		ret = keep_incidents(box);
		print_summary(box);
	}
	blackbox_restore(box);
	return ret < 0 ? CLI_FAILED : 0;
}

/* ---- parse the command line ---- */

enum { ARGS_MAX = 5 };			/* maximum number of arguments: ROOT EVENT FIELD OP N */

struct args {
	char *words[ARGS_MAX];
	int nr;
};

/* Return true if @word consists of the characters of operators.  Only the server knows which
 * operators there are. */
static bool is_operator(const char *word)
{
	return *word && strspn(word, "<>=!&~") == strlen(word);
}

/* Return true if the next argument is the limit.  Such an argument may begin with -, and is
 * then no option. */
static bool is_limit_next(const struct args *args)
{
	return args->nr && is_operator(args->words[args->nr - 1]);
}

static int parse_files(const char *text, uint32_t *ret_nr)
{
	unsigned long nr;
	char *end;

	errno = 0;
	nr = strtoul(text, &end, 10);
	if (errno || *end || *text == '-' || !nr || nr > INT_MAX) {
		cli_error("-k %s: not a number of files", text);
		return -EINVAL;
	}
	*ret_nr = (uint32_t)nr;
	return 0;
}

static int apply_option(struct blackbox *box, int option)
{
	switch (option) {
	case 'o':
		box->out_dir = optarg;
		return 0;
	case 'k':
		return parse_files(optarg, &box->max_files);
	default:
		if (box->nr_more == BLACKBOX_EVENTS) {
			cli_error("-e %s: only %d such options; a list with commas takes more",
				  optarg, BLACKBOX_EVENTS);
			return -E2BIG;
		}
		box->more[box->nr_more++] = optarg;
		return 0;
	}
}

/* Parse options, which may stand before, between and after the arguments.  Returns 0; or -2 if
 * the command must exit with *@ret_status. */
static int parse_words(struct blackbox *box, const struct cli_cmd *cmd, int argc, char **argv,
		       struct args *args, int *ret_status)
{
	static const struct option options[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "files", required_argument, NULL, 'k' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while (optind < argc) {
		option = is_limit_next(args) ? -1 :
			cli_option(cmd, argc, argv, "+e:k:o:h", options, ret_status);
		if (option == -2)
			return -2;
		if (option != -1) {
			*ret_status = CLI_USAGE;
			if (apply_option(box, option) < 0)
				return -2;
		} else if (optind < argc && args->nr < ARGS_MAX) {
			args->words[args->nr++] = argv[optind++];
		} else if (optind < argc) {
			*ret_status = cli_usage(cmd);
			return -2;
		}
	}
	return 0;
}

/* Take EVENT FIELD OP N from the end of @args, and ROOT before them if it was given. */
static int take_args(struct blackbox *box, const struct cli_cmd *cmd, struct args *args,
		     char **ret_limit)
{
	char **word = args->nr < 4 ? NULL : args->words + args->nr - 4;

	if (!word || !is_operator(word[2])) {
		cli_error("an event, a field, an operator and a limit are needed; quote > and < "
			  "in a shell: '>'");
		cli_usage(cmd);
		return -EINVAL;
	}
	box->root_word = args->nr > 4 ? args->words[0] : NULL;
	box->event_word = word[0];
	if (asprintf(ret_limit, "%s %s %s", word[1], word[2], word[3]) < 0) {
		cli_error("out of memory");
		return -ENOMEM;
	}
	if (strpbrk(*ret_limit, "\n")) {
		cli_error("FIELD OP N must be one line");
		free(*ret_limit);
		return -EINVAL;
	}
	box->limit = *ret_limit;
	return 0;
}

static int cmd_blackbox(const struct cli_cmd *cmd, int argc, char **argv)
{
	struct blackbox box = { .out_dir = ".", .max_files = BLACKBOX_FILES, .conn.fd = -1 };
	struct args args = { .nr = 0 };
	char *limit;
	int status;

	if (parse_words(&box, cmd, argc, argv, &args, &status) < 0)
		return status;
	if (take_args(&box, cmd, &args, &limit) < 0)
		return CLI_USAGE;
	text_init(&box.enabled, ABI_SOCKET_ANSWER_MAX);
	status = CLI_FAILED;
	if (blackbox_check_dir(&box) == 0) {
		status = run_blackbox(&box);
		conn_close(&box.conn);
	}
	text_done(&box.enabled);
	free(box.dir);
	free(box.event);
	free(box.event_dir);
	free(limit);
	return status;
}

const struct cli_cmd cli_blackbox = {
	.name = "blackbox",
	.args = "[-e EVENT]... [-o DIR] [-k K] [ROOT] EVENT FIELD OP N",
	.summary = "keep the trace around each hit that passes a limit",
	.help =
"Waits for hits of EVENT whose FIELD passes the limit.  The thread that hits it\n"
"takes a snapshot of the buffer at that moment: the records that led to it, and\n"
"its own.  Each snapshot is written to a file, DIR/incident-TIME-N.txt, and\n"
"recording goes on.  Ends with ^C, or when the program has ended; all settings are\n"
"then as before.\n"
"\n"
"EVENT is spelled system:event or event.  OP is an operator of filters, and N a\n"
"number, a name of an enum, or a text: '>' 1000, == KV_EXPIRED.  ROOT is a root\n"
"(see `ulf help cat`) or an instance, ROOT/instances/NAME.  What is recorded there\n"
"is in the files: EVENT itself, and events that are on.\n"
"\n"
"  -e, --event=EVENT  also switch on EVENT, spelled as in set_event; may\n"
"                     be repeated, or be a list with commas\n"
"  -o, --output=DIR   write to DIR, which is created if need be; default: .\n"
"  -k, --files=K      keep at most K files in DIR, the newest; default: 10\n"
"\n"
"A second incident that comes before the file of the first one is written is\n"
"counted, and reported as missed.  A snapshot reaches back as far as the buffer,\n"
"see buffer_size_kb, and not beyond the snapshot before.\n"
"\n"
"Example:  ulf blackbox -e kv kv_request usecs '>' 1000\n",
	.run = cmd_blackbox,
	.may_take_long = true,
};
