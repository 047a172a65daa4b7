/* SPDX-License-Identifier: MIT */
/* Defines the events.  tests/lang/compilers.c compiles this file as C++, too. */
#define CREATE_TRACE_POINTS
#include "kinds_trace.h"
#include "kinds.h"

#define CREATE_CUSTOM_TRACE_EVENTS
#include "custom_trace.h"

/* DECLARE_TRACE() still declares a tracepoint after the trace headers have been read. */
DECLARE_TRACE(kind_made_here, TP_PROTO(int *value, int by), TP_ARGS(value, by));
DEFINE_TRACE(kind_made_here, TP_PROTO(int *value, int by), TP_ARGS(value, by));
DECLARE_TRACE(kind_made_here_fn, TP_PROTO(int *value, int by),
	TP_ARGS(value, by));
DEFINE_TRACE_FN(kind_made_here_fn, kinds_reg, kinds_unreg,
	TP_PROTO(int *value, int by), TP_ARGS(value, by));
EXPORT_TRACEPOINT_SYMBOL(kind_made_here);
EXPORT_TRACEPOINT_SYMBOL_GPL(kind_made_here_fn);

int hit_made_here(void (*probe)(void *, int *, int))
{
	int value = 0, r;

	r = register_trace_kind_made_here(probe, NULL);
	if (!r)
		r = register_trace_kind_made_here_fn(probe, NULL);
	if (r)
		return r;
	trace_kind_made_here(&value, 1);
	trace_kind_made_here_fn(&value, 10);
	r = unregister_trace_kind_made_here(probe, NULL);
	if (!r)
		r = unregister_trace_kind_made_here_fn(probe, NULL);
	return r ? r : value;
}

static void attach(struct tracepoint *tp, void *priv)
{
	*(int *)priv += trace_custom_event_kind_plain_update(tp);
	*(int *)priv += trace_custom_event_kind_bare_update(tp);
	*(int *)priv += trace_custom_event_kind_bare_cond_update(tp);
}

int attach_custom(void)
{
	int nr = 0;

	for_each_kernel_tracepoint(attach, &nr);
	return nr;
}
