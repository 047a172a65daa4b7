/* SPDX-License-Identifier: MIT */
/* The events of modeled.c: fields of all kinds. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM model

#if !defined(MODEL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MODEL_TRACE_H

#include <linux/tracepoint.h>

#ifndef MODEL_VALUES
#define MODEL_VALUES
/* The values of one event. */
struct model_values {
	int who;			/* the thread or child that hits */
	unsigned int seq;		/* number of this hit of @who */
	signed char sb;
	unsigned char ub;
	short sh;
	unsigned short uh;
	int si;
	unsigned int ui;
	long sl;
	unsigned long ul;
	char name[16];
	char dyn[64], rel[64];
};
#endif

DECLARE_EVENT_CLASS(model,
	TP_PROTO(const struct model_values *v),
	TP_ARGS(v),
	TP_STRUCT__entry(
		__field(int, who)
		__field(unsigned int, seq)
		__field(signed char, sb)
		__field(unsigned char, ub)
		__field(short, sh)
		__field(unsigned short, uh)
		__field(int, si)
		__field(unsigned int, ui)
		__field(long, sl)
		__field(unsigned long, ul)
		__array(char, name, 16)
		__string(dyn, v->dyn)
		__rel_string(rel, v->rel)
	),
	TP_fast_assign(
		__entry->who = v->who;
		__entry->seq = v->seq;
		__entry->sb = v->sb;
		__entry->ub = v->ub;
		__entry->sh = v->sh;
		__entry->uh = v->uh;
		__entry->si = v->si;
		__entry->ui = v->ui;
		__entry->sl = v->sl;
		__entry->ul = v->ul;
		memcpy(__entry->name, v->name, sizeof(__entry->name));
		__assign_str(dyn);
		__assign_rel_str(rel);
	),
	TP_printk("who=%d seq=%u", __entry->who, __entry->seq)
);

DEFINE_EVENT(model, model_start, TP_PROTO(const struct model_values *v), TP_ARGS(v));
DEFINE_EVENT(model, model_end, TP_PROTO(const struct model_values *v), TP_ARGS(v));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE model_trace
#include <trace/define_trace.h>
