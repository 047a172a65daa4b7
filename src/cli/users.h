/* SPDX-License-Identifier: MIT */
/* Read the roots of all users, for `ulf ls --all`, and for the message that a root belongs
 * to another user. */
#ifndef ULF_CLI_USERS_H
#define ULF_CLI_USERS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli_roots.h"
#include "cli/user.h"

struct user_roots {
	struct user user;
	struct root_list list;		/* list of the user's roots; all characters of the
					 * roots' names are printable */
	bool is_failed;			/* true: @list is incomplete;
					 * users_get() has printed an error,
					 * unless is_quiet was set */
};

struct users {
	struct user_roots *all;		/* sorted by user id */
	size_t nr;
	bool is_cut;			/* true: a limit was reached, so the list of users may
					 * be incomplete */
};

#define USERS_LIST_MS	60000u		/* time limit for `ulf ls --all`, ms */

/*
 * users_get - read the roots of all users that have a ulf directory
 * @total_ms: time limit; is_failed is set for users whose roots were not read in this
 * time
 * @is_quiet: print no errors
 *
 * A process without user id 0 reads only the roots of its own user.  For each user, a child
 * process becomes this user and reads the roots.  No server is used or started.  Sleeps at
 * most 10 s for each batch of 16 users, and at most @total_ms plus 1 s in all.  Returns 0 or
 * -ENOMEM.
 */
int users_get(unsigned int total_ms, bool is_quiet, struct users *ret_users);
/* Free the lists of all users. */
void users_done(struct users *users);

/*
 * If another user owns the root whose name is the first @len bytes of @name, print this
 * user.  Takes about 1 s at most.  Returns false if nothing was printed.
 */
bool users_report_root(const char *name, size_t len);

#endif
