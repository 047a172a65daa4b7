/* SPDX-License-Identifier: MIT */
/*
 * Check that the server is alive while a command waits for its answer.  After one second a
 * message says what the command waits for.  After ten seconds without a sign of life
 * (abi/beat.h) the command gives up.  Some answers may take any time, for example the answer
 * to a read of trace_pipe.  While the command waits for such an answer, it prints no message
 * as long as the server shows signs of life.
 */
#ifndef ULF_CLI_LIFE_H
#define ULF_CLI_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#define LIFE_CHECK_MS	200		/* longest time between two calls of life_check() by a
					 * waiting command, ms */

struct life {
	uint64_t asked_ns;		/* time at which the wait for the server began, ns of
					 * CLOCK_MONOTONIC */
	uint64_t alive_ns;		/* time of the server's last sign of life in this
					 * wait, ns of CLOCK_MONOTONIC; equal to @asked_ns if
					 * there was none yet */
	uint64_t beats;			/* value of abi_beat.beats that was read last; 0: none
					 * was read yet */
	int pid;			/* process id of the server; 0: not known */
	bool may_take_long;		/* true: the server may take any time to answer */
	bool has_reported;			/* true: a message was printed during this
						 * wait */
};

/* Begin to wait for the server.  @pid: process id of the server; 0: not known. */
void life_begin(struct life *life, int pid, bool may_take_long);

/*
 * Check for signs of life, and print a message when it is time for one.  @dir: the ulf
 * directory.  Returns 0.  If the command must give up, prints the reason and a remedy
 * and returns -ETIMEDOUT.
 */
int life_check(struct life *life, const char *dir);

/* Return the ABI_VERSION (abi/control.h) of the server in the ulf directory @dir.  @pid: process id
 * of the server, as the server itself reports it.  Returns 0 if the version is not known. */
uint32_t life_server_version(const char *dir, int pid);

/* Return true if the process @pid of this pid namespace has ended.  A zombie counts as ended:
 * in a container whose first process does not wait for its children, it remains a zombie. */
bool life_has_ended(int pid);

#endif
