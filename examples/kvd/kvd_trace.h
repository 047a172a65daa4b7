/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kv

#if !defined(KVD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KVD_TRACE_H

#include <linux/tracepoint.h>

#include "kvd.h"


TRACE_DEFINE_ENUM(KV_GET);
TRACE_DEFINE_ENUM(KV_SET);
TRACE_DEFINE_ENUM(KV_SAVE);

#define show_op(op) \
	__print_symbolic(op, { KV_GET, "get" }, { KV_SET, "set" }, { KV_SAVE, "save" })

/* A request of a client begins and ends. */
TRACE_EVENT(kv_begin,
	TP_PROTO(int client, enum kv_op op, const char *key),
	TP_ARGS(client, op, key),
	TP_STRUCT__entry(
		__field(	int,		client	)
		__field(	enum kv_op,	op	)
		__string(	key,		key	)
	),
	TP_fast_assign(
		__entry->client = client;
		__entry->op = op;
		__assign_str(key);
	),
	TP_printk("client=%d op=%s key=%s", __entry->client, show_op(__entry->op),
		  __get_str(key))
);

TRACE_EVENT(kv_end,
	TP_PROTO(int client, enum kv_op op, unsigned long usecs),
	TP_ARGS(client, op, usecs),
	TP_STRUCT__entry(
		__field(	int,		client	)
		__field(	enum kv_op,	op	)
		__field(	unsigned long,	usecs	)
	),
	TP_fast_assign(
		__entry->client = client;
		__entry->op = op;
		__entry->usecs = usecs;
	),
	TP_printk("client=%d op=%s usecs=%lu", __entry->client, show_op(__entry->op),
		  __entry->usecs)
);

/* The table has got more slots, and each key a new place. */
TRACE_EVENT(kv_grow,
	TP_PROTO(unsigned int nr_keys, unsigned int nr_slots),
	TP_ARGS(nr_keys, nr_slots),
	TP_STRUCT__entry(
		__field(	unsigned int,	nr_keys		)
		__field(	unsigned int,	nr_slots	)
	),
	TP_fast_assign(
		__entry->nr_keys = nr_keys;
		__entry->nr_slots = nr_slots;
	),
	TP_printk("nr_keys=%u nr_slots=%u", __entry->nr_keys, __entry->nr_slots)
);

/* The table is written to a file. */
TRACE_EVENT(kv_save,
	TP_PROTO(const char *file, unsigned int nr_keys),
	TP_ARGS(file, nr_keys),
	TP_STRUCT__entry(
		__string(	file,		file	)
		__field(	unsigned int,	nr_keys	)
	),
	TP_fast_assign(
		__assign_str(file);
		__entry->nr_keys = nr_keys;
	),
	TP_printk("file=%s nr_keys=%u", __get_str(file), __entry->nr_keys)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kvd_trace
#include <trace/define_trace.h>
