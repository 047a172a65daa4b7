/* SPDX-License-Identifier: MIT */
/* ulf hist: print the histograms of an event, as text, JSON or metrics of Prometheus. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/conn.h"
#include "cli/event_path.h"
#include "cli/hist_export.h"
#include "cli/hist_text.h"
#include "cli/terminal.h"

#define TEXT_BYTES	(1u << 30)	/* maximum size of a file that is read, and of the
					 * output, bytes */

enum hist_format {
	FORMAT_TEXT, FORMAT_JSON, FORMAT_PROMETHEUS,
};

struct hist_options {
	enum hist_format format;
	const char *output;		/* path of the output file, which is replaced as a
					 * whole; NULL: print to stdout */
	unsigned int every_s;		/* seconds after which the output file is replaced
					 * again; 0: it is written only once */
	const char *input;		/* path of a copy of a file `hist`, which is printed
					 * instead of the root's file; NULL: none */
	const char *trigger;		/* first characters of the trigger whose histogram is
					 * printed; NULL: print all histograms */
};

/* ---- choose histograms ---- */

/* Return true if the trigger of @block begins with @wanted.  Both texts may begin with
 * "hist:" and "name=N:", which are ignored. */
static bool is_wanted(const struct hist_block *block, const char *wanted)
{
	struct span rest = block->trigger;

	if (span_starts(rest, wanted))
		return true;
	rest = span_after(rest, strlen("hist:"));
	if (span_starts(rest, wanted))
		return true;
	if (!span_starts(rest, "keys="))
		span_cut(&rest, ':');
	return span_starts(rest, wanted);
}

/* Keep only the histograms whose triggers begin with @wanted.  Prints an error if there is no
 * such histogram. */
static int choose_histograms(struct hist_text *hist, const char *wanted, const char *where)
{
	struct hist_text all = *hist;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < all.nr; i++) {
		struct hist_block block = all.blocks[i];

		if (!is_wanted(&block, wanted))
			continue;
		all.blocks[i] = all.blocks[nr];
		all.blocks[nr++] = block;
	}
	if (nr) {
		for (uint32_t i = nr; i < all.nr; i++)
			hist_block_done(&all.blocks[i]);
		hist->nr = nr;
		return 0;
	}
	cli_error("%s: no trigger begins with `%s`:", where, wanted);
	for (uint32_t i = 0; i < all.nr; i++)
		terminal_line(stderr, "  %.*s", (int)all.blocks[i].trigger.len,
			      all.blocks[i].trigger.at);
	return -ENOENT;
}

/* ---- output ---- */

/* Print the text of each histogram. */
static void print_text(const struct hist_text *hist)
{
	struct terminal terminal;

	terminal_start(&terminal, stdout);
	for (uint32_t i = 0; i < hist->nr; i++) {
		if (i)
			terminal_write(&terminal, "\n\n", 2);
		terminal_write(&terminal, hist->blocks[i].text.at, hist->blocks[i].text.len);
	}
	terminal_end(&terminal);
}

static int print_stdout(const struct text *out)
{
	struct terminal terminal;

	terminal_start(&terminal, stdout);
	terminal_write(&terminal, out->data, out->len);
	terminal_end(&terminal);
	return 0;
}

/* Replace the file @path by a new file with the text.  A reader finds the old text or the new
 * text, never a part of one. */
static int replace_file(const char *path, const struct text *text)
{
	char *temp;
	FILE *file;
	int ret = 0;

	if (asprintf(&temp, "%s.%d", path, getpid()) < 0)
		return -ENOMEM;
	file = fopen(temp, "we");
	if (!file || fwrite(text->data, 1, text->len, file) != text->len)
		ret = -errno;
	if (file && fclose(file) && !ret)
		ret = -errno;
	if (!ret && rename(temp, path))
		ret = -errno;
	if (ret)
		unlink(temp);
	free(temp);
	return ret;
}

static int print_export(const struct hist_text *hist, const struct hist_origin *origin,
			const struct hist_options *options)
{
	struct text out;
	int ret = 0;

	text_init(&out, TEXT_BYTES);
	if (options->format == FORMAT_JSON)
		hist_put_json(hist, origin, &out);
	else
		ret = hist_put_prometheus(hist, origin, &out);
	if (!ret)
		ret = out.error;
	if (!ret)
		ret = options->output ? replace_file(options->output, &out) : print_stdout(&out);
	if (ret)
		cli_error("cannot print the histograms%s%s: %s", options->output ? " to " : "",
			  options->output ? options->output : "", strerror(-ret));
	text_done(&out);
	return ret;
}

/* Parse and print @text.  @text: text of a file `hist`.  @where: name of that file, for
 * messages.  @format: text of the event's file `format`; NULL: not known. */
static int print_hist(const struct hist_options *options, const struct hist_origin *origin,
		      const char *where, const char *text, const char *format)
{
	struct hist_text hist;
	unsigned int line;
	int ret = hist_text_parse(text, &hist, &line);

	if (ret == -EBADMSG)
		cli_error("%s: line %u cannot be a line of a file `hist`; `ulf cat` prints the "
			  "file", where, line);
	else if (ret < 0)
		cli_error("%s: %s", where, strerror(-ret));
	if (ret < 0)
		return ret;
	if (format)
		hist_text_set_format(&hist, format);
	if (!hist.nr) {
		cli_error("%s: the event has no histogram; a trigger `hist:keys=FIELD` makes one",
			  where);
		ret = -ENOENT;
	} else if (options->trigger) {
		ret = choose_histograms(&hist, options->trigger, where);
	}
	if (!ret && options->format == FORMAT_TEXT)
		print_text(&hist);
	else if (!ret)
		ret = print_export(&hist, origin, options);
	hist_text_done(&hist);
	return ret;
}

/* ---- input ---- */

/* Read a file of the file system, not of the tree. */
static int read_file(const char *path, struct text *ret_text)
{
	FILE *file = fopen(path, "re");
	char buf[1 << 14];
	size_t bytes;
	int ret = 0;

	text_init(ret_text, TEXT_BYTES);
	if (!file) {
		cli_error("%s: %m", path);
		return -ENOENT;
	}
	while ((bytes = fread(buf, 1, sizeof(buf), file)))
		text_write(ret_text, buf, bytes);
	if (ferror(file) || ret_text->error) {
		cli_error("%s: %s", path, ret_text->error ? strerror(-ret_text->error) :
							     "cannot read the file");
		ret = -EIO;
	}
	fclose(file);
	return ret;
}

static int print_file(const struct hist_options *options)
{
	const struct hist_origin origin = { NULL, NULL };
	struct text text;
	int ret = read_file(options->input, &text);

	if (!ret)
		ret = print_hist(options, &origin, options->input, text_str(&text), NULL);
	text_done(&text);
	return ret;
}

/* Read the file @name of the event's directory.  Prints errors. */
static int read_event_file(struct conn *conn, const struct event_path *path, const char *name,
			   struct text *ret_text)
{
	char *file = event_path_file(path, name);
	int ret;

	text_init(ret_text, TEXT_BYTES);
	if (!file) {
		cli_error("out of memory");
		return -ENOMEM;
	}
	ret = conn_file_text(conn, file, ret_text);
	if (ret < 0)
		root_path_error(file, ret);
	free(file);
	return ret;
}

static int print_event(const struct hist_options *options, struct conn *conn,
		       const struct event_path *path)
{
	const struct hist_origin origin = { path->root, path->name };
	struct text text, format;
	int ret = read_event_file(conn, path, "hist", &text);

	text_init(&format, TEXT_BYTES);
	if (!ret)
		ret = read_event_file(conn, path, "format", &format);
	if (!ret)
		ret = print_hist(options, &origin, path->dir, text_str(&text), text_str(&format));
	text_done(&text);
	text_done(&format);
	return ret;
}

static int print_root(const struct hist_options *options, const char *root, const char *event)
{
	struct event_path path = { NULL, NULL, NULL };
	struct conn conn;
	int ret = conn_open(&conn, CONN_START);

	if (!ret)
		ret = event_path_find(&conn, root, event, &path);
	if (!ret)
		ret = print_event(options, &conn, &path);
	event_path_done(&path);
	conn_close(&conn);
	return ret;
}

/* ---- replace the output file every few seconds ---- */

static volatile sig_atomic_t got_signal;

static void note_signal(int signal)
{
	got_signal = signal;
}

/*
 * Replace the output file every few seconds, until a signal comes or the event can no longer
 * be read.  At the end the file is removed, so that nobody takes old numbers for new ones.
 * Returns 0 after a signal.
 */
static int print_every(const struct hist_options *options, const char *root, const char *event)
{
	/* SA_RESTART is not set, so that a signal ends the sleep. */
	struct sigaction action = { .sa_handler = note_signal };
	sigset_t blocked, before;
	int ret;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	do {
		const struct timespec time = { .tv_sec = options->every_s };

		ret = print_root(options, root, event);
		/* Signals are blocked except during this ppoll(). */
		if (!ret)
			ppoll(NULL, 0, &time, &before);
	} while (!ret && !got_signal);
	unlink(options->output);
	return ret;
}

/* ---- the command ---- */

static int parse_every(const char *value, unsigned int *ret_every_s)
{
	char *end;
	unsigned long seconds = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || !seconds || seconds > 86400) {
		cli_error("--every: `%s` is no number of seconds from 1 to 86400", value);
		return -EINVAL;
	}
	*ret_every_s = (unsigned int)seconds;
	return 0;
}

static int check_options(const struct hist_options *options)
{
	if (options->output && options->format == FORMAT_TEXT)
		cli_error("--output is for --prometheus and --json");
	else if (options->every_s && (!options->output || options->input))
		cli_error("--every replaces the file of --output, with the numbers of a ROOT");
	else
		return -1;
	return CLI_USAGE;
}

/* Parse the options.  Returns -1 to continue, or the exit status with which the command must
 * exit. */
static int parse_options(const struct cli_cmd *cmd, int argc, char **argv,
			 struct hist_options *ret_options)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "prometheus", no_argument, NULL, 'p' },
		{ "output", required_argument, NULL, 'o' },
		{ "every", required_argument, NULL, 'e' },
		{ "input", required_argument, NULL, 'i' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status = 0;

	*ret_options = (struct hist_options){ .format = FORMAT_TEXT };
	while ((option = cli_option(cmd, argc, argv, "jpo:e:i:h", options, &status)) != -1) {
		switch (option) {
		case 'j':
			ret_options->format = FORMAT_JSON;
			break;
		case 'p':
			ret_options->format = FORMAT_PROMETHEUS;
			break;
		case 'o':
			ret_options->output = optarg;
			break;
		case 'e':
			if (parse_every(optarg, &ret_options->every_s))
				return CLI_USAGE;
			break;
		case 'i':
			ret_options->input = optarg;
			break;
		default:
			return status;
		}
	}
	return check_options(ret_options);
}

static int cmd_hist(const struct cli_cmd *cmd, int argc, char **argv)
{
	struct hist_options options;
	int status = parse_options(cmd, argc, argv, &options), nr = options.input ? 0 : 2;

	if (status >= 0)
		return status;
	if (argc - optind < nr || argc - optind > nr + 1)
		return cli_usage(cmd);
	options.trigger = argv[optind + nr];
	if (options.input)
		return print_file(&options) < 0 ? CLI_FAILED : 0;
	if (options.every_s)
		return print_every(&options, argv[optind], argv[optind + 1]) < 0 ? CLI_FAILED : 0;
	return print_root(&options, argv[optind], argv[optind + 1]) < 0 ? CLI_FAILED : 0;
}

const struct cli_cmd cli_hist = {
	.name = "hist",
	.args = "[--json | --prometheus] [-o FILE [-e SECONDS]] ROOT EVENT [TRIGGER]",
	.summary = "print the histograms of an event",
	.help =
"Prints what triggers `hist:keys=...` of EVENT have counted, also after the\n"
"program's end.  ROOT is as in `ulf help cat`, or an instance:\n"
"ROOT/instances/NAME.  EVENT is SYSTEM:EVENT, or EVENT if that is unique.  With\n"
"TRIGGER only the histograms are printed whose triggers begin so, as in\n"
"`keys=op`.\n"
"\n"
"  -j, --json         print JSON\n"
"  -p, --prometheus   print metrics in the text format of Prometheus; a key with\n"
"                     .log2 or .buckets becomes a histogram\n"
"  -o, --output=FILE  write these to FILE, which is replaced at once, never in parts\n"
"  -e, --every=N      replace FILE every N seconds; at the end it is removed\n"
"  -i, --input=FILE   read FILE, a copy of a file `hist` of ulf or of a kernel,\n"
"                     instead of ROOT and EVENT\n"
"\n"
"Example:  ulf echo 'hist:keys=op,ns.log2' kvd/events/kv/op/trigger\n"
"          ulf hist --prometheus kvd kv:op\n",
	.is_for_users = true,
	.run = cmd_hist,
};
