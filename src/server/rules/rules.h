/* SPDX-License-Identifier: MIT */
/* The rules of an instance (abi/rules.h): the filters and triggers of its events,
 * in the server's tables and in the shared memory. */
#ifndef ULF_SERVER_RULES_H
#define ULF_SERVER_RULES_H

#include <stdint.h>

struct event;
struct event_filter;
struct instance;
struct root;

/* What the last server left behind (rules_load.c). */
int rules_load(struct instance *instance);
void rules_done(struct instance *instance);
/* Take the rules out of the shared memory, for good. */
void rules_drop(struct instance *instance);

/* All zero if there is none. */
const struct event_filter *rules_filter(const struct instance *instance,
					const struct event *event);
/* Before rules_load(): parse the files that have the functions which filters of any
 * instance name.  -ERESTART: call again; -ENOMEM. */
int rules_load_names(struct root *root);
/* Room in instance->filters and ->softs for @nr rows. */
int rules_need_rows(struct instance *instance, uint32_t nr);
/* Modules came: their events get the filters and triggers of their name. */
void rules_refresh(struct instance *instance);
/* The tables are as they should be: write them to the shared memory.  Then the
 * processes are to be told. */
int rules_publish(struct instance *instance);

#endif
