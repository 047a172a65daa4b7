/* SPDX-License-Identifier: MIT */
/*
 * Is the server that a command waits for alive?  After a second the user is told what is
 * waited for, and after ten seconds without a sign of life (abi/beat.h) the command gives
 * up.  Some answers may take as long as they need, above all a read of trace_pipe: they are
 * waited for silently as long as the server shows signs of life.
 */
#ifndef ULF_CLI_LIFE_H
#define ULF_CLI_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#define LIFE_LOOK_MS	200		/* how often life_look() is to be called */

struct life {
	uint64_t asked_ns;		/* when the wait began */
	uint64_t alive_ns;		/* when the last sign was seen, or asked_ns */
	uint64_t beats;			/* that sign; 0: none yet */
	int pid;			/* of the server; 0: not known */
	bool may_take_long;		/* the answer may */
	bool has_said;			/* what is waited for, in this wait */
};

/* A wait for the server begins.  @pid: 0 if it is not known. */
void life_begin(struct life *life, int pid, bool may_take_long);

/* Look again, and say what there is to say.  -ETIMEDOUT: the wait is over, and the user
 * knows why and what to do.  @dir: the ulf directory. */
int life_look(struct life *life, const char *dir);

#endif
