/* SPDX-License-Identifier: MIT */
/*
 * The stopper: a process that stops the threads of traced programs, so that the server itself
 * needs no right to trace them.
 */
#ifndef ULF_DAEMON_STOPPER_H
#define ULF_DAEMON_STOPPER_H

/*
 * stopper_start - fork the stopper; call it before server_confine()
 *
 * The stopper ends when the server ends.  Returns the socket for orders
 * (server/core/stop_order.h), or -errno.  Without a stopper the server works, but functions
 * that no compiler has prepared cannot be switched in running programs.
 */
int stopper_start(void);

#endif
