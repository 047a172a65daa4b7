/* SPDX-License-Identifier: MIT */
/* Methods of struct root_part that apply the boot settings of a root (event/boot.h). */
#ifndef ULF_DAEMON_BOOT_H
#define ULF_DAEMON_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "server/core/budget.h"
#include "server/core/root.h"
#include "server/part_numbers.h"

/* The boot settings of a root.  This is the state of ROOT_PART_BOOT. */
struct root_boot {
	uint32_t nr_rows;		/* number of rows of the table of events whose
					 * boot settings were applied */
	bool is_applied;		/* true: boot_apply() has run for this root */
	bool is_followed;		/* true: the settings are also for programs that
					 * this program starts (`ulf run --follow`), which
					 * possibly lack some of the functions */
	bool traces_none;		/* true: nothing is traced, because none of the
					 * functions that a filter names exists in this
					 * program; only if @is_followed */
	uint32_t refused, accepted;	/* bit n is 1 if the setting with the id n (enum
					 * boot_id), a list of functions, names a function
					 * that its file has refused (accepted) */
	struct budget budget;		/* CPU budget of the root for setting the boot
					 * triggers of many events */
};

/* Return the state of the boot settings of @root. */
static inline struct root_boot *root_boot(const struct root *root)
{
	return root->part_state[ROOT_PART_BOOT];
}

/* Method root_part.init: mark the events that exist now as handled.  If there are any,
 * the previous server has already applied their boot settings. */
int boot_init(struct root *root);
/* Method root_part.prepare: apply the boot settings if no server has done so, and set
 * the triggers of events that were registered since the last call.  Returns 0, or
 * -ERESTART if settings of functions wait for a parser. */
int boot_prepare(struct root *root);
/* Method root_part.tick: set the boot triggers of those events that were registered since
 * the last call. */
void boot_tick(struct root *root);
/* Method root_part.done: forget which events got their boot triggers, because @root is
 * being unmapped. */
void boot_done(struct root *root);

#endif
