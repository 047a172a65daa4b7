/* SPDX-License-Identifier: MIT */
/* The rules of an instance (abi/rules.h): the filters of its events, in the
 * server's table and in the shared memory. */
#ifndef ULF_SERVER_RULES_H
#define ULF_SERVER_RULES_H

#include <stdint.h>

struct event;
struct event_filter;
struct instance;

/* What the last server left behind. */
int rules_load(struct instance *instance);
void rules_done(struct instance *instance);
/* Take the rules out of the shared memory, for good. */
void rules_drop(struct instance *instance);

/* All zero if there is none. */
const struct event_filter *rules_filter(const struct instance *instance,
					const struct event *event);
/* Room in instance->filters for @nr rows. */
int rules_need_filters(struct instance *instance, uint32_t nr);
/* The table is as it should be: write it to the shared memory.  Then the
 * processes are to be told. */
int rules_publish(struct instance *instance);

#endif
