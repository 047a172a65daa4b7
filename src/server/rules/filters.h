/* SPDX-License-Identifier: MIT */
/* Changing the filters of an instance. */
#ifndef ULF_SERVER_FILTERS_H
#define ULF_SERVER_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/filter.h"

struct event;
struct instance;

/*
 * What was written to the `filter` of an event, or of a system by its number.
 * -errno of a wrong one, which takes the filter away all the same and is told
 * in error_log.  Unless *@ret_is_changed is false, the processes are to be told.
 */
int filters_set(struct instance *instance, const struct event *event,
		const char *data, size_t bytes, bool *ret_is_changed);
int filters_set_system(struct instance *instance, uint32_t system,
		       const char *data, size_t bytes, bool *ret_is_changed);
/* If not all names for numbers were searched since filters_env(), log that for @text and return
 * true: the filter may be right.  The writer gets -EBUSY. */
bool filters_log_missed(struct instance *instance, const char *text);
/* Report it in error_log.  @event: whose filter, or trigger, @text is for. */
void filters_log_error(struct instance *instance, const struct event *event,
		       const char *text, const struct filter_error *error);
/* What filters of the instance may name. */
/* Follows a field: its address is compared with those of a function. */
#define FILTER_FUNCTION		".function"
/* May @text name functions that no parser has found yet?  -ERESTART; 0 */
int filters_parse(const struct instance *instance, const char *text, size_t bytes);
struct filter_env filters_env(const struct instance *instance);

#endif
