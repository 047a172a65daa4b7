/* SPDX-License-Identifier: MIT */
/* The roots of all users, for `ulf ls --all` and for the message that a root is another
 * user's. */
#ifndef ULF_CLI_USERS_H
#define ULF_CLI_USERS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/root.h"
#include "cli/user.h"

struct user_roots {
	struct user user;
	struct root_list list;		/* checked: names are one line of printable characters */
	bool is_failed;			/* the list is not complete; the user has been told */
};

struct users {
	struct user_roots *all;		/* in the order of user ids */
	size_t nr;
	bool is_cut;			/* there may be more users: a limit was hit */
};

#define USERS_LIST_MS	60000u		/* for `ulf ls --all` */

/*
 * users_get - read the roots of all users who have any; without rights, of this user alone
 * @total_ms: users that were not read when this time is over are failed
 * @is_quiet: print no errors
 *
 * A child for each user, which becomes that user, reads them; no server is asked or started.
 * Waits at most 10 s for 16 users, and @total_ms and 1 s for all of them.  Returns -errno.
 */
int users_get(unsigned int total_ms, bool is_quiet, struct users *ret_users);
void users_done(struct users *users);

/* Print which user has the root @name, which this user does not have; @len as in root.h.  Takes
 * about 1 s at most.  Returns false if nothing is known. */
bool users_say_root(const char *name, size_t len);

#endif
