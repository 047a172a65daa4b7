/* SPDX-License-Identifier: MIT */
/*
 * Rules (abi/rules.h) that a test program gives to itself, as a server would; and
 * whether those that count do so exactly.
 */
#ifndef ULF_TESTS_RULES_H
#define ULF_TESTS_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "abi/rules.h"
#include "event/command.h"
#include "lib/driver.h"

/* Pages in the root's memory: two for rules, and one for what else a test needs. */
enum rules_page { RULES_PAGE, RULES_OTHER_PAGE, RULES_FREE_PAGE, RULES_PAGES };

/* The root of this process, with rings and those pages: its top buffer. */
struct abi_buffer *rules_open(struct driver *d);
uint64_t rules_page_off(const struct driver *d, enum rules_page page);

/* Where no rules are that are in force.  0, or what the process answers. */
int rules_use(struct driver *d, const void *piece, size_t bytes);
/* Some bytes become others. */
void rules_damage(void *piece, size_t bytes, uint64_t *random);

/* A hit does disable_event as often as it is counted. */
struct rules_counted {
	uint64_t *target, *count;	/* slots of the top buffer */
	uint32_t count_slot;
	void (*hit)(void);		/* from anywhere */
	int (*use)(enum command_number command, uint32_t count_slot);
};

/* Hits of some threads, and from handlers, while the rule is replaced @nr_changes times,
 * and @nr_hits then: it was done as often as was counted, and at least once. */
void rules_count_hits(const struct rules_counted *counted, uint64_t count, int nr_hits,
		      int nr_changes);
/* The first three of five children. */
void rules_count_children(const struct rules_counted *counted);

#endif
