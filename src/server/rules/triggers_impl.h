/* SPDX-License-Identifier: MIT */
/* Functions that only triggers.c and triggers_load.c use. */
#ifndef ULF_SERVER_TRIGGERS_IMPL_H
#define ULF_SERVER_TRIGGERS_IMPL_H

struct event;
struct instance;
struct trigger;

/*
 * Compile the filter of @trigger, which must have one, for all rows that have the name of
 * @event.  Only an error for @event itself is reported, because the filter need not fit the
 * fields of other rows.
 * Returns 0 or -errno, as trigger_make() does.
 */
int trigger_compile_filter(struct instance *instance, const struct event *event,
			   struct trigger *trigger);

#endif
