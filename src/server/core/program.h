/* SPDX-License-Identifier: MIT */
/* The file of the program that a root's processes run. */
#ifndef ULF_SERVER_PROGRAM_H
#define ULF_SERVER_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct root;

/* Is it the path of the program, as far as that is known? */
bool program_is(const struct root *root, const char *path);

/* What /proc puts behind the path of a file that was there. */
#define PROGRAM_DELETED	" (deleted)"

/* What /proc/PID/maps calls the program at present, and its path; both "" if that is
 * not known. */
struct program_names {
	char now[PATH_MAX];
	char path[PATH_MAX];
};
void program_names_find(const struct root *root, uint32_t pid,
			struct program_names *ret_names);

/* Where the file of an object is to be opened. */
struct program_file {
	const char *path;
	int fd;				/* that it names; -1: none */
	char link[32];
};

/*
 * program_file_find - the file that was at @path when it was loaded
 *
 * That of the program is what its processes run, while they live, also if it was
 * removed or another is at the path by now.  Of others only the path is known.  Who
 * reads it checks the build id, if there is one.
 */
void program_file_find(const struct root *root, const char *path,
		       struct program_file *ret_file);
void program_file_done(struct program_file *file);

#endif
