/* SPDX-License-Identifier: MIT */
/* Open files on file systems of this machine, without waiting. */
#ifndef ULF_SYMBOLS_LOCALFILE_H
#define ULF_SYMBOLS_LOCALFILE_H

/*
 * localfile_open - open a regular file for reading, without blocking
 * @path: absolute path; symbolic links are followed
 *
 * Returns 0 and a descriptor that the caller closes; -EREMOTE if the file is on a file
 * system that another process or machine serves; -ENOEXEC if it is no regular file;
 * -ENOENT if the path is not absolute; or an error of open().
 */
int localfile_open(const char *path, int *ret_fd);
/* localfile_open_directory - open a directory for reading, without blocking
 *
 * Returns what localfile_open() returns; -ENOTDIR if @path is no directory. */
int localfile_open_directory(const char *path, int *ret_fd);

#endif
