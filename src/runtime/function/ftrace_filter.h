/* SPDX-License-Identifier: MIT */
/* Which functions a callback of the program's is for.  Lock held, but where it is said
 * otherwise. */
#ifndef ULF_RUNTIME_FTRACE_FILTER_H
#define ULF_RUNTIME_FTRACE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftrace_ops;

/* Is the site at @code one of them? */
bool filter_has(const struct ftrace_ops *ops, uint64_t code);

enum filter_list { FILTER_ONLY, FILTER_BUT, FILTER_LISTS };

/* Change one of the lists: by the address of a function, or by a glob, which may
 * begin with ! to take away; none (NULL): only @is_reset.  -EINVAL: there is no
 * such function; -ENOMEM.  Then it is as before. */
int filter_set_ip(struct ftrace_ops *ops, uint64_t ip, bool is_removed, bool is_reset);
/* Called without the lock, returns with it: names are looked for under libc's lock, which
 * comes first. */
int filter_set_glob(struct ftrace_ops *ops, enum filter_list list, const char *glob,
		    size_t len, bool is_reset);
void filter_free(struct ftrace_ops *ops);

#endif
