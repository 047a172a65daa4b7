/* SPDX-License-Identifier: MIT */
/*
 * ulf --user: an administrator's look at the roots of another user.
 *
 * Everything of that user's is done by a child that has become the user before it touches
 * anything of his, so that links, sockets and fifos that he plants get him what he has
 * anyway.  The child stays undumpable, so that he cannot look into it, nor take the
 * terminal from it.  Its parent does nothing but watch the time.  docs/design/trust.md
 * has the argument.
 */
#ifndef ULF_CLI_USER_H
#define ULF_CLI_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/cli.h"

#define USER_NAME_BYTES		256	/* LOGIN_NAME_MAX, with the NUL */

struct user {
	unsigned int uid, gid;
	bool is_known;			/* has an entry in the list of users */
	char name[USER_NAME_BYTES];	/* the number if not is_known */
	char home[256];
};

/* Find a user by @word, a name or a number.  Prints the error: -ENOENT, -ENAMETOOLONG. */
int user_find(const char *word, struct user *ret_user);
/* Find a user by number.  A user without an entry, or whose name is too long, gets the number
 * as a name, and has no home and no groups. */
void user_get(unsigned int uid, struct user *ret_user);

/*
 * user_become - be @user, for good: groups, ids, no capability, a clean environment,
 * undumpable, no descriptor but the standard streams and @keep_fd (-1: none)
 *
 * For a child of root's: it dies when its parent @parent does.  Returns -errno; the caller
 * must not go on then.
 */
int user_become(const struct user *user, int keep_fd, int parent);

/*
 * user_end_child - kill a child that has become a user, and wait for its end, a second at most
 *
 * Returns false if it is still there: a process that waits for a FUSE file system of the
 * user's does not end before that answers.  The kernel ends it then.
 */
bool user_end_child(pid_t pid);

/*
 * user_enter - run @cmd as the user that @word names
 *
 * Returns -1 in the process that is to run the command.  Any other value is the exit status:
 * of the command, or of what is wrong, which has been said.
 */
int user_enter(const char *word, const struct cli_cmd *cmd);

/* Does this process run for user_enter(), as another user? */
bool user_is_entered(void);

enum user_progress {
	USER_GOES_ON	= '.',		/* an answer came */
	USER_STREAMS	= '~',		/* answers may take for ever from now on */
};

/* The parent gives a child up that makes no progress.  Nothing to do if there is none. */
void user_progress(enum user_progress progress);

/*
 * user_say_owner - say whose @path is if it is another user's, and what root can do
 * user_say_process - the same for a root that is not there, by its process
 * @name, @len: of the root, or a program's name, or a process id
 *
 * The second returns false if there is nothing to say.
 */
void user_say_owner(const char *path);
bool user_say_process(const char *name, size_t len);

#endif
