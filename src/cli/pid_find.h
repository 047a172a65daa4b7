/* SPDX-License-Identifier: MIT */
/* The running programs of this user. */
#ifndef ULF_CLI_PID_FIND_H
#define ULF_CLI_PID_FIND_H

#include <sys/types.h>

/*
 * pid_find - find the process that a user has named
 * @word: a process id, or the name of a program: its comm (/proc/PID/comm), or the name of its
 *	file.  Only processes of this user count, and this process does not.
 * Returns the process id; or -1, and prints an error, with the candidates if there are several.
 */
pid_t pid_find(const char *word);

/* Call @emit for each process of this user except the calling one.  @comm: its name. */
void pid_each(void (*emit)(void *arg, pid_t pid, const char *comm), void *arg);

#endif
