/* SPDX-License-Identifier: MIT */
/*
 * Count the functions that a change of settings could not switch on or off.
 *
 * The process stores the number of these functions and the reason in its process slot.  If
 * there are several reasons, it stores the first one of enum fsite_left, with the number
 * of functions that it concerns.
 */
#include "runtime/function/left.h"

#include <errno.h>
#include <stdint.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "runtime/base/process.h"
#include "runtime/function/object.h"

static void report(uint32_t nr, int error)
{
	if (!process_slot || (!nr && !process_slot->left))
		return;
	__atomic_store_n(&process_slot->left, nr, __ATOMIC_RELAXED);
	__atomic_store_n(&process_slot->left_error, (uint32_t)-error, __ATOMIC_RELAXED);
	/* The server reads @left, @left_error and @left_changes after @applied, which the agent
	 * stores with release order.  [agent.ack] */
	__atomic_add_fetch(&process_slot->left_changes, 1, __ATOMIC_RELAXED);
}

void left_begin(void)
{
	for (struct object *o = object_first(); o; o = o->next)
		o->sites.nr_switched = 0;
}

int left_end(int error)
{
	const int errors[FSITE_LEFT_REASONS] = {
		[FSITE_LEFT_STILL] = error ? error : -EINPROGRESS,
		[FSITE_LEFT_ROOM] = -ENOMEM, [FSITE_LEFT_BYTES] = -EILSEQ,
	};
	uint32_t left[FSITE_LEFT_REASONS] = { 0 }, reason = 0, nr_switched = 0, nr_off = 0;

	for (const struct object *o = object_first(); o; o = o->next) {
		nr_off += fsites_count_left(&o->sites, left);
		nr_switched += o->sites.nr_switched;
	}
	while (reason < FSITE_LEFT_REASONS && !left[reason])
		reason++;
	if (reason == FSITE_LEFT_REASONS) {
		report(0, 0);
		return error;
	}
	report(left[reason], errors[reason]);
	return nr_switched || !nr_off ? 0 : errors[reason] == -EINPROGRESS ? 0 : errors[reason];
}
