/* SPDX-License-Identifier: MIT */
/*
 * ulf --user: let user id 0 work with the roots of another user.
 *
 * A child process becomes that user before it touches anything of the user.  So links,
 * sockets and fifos that the user plants give access to nothing that the user cannot access
 * anyway.  The child stays undumpable, so the user cannot read its memory or take the
 * terminal from it.  The parent only limits the child's time.  For the reasons see
 * docs/design/trust.md.
 */
#ifndef ULF_CLI_USER_H
#define ULF_CLI_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/cli.h"

#define USER_NAME_BYTES		256	/* size of a user's name in bytes, including the
					 * NUL: LOGIN_NAME_MAX */

struct user {
	unsigned int uid, gid;
	bool is_known;			/* true: the system's list of users has an entry for
					 * this user */
	char name[USER_NAME_BYTES];	/* name of the user; the user id in decimal if
					 * is_known is false */
	char home[256];			/* home directory of the user; "" if it is not known */
};

/* Find a user by @word, which is a name or a user id.  Returns 0, -ENOENT or -ENAMETOOLONG,
 * and prints errors. */
int user_find(const char *word, struct user *ret_user);
/* Find a user by the user id.  If the system does not know the user, or the user's name is
 * too long, the name is the user id, and there are no home directory and no groups. */
void user_get(unsigned int uid, struct user *ret_user);

/*
 * user_become - make this process run as @user for ever
 * @keep_fd: descriptor that stays open besides the standard streams; -1: none
 * @parent: pid of the parent; the kernel kills this process when the parent ends
 *
 * Only a child process with user id 0 may call this.  Sets groups and ids, drops all
 * capabilities, cleans the environment, closes descriptors and makes the process
 * undumpable.  Returns 0 or -errno; after an error the caller must exit.
 */
int user_become(const struct user *user, int keep_fd, int parent);

/*
 * user_end_child - kill a child that has become a user, and wait up to 1 s for its end
 *
 * Returns false if the child still exists.  This is possible because a process that waits for
 * a FUSE file system of the user does not end before it gets the answer.
 */
bool user_end_child(pid_t pid);

/*
 * user_enter - run @cmd as the user that @word names
 *
 * Returns -1 in the process that must run the command: a child process that has become the
 * user, or this process if it runs as the user already.  Any other value is the exit status
 * with which this process must exit.
 */
int user_enter(const char *word, const struct cli_cmd *cmd);

/* Return true in the child process of user_enter(), which runs as another user. */
bool user_is_entered(void);

enum user_progress {
	USER_GOES_ON	= '.',		/* progress: an answer of the server has arrived */
	USER_STREAMS	= '~',		/* progress: from now on answers may take any time */
};

/* Report progress to the parent process of user_enter(), which kills a child that makes
 * no progress.  In a process that is not such a child, this does nothing. */
void user_progress(enum user_progress progress);

/*
 * user_report_owner - if @path belongs to another user, print this user, and which command to
 * use user_report_process - print the owner of a process of another user, and which command
 * to use
 * @name, @len: the name of a root or of a program, or a process id
 *
 * user_report_process() returns false if it has printed nothing.
 */
void user_report_owner(const char *path);
bool user_report_process(const char *name, size_t len);

#endif
