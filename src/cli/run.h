/* SPDX-License-Identifier: MIT */
/* ulf run: the parts (cmd_run.c, run_child.c, run_report.c). */
#ifndef ULF_CLI_RUN_H
#define ULF_CLI_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli/conn.h"
#include "cli/root.h"

struct run {
	char *events;			/* words of -e, with commas between */
	bool is_live;
	FILE *out;			/* where the trace goes */
	const char *out_name;		/* -o, or NULL */
	const char *program;
	uint64_t started_ns;		/* CLOCK_BOOTTIME */
	uint32_t id;			/* what the roots of this run carry */
	pid_t pid;
	int pidfd;
	struct conn conn;
};

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

/* The roots that this run made. */
int run_roots(struct run *run, struct root_list *ret_roots);
/* Is it one of this run's? */
bool run_root_is_ours(const struct run *run, const struct abi_root_row *row);

/* A new connection, for the old one may be dead; says what is wrong. */
int run_reconnect(struct run *run);
/* Print records as they come, until the program has ended. */
void run_live(struct run *run);
/* Print what was recorded, unless that is done, and say what should be known. */
int run_report(struct run *run);

#endif
