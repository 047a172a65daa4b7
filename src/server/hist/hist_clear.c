/* SPDX-License-Identifier: MIT */
/*
 * Clear a histogram: give it a new, empty table.  Threads count in the old table until
 * their process has applied the new rules.  So emptying the old table in place would
 * be a race.
 *
 *	1  allocate the new table
 *	2  compile all triggers again that use the histogram or refer to its variables
 *	3  publish the rules of their instances
 *	4  retire the old table; the caller lets the processes apply the change
 *
 * If step 2 or 3 fails, the histogram gets the old table again.  If some rules with
 * the new table are already published and cannot be replaced, both tables are kept
 * (histogram.stale).
 */
#include <errno.h>

#include "server/core/block.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/hist/hist_impl.h"
#include "server/rules/rules.h"
#include "server/rules/triggers.h"

/* Compile all triggers of the histogram @h again.  The bit of each trigger's instance is
 * set in *@instances. */
static int compile_triggers(const struct histogram *h, uint32_t *instances)
{
	int r = 0;

	for (struct hist_trigger *hist = h->triggers; hist && !r; hist = hist->next) {
		r = trigger_recompile(hist->instance, hist_event(hist), hist->trigger);
		*instances |= 1u << hist->instance->number;
	}
	return r;
}

/* Compile all triggers again that use @histogram or refer to its variables, so that they use
 * the table that @histogram has now.  Then publish the rules of their instances. */
static int use_table(struct root *root, const struct histogram *histogram)
{
	struct instance *instance;
	uint32_t instances = 0;
	int r = 0;

	for (struct histogram *h = root_hists(root)->first; h && !r; h = h->next)
		if (h == histogram || hist_def_refers_to(h->def, histogram->def))
			r = compile_triggers(h, &instances);
	for_each_instance(instance, root)
		if (!r && instances >> instance->number & 1)
			r = rules_publish(instance);
	return r;
}

int histogram_clear(struct root *root, struct histogram *histogram)
{
	struct abi_ring_ref old = histogram->block;
	struct hist_table_ref table = histogram->table;
	int r;

	if (root->state == SERVER_ROOT_DEAD)
		return -ENODEV;
	if (histogram->stale.off) {
		r = use_table(root, histogram);
		if (r)
			return r;
		block_retire(root, &histogram->stale, NULL);
	}
	/*
	 * Keep both tables in the lists of blocks in use (hists_list_blocks()) while the
	 * rules are published: publishing allocates memory, too, and must not get the
	 * memory of a table.
	 */
	histogram->stale = old;
	r = histogram_alloc_table(root, histogram);
	if (r) {
		histogram->stale = (struct abi_ring_ref){ .off = 0 };
		return r;
	}
	r = use_table(root, histogram);
	if (r) {
		histogram->stale = histogram->block;
		histogram->block = old;
		histogram->table = table;
		if (use_table(root, histogram))
			return r;
	}
	block_retire(root, &histogram->stale, NULL);
	return r;
}
