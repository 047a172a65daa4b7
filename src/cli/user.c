/* SPDX-License-Identifier: MIT */
/* ulf --user: find a user, and print messages about users; see user.h. */
#include "cli/user.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"

#define PROCESSES_MAX	100000u		/* maximum number of processes whose names are
					 * compared */

/* Fill @user from @entry, an entry of the system's list of users.  A name that is too
 * long is an error.  It must not be cut: the cut name could be the name of another
 * user, and initgroups() would set the groups of that user. */
static int fill_user(struct user *user, const struct passwd *entry)
{
	if (strlen(entry->pw_name) >= sizeof(user->name))
		return -ENAMETOOLONG;
	user->uid = entry->pw_uid;
	user->gid = entry->pw_gid;
	user->is_known = true;
	snprintf(user->name, sizeof(user->name), "%s", entry->pw_name);
	snprintf(user->home, sizeof(user->home), "%s", entry->pw_dir ? entry->pw_dir : "");
	return 0;
}

void user_get(unsigned int uid, struct user *ret_user)
{
	const struct passwd *entry = getpwuid(uid);

	*ret_user = (struct user){ .uid = uid, .gid = 65534 };	/* group nogroup */
	if (!entry || fill_user(ret_user, entry) < 0)
		snprintf(ret_user->name, sizeof(ret_user->name), "%u", uid);
}

static bool is_user_number(const char *word, unsigned int *ret_number)
{
	unsigned long number;

	if (!*word || word[strspn(word, "0123456789")])
		return false;
	errno = 0;
	number = strtoul(word, NULL, 10);
	*ret_number = (unsigned int)number;
	return !errno && number < UINT32_MAX;
}

int user_find(const char *word, struct user *ret_user)
{
	const struct passwd *entry;
	unsigned int uid;

	if (is_user_number(word, &uid)) {
		user_get(uid, ret_user);
		return 0;
	}
	entry = getpwnam(word);
	if (!entry) {
		cli_error("no user is named `%s`; give a user name or a numeric user id", word);
		return -ENOENT;
	}
	*ret_user = (struct user){ 0 };
	if (fill_user(ret_user, entry) == 0)
		return 0;
	cli_error("the user name `%s` is longer than %d bytes; give the numeric user id", word,
		  USER_NAME_BYTES - 1);
	return -ENAMETOOLONG;
}

/* ---- owners ---- */

/* Return the beginning of a message that advises the user to use `ulf --user`. */
static const char *user_option_advice(void)
{
	return geteuid() ? "root can look at it with" : "look at it with";
}

void user_report_owner(const char *path)
{
	struct user user;
	unsigned int uid;

	if (dir_owner(AT_FDCWD, path, true, &uid) < 0 || uid == geteuid())
		return;
	user_get(uid, &user);
	cli_error("%s belongs to %s: %s `ulf --user %s COMMAND`", path, user.name,
		  user_option_advice(), user.name);
}

/* Return the process id at the end of a root's name, such as "4711" or "hello.4711"; 0 if
 * there is none. */
static unsigned int pid_in_root_name(const char *name, size_t len)
{
	size_t start = len;
	char digits[16];
	unsigned int pid;

	while (start && isdigit((unsigned char)name[start - 1]))
		start--;
	if (start == len || len - start >= sizeof(digits) ||
	    (start && name[start - 1] != '.'))
		return 0;
	memcpy(digits, name + start, len - start);
	digits[len - start] = '\0';
	return is_user_number(digits, &pid) ? pid : 0;
}

/* If the process @pid belongs to another user, print its owner and return true. */
static bool report_process_owner(const char *pid)
{
	char path[32], comm[32] = "";
	struct user user;
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.16s", pid);
	if (stat(path, &st) < 0 || st.st_uid == geteuid())
		return false;
	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, comm, sizeof(comm) - 1);
	comm[n > 0 ? n - 1 : 0] = '\0';		/* remove the newline at the end of the
						 * process's name */
	if (fd >= 0)
		close(fd);
	user_get(st.st_uid, &user);
	cli_error("process %s (%s) belongs to %s: if it has a root, %s "
		  "`ulf --user %s COMMAND`", pid, comm, user.name, user_option_advice(), user.name);
	return true;
}

/* Return true if the comm of process @pid is @name. */
static bool is_process_named(const char *pid, const char *name, size_t len)
{
	char path[32], comm[32];
	bool is_so = false;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, comm, sizeof(comm));
	is_so = n == (ssize_t)len + 1 && !memcmp(comm, name, len);
	close(fd);
	return is_so;
}

bool user_report_process(const char *name, size_t len)
{
	unsigned int pid = pid_in_root_name(name, len), i;
	struct dirent *entry;
	bool has_reported = false;
	char text[16];
	DIR *dir;

	if (pid) {
		snprintf(text, sizeof(text), "%u", pid);
		return report_process_owner(text);
	}
	dir = opendir("/proc");
	for (i = 0; dir && !has_reported && i < PROCESSES_MAX && (entry = readdir(dir)); i++) {
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    is_process_named(entry->d_name, name, len))
			has_reported = report_process_owner(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return has_reported;
}
