/* SPDX-License-Identifier: MIT */
/* Filters: the functions for which a callback of the program is called.  The caller holds
 * runtime_lock(), unless a comment says otherwise, and is not a signal handler. */
#ifndef ULF_RUNTIME_FTRACE_FILTER_H
#define ULF_RUNTIME_FTRACE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftrace_ops;
struct object_unknown;

/* Returns true if the filter of @ops selects the site at @code. */
bool filter_has(const struct ftrace_ops *ops, uint64_t code);
/* Returns true if the list FILTER_ONLY of @ops is empty.  The filter then selects all functions
 * but those in the list FILTER_BUT. */
bool filter_is_open(const struct ftrace_ops *ops);

/* The lists of a filter.  FILTER_ONLY, set by ftrace_set_filter(): select only these
 * functions; if the list is empty, select all functions.  FILTER_BUT, set by
 * ftrace_set_notrace(): do not select these functions. */
enum filter_list { FILTER_ONLY, FILTER_BUT, FILTER_LISTS };

/*
 * filter_set_ip - add the function at @ip to the list FILTER_ONLY, or remove it
 * @is_reset: empty the list first
 *
 * Returns 0, -EINVAL (no such function), -ENOENT (@is_removed is true, but the function is
 * not in the list) or -ENOMEM.  An error leaves the list unchanged.
 */
int filter_set_ip(struct ftrace_ops *ops, uint64_t ip, bool is_removed, bool is_reset);
/*
 * filter_set_glob - add the functions whose names match @glob to a list.  If @glob begins
 * with "!", remove them.
 * @glob: @len bytes; NULL: only apply @is_reset
 * @is_reset: empty the list first
 * @unknown: see object_find_names()
 *
 * The caller must not hold runtime_lock(); the function returns with it held, also on
 * errors.  The function looks for names under libc's lock of dl_iterate_phdr(), which
 * must be taken before runtime_lock().
 *
 * Returns 0, -EINVAL (no function matches) or -ENOMEM.  An error leaves the list
 * unchanged.
 */
int filter_set_glob(struct ftrace_ops *ops, enum filter_list list, const char *glob,
		    size_t len, bool is_reset, struct object_unknown *unknown);
/* Free the lists of the filter of @ops.  After this the filter selects all functions. */
void filter_free(struct ftrace_ops *ops);

#endif
