/* SPDX-License-Identifier: MIT */
/*
 * Check the control block of a root, and inspect a root without mapping it.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_ROOT_PEEK_H
#define ULF_SERVER_ROOT_PEEK_H

#include <stdbool.h>

#include "abi/control.h"

/*
 * Check @control, which must be a private copy (root_check.c).  Returns 0 if its offsets
 * are valid, -EBADMSG if not, -EPROTONOSUPPORT for another version.
 */
int root_check_control(const struct abi_control *control);

/* The data of a root that can be read without mapping it. */
struct root_peek {
	struct abi_control control;	/* checked private copy of the root's control
					 * block */
	bool is_dead;			/* true: it is certain that no process is left and
					 * that no child is about to claim a slot */
	bool has_recorded;		/* true: the root has records, or possibly has
					 * some */
};

/* Inspect the file `memory`, open as @fd, without mapping it.  Returns 0 or an error of
 * root_check_control(). */
int root_peek(int fd, struct root_peek *ret_peek);

/* Return true if no process has the pid @pid, or only a zombie: a process that has ended,
 * but whose parent has not waited for it. */
bool root_peek_is_free(uint32_t pid);

#endif
