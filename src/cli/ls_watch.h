/* SPDX-License-Identifier: MIT */
/* ulf ls --watch. */
#ifndef ULF_CLI_LS_WATCH_H
#define ULF_CLI_LS_WATCH_H

struct conn;

/*
 * Show the list of roots until the user ends the command, or a signal comes.  On a terminal
 * the list is refreshed.  Otherwise a line is printed for each root, and another line when
 * the root's state changes.  A root that was removed has the state "gone".  Returns the exit
 * status.
 */
int ls_watch(struct conn *conn);

#endif
