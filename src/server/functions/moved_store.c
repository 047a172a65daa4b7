/* SPDX-License-Identifier: MIT */
/* Write the files with tables of moved functions; see moved_store.h. */
#include "server/functions/moved_store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/prune.h"
#include "server/core/beat.h"
#include "server/core/root.h"
#include "server/core/server_roots.h"
#include "server/functions/functions.h"

#define DIR_MODE	0711
#define FILE_MODE	0644
#define NEW_FILE	"new"		/* name of a table's file while it is being
					 * written.  One name is enough, because only one
					 * server runs in a directory */
#define ID_DIGITS	16u
#define FILES_BYTES_MAX	(256ull << 20)	/* limit of the total size of the tables' files,
					 * bytes; above the limit the oldest files are
					 * removed */

/* ---- the directory ---- */

/* Return true if @fd is a directory that belongs to this user and that no other user may
 * write. */
static bool is_own_directory(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 022);
}

/* Open the directory DIR/moved.  If it does not exist, make it.  Returns a descriptor or
 * -errno. */
static int open_directory(const struct root *root)
{
	int roots = server_open_roots(root->server), dir, fd;
	bool is_new;

	if (roots < 0)
		return roots;
	dir = openat(roots, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	close(roots);
	if (dir < 0)
		return -errno;
	is_new = !mkdirat(dir, DIR_MOVED, DIR_MODE);
	fd = openat(dir, DIR_MOVED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(dir);
	if (fd < 0)
		return -errno;
	/* Set the mode of a new directory again, because the umask may have cleared bits
	 * of it. */
	if (is_own_directory(fd) && (!is_new || !fchmod(fd, DIR_MODE)))
		return fd;
	close(fd);
	return -EPERM;
}

/* ---- functions that remove old files ---- */

static void file_name(uint64_t id, char to[ID_DIGITS + 1])
{
	snprintf(to, ID_DIGITS + 1, "%016" PRIx64, id);
}

/* Parse the name of a file in DIR/moved.  Returns false if it is not the name of a
 * table's file. */
static bool parse_file_name(const char *name, uint64_t *ret_id)
{
	char again[ID_DIGITS + 1];

	*ret_id = strtoull(name, NULL, 16);
	file_name(*ret_id, again);
	return !strcmp(name, again);
}

/* Return true if functions of a root of this server come from the table with the number @id. */
static bool is_used(struct server *server, uint64_t id)
{
	struct root *root = NULL;

	while ((root = server_next_root(server, root))) {
		const struct functions *functions = root_functions(root);

		for (uint32_t i = 0; i < functions->nr_objects; i++)
			if (functions->objects[i]->moved.head &&
			    functions->objects[i]->moved.id == id)
				return true;
	}
	return false;
}

static bool may_remove(const char *name, void *arg)
{
	uint64_t id;

	return parse_file_name(name, &id) && !is_used(arg, id);
}

/* ---- write a file ---- */

/* The header and the table that a file in DIR/moved must contain. */
struct contents {
	const struct abi_moved_file *file;
	const void *table;		/* file->table_bytes bytes */
	bool is_stored;			/* true: this server has already written the file */
};

static int write_all(int fd, const void *data, uint64_t bytes)
{
	for (uint64_t done = 0; done < bytes; ) {
		ssize_t n = write(fd, (const char *)data + done, bytes - done);

		if (n <= 0)
			return n ? -errno : -EIO;
		done += (uint64_t)n;
	}
	return 0;
}

static int write_file(int dir, const struct contents *contents, const char *name)
{
	int fd, r;

	unlinkat(dir, NEW_FILE, 0);	/* remove the file that a killed server has
					 * possibly left */
	fd = openat(dir, NEW_FILE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    FILE_MODE);
	if (fd < 0)
		return -errno;
	r = fchmod(fd, FILE_MODE) ? -errno : 0;
	if (!r)
		r = write_all(fd, contents->file, sizeof(*contents->file));
	if (!r)
		r = write_all(fd, contents->table, contents->file->table_bytes);
	close(fd);
	if (!r && renameat(dir, NEW_FILE, dir, name))
		r = -errno;
	if (r)
		unlinkat(dir, NEW_FILE, 0);
	return r;
}

/* Return true if the file @fd has exactly the bytes of @contents. */
static bool has_contents(int fd, const struct contents *contents)
{
	const struct abi_moved_file *file = contents->file;
	uint64_t bytes = sizeof(*file) + file->table_bytes;
	struct stat st;
	bool is_same;
	char *map;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 0777) != FILE_MODE || (uint64_t)st.st_size != bytes)
		return false;
	map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	is_same = !memcmp(map, file, sizeof(*file)) &&
		  !memcmp(map + sizeof(*file), contents->table, file->table_bytes);
	munmap(map, bytes);
	return is_same;
}

/* Return true if the file @name exists with the right contents.  A file that this server has
 * written need not be compared: no other user may change it. */
static bool is_there(int dir, const struct contents *contents, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_same = fd >= 0 && (contents->is_stored || has_contents(fd, contents));

	if (fd >= 0)
		close(fd);
	return is_same;
}

int moved_store_table(const struct root *root, const struct abi_moved_file *file, uint64_t id,
		      const void *table, bool *is_stored)
{
	const struct contents contents = { file, table, *is_stored };
	int dir = open_directory(root), r = 0;
	char name[ID_DIGITS + 1];

	if (dir < 0)
		return dir;
	file_name(id, name);
	if (!is_there(dir, &contents, name)) {
		r = write_file(dir, &contents, name);
		if (!r)
			prune_files(dir, FILES_BYTES_MAX, may_remove, root->server);
		beat();
	}
	*is_stored = !r;
	close(dir);
	return r;
}

int moved_store(const struct root *root, struct function_moved *moved)
{
	return moved_store_table(root, &moved->file, moved->id, moved->head, &moved->is_stored);
}
