/* SPDX-License-Identifier: MIT */
/* Shell commands, for tests that compile, run and inspect programs. */
#ifndef ULF_TESTS_COMMAND_H
#define ULF_TESTS_COMMAND_H

#include <stdbool.h>
#include <stdlib.h>

/* Returns a variable of the environment that tests/run sets up.  Fails the test if it is not
 * set. */
const char *command_env(const char *name);

/* Run a command with /bin/sh.  Returns the exit status, or 128 + signal. */
int command(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Run a command.  Fails the test, and prints the command, if the status is not 0. */
void command_ok(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Run a command and return its output, which the caller frees.  Fails the test if the status
 * is not 0. */
char *command_output(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Returns true if the shell finds this program. */
bool command_exists(const char *program);
/* Returns true if other users can reach the build directory, which they cannot in a clone
 * below /root. */
bool command_is_reachable(void);

#endif
