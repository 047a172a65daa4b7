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

struct run {
	struct text words;		/* for ULF_TRACE */
	bool is_live;			/* print what comes, and only that */
	bool is_printk;			/* print what comes to the console, too */
	FILE *out;			/* where the trace goes */
	const char *out_name;		/* -o, or NULL */
	const char *program;
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
/* Says which events there are not, and what could not be done. */
void run_words_report(struct run *run, const struct root_list *roots);

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

/* ---- run_preload.c ---- */
/* In the child: have libulf loaded into @program, if that is of use. */
void run_preload(const char *program);
/* Is it linked with libulf, or has functions that can be traced? */
bool run_is_for_ulf(const char *program);

/* ---- run_report.c ---- */
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
