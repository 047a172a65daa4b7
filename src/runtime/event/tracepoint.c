/* SPDX-License-Identifier: MIT */
/*
 * Probe lists.  A list is an array that is replaced as a whole.  A thread that hits the
 * tracepoint loads the pointer once [probe.publish] and walks the array that it got.  The
 * old array is freed after a grace period.
 *
 * The list must be published before the sites are switched on.  The sites may be
 * switched off at any time: a thread that has already passed the site then finds NULL
 * instead of a list.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/base/thread.h"
#include "runtime/base/tsan.h"
#include "runtime/event/tracepoint.h"
#include <ulf/tracepoint.h>

static unsigned int count_probes(const struct tracepoint_func *funcs)
{
	unsigned int nr = 0;

	while (funcs && funcs[nr].func)
		nr++;
	return nr;
}

static int find_probe(const struct tracepoint_func *funcs, void *probe, void *data)
{
	for (unsigned int i = 0; i < count_probes(funcs); i++) {
		if (funcs[i].func == probe && funcs[i].data == data)
			return (int)i;
	}
	return -ENOENT;
}

/* Returns true if the only probe is the one that records the event.  Then a hit needs
 * neither a list nor ulf_probe_enter(): the hit consists of rseq sections, and
 * grace_wait() restarts these sections [grace.rseq]. */
static bool is_direct(const struct tracepoint *tp,
		      const struct tracepoint_func *funcs)
{
	const struct ulf_event *event = tp->event;

	return event && funcs && !funcs[1].func &&
	       funcs[0].func == event->probe && funcs[0].data == event &&
	       grace_has_rseq();
}

static void publish_probes(struct tracepoint *tp, struct tracepoint_func *funcs)
{
	struct tracepoint_func *old = tp->funcs;

	/* release: the list is complete; mate: __traceiter_<name>() [probe.publish] */
	tsan_release(&tp->funcs);
	__atomic_store_n(&tp->funcs, funcs, __ATOMIC_RELEASE);
	__atomic_store_n(&tp->call, is_direct(tp, funcs) ?
			 tp->event->direct : tp->iter, __ATOMIC_RELEASE);
	__atomic_store_n(&tp->enabled, funcs != NULL, __ATOMIC_RELEASE);
	grace_free(old);
}

static int add_probe(struct tracepoint *tp, void *probe, void *data, int prio)
{
	unsigned int nr = count_probes(tp->funcs), at = 0;
	struct tracepoint_func *funcs;

	if (!probe)
		return -EINVAL;
	if (find_probe(tp->funcs, probe, data) >= 0)
		return -EEXIST;
	funcs = memory_alloc((nr + 2) * sizeof(*funcs));
	if (!funcs)
		return -ENOMEM;
	while (at < nr && tp->funcs[at].prio >= prio)
		at++;
	if (at)
		memcpy(funcs, tp->funcs, at * sizeof(*funcs));
	funcs[at] = (struct tracepoint_func){ probe, data, prio };
	if (nr > at)
		memcpy(funcs + at + 1, tp->funcs + at,
		       (nr - at) * sizeof(*funcs));
	__atomic_store_n(&thread_may_hit, true, __ATOMIC_RELAXED);
	publish_probes(tp, funcs);
	return 0;
}

static int remove_probe(struct tracepoint *tp, void *probe, void *data)
{
	unsigned int nr = count_probes(tp->funcs);
	int at = find_probe(tp->funcs, probe, data);
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
	publish_probes(tp, funcs);
	return 0;
}

/* ---- add and remove probes, and call the functions of TRACE_EVENT_FN ---- */

bool tracepoint_has_calls(const struct tracepoint *tp)
{
	return tp->regfunc || tp->unregfunc;
}

int tracepoint_enter(struct tracepoint *tp)
{
	return tracepoint_has_calls(tp) ? lock_take(&tp->lock) : 0;
}

void tracepoint_leave(struct tracepoint *tp)
{
	if (tracepoint_has_calls(tp))
		lock_drop(&tp->lock);
}

/* Call unregfunc if @tp has no probe left.  The caller has called tracepoint_enter(),
 * so no other thread can change the list of probes. */
static void call_unregfunc(const struct tracepoint *tp)
{
	if (tp->unregfunc && !tp->funcs)
		tp->unregfunc();
}

int tracepoint_add(struct tracepoint *tp, void *probe, void *data, int prio)
{
	int r;

	if (tp->regfunc && !tp->funcs) {
		r = tp->regfunc();
		if (r < 0)
			return r;
	}
	runtime_lock();
	r = add_probe(tp, probe, data, prio);
	runtime_unlock();
	if (r)
		call_unregfunc(tp);
	return r;
}

bool tracepoint_has(const struct tracepoint *tp, void *probe, void *data)
{
	return find_probe(tp->funcs, probe, data) >= 0;
}

int tracepoint_drop(struct tracepoint *tp, void *probe, void *data)
{
	int r;

	runtime_lock();
	r = remove_probe(tp, probe, data);
	runtime_unlock();
	return r;
}

int tracepoint_remove(struct tracepoint *tp, void *probe, void *data)
{
	int r = tracepoint_drop(tp, probe, data);

	if (!r)
		call_unregfunc(tp);
	return r;
}
