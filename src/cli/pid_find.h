/* SPDX-License-Identifier: MIT */
/* Find the running processes of this user. */
#ifndef ULF_CLI_PID_FIND_H
#define ULF_CLI_PID_FIND_H

#include <sys/types.h>

/*
 * pid_find - find the process that a user has named
 * @word: a process id, the comm of a process (/proc/PID/comm), or the name of the file that a
 *	process executes.  Only other processes of this user are searched.
 * Returns the process id; or -1 after printing an error, which lists the processes if several
 * match.
 */
pid_t pid_find(const char *word);

/* Call @emit for each process of this user except this process.  @comm: name of the process. */
void pid_each(void (*emit)(void *arg, pid_t pid, const char *comm), void *arg);

#endif
