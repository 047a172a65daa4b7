/* SPDX-License-Identifier: MIT */
/*
 * Find the file of a program.  A program may be rebuilt, upgraded or removed while it
 * runs.  Then its path leads to another file or nowhere, but /proc/PID/exe still leads
 * to the right one.  There is no such link for shared libraries: only the superuser may
 * use /proc/PID/map_files.
 */
#include "server/core/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/core/process.h"
#include "server/core/root.h"
#include "symbols/localfile.h"

#define TRIES	8		/* maximum number of processes whose /proc/PID/exe is
				 * tried: all run one file, but the server may have no
				 * right to inspect some of them */

bool program_is(const struct root *root, const char *path)
{
	return !strncmp(path, root->control->exe, sizeof(root->control->exe) - 1);
}

/*
 * Return true if the root's memory has the complete path of the program.  The path is cut
 * if it is too long.
 */
static bool is_whole(const struct root *root)
{
	size_t len = strnlen(root->control->exe, sizeof(root->control->exe));

	return len && len < sizeof(root->control->exe) - 1;
}

static bool can_open(const char *path)
{
	int fd;

	if (localfile_open(path, &fd))
		return false;
	close(fd);
	return true;
}

/*
 * Get the names of the program.  Use the path in the root's memory only if /proc/PID/exe
 * shows the same path, or if /proc/PID/exe can be opened.  Otherwise the path may lead to
 * another file by now.
 */
void program_names_find(const struct root *root, uint32_t pid,
			struct program_names *ret_names)
{
	char *now = ret_names->now, *path = ret_names->path;
	char link[64];
	ssize_t n;
	size_t len;

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	n = readlink(link, now, sizeof(ret_names->now) - 1);
	now[n > 0 ? n : 0] = '\0';
	len = strnlen(root->control->exe, sizeof(root->control->exe) - 1);
	memcpy(path, root->control->exe, len);
	path[len] = '\0';
	if (!*now || !is_whole(root) || (strcmp(now, path) && !can_open(link)))
		strcpy(path, now);
}

/*
 * Open the file that a process of the root runs.  Afterwards check that the process still
 * belongs to the root.  If it does not, the file may be that of another program.
 */
static int open_link(const struct root *root, int *ret_fd)
{
	int left = TRIES;

	for (uint32_t i = 0; i <= PROCESS_CREATOR; i++) {
		const struct process *process = root->process[i];
		char link[64];
		int fd;

		if (!process || process->pidfd < 0)
			continue;
		snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", process->pid);
		if (!left--)
			break;
		if (localfile_open(link, &fd))
			continue;
		if (process_is_current(process)) {
			*ret_fd = fd;
			return 0;
		}
		close(fd);
	}
	return -ENOENT;
}

static bool is_at(const char *path, int fd)
{
	struct stat there, here;
	bool is_same;
	int other;

	if (localfile_open(path, &other))
		return false;
	is_same = !fstat(other, &there) && !fstat(fd, &here) &&
		  there.st_dev == here.st_dev && there.st_ino == here.st_ino;
	close(other);
	return is_same;
}

void program_file_find(const struct root *root, const char *path,
		       struct program_file *ret_file)
{
	int fd;

	*ret_file = (struct program_file){ .path = path, .fd = -1 };
	if (!is_whole(root) || !program_is(root, path) || open_link(root, &fd))
		return;
	/*
	 * Prefer the program's path to /proc/PID/exe if both lead to one file, because
	 * ulf searches for debug files in the directory of the path.
	 */
	if (is_at(path, fd)) {
		close(fd);
		return;
	}
	ret_file->fd = fd;
	snprintf(ret_file->link, sizeof(ret_file->link), "/proc/self/fd/%d", fd);
	ret_file->path = ret_file->link;
}

void program_file_done(struct program_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
}
