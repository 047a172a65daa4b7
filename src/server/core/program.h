/* SPDX-License-Identifier: MIT */
/* The file of the program that a root's processes run. */
#ifndef ULF_SERVER_PROGRAM_H
#define ULF_SERVER_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct root;

/* Return true if @path is the path of the program of @root.  Only the first bytes of a
 * very long path are known and compared. */
bool program_is(const struct root *root, const char *path);

/* The suffix that the kernel appends to the path of a deleted file in /proc/PID/maps and
 * /proc/PID/exe. */
#define PROGRAM_DELETED	" (deleted)"

/*
 * The name that the program has in /proc/PID/maps at present, and its path when it was
 * started.  Both are "" if unknown.
 */
struct program_names {
	char now[PATH_MAX];
	char path[PATH_MAX];
};
/* Get the names of the program that process @pid runs. */
void program_names_find(const struct root *root, uint32_t pid,
			struct program_names *ret_names);

/* A path by which the file of an object can be opened. */
struct program_file {
	const char *path;
	int fd;				/* descriptor that @path names as /proc/self/fd/N;
					 * -1 if @path is an ordinary path */
	char link[32];			/* memory for the text of @path, if @path names
					 * @fd */
};

/*
 * program_file_find - find the file that was at @path when it was loaded
 *
 * For the program itself this is the file that its processes run, even if the file was
 * removed or replaced.  For this, one of the processes must be alive.  For other
 * objects only the path is known.  The caller must check the build id, if there is
 * one, and call program_file_done().
 */
void program_file_find(const struct root *root, const char *path,
		       struct program_file *ret_file);
/* Close the descriptor of @file. */
void program_file_done(struct program_file *file);

#endif
