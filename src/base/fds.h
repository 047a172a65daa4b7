/* SPDX-License-Identifier: MIT */
/*
 * The descriptors of a child that is about to call exec().  O_CLOEXEC acts at exec(), and
 * until then the child holds everything open: an epoll entry survives the parent's close(),
 * a lock its death.  So a child closes them at once.
 */
#ifndef ULF_BASE_FDS_H
#define ULF_BASE_FDS_H

#include <stdlib.h>
#include <unistd.h>

/* Close the descriptors @first to @last.  For a child of fork() that has one thread. */
static inline void fds_close(unsigned int first, unsigned int last)
{
	long max;

	if (first > last || !close_range(first, last, 0))
		return;
	/* older than Linux 5.9, or a seccomp filter that does not know the call */
	max = sysconf(_SC_OPEN_MAX);
	for (unsigned int fd = first; fd <= last && (long)fd < max; fd++)
		close((int)fd);
}

/* Close all but stdin, stdout, stderr and @keep.  @keep: -1 for none. */
static inline void fds_keep(int keep)
{
	unsigned int first = STDERR_FILENO + 1;

	if (keep >= (int)first) {
		fds_close(first, (unsigned int)keep - 1);
		first = (unsigned int)keep + 1;
	}
	fds_close(first, ~0u);
}

#endif
