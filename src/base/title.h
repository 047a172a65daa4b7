/* SPDX-License-Identifier: MIT */
/* Set the names that ps, top and pgrep show for the server's processes. */
#ifndef BASE_TITLE_H
#define BASE_TITLE_H

#include <stddef.h>

/*
 * Set the memory that the kernel shows as the arguments of this process: all strings of argv,
 * @bytes long.  The caller must not use argv any more.  The environment, which follows argv in
 * memory, stays unchanged, because other programs find processes by their environment.
 */
void title_init(char *argv_start, size_t bytes);

/*
 * title_set - set the name of this process
 * @comm: the thread's name (comm), at most 15 characters
 * @fmt: the arguments that ps shows; children inherit them.  The arguments stay
 * unchanged if title_init() was not called, or if the text does not fit.
 */
void title_set(const char *comm, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
