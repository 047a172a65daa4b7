/* SPDX-License-Identifier: MIT */
/* Opening files whose paths come from the traced programs. */
#ifndef ULF_SERVER_LOCALFILE_H
#define ULF_SERVER_LOCALFILE_H

/*
 * localfile_open - open a regular file for reading, waiting for nobody
 * @path: absolute; symbolic links are followed
 *
 * -EREMOTE: it is on a file system that another process or machine serves;
 * -ENOEXEC: it is no regular file; or what open() said.
 */
int localfile_open(const char *path, int *ret_fd);

#endif
