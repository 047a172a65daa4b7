/* SPDX-License-Identifier: MIT */
/*
 * Close the descriptors of a forked child that is about to call exec().  O_CLOEXEC
 * takes effect only at exec(); until then the child has copies of all descriptors of
 * its parent.  If the parent closes a descriptor meanwhile, the descriptor's entry in
 * an epoll set remains.  If the parent dies meanwhile, its file locks remain.  So a
 * child closes its descriptors at once.
 *
 * Both functions are for a child of fork() that has one thread.
 */
#ifndef ULF_BASE_FDS_H
#define ULF_BASE_FDS_H

#include <stdlib.h>
#include <unistd.h>

/* Close the descriptors from @first to @last. */
static inline void fds_close(unsigned int first, unsigned int last)
{
	long max;

	if (first > last || !close_range(first, last, 0))
		return;
	/* If close_range() fails, the kernel is older than 5.9 or a seccomp filter
	 * forbids the call: close the descriptors one by one. */
	max = sysconf(_SC_OPEN_MAX);
	for (unsigned int fd = first; fd <= last && (long)fd < max; fd++)
		close((int)fd);
}

/* Close all descriptors except stdin, stdout, stderr and @keep.  If @keep is -1,
 * close all descriptors except these three. */
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
