/* SPDX-License-Identifier: MIT */
/*
 * What the server gives up.  It reads memory and files that traced programs have
 * written, so it must be worth little to a program that takes it over.
 */
#ifndef ULF_SERVER_CONFINE_H
#define ULF_SERVER_CONFINE_H

/*
 * server_confine - give up all rights that the server does not need
 *
 * Capabilities, also those of the bounding set where that is allowed; new privileges
 * (no_new_privs), so no set-uid program works for it or its children any more; and the
 * system calls that confine.c lists, which fail with EPERM then.  Children inherit all
 * of that; they may be forked, and may call exec().
 *
 * Call it once, while there is one thread, and before anything of a root is read.
 * Returns 0, or the -errno of the first part that the kernel refused: the other parts
 * are in force, and the server works as well.
 */
int server_confine(void);

#endif
