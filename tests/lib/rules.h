/* SPDX-License-Identifier: MIT */
/*
 * Rules (abi/rules.h) that a test program sets for itself, as a server would, and tests of
 * rules that count.
 */
#ifndef ULF_TESTS_RULES_H
#define ULF_TESTS_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "abi/rules.h"
#include "event/command.h"
#include "lib/driver.h"

/* Pages in the root's memory: two for rules, and one for other data of a test. */
enum rules_page { RULES_PAGE, RULES_OTHER_PAGE, RULES_FREE_PAGE, RULES_PAGES };

/* Open the root of this process, with rings and these pages.  Returns its top buffer. */
struct abi_buffer *rules_open(struct driver *d);
uint64_t rules_page_off(const struct driver *d, enum rules_page page);

/* Write rules to the page that is not in force, and apply them.  Returns 0, or the error of
 * the process. */
int rules_use(struct driver *d, const void *block, size_t bytes);
/* Overwrite some random bytes. */
void rules_damage(void *block, size_t bytes, uint64_t *random);

/* A hit runs disable_event as often as its counter allows. */
struct rules_counted {
	uint64_t *target, *count;	/* slots of the top buffer */
	uint32_t count_slot;
	void (*hit)(void);		/* may be called in any context */
	int (*use)(enum command_number command, uint32_t count_slot);
};

/* Hit from several threads and from signal handlers, while the rule is replaced @nr_changes
 * times, and @nr_hits times per thread afterwards.  The command must run as often as the
 * counter was decremented, and at least once. */
void rules_count_hits(const struct rules_counted *counted, uint64_t count, int nr_hits,
		      int nr_changes);
/* The command must run in the first three of five children. */
void rules_count_children(const struct rules_counted *counted);

#endif
