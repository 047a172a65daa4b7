/* SPDX-License-Identifier: MIT */
/*
 * Switch sites while no other thread runs.  Lock held for all functions and methods.
 */
#ifndef ULF_RUNTIME_STILL_H
#define ULF_RUNTIME_STILL_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/stop.h"

/* Sites that can be switched only while no other thread runs.  No method may be NULL. */
struct still_sites {
	/* Returns true if a site must be switched. */
	bool (*need)(void);
	/* Stores in @to the ranges of the sites that must be switched on, in ascending order, if
	 * @to is not NULL.  Returns how many they are.  No thread may be at an address in a range
	 * when its site is switched. */
	uint64_t (*list)(struct abi_stop_range *to);
	/* Notes that a thread may execute the instruction at @addr next. */
	void (*note)(uint64_t addr);
	/*
	 * Switches the sites; no other thread runs.  A site stays off if a thread may execute
	 * its instructions (see note()).  Adds the number of these sites to *@ret_used.
	 * Returns 0 or the first -errno.  The caller is between patch_begin() and patch_end().
	 */
	int (*flip)(uint32_t *ret_used);
};

/*
 * still_flip - switch those of @sites that need it
 *
 * Returns 0; -EAGAIN: other threads run, and cannot be stopped; -EILSEQ or another -errno of
 * patching.  Sites that could not be switched are tried again by the next call.
 */
int still_flip(const struct still_sites *sites);

/* still_is_alone - returns true if the calling thread is known to be the only thread of
 * this process. */
bool still_is_alone(void);

/* Method runtime_part.agent_start: remember which thread is the agent. */
void still_agent(bool has_own_table);

#endif
