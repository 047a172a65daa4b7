/* SPDX-License-Identifier: MIT */
/* ulf offcpu: print how long threads sleep, by system call and stack. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/dat_files.h"
#include "cli/dat_output.h"
#include "cli/offcpu_record.h"
#include "cli/terminal.h"
#include "export/offcpu.h"

#define WHY_BYTES	8192u
#define TIME_DEFAULT_MS	5000u
#define ROWS_DEFAULT	20u
#define NAMES_SHOWN	8u		/* number of names of threads that are printed */

struct offcpu_cmd {
	struct offcpu_settings settings;
	struct offcpu_record record;
	const char *svg, *folded, *json;	/* paths of outputs; NULL: none */
	const char *kept;		/* path of the recording; NULL: it is removed */
	unsigned long rows;		/* number of rows of the table */
	bool has_time;			/* true: option --time was given */
	char *temp;			/* directory of a recording that is removed */
};

/* ---- the table ---- */

static void print_frame(const struct call_node *node)
{
	if (node->name)
		terminal_line(stdout, "%51s%s", "", node->name);
	else
		terminal_line(stdout, "%51s0x%" PRIx64, "", node->addr);
}

static void print_call(const struct call_node *node)
{
	terminal_line(stdout, "%13.3f %10" PRIu64 " %12.3f %12.3f  %s",
		      (double)node->total_ns / 1e6, node->count,
		      (double)node->total_ns / 1e6 / (double)node->count,
		      (double)node->max_ns / 1e6, node->name);
	for (node = node->parent; node->parent; node = node->parent)
		print_frame(node);
}

static void print_totals(const struct offcpu_totals *totals)
{
	terminal_line(stdout, "%.3f s, %" PRIu32 " thread%s: %" PRIu64 " sleeps of %.3f ms "
		      "together, %" PRIu64 " preemptions of %.3f ms", (double)totals->span_ns / 1e9,
		      totals->nr_threads, totals->nr_threads == 1 ? "" : "s", totals->sleeps,
		      (double)totals->asleep_ns / 1e6, totals->preemptions,
		      (double)totals->preempted_ns / 1e6);
	if (totals->short_sleeps)
		terminal_line(stdout, "shorter than --min, and not shown: %" PRIu64 " sleeps of "
			      "%.3f ms together", totals->short_sleeps,
			      (double)totals->short_ns / 1e6);
}

/* Print the threads that have slept all the time: there is no record of them. */
static void print_silent(const struct offcpu_cmd *cmd, const struct offcpu *offcpu)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < cmd->record.nr_threads; i++) {
		const struct offcpu_thread *thread = &cmd->record.threads[i];

		if (offcpu_has_thread(offcpu, thread->pid))
			continue;
		if (nr < NAMES_SHOWN)
			terminal_print(stdout, "%s%s-%" PRId32, nr ? ", " :
				       "without a switch or a call, and so not counted: ",
				       thread->comm, thread->pid);
		nr++;
	}
	if (nr > NAMES_SHOWN)
		terminal_print(stdout, " and %" PRIu32 " more", nr - NAMES_SHOWN);
	if (nr)
		putchar('\n');
}

static int print_table(const struct offcpu_cmd *cmd, const struct offcpu *offcpu)
{
	const struct call_node **calls;
	uint32_t nr;

	calls = offcpu_calls(offcpu, &nr);
	if (!calls)
		return -ENOMEM;
	print_totals(&offcpu->totals);
	print_silent(cmd, offcpu);
	puts("\n     TOTAL ms     SLEEPS   AVERAGE ms   MAXIMUM ms  SYSTEM CALL, AND ITS STACK");
	for (uint32_t i = 0; i < nr && i < cmd->rows; i++)
		print_call(calls[i]);
	if (nr > cmd->rows)
		printf("(%lu more; --rows=N prints more of them)\n", nr - cmd->rows);
	free(calls);
	return 0;
}

/* ---- output ---- */

/* Read the files, and print the table.  Returns 0 or -errno; prints errors. */
static int print_result(const struct offcpu_cmd *cmd, const struct dat_files *files)
{
	struct offcpu *offcpu = NULL;
	struct offcpu_settings mine = { cmd->settings.min_ns, &offcpu };
	const struct export_settings settings = { .selection.until = UINT64_MAX, .arg = &mine };
	struct export_totals totals;
	struct text why;
	int r;

	text_init(&why, WHY_BYTES);
	r = export_files(files->files, files->nr, &export_offcpu_result, &settings, -1, &why,
			 &totals);
	if (r)
		cli_error("%s: %s", datfile_path(files->files[0]),
			  why.len ? text_str(&why) : strerror(-r));
	text_done(&why);
	if (!r && totals.lost)
		cli_error("%" PRIu64 " records were lost, so figures are too small; use a larger "
			  "--buffer-size", totals.lost);
	if (!r)
		r = print_table(cmd, offcpu);
	offcpu_free(offcpu);
	return r;
}

/* Write the outputs of the options.  Returns the exit status. */
static int write_outputs(struct offcpu_cmd *cmd, const struct dat_files *files)
{
	const struct {
		const struct export_format *format;
		const char *path;
	} outputs[] = {
		{ &export_offcpu_svg, cmd->svg }, { &export_offcpu_folded, cmd->folded },
		{ &export_offcpu_json, cmd->json },
	};
	const struct export_settings settings = {
		.selection.until = UINT64_MAX, .arg = &cmd->settings,
	};
	bool is_stdout_used = false;
	int status = 0;

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		if (!outputs[i].path || status)
			continue;
		is_stdout_used |= !strcmp(outputs[i].path, "-");
		status = dat_output(files, outputs[i].format, &settings, outputs[i].path);
	}
	if (status || is_stdout_used)
		return status;
	return print_result(cmd, files) || fflush(stdout) ? CLI_FAILED : 0;
}

static int use_file(struct offcpu_cmd *cmd, char *path)
{
	struct dat_files files = { 0 };
	int status = dat_files_open(&files, 1, &path) ? CLI_FAILED : write_outputs(cmd, &files);

	dat_files_close(&files);
	return status;
}

/* ---- a root ---- */

/* Choose the path of the recording: the user's, or a file in a new directory. */
static int choose_path(struct offcpu_cmd *cmd, char **ret_path)
{
	const char *dir = getenv("TMPDIR");

	if (cmd->kept) {
		*ret_path = strdup(cmd->kept);
		return *ret_path ? 0 : -ENOMEM;
	}
	if (asprintf(&cmd->temp, "%s/ulf-offcpu.XXXXXX", dir && *dir ? dir : "/tmp") < 0) {
		cmd->temp = NULL;
		return -ENOMEM;
	}
	if (!mkdtemp(cmd->temp)) {
		int r = -errno;

		cli_error("%s: %s; set TMPDIR to a directory for the recording", cmd->temp,
			  strerror(-r));
		free(cmd->temp);
		cmd->temp = NULL;
		return r;
	}
	return asprintf(ret_path, "%s/offcpu.dat", cmd->temp) < 0 ? -ENOMEM : 0;
}

static int use_root(struct offcpu_cmd *cmd, const char *word)
{
	char *path = NULL;
	int status = CLI_FAILED;

	cmd->record.word = word;
	if (choose_path(cmd, &path))
		return CLI_FAILED;
	cmd->record.path = path;
	if (offcpu_record(&cmd->record) == 0)
		status = use_file(cmd, path);
	if (cmd->temp) {
		unlink(path);
		rmdir(cmd->temp);
	}
	free(path);
	free(cmd->temp);
	free(cmd->record.threads);
	return status;
}

/* Return true if the user has named a file, not a root. */
static bool is_file(const char *word)
{
	struct stat st;

	return word && !stat(word, &st) && S_ISREG(st.st_mode);
}

/* ---- the command line ---- */

static int parse_number(const char *option, double low, double high, double *ret_number)
{
	char *end;

	*ret_number = strtod(optarg, &end);
	if (*optarg && !*end && *ret_number >= low && *ret_number <= high)
		return 0;
	cli_error("%s: `%s` is no number from %g to %g", option, optarg, low, high);
	return -EINVAL;
}

static int apply_option(struct offcpu_cmd *cmd, int option)
{
	double number;
	int r = 0;

	switch (option) {
	case 't':
		r = parse_number("--time", 0.05, 1e6, &number);
		cmd->record.time_ms = r ? 0 : (uint64_t)(number * 1e3);
		cmd->has_time = true;
		return r;
	case 'm':
		r = parse_number("--min", 0, 1e12, &number);
		cmd->settings.min_ns = r ? 0 : (uint64_t)(number * 1e3);
		return r;
	case 'n':
		r = parse_number("--rows", 1, 1e9, &number);
		cmd->rows = r ? 0 : (unsigned long)number;
		return r;
	case 'b':
		r = parse_number("--buffer-size", 8, 1e7, &number);
		cmd->record.kb = r ? 0 : (uint64_t)number;
		return r;
	case 's':
		cmd->svg = optarg;
		return 0;
	case 'f':
		cmd->folded = optarg;
		return 0;
	case 'j':
		cmd->json = optarg;
		return 0;
	default:
		cmd->kept = optarg;
		return 0;
	}
}

static int cmd_offcpu(const struct cli_cmd *cli, int argc, char **argv)
{
	static const struct option options[] = {
		{ "time", required_argument, NULL, 't' },
		{ "min", required_argument, NULL, 'm' },
		{ "rows", required_argument, NULL, 'n' },
		{ "svg", required_argument, NULL, 's' },
		{ "folded", required_argument, NULL, 'f' },
		{ "json", required_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		{ "buffer-size", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct offcpu_cmd cmd = { .record.time_ms = TIME_DEFAULT_MS, .rows = ROWS_DEFAULT };
	int option, status = CLI_USAGE;
	char *word;

	while ((option = cli_option(cli, argc, argv, "t:m:n:s:f:j:o:b:h", options,
				    &status)) != -1)
		if (option == -2 || apply_option(&cmd, option))
			return option == -2 ? status : CLI_USAGE;
	if (argc - optind > 1)
		return cli_usage(cli);
	word = argv[optind];
	if (!is_file(word))
		return use_root(&cmd, word);
	if (!cmd.has_time && !cmd.kept && !cmd.record.kb)
		return use_file(&cmd, word);
	cli_error("%s is a file, and --time, --output and --buffer-size are for roots", word);
	return CLI_USAGE;
}

const struct cli_cmd cli_offcpu = {
	.name = "offcpu",
	.args = "[-t SECONDS] [-m USEC] [--svg FILE] [OPTIONS] [ROOT | PID | FILE]",
	.summary = "print how long threads sleep, by system call and stack",
	.help =
"Records for some seconds when threads of ROOT sleep, and prints for each system call\n"
"and stack how often, how long together, and how long at most.  The program must have\n"
"been started with `ulf run --syscalls`, or attached to with `ulf attach --syscalls`,\n"
"which this command does itself for a PID without libulf.  FILE is a file of `ulf\n"
"offcpu -o FILE`.  Without ROOT, the only root that is alive is recorded.\n"
"\n"
"  -t, --time=SECONDS    record for this time, or until ^C; default: 5\n"
"  -m, --min=USEC        leave out calls that have slept for a shorter time\n"
"  -n, --rows=N          print the N longest rows; default: 20\n"
"  -s, --svg=FILE        write a flame graph\n"
"  -f, --folded=FILE     write folded stacks with their times in ns\n"
"  -j, --json=FILE       write all rows as JSON\n"
"  -o, --output=FILE     keep the recording, for ulf offcpu, ulf report and others\n"
"  -b, --buffer-size=KB  size of the ring of each CPU, KiB\n"
"\n"
"FILE may be - for stdout, and then the table is not printed.  The time of a sleep is\n"
"from switch to switch of the thread, as the kernel reports it.  A time in which a\n"
"thread could run but had no CPU is no sleep: preemptions are counted apart.\n"
"\n"
"Example:  ulf run --syscalls -- ./server &\n"
"          ulf offcpu -t 10 --svg sleep.svg server\n",
	.run = cmd_offcpu,
};
