/* SPDX-License-Identifier: MIT */
/*
 * A test program that starts itself again, to be the program that is traced.
 * main() calls self_role() first: it runs the function of the role that
 * argv[1] names, and exits with what that returns.
 */
#ifndef ULF_TESTS_SELF_H
#define ULF_TESTS_SELF_H

#include <stdbool.h>
#include <sys/types.h>

struct self_role {
	const char *name;
	int (*run)(int argc, char **argv);	/* argv[0]: what follows */
};

/* @roles end with one without a name. */
void self_role(int argc, char **argv, const struct self_role *roles);

/*
 * Start this program in @role.  Two pipes lead to it: its descriptors 3 (it
 * reads) and 4 (it writes).  @arg may be NULL.
 */
struct self {
	pid_t pid;
	int to, from;
};
struct self self_start(const char *role, const char *arg);
/* A byte from the started program, or to it; fails the test on an end. */
char self_get(const struct self *self);
void self_put(const struct self *self, char c);
/* Waits for its end: the exit status, or 128 + signal. */
int self_wait(struct self *self);

/* In the started program: the same towards the one that started it.  False:
 * that is gone. */
bool self_say(char c);
char self_hear(void);			/* 0: it is gone */

/* How many roots there are below $ULF_DIR whose name ends in .PID, or in .PID
 * and a number. */
int self_count_roots(pid_t pid);
/* The number of threads of a process. */
int self_count_threads(pid_t pid);

#endif
