/* SPDX-License-Identifier: MIT */
/*
 * The torture of tests/lib/torture.h through libulf: a write is a hit of an event of
 * ring_trace.h, and the rings belong to a root.
 */
#ifndef ULF_TESTS_RING_OPS_H
#define ULF_TESTS_RING_OPS_H

#include <errno.h>

#include "base/bits.h"
#include "lib/check.h"
#include "lib/driver.h"
#include "lib/torture.h"
#include "ring_trace.h"

enum ring_event { RING_SHORT, RING_ARRAY, RING_DYNAMIC, RING_EVENTS };
static const char *const ring_event_names[] = {
	"ring_short", "ring_array", "ring_dynamic",
};

#define RING_THREADS	1024		/* maximal number of threads in a trace */

struct ring_root {
	struct driver driver;
	uint32_t types[RING_EVENTS];	/* trace_entry.type */
	int32_t threads[RING_THREADS];	/* threads that have written */
	uint32_t nr_threads;
};

/* Returns the event of a record, and the number of bytes after its head. */
static inline enum ring_event ring_event_of(struct record_id id,
					    uint32_t *ret_bytes)
{
	uint32_t bytes = record_bytes(id);

	if (bytes < 40) {
		*ret_bytes = 0;
		return RING_SHORT;
	}
	if (bytes < 70) {
		*ret_bytes = 44;
		return RING_ARRAY;
	}
	*ret_bytes = bytes - 24;	/* the largest length gives the largest possible record */
	return RING_DYNAMIC;
}

static inline int ring_event_write(struct torture *t,
				   const struct ring_set *set,
				   struct record_id id)
{
	uint32_t bytes;

	(void)t;
	(void)set;
	switch (ring_event_of(id, &bytes)) {
	case RING_SHORT:
		trace_ring_short(id);
		break;
	case RING_ARRAY:
		trace_ring_array(id);
		break;
	default:
		trace_ring_dynamic(id, bytes);
		break;
	}
	return 0;
}

static inline int ring_remember_thread(struct ring_root *root, int32_t tid)
{
	for (uint32_t i = root->nr_threads; i-- > 0;) {
		if (root->threads[i] == tid)
			return 0;
	}
	if (tid <= 0)
		return -EBADMSG;
	if (root->nr_threads < RING_THREADS)
		root->threads[root->nr_threads++] = tid;
	return 0;
}

/* A record has: type, flags, preempt_count, pid; head; body or (length << 16 | offset). */
static inline int ring_event_check(struct torture *t,
				   const struct ring_record *record,
				   struct record_id *ret_id)
{
	struct ring_root *root = t->priv;
	const uint8_t *data = record->data;
	uint32_t bytes, loc, end = 16;
	enum ring_event event;
	uint16_t type;
	uint64_t head;
	int32_t tid;

	if (record->bytes < 16)
		return -EBADMSG;
	memcpy(&type, data, 2);
	memcpy(&tid, data + 4, 4);
	memcpy(&head, data + 8, 8);
	if (data[2] || data[3] || record_head_check(head, ret_id))
		return -EBADMSG;
	event = ring_event_of(*ret_id, &bytes);
	if (type != root->types[event])
		return -EBADMSG;
	if (event == RING_ARRAY)
		end = ALIGN_UP(16 + bytes, 8u);
	if (event == RING_DYNAMIC)
		end = 24 + ALIGN_UP(bytes, 4u);
	if (record->bytes != end)
		return -EBADMSG;
	if (event == RING_DYNAMIC) {
		memcpy(&loc, data + 16, 4);
		if (loc >> 16 != bytes || (loc & 0xffff) > end - bytes)
			return -EBADMSG;
		data += (loc & 0xffff) - 16;
	}
	return ring_remember_thread(root, tid) ? -EBADMSG :
	       record_check_tail(data + 16, bytes, *ret_id);
}

static inline struct abi_buffer *ring_root_buffer(struct ring_root *root)
{
	return (void *)(root->driver.mem + root->driver.control->buffers_off);
}

static inline uint64_t ring_event_unreported(struct torture *t)
{
	const struct abi_buffer *buffer = ring_root_buffer(t->priv);

	return buffer->lock_lost + buffer->no_ring + buffer->too_big;
}

static const struct torture_ops ring_event_ops = {
	.write = ring_event_write,
	.check = ring_event_check,
	.unreported = ring_event_unreported,
};

/* Find the rings and the event numbers of a root, dead or alive. */
static inline void ring_root_look(struct torture *t, struct ring_root *root)
{
	struct abi_buffer *buffer = ring_root_buffer(root);

	t->ops = &ring_event_ops;
	t->priv = root;
	for (int i = 0; i < RING_EVENTS; i++) {
		int row = driver_find_event(&root->driver, "ring",
					    ring_event_names[i]);

		CHECK(row >= 0);
		root->types[i] = ABI_EVENT_ID_FIRST + (uint32_t)row;
	}
	CHECK_EQ(root->driver.control->nr_cpus, t->nr_cpus);
	for (uint32_t i = 0; i < t->nr_rings; i++) {
		struct abi_ring_ref *ref = &buffer->side[0].ring[i / 2][i % 2];

		CHECK_EQ(ring_view_init(&t->views[i], root->driver.mem +
					ref->off, ref->bytes), 0);
	}
}

/* Place rings in the root of @pid, and switch all events on. */
static inline void ring_root_start(struct ring_root *root, pid_t pid,
				   const struct torture_config *config)
{
	const struct driver_config rings = {
		.page_bytes = config->page_bytes,
		.fast_pages = config->nr_pages,
		.slow_pages = config->nr_pages,
		.overwrite = config->overwrite,
	};

	CHECK_EQ(driver_open(&root->driver, pid), 0);
	CHECK_EQ(!root->driver.control->has_rseq,
		 config->path == TORTURE_NO_RSEQ);
	CHECK_EQ(driver_rings(&root->driver, &rings), 0);
	for (int i = 0; i < RING_EVENTS; i++)
		CHECK_EQ(driver_enable(&root->driver, "ring",
				       ring_event_names[i], true), 0);
}

#endif
