/* SPDX-License-Identifier: MIT */
/* Declarations for ulf run, which cmd_run.c and run_*.c share. */
#ifndef ULF_CLI_RUN_IMPL_H
#define ULF_CLI_RUN_IMPL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/text.h"
#include "cli/conn.h"
#include "cli/cli_roots.h"
#include "event/boot.h"

#define RUN_CONSOLE	"tp_printk"	/* name of the instance that is made for the setting
					 * tp_printk; its records are printed while the
					 * program runs */
#define RUN_LIBULF	"libulf.so.0"

#define RUN_PATH_BYTES	4096

/* Value that getopt_long() returns for a long option that is a boot setting (event/boot.h).
 * It differs from the values of short options, which are letters and so below 256. */
#define RUN_WORD(id)	(256 + BOOT_##id)

/* The long options for boot settings, for getopt_long(); each command that takes boot
 * settings has them.  See run_words_option(). */
#define RUN_SETTING_OPTIONS							\
	{ "event", required_argument, NULL, 'e' },			\
	{ "trace-event", required_argument, NULL, RUN_WORD(EVENT) },	\
	{ "trace-buf-size", required_argument, NULL, RUN_WORD(BUF_SIZE) },	\
	{ "trace-clock", required_argument, NULL, RUN_WORD(CLOCK) },	\
	{ "trace-options", required_argument, NULL, RUN_WORD(OPTIONS) },	\
	{ "trace-instance", required_argument, NULL, RUN_WORD(INSTANCE) },	\
	{ "trace-trigger", required_argument, NULL, RUN_WORD(TRIGGER) },	\
	{ "trace-filter", required_argument, NULL, RUN_WORD(EVENT_FILTER) },	\
	{ "ftrace", required_argument, NULL, RUN_WORD(TRACER) },	\
	{ "ftrace-filter", required_argument, NULL, RUN_WORD(FILTER) },	\
	{ "ftrace-notrace", required_argument, NULL, RUN_WORD(NOTRACE) },	\
	{ "ftrace-graph-filter", required_argument, NULL, RUN_WORD(GRAPH_FILTER) },	\
	{ "ftrace-graph-notrace", required_argument, NULL, RUN_WORD(GRAPH_NOTRACE) },	\
	{ "ftrace-graph-max-depth", required_argument, NULL, RUN_WORD(GRAPH_DEPTH) },	\
	{ "syscalls", no_argument, NULL, RUN_WORD(SYSCALLS) },		\
	{ "usdt", no_argument, NULL, RUN_WORD(USDT) },			\
	{ "alloc-snapshot", no_argument, NULL, RUN_WORD(SNAPSHOT) },	\
	{ "stacktrace", no_argument, NULL, RUN_WORD(STACK) },		\
	{ "stacktrace-filter", required_argument, NULL, RUN_WORD(STACK_FILTER) },	\
	{ "traceoff-on-warning", no_argument, NULL, RUN_WORD(WARNING) },	\
	{ "ftrace-dump-on-oops", optional_argument, NULL, RUN_WORD(DUMP) }

/* The kind of a program says whether it can load libulf.  Programs of the kinds after
 * RUN_PLAIN cannot load it. */
enum run_kind {
	RUN_FOR_ULF,			/* the program is linked with libulf, or LD_PRELOAD
					 * loads libulf because its functions can be traced */
	RUN_PLAIN,			/* the program is not linked with libulf, and no
					 * compiler has prepared its functions for tracing.
					 * If a setting traces functions, such a program has
					 * the kind RUN_FOR_ULF instead, unless it runs a
					 * script */
	RUN_STATIC,			/* the program is linked statically, but not with
					 * libulf */
	RUN_MUSL,			/* linked with musl */
	RUN_MACHINE,			/* built for another CPU */
	RUN_SECURE,			/* the program is set-uid or set-gid, or has
					 * capabilities */
};

/* The file of a program, and the properties that `ulf run` has found in it. */
struct run_program {
	char *path;			/* path of the program; of the interpreter if the
					 * program is a script; NULL if it was not found */
	bool is_script;
	enum run_kind kind;
	bool has_functions;		/* true: a compiler has prepared functions of the
					 * program for tracing */
	bool has_libulf;		/* true: the program is linked with the shared library
					 * libulf */
	bool has_libulf_a;		/* true: the program is linked statically with
					 * libulf.a */
	bool has_libasan;		/* true: the program is linked with gcc's
					 * libasan, which must be loaded before
					 * libulf */
};

struct run {
	struct text words;		/* text of the boot settings, for the variable
					 * ULF_TRACE of the program */
	bool is_live;			/* option --live: print records while the program
					 * runs, and no trace at the end */
	bool is_printk;			/* setting tp_printk: also print records to stderr
					 * while the program runs */
	bool is_following;		/* option --follow: also trace the programs that the
					 * program starts */
	size_t nr_silent;		/* number of followed programs that have no records */
	FILE *out;			/* stream to which the trace is printed, see @out_name */
	const char *out_name;		/* argument of the option -o: file for the trace;
					 * NULL: the option was not given */
	const char *program;		/* name of the program to run, as the user wrote it */
	struct run_program about;	/* the file of the program */
	bool has_reported_why;		/* true: the message that the program's file cannot be
					 * traced was printed */
	bool has_reported_no_root;		/* true: the message that a process could not
						 * make its root was printed */
	bool has_reported_events;		/* true: the message about events that no root
						 * has was printed */
	bool has_reported_functions;		/* true: the message that no root has a
						 * function that can be traced was printed */
	struct run_shown *shown;	/* array with the errors of each root that were
					 * printed already; see run_events.c */
	size_t nr_shown;		/* number of roots in @shown */
	uint64_t started_ns;		/* time just before the program was started, ns
					 * of CLOCK_BOOTTIME */
	uint32_t id;			/* run id: number of this `ulf run`, which is stored
					 * in all roots of the run */
	pid_t pid;			/* pid of the program */
	int pidfd;			/* pidfd of the program; -1 if the kernel has no pidfds */
	struct conn conn;
};

/* ---- run_words.c: boot settings ---- */

/* Initialise the boot settings of @run with those of ULF_TRACE in the environment.  Ignore
 * ULF_TRACE if an `ulf run --follow` that has started this `ulf run` has set it. */
void run_words_init(struct run *run);
/* Add a boot setting.  @value is NULL if the setting has no value. */
void run_words_add(struct run *run, enum boot_id id, const char *value);
/* Add the boot setting for @option, one of RUN_SETTING_OPTIONS, with the argument @value. */
void run_words_option(struct run *run, int option, const char *value);
/* Return true if the boot settings of @run contain the setting @id. */
bool run_words_has(const struct run *run, enum boot_id id);
/* Return true if a boot setting of @run works for any program, so that libulf must be loaded
 * even into a program that is not linked with it. */
bool run_needs_library(const struct run *run);
/* Check the boot settings of @run and of ulf.conf, and prepare tp_printk.  Returns 0 or
 * -errno, and prints the first setting that is wrong. */
int run_words_check(struct run *run);

/* ---- run_events.c: check the events that settings name ---- */

/* Result of run_events_check(): do the roots of the run have the events that settings name */
enum run_events {
	RUN_EVENTS_NONE,		/* the roots of the run have no events at all yet */
	RUN_EVENTS_MISSING,		/* the roots of the run have events, but lack an event
					 * that a setting names */
	RUN_EVENTS_KNOWN,		/* the roots of the run have every event that a
					 * setting names */
};

/* Compare the events that boot settings name with the events of @roots.  Prints an error only
 * if the events cannot be read. */
enum run_events run_events_check(struct run *run, const struct root_list *roots);
/* Print the events that boot settings name but no root has, with similar names.  Only the
 * first call prints. */
void run_events_report(struct run *run, const struct root_list *roots);
/* Print the boot settings that the server could not apply.  Each error is printed only
 * once. */
void run_errors_report(struct run *run, const struct root_list *roots);
/* Free run->shown, the list of errors that were printed. */
void run_errors_done(struct run *run);

/* ---- run_functions.c: check that functions can be traced ---- */

/* Return true if boot settings trace functions, but none of @roots has records or a function
 * that can be traced.  Returns false, too, if run_functions_report() has already printed
 * this. */
bool run_functions_are_missing(struct run *run, const struct root_list *roots);
/* If no root has a function that can be traced, print this. */
void run_functions_report(struct run *run, const struct root_list *roots);

/* ---- run_watch.c: report mistakes while the program starts ---- */

/* Print an error if the program can never be traced.  Called before the program starts. */
void run_check_program(struct run *run);
/* Report mistakes in settings, and missing roots, as soon as they are known.  Called after
 * the start of the program.  Returns when no check is left, or when the program has ended. */
void run_watch(struct run *run);
/* Print why libulf could not make a root.  Only the first call prints.  Returns false
 * if no reason is known. */
bool run_explain_no_root(struct run *run);
/* Print the possible reasons why a program of kind RUN_FOR_ULF has made no root.  Only
 * the first call prints. */
void run_explain_nothing(struct run *run);
/* Wait at most @wait_ms for the end of the program.  Returns true if the program has ended. */
bool run_has_ended(const struct run *run, int wait_ms);

/* ---- run_child.c: start the program and wait for its end ---- */

/*
 * run_child_start - fork and exec the program, in the process group of `ulf run`
 *
 * Until run_child_wait() has returned, `ulf run` ignores the signals of the terminal, because
 * they reach the program directly.  It forwards SIGTERM and SIGHUP to the program.  Returns 0
 * or -errno, and prints errors.  -ENOENT says that there is no such program.
 */
int run_child_start(struct run *run, char **argv);
/* Wait for the end of the program.  Returns the wait status of the program. */
int run_child_wait(struct run *run);
/* End `ulf run` in the way in which the program has ended.  If the program has exited,
 * return its exit status.  If a signal has killed the program, end this process by the
 * same signal. */
int run_child_repeat_end(int wait_status);

/* ---- run_program.c: examine the file of the program ---- */

/*
 * Find the file that execvp() would execute for @name, and examine this file.
 * @needs_library: the result of run_needs_library() for the run.
 * @wants_interpreter: true if the interpreter of a script is traced, too.
 */
void run_program_find(const char *name, bool needs_library, bool wants_interpreter,
		      struct run_program *ret_program);
/* Free the members of @program. */
void run_program_done(struct run_program *program);
/* Print the reason why the program cannot be traced.  Only the first call prints. */
void run_program_explain(struct run *run);

/* ---- run_preload.c: load libulf into the program ---- */

/* Find libulf.so, and store its path in @ret_path.  Returns false if it is not installed;
 * then @ret_path contains the path at which it was expected. */
bool run_find_libulf(char ret_path[RUN_PATH_BYTES]);
/* Set LD_PRELOAD, so that the program loads libulf, if its functions can be traced then, or
 * if the programs that it starts are followed.  Called in the child process. */
void run_preload(const struct run *run);

/* ---- run_follow.c: the option --follow ---- */

/* Check that the other options can be used with --follow.  Returns 0; or prints an error and
 * returns -EINVAL. */
int run_follow_check(const struct run *run);
/* Set or remove the environment variable that makes libulf follow programs
 * (runtime/follow.h).  Called in the child process.  @libulf: path of libulf; NULL: do not
 * follow programs. */
void run_follow_set(const struct run *run, const char *libulf);
/* Remove the roots without records from @roots, and sort the remaining roots by the time at
 * which their programs have started.  If there were roots, but none has records, prints this
 * and returns true. */
bool run_follow_sort(struct run *run, struct root_list *roots);
/* Print how many programs were traced; also print which programs could not be followed, and
 * why. */
void run_follow_report(struct run *run, const struct root_list *roots);

/* ---- run_report.c: print the records of the run ---- */

/* Return true if the boot settings make the program record from its start, because they
 * select events, functions or stacks. */
bool run_wants_records(const struct run *run);
/* Get the list of the roots of this run.  Returns 0 or -errno.  The caller must call
 * root_list_done(). */
int run_roots(struct run *run, struct root_list *ret_roots);
/* Return true if @row is a root of this run. */
bool run_root_is_ours(const struct run *run, const struct abi_root_row *row);

/* Connect to a server again, because the server of the old connection may be dead.
 * Returns 0 or -errno, and prints errors. */
int run_reconnect(struct run *run);
/* Print records while the program runs, until it has ended.  Called if run->is_live or
 * run->is_printk is true. */
void run_live(struct run *run);
/* Print the records, unless run_live() has done so, and report lost records and mistakes.
 * Returns 0 or -errno. */
int run_report(struct run *run);

#endif
