/* SPDX-License-Identifier: MIT */
/* Find out whether libulf can be loaded into a program that is about to be started.
 * Children of vfork() and signal handlers may call these functions: they take no lock,
 * allocate nothing, and do not change errno. */
#ifndef ULF_RUNTIME_LIBC_EXEC_FILE_H
#define ULF_RUNTIME_LIBC_EXEC_FILE_H

#include <stddef.h>

/* Remember which dynamic linker this program has.  Called once, during the
 * start. */
void exec_file_init(void);

/*
 * exec_file_check - examine the file of a program, or of the interpreter of a script
 * @dir, @path: the file, as for openat().
 * Returns 0 if libulf can be loaded, enum abi_unfollowed if it cannot, or -ENOENT if there
 * is no such file.
 */
long exec_file_check(int dir, const char *path);

/*
 * exec_file_find - find the file that execvp() starts
 * @name: has no slash.
 * @ret_path: the path, if there is one.
 * Returns 0 or -ENOENT.
 */
long exec_file_find(const char *name, char *ret_path, size_t bytes);

#endif
