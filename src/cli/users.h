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

/*
 * users_get - read the roots of all users who have any; without rights, of this user alone
 *
 * A child for each user, which becomes that user, reads them; no server is needed, none is
 * asked, none is started.  Waits at most 10 s for 16 users.  Returns -errno.
 */
int users_get(struct users *ret_users);
void users_done(struct users *users);

/* Say whose a root is that this user does not have: @name, @len as in root.h.  False: nothing
 * is known. */
bool users_say_root(const char *name, size_t len);

#endif
