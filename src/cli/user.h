/* SPDX-License-Identifier: MIT */
/*
 * ulf --user: an administrator's look at the roots of another user.
 *
 * A child becomes the user before it touches anything of that user, so that links, sockets
 * and fifos that the user plants give access to nothing more than he has anyway.  The child
 * stays undumpable, so that the user cannot read its memory or take the terminal from it.  The
 * parent only watches the time.  docs/design/trust.md has the argument.
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
 * For a child of root, which is killed when @parent ends.  Returns 0 or -errno; after an error
 * the caller must exit.
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
 * Returns -1 in the process that must run the command.  Any other value is the exit status of
 * the command, or of an error that is printed.
 */
int user_enter(const char *word, const struct cli_cmd *cmd);

/* Does this process run for user_enter(), as another user? */
bool user_is_entered(void);

enum user_progress {
	USER_GOES_ON	= '.',		/* an answer has come */
	USER_STREAMS	= '~',		/* from now on answers may take for ever */
};

/* Report progress to the parent, which kills a child that makes none.  Does nothing in other
 * processes. */
void user_progress(enum user_progress progress);

/*
 * user_say_owner - print the owner of @path if that is another user, and what root can do
 * user_say_process - print the owner of a process whose root this user does not have
 * @name, @len: the name of a root or of a program, or a process id
 *
 * user_say_process() returns false if it has printed nothing.
 */
void user_say_owner(const char *path);
bool user_say_process(const char *name, size_t len);

#endif
