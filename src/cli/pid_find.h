/* SPDX-License-Identifier: MIT */
/* Find a running program by its process id or its name. */
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

#endif
