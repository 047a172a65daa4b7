/* SPDX-License-Identifier: MIT */
/* ulf run: what cmd_run.c and run_*.c share. */
#ifndef ULF_CLI_RUN_H
#define ULF_CLI_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/text.h"
#include "cli/conn.h"
#include "cli/root.h"
#include "event/boot.h"

#define RUN_CONSOLE	"tp_printk"	/* name of the instance whose records the
					 * setting tp_printk prints */
#define RUN_LIBULF	"libulf.so.0"

/* Whether a program can load libulf.  No program of a kind after RUN_PLAIN can. */
enum run_kind {
	RUN_FOR_ULF,			/* linked with libulf, or its functions can be
					 * traced and LD_PRELOAD loads libulf */
	RUN_PLAIN,			/* not linked with libulf, and without functions
					 * that can be traced */
	RUN_STATIC,			/* linked statically, without libulf */
	RUN_MUSL,			/* linked with musl */
	RUN_MACHINE,			/* built for another CPU */
	RUN_SECURE,			/* the program is set-uid or set-gid, or has
					 * capabilities */
};

/* The file of the program. */
struct run_program {
	char *path;			/* path of the program, or of the interpreter of a
					 * script; NULL: not found */
	bool is_script;
	enum run_kind kind;
	bool has_functions;		/* true: some functions of the program can be
					 * traced */
	bool has_libulf;		/* true: the program is linked with libulf */
	bool has_libasan;		/* true: linked with gcc's libasan, which must
					 * be loaded first */
};

struct run {
	struct text words;		/* text of the boot settings, for ULF_TRACE */
	bool is_live;			/* option --live: print records as they come,
					 * and no trace at the end */
	bool is_printk;			/* setting tp_printk: also print records to
					 * stderr as they come */
	FILE *out;			/* stream to which the trace is printed */
	const char *out_name;		/* argument of -o, or NULL */
	const char *program;		/* name of the program, as the user wrote it */
	struct run_program about;	/* the file of the program */
	bool has_said_why;		/* true: the file of the program was reported as
					 * not traceable */
	bool has_said_no_root;		/* true: a process that could not make its root
					 * was reported */
	bool has_said_events;		/* true: events that no root has were reported */
	struct run_shown *shown;	/* for each root, errors that were printed
					 * already; see run_events.c */
	size_t nr_shown;		/* number of entries in @shown */
	uint64_t started_ns;		/* CLOCK_BOOTTIME just before the program was
					 * started */
	uint32_t id;			/* run id: number of this `ulf run`, which its
					 * roots contain */
	pid_t pid;			/* pid of the program */
	int pidfd;			/* pidfd of the program; -1: the kernel has no pidfds */
	struct conn conn;
};

/* ---- run_words.c ---- */

/* Initialise the settings of @run with the settings of ULF_TRACE in the environment. */
void run_words_init(struct run *run);
/* Add a setting.  @value: NULL if the setting has no value. */
void run_words_add(struct run *run, enum boot_id id, const char *value);
/* Return true if @id is among the settings. */
bool run_words_has(const struct run *run, enum boot_id id);
/* Check the settings of @run and of ulf.conf, and prepare tp_printk.  Returns 0 or
 * -errno, and prints the first setting that is wrong. */
int run_words_check(struct run *run);

/* ---- run_events.c ---- */

/* Whether the roots of the run have the events that settings name. */
enum run_events {
	RUN_EVENTS_NONE,		/* the roots of the run have no events at all */
	RUN_EVENTS_MISSING,		/* the roots have events, but lack some event
					 * that a setting names */
	RUN_EVENTS_KNOWN,		/* every event that a setting names is in a root */
};

/* Compare the events that settings name with the events of @roots.  Prints only errors of
 * reading. */
enum run_events run_events_look(struct run *run, const struct root_list *roots);
/* Print, once, the events that settings name but no root has, and similar names. */
void run_events_report(struct run *run, const struct root_list *roots);
/* Print the settings that the server could not apply, each error once. */
void run_errors_report(struct run *run, const struct root_list *roots);
/* Free the list of errors that were printed. */
void run_errors_done(struct run *run);

/* ---- run_watch.c ---- */

/* Before the program starts: print an error if the program can never be traced. */
void run_check_program(struct run *run);
/* After the start of the program: report mistakes in settings, and missing roots, as soon
 * as they are known.  Returns then, or when the program has ended. */
void run_watch(struct run *run);
/* Print, once, why libulf could not make a root.  Returns false if no reason is known. */
bool run_explain_no_root(struct run *run);
/* Print, once, the possible reasons why a program of kind RUN_FOR_ULF has made no root. */
void run_explain_nothing(struct run *run);
/* Return true if the program has ended.  Waits for its end, at most @wait_ms. */
bool run_has_ended(const struct run *run, int wait_ms);

/* ---- run_child.c ---- */

/*
 * run_child_start - fork and exec the program, in the process group of `ulf run`
 *
 * From then on until run_child_wait(), `ulf run` ignores the signals of the terminal, which
 * reach the program directly, and forwards SIGTERM and SIGHUP to the program.  Returns 0 or
 * -errno, and prints errors; -ENOENT: no such program.
 */
int run_child_start(struct run *run, char **argv);
/* Wait for the end of the program.  Returns its wait status. */
int run_child_wait(struct run *run);
/* End as the program did: return the program's exit status, or die of the signal that
 * killed the program. */
int run_child_repeat_end(int wait_status);

/* ---- run_program.c ---- */

/* Find the file that execvp() would run for @name, and examine it. */
void run_program_find(const char *name, struct run_program *ret_program);
/* Free the members of @program. */
void run_program_done(struct run_program *program);
/* Print, once, why the program cannot be traced. */
void run_program_explain(struct run *run);

/* ---- run_preload.c ---- */

/* In the child process: set LD_PRELOAD if that makes the program's functions traceable. */
void run_preload(const struct run *run);

/* ---- run_report.c ---- */

/* Return true if the settings turn recording on from the start. */
bool run_wants_records(const struct run *run);
/* Get the roots of this run.  Returns 0 or -errno.  The caller must call root_list_done(). */
int run_roots(struct run *run, struct root_list *ret_roots);
/* Return true if @row is a root of this run. */
bool run_root_is_ours(const struct run *run, const struct abi_root_row *row);

/* Connect again, because the server of the old connection may be dead.  Returns 0 or -errno, and
 * prints errors. */
int run_reconnect(struct run *run);
/* Print records as they come, until the program has ended.  The caller uses it if is_live
 * or is_printk is set. */
void run_live(struct run *run);
/* Print the records, unless run_live() has done so, and report losses and mistakes.
 * Returns 0 or -errno. */
int run_report(struct run *run);

#endif
