/* SPDX-License-Identifier: MIT */
/* Tests that compile, run and look at programs: shell commands. */
#ifndef ULF_TESTS_COMMAND_H
#define ULF_TESTS_COMMAND_H

#include <stdbool.h>
#include <stdlib.h>

/* From the environment that tests/run sets up; fails the test without it. */
const char *command_env(const char *name);

/* Run by /bin/sh.  The exit status, or 128 + signal. */
int command(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, but fails the test if it is not 0, and says what was run. */
void command_ok(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What it prints, to be freed; fails the test if its status is not 0. */
char *command_output(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Can this program be found? */
bool command_exists(const char *program);
/* Could another user run this test?  Not from a clone in /root, say. */
bool command_is_reachable(void);

#endif
