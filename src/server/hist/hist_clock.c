/* SPDX-License-Identifier: MIT */
/*
 * The clock of an instance with histograms.  As in the kernel, .usecs divides times by
 * 1000 only if the clock counts ns.  So triggers with .usecs are compiled again when
 * the clock changes.
 */
#include "event/clock.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/hist/hist_impl.h"
#include "server/rings/rings.h"
#include "server/rules/rules.h"
#include "server/rules/triggers.h"

static bool counts_ns(uint32_t clock)
{
	return clock_is_in_ns(clock_get(clock));
}

/* Compile all triggers of @instance that use times in microseconds again.  If there is
 * such a trigger, publish the rules. */
static int compile_times(struct instance *instance)
{
	bool is_changed = false;
	int r = 0;

	for (struct histogram *h = root_hists(instance->root)->first; h; h = h->next) {
		struct hist_trigger *hist = h->def->is_usecs ? h->triggers : NULL;

		for (; hist && !r; hist = hist->next) {
			if (hist->instance != instance)
				continue;
			r = trigger_recompile(instance, hist_event(hist), hist->trigger);
			is_changed = true;
		}
	}
	return !r && is_changed ? rules_publish(instance) : r;
}

int hists_set_clock(struct instance *instance, uint32_t clock)
{
	uint32_t old = shm_load(&instance->abi->clock);
	int r = instance_set_clock(instance, clock);

	if (r || counts_ns(old) == counts_ns(clock))
		return r;
	r = compile_times(instance);
	if (r && !instance_set_clock(instance, old))
		compile_times(instance);
	return r;
}

bool hist_clock_counts_ns(const struct instance *instance)
{
	return counts_ns(shm_load(&instance->abi->clock));
}
