/* SPDX-License-Identifier: MIT */
/* Find all directories that may be ulf directories; see dir_list.h. */
#include "base/dir_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir.h"

#define ENTRIES_MAX	100000u		/* maximum number of names that are checked in
					 * one directory; names that do not have the
					 * form of a ulf directory's name are not
					 * counted */

/* ---- find the ulf directories of this user ---- */

/* Returns true if @path is a valid ulf directory with at least one root. */

static bool has_roots(const char *path)
{
	char roots[DIR_PATH_BYTES + sizeof(DIR_ROOTS) + 1];
	struct dirent *entry;
	bool is_found = false;
	int fd;
	DIR *dir;

	if (dir_check(path) < 0 || dir_join(path, DIR_ROOTS, roots, sizeof(roots)) < 0)
		return false;
	fd = open(roots, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!is_found && (entry = readdir(dir)))
		is_found = entry->d_name[0] != '.';
	closedir(dir);
	return is_found;
}

void dir_each_other(const char *dir, void (*emit)(void *arg, const char *path), void *arg)
{
	const char *env = getenv("ULF_DIR");
	char path[DIR_PATH_BYTES];
	unsigned int i, number;

	if (env && *env)
		return;
	for (i = 0; i < DIR_PLACES; i++) {
		for (number = 0; number < DIR_NAMES; number++) {
			if (!dir_place_path(&dir_places[i], geteuid(), number, path) &&
			    strcmp(path, dir) && has_roots(path))
				emit(arg, path);
		}
	}
	if (!dir_find_session(false, path) && strcmp(path, dir) && has_roots(path))
		emit(arg, path);
}

/* ---- find the users that may have a ulf directory ---- */

struct users {
	unsigned int *uids;		/* array of DIR_USERS_MAX user ids, without
					 * duplicates */
	size_t nr;
	bool is_cut;			/* true: a limit was reached, so the array may
					 * lack some users */
};

static void add_user(struct users *users, unsigned int uid)
{
	size_t i;

	for (i = 0; i < users->nr; i++) {
		if (users->uids[i] == uid)
			return;
	}
	if (users->nr < DIR_USERS_MAX)
		users->uids[users->nr++] = uid;
	else
		users->is_cut = true;
}

/* Parse "UID" or "UID.NUMBER".  Returns false if @text has neither form. */
static bool parse_uid(const char *text, unsigned int *ret_uid)
{
	unsigned long uid;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	uid = strtoul(text, &end, 10);
	if (errno || uid >= UINT32_MAX)
		return false;
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	*ret_uid = (unsigned int)uid;
	return !*end;
}

/*
 * Add the users that have a directory in @parent.  The name of such a directory is
 * @prefix + user id.  It counts only if that user owns the directory, so no user can
 * add another user to the list.  Names of any other form are not counted against
 * ENTRIES_MAX, because every user may make many of them.
 */
static void add_users_in(struct users *users, const char *parent, const char *prefix,
			 bool may_be_mount)
{
	size_t prefix_len = strlen(prefix), nr = 0;
	struct dirent *entry;
	unsigned int uid, owner;
	DIR *dir = opendir(parent);

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, prefix_len) ||
		    !parse_uid(entry->d_name + prefix_len, &uid))
			continue;
		if (++nr > ENTRIES_MAX) {
			users->is_cut = true;
			break;
		}
		if (!dir_owner(dirfd(dir), entry->d_name, may_be_mount, &owner) &&
		    owner == uid)
			add_user(users, uid);
	}
	closedir(dir);
}

static int compare_uids(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

size_t dir_users(unsigned int *ret_uids, bool *ret_is_cut)
{
	struct users users = { .uids = ret_uids };
	unsigned int i;

	for (i = 0; i < DIR_PLACES; i++)
		add_users_in(&users, dir_places[i].parent, dir_places[i].prefix, false);
	/* Accept mounts, because every name in /run/user is a mounted tmpfs.  These
	 * mounts can be trusted, because only user id 0 makes names in /run/user. */
	add_users_in(&users, "/run/user", "", true);
	qsort(users.uids, users.nr, sizeof(*users.uids), compare_uids);
	*ret_is_cut = users.is_cut;
	return users.nr;
}
