/* SPDX-License-Identifier: MIT */
/*
 * Programs of `ulf run` that could not make a root. libulf prints nothing, but sends the reason
 * to the server, and `ulf run` asks the server for it. libulf also sends which programs `ulf run
 * --follow` cannot follow.  The last NO_ROOTS programs are kept.
 */
#ifndef ULF_DAEMON_NO_ROOT_H
#define ULF_DAEMON_NO_ROOT_H

#include "abi/socket.h"

struct server;
struct text;

#define NO_ROOTS	128u

struct no_roots {
	struct {
		uint32_t run_id;	/* number of the `ulf run` that has started the
					 * program; 0 if the row is free */
		struct abi_no_root row;
	} last[NO_ROOTS];
	uint32_t next;			/* index of the oldest row of @last, which the
					 * next new row replaces */
};

/*
 * Store that process @pid of the run @run_id has no root because of @error (an errno, or enum
 * abi_unfollowed).  A long @name is cut.  All processes of a run that have one name and one
 * error share a row, which has the pid of the last of them.
 */
void no_roots_add(struct no_roots *list, uint32_t run_id, uint32_t pid, uint32_t error,
		  const char *name);
/* Append the rows of the run @run_id to @out.  If @server now lacks descriptors or memory to
 * open a root, appends a row with this error and without a pid. */
void no_roots_show(const struct no_roots *list, uint32_t run_id,
		   struct server *server, struct text *out);

#endif
