/* SPDX-License-Identifier: MIT */
/* Events of which every byte can be checked, see tests/lib/record.h. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ring

#if !defined(RING_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RING_TRACE_H

#include <linux/tracepoint.h>

#include "lib/record.h"

TRACE_EVENT(ring_short,
	TP_PROTO(struct record_id id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		__field(unsigned long, head)
	),
	TP_fast_assign(
		__entry->head = record_head(id);
	),
	TP_printk("head=%lx", __entry->head)
);

TRACE_EVENT(ring_array,
	TP_PROTO(struct record_id id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		__field(unsigned long, head)
		__array(unsigned char, body, 44)
	),
	TP_fast_assign(
		__entry->head = record_head(id);
		record_fill_tail(__entry->body, sizeof(__entry->body), id);
	),
	TP_printk("head=%lx", __entry->head)
);

TRACE_EVENT(ring_dynamic,
	TP_PROTO(struct record_id id, unsigned int bytes),
	TP_ARGS(id, bytes),
	TP_STRUCT__entry(
		__field(unsigned long, head)
		__dynamic_array(unsigned char, body, bytes)
	),
	TP_fast_assign(
		__entry->head = record_head(id);
		record_fill_tail(__get_dynamic_array(body), bytes, id);
	),
	TP_printk("head=%lx bytes=%u", __entry->head,
		  __get_dynamic_array_len(body))
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE ring_trace
#include <trace/define_trace.h>
