/* SPDX-License-Identifier: MIT */
/*
 * Probe lists.  A list is an array that is replaced as a whole: callers load
 * the pointer once [probe.publish] and walk what they got; the old array is
 * freed after a grace period.
 *
 * Order: the list is published before the sites are switched on, and the
 * sites are switched off before nothing else, as a caller that still comes in
 * finds NULL.
 */
#include <errno.h>
#include <string.h>

#include "runtime/runtime.h"
#include "runtime/tsan.h"
#include <ulf/tracepoint.h>

static unsigned int count(const struct tracepoint_func *funcs)
{
	unsigned int nr = 0;

	while (funcs && funcs[nr].func)
		nr++;
	return nr;
}

static int find(const struct tracepoint_func *funcs, void *probe, void *data)
{
	for (unsigned int i = 0; i < count(funcs); i++) {
		if (funcs[i].func == probe && funcs[i].data == data)
			return (int)i;
	}
	return -ENOENT;
}

/* Recording alone needs no list and no grace period of ours: the sections
 * that it consists of can be restarted as a whole [grace.rseq]. */
static bool is_direct(const struct tracepoint *tp,
		      const struct tracepoint_func *funcs)
{
	const struct ulf_event *event = tp->event;

	return event && funcs && !funcs[1].func &&
	       funcs[0].func == event->probe && funcs[0].data == event &&
	       grace_has_rseq();
}

static void publish(struct tracepoint *tp, struct tracepoint_func *funcs)
{
	struct tracepoint_func *old = tp->funcs;

	/* mate: __traceiter_<name>() [probe.publish] */
	tsan_release(&tp->funcs);
	__atomic_store_n(&tp->funcs, funcs, __ATOMIC_RELEASE);
	__atomic_store_n(&tp->call, is_direct(tp, funcs) ?
			 tp->event->direct : tp->iter, __ATOMIC_RELEASE);
	__atomic_store_n(&tp->enabled, funcs != NULL, __ATOMIC_RELEASE);
	grace_free(old);
}

int tracepoint_add(struct tracepoint *tp, void *probe, void *data, int prio)
{
	unsigned int nr = count(tp->funcs), at = 0;
	struct tracepoint_func *funcs;
	int r;

	if (!probe)
		return -EINVAL;
	if (find(tp->funcs, probe, data) >= 0)
		return -EEXIST;
	funcs = memory_alloc((nr + 2) * sizeof(*funcs));
	if (!funcs)
		return -ENOMEM;
	if (!nr && tp->regfunc) {
		r = tp->regfunc();
		if (r < 0) {
			memory_free(funcs);
			return r;
		}
	}
	while (at < nr && tp->funcs[at].prio >= prio)
		at++;
	if (at)
		memcpy(funcs, tp->funcs, at * sizeof(*funcs));
	funcs[at] = (struct tracepoint_func){ probe, data, prio };
	if (nr > at)
		memcpy(funcs + at + 1, tp->funcs + at,
		       (nr - at) * sizeof(*funcs));
	publish(tp, funcs);
	return 0;
}

int tracepoint_remove(struct tracepoint *tp, void *probe, void *data)
{
	unsigned int nr = count(tp->funcs);
	int at = find(tp->funcs, probe, data);
	struct tracepoint_func *funcs = NULL;

	if (at < 0)
		return at;
	if (nr > 1) {
		funcs = memory_alloc(nr * sizeof(*funcs));
		if (!funcs)
			return -ENOMEM;
		memcpy(funcs, tp->funcs, (size_t)at * sizeof(*funcs));
		memcpy(funcs + at, tp->funcs + at + 1,
		       (nr - 1 - (unsigned int)at) * sizeof(*funcs));
	}
	publish(tp, funcs);
	if (!funcs && tp->unregfunc)
		tp->unregfunc();
	return 0;
}

int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe,
				   void *data, int prio)
{
	int r, undo;

	runtime_init();
	runtime_lock();
	r = tracepoint_add(tp, probe, data, prio);
	if (!r) {
		r = site_update_key(tp);
		if (r) {
			undo = tracepoint_remove(tp, probe, data);
			(void)undo;
			site_update_key(tp);
		}
	}
	runtime_unlock();
	return r;
}

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	return tracepoint_probe_register_prio(tp, probe, data,
					      TRACEPOINT_DEFAULT_PRIO);
}

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	int r;

	runtime_lock();
	r = tracepoint_remove(tp, probe, data);
	if (!r)
		site_update_key(tp);
	runtime_unlock();
	return r;
}

void tracepoint_synchronize_unregister(void)
{
	grace_wait(-1);
}

void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv),
				void *priv)
{
	runtime_lock();
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct tracepoint **tp = m->tracepoints;
		     tp < m->tracepoints_end; tp++)
			fct(*tp, priv);
	}
	runtime_unlock();
}
