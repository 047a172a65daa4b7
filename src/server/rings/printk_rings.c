/* SPDX-License-Identifier: MIT */
/* Make rings for trace_printk(), which records even if no event is on. */
#include "server/core/apply.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/names/printk.h"
#include "server/rings/rings.h"

/*
 * Make rings if the program uses trace_printk().  Also make rings for every program
 * that waits at its start (abi_control.hold): whether its constructors call
 * trace_printk() is not known yet.
 */
int printk_rings_prepare(struct root *root)
{
	uint32_t *used = &root->top.abi->used, was_used = shm_load(used);
	struct apply apply;

	if ((!shm_load(&root->control->hold) && !printk_has_formats(root)) ||
	    instance_has_rings(&root->top) || instance_need_rings(&root->top))
		return 0;
	/* Mark the buffer as used without a user's request (ABI_USED_UNASKED).  Then the program
	 * removes the root at exit(), unless a file of the root was opened. */
	if (was_used == ABI_USED_NOT && !root->was_opened &&
	    !shm_load(&root->control->run_id) && !root->control->boot[0])
		shm_store(used, ABI_USED_UNASKED);
	apply_start(root, &apply);
	return 0;
}
