/* SPDX-License-Identifier: MIT */
/*
 * Give up rights of the server.  The server reads memory and files that traced programs have
 * written, so a program could try to take over the server.  A program that succeeds must gain
 * as little as possible.
 */
#ifndef ULF_DAEMON_CONFINE_H
#define ULF_DAEMON_CONFINE_H

/*
 * server_confine - give up all rights that the server does not need
 *
 * The server drops the capabilities that it does not need, also those of the bounding set if
 * the kernel allows it.  The server sets no_new_privs, so that set-uid programs do not work
 * for the server and its children.  A filter makes the system calls fail that confine.c
 * lists.  Children inherit all of this. fork() and exec() stay allowed.
 *
 * Call it once, while there is one thread, and before anything of a root is read.
 * Returns 0, or the -errno of the first step that the kernel refused.  In this case the
 * other steps are in force, and the server works without the refused step.
 */
int server_confine(void);
/* stopper_confine - give up rights as server_confine() does, but keep the right to trace
 * (ptrace()); for the stopper */
int stopper_confine(void);

#endif
