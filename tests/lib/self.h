/* SPDX-License-Identifier: MIT */
/*
 * A test program that starts itself again, to be the traced program.  main() calls
 * self_role() first, which runs the function of the role that argv[1] names, and exits with
 * its result.
 */
#ifndef ULF_TESTS_SELF_H
#define ULF_TESTS_SELF_H

#include <stdbool.h>
#include <sys/types.h>

struct self_role {
	const char *name;
	int (*run)(int argc, char **argv);	/* @argv begins after the name of the role */
};

/* @roles ends with an entry without a name. */
void self_role(int argc, char **argv, const struct self_role *roles);

/*
 * Start this program in @role.  Two pipes lead to the started program: it reads from
 * descriptor 3 and writes to descriptor 4.  @arg may be NULL.
 */
struct self {
	pid_t pid;
	int to, from;
};
struct self self_start(const char *role, const char *arg);
/* Read a byte from the started program, or write one to it.  Fails the test at the end of the
 * pipe. */
char self_get(const struct self *self);
void self_put(const struct self *self, char c);
/* Wait for the end of the program.  Returns the exit status, or 128 + signal. */
int self_wait(struct self *self);

/* Called in the started program: write a byte to the program that has started it.  Returns
 * false if that program has ended. */
bool self_say(char c);
char self_hear(void);			/* reads a byte; 0: the other program has ended */

/* Returns the number of roots below $ULF_DIR whose name ends in .PID, or in .PID and a
 * number. */
int self_count_roots(pid_t pid);
/* Returns the number of threads of a process. */
int self_count_threads(pid_t pid);

#endif
