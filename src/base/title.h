/* SPDX-License-Identifier: MIT */
/* Names of the server's processes, as ps, top and pgrep show them. */
#ifndef BASE_TITLE_H
#define BASE_TITLE_H

#include <stddef.h>

/* The memory that the kernel shows as the arguments of this process: all of argv, which is
 * not to be used any more.  The environment after it is left alone, as others look for
 * processes by it. */
void title_init(char *argv_start, size_t bytes);

/*
 * title_set - name this process
 * @comm: at most 15 characters
 * @fmt: the arguments that ps shows; children inherit them.  Without title_init(), or if the
 * text does not fit, they are not changed.
 */
void title_set(const char *comm, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
