/* SPDX-License-Identifier: MIT */
/*
 * Handle writes to the `filter` files of an instance, and find the names that filters may
 * use.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno.
 */
#ifndef ULF_SERVER_FILTERS_H
#define ULF_SERVER_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/filter.h"

struct event;
struct instance;
struct root;

/*
 * Handle a write to events/SYS/EVENT/filter.  Sets the filter of all rows that have
 * the system and name of @event.  If the filter is wrong, it is reported in error_log
 * and the old filter is removed.  If *@ret_is_changed is true, the filter has changed,
 * and the caller must call apply_start(), also after an error.  Otherwise the old
 * filter stays.  Returns 0, the error of filter_compile(), -EINVAL (too long),
 * -ENOMEM, -EBUSY (see filters_log_missed()) or an error of rules_publish().
 */
int filters_set(struct instance *instance, const struct event *event,
		const char *data, size_t bytes, bool *ret_is_changed);
/*
 * Handle a write to events/SYS/filter: set the filter of all events of @system, an
 * index of events.systems.  Events that the filter does not fit are reported in
 * error_log, and the write still succeeds.  If *@ret_is_changed is true, the caller
 * must call apply_start().
 *
 * Returns 0, -EINVAL (too long), -ENODEV (no events), -ENOMEM, -EBUSY (see
 * filters_log_missed()) or an error of rules_publish().  After an error the old filters
 * stay.
 */
int filters_set_system(struct instance *instance, uint32_t system,
		       const char *data, size_t bytes, bool *ret_is_changed);
/*
 * Return true if some names of constants were not searched since the last
 * filters_env(), because the root's limit was reached.  Then the filter @text may be
 * correct after all.  In this case the function adds this reason to error_log, and the
 * caller must return -EBUSY to the writer.
 */
bool filters_log_missed(struct instance *instance, const char *text);
/*
 * Add @error, which filter_compile() has found in the filter @text, to error_log.
 * @event: the event whose `filter` or `trigger` file was written.
 */
void filters_log_error(struct instance *instance, const struct event *event,
		       const char *text, const struct filter_error *error);
/*
 * Search for the functions whose names occur in the filters in @text (FIELD.function).  @text
 * has @bytes bytes and need not end in a NUL.  @text may contain several filters with a NUL
 * after each.  Returns 0 if the filters can be compiled now; -ERESTART if the caller must
 * call again later, because a parser is at work or a search has not ended; -E2BIG if the
 * filters name too many functions; or -ENOMEM.
 *
 * filters_parse_more() does this for one of several texts.  The caller must call
 * symbols_functions_begin() before the first text.
 */
int filters_parse(struct root *root, const char *text, size_t bytes);
int filters_parse_more(struct root *root, const char *text, size_t bytes);
/*
 * Return what filter_compile() needs to resolve names in filters of @instance: functions,
 * names of constants, and the number of CPUs.  The call also begins a new count of missed
 * names for filters_log_missed().
 */
struct filter_env filters_env(const struct instance *instance);

#endif
