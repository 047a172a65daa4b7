/* SPDX-License-Identifier: MIT */
/* ulf run: the parts (cmd_run.c, run_*.c). */
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

#define RUN_CONSOLE	"tp_printk"	/* the instance that is read for it */
#define RUN_LIBULF	"libulf.so.0"

/* Can libulf be in a program?  The kinds after RUN_PLAIN cannot have it at all. */
enum run_kind {
	RUN_FOR_ULF,			/* has it, or gets it by LD_PRELOAD for its functions */
	RUN_PLAIN,
	RUN_STATIC,
	RUN_MUSL,
	RUN_MACHINE,			/* for another CPU */
	RUN_SECURE,			/* set-uid, set-gid, capabilities */
};

struct run_program {
	char *path;			/* of a script: its interpreter; NULL: not found */
	bool is_script;
	enum run_kind kind;
	bool has_functions;		/* that can be traced */
	bool has_libulf;
	bool has_libasan;		/* gcc's, which must be loaded first */
};

struct run {
	struct text words;		/* for ULF_TRACE */
	bool is_live;			/* print what comes, and only that */
	bool is_printk;			/* print what comes to the console, too */
	FILE *out;			/* where the trace goes */
	const char *out_name;		/* -o, or NULL */
	const char *program;
	struct run_program about;	/* the file of the program */
	bool has_said_why;		/* the program's file was reported as not traceable */
	bool has_said_no_root;		/* a process that could not make its root was reported */
	bool has_said_events;		/* events that no root has were reported */
	struct run_shown *shown;	/* of run_events.c: errors that were shown */
	size_t nr_shown;
	uint64_t started_ns;		/* CLOCK_BOOTTIME */
	uint32_t id;			/* what the roots of this run carry */
	pid_t pid;
	int pidfd;
	struct conn conn;
};

/* ---- run_words.c ---- */
/* What is in the environment. */
void run_words_init(struct run *run);
void run_words_add(struct run *run, enum boot_id id, const char *value);
bool run_words_has(const struct run *run, enum boot_id id);
/* Says what cannot be right. */
int run_words_check(struct run *run);

/* ---- run_events.c ---- */
enum run_events {
	RUN_EVENTS_NONE,		/* the roots have no events at all */
	RUN_EVENTS_MISSING,		/* they have events, but not all that settings name */
	RUN_EVENTS_KNOWN,		/* every event that a setting names is in a root */
};

enum run_events run_events_look(struct run *run, const struct root_list *roots);
/* Prints, once, the events that settings name and no root has, and similar names. */
void run_events_report(struct run *run, const struct root_list *roots);
/* Prints the settings that the server could not apply, each error once. */
void run_errors_report(struct run *run, const struct root_list *roots);
/* Frees the errors that were shown. */
void run_errors_done(struct run *run);

/* ---- run_watch.c ---- */
/* Before the start: reports a program that can never be traced. */
void run_check_program(struct run *run);
/* After the start: reports mistakes in settings, and missing roots, as soon as they are known.
 * Returns then, or when the program has ended. */
void run_watch(struct run *run);
/* Prints, once, why libulf could not make a root.  False: libulf has reported nothing. */
bool run_explain_no_root(struct run *run);
/* Prints, once, the possible reasons why a program that libulf is for has made no root. */
void run_explain_nothing(struct run *run);
/* Has the program ended?  Waits for that at most @wait_ms. */
bool run_has_ended(const struct run *run, int wait_ms);

/* ---- run_child.c ---- */
/*
 * run_child_start - fork and exec the program, in our process group
 *
 * Signals from then on until run_child_wait(): those of the terminal reach the
 * program by themselves and do nothing to us; SIGTERM and SIGHUP are passed
 * on.  Says what is wrong; -ENOENT: no such program.
 */
int run_child_start(struct run *run, char **argv);
/* Wait for its end; gives the wait status. */
int run_child_wait(struct run *run);
/* Exit as it did: with its status, or of its signal. */
int run_child_repeat_end(int wait_status);

/* ---- run_program.c ---- */
/* Reads the file that execvp() would take for @name. */
void run_program_find(const char *name, struct run_program *ret_program);
void run_program_done(struct run_program *program);
/* Prints, once, why the program cannot be traced. */
void run_program_explain(struct run *run);

/* ---- run_preload.c ---- */
/* In the child: have libulf loaded into the program, if that is of use. */
void run_preload(const struct run *run);

/* ---- run_report.c ---- */
/* Do settings record something from the start? */
bool run_wants_records(const struct run *run);
/* The roots that this run made. */
int run_roots(struct run *run, struct root_list *ret_roots);
/* Is it one of this run's? */
bool run_root_is_ours(const struct run *run, const struct abi_root_row *row);

/* A new connection, for the old one may be dead; says what is wrong. */
int run_reconnect(struct run *run);
/* Print records as they come, until the program has ended: is_live, is_printk. */
void run_live(struct run *run);
/* Print what was recorded, unless that is done, and say what should be known. */
int run_report(struct run *run);

#endif
