/* SPDX-License-Identifier: MIT */
/*
 * Events: their probes on and off, and the last step of every hit,
 * ulf_event_commit().
 */
#include <errno.h>

#include "arch/x86_64/offsets.h"
#include "event/clock.h"
#include "runtime/runtime.h"
#include <ulf/record.h>
#include <ulf/tracepoint.h>

#define TOP_BUFFER	0

/* ---- the path of an event ---- */

static void count_lost(uint64_t *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/* ulf_event_commit() is in assembly (arch/x86_64/commit.S) and comes here
 * when a record is large, a page is full, or the section was aborted. */
void event_commit_slowly(const struct ulf_event *event, void *entry,
			 size_t bytes)
{
	const struct buffer *buffer = event->buffer;
	struct ulf_thread *thread = ulf_probe_enter();
	struct trace_entry *head = entry;
	const struct ring_set *set;
	uint64_t now_ns = 0;
	int r;

	if (!thread) {
		count_lost(&buffer->shared->no_ring);
		return;
	}
	/* Rings are full while it is off, so every event gets here. */
	if (!__atomic_load_n(&buffer->shared->recording, __ATOMIC_RELAXED))
		goto out;
	*head = (struct trace_entry){
		.type = (unsigned short)event->id,
		.pid = (int)thread->tid,
	};
	/* mate: buffer.c [buffer.set] */
	set = __atomic_load_n(&buffer->set, __ATOMIC_ACQUIRE);
	if (set->clock_given)
		now_ns = clock_posix_ns(set->clock_id);
	r = ring_write(set, entry, (uint32_t)bytes, now_ns);
	/* a full ring counts by itself */
	if (r && r != -ENOBUFS && r != -ECANCELED)
		count_lost(r == -EBUSY ? &buffer->shared->lock_lost :
			   &buffer->shared->no_ring);
out:
	ulf_probe_exit();
}

static_assert(ULF_RECORD_MAX == RING_PAYLOAD_MAX, "a record fits a page");
static_assert(EVENT_SET == offsetof(struct ulf_event, set), "asm");
static_assert(EVENT_ID == offsetof(struct ulf_event, id), "asm");
static_assert(THREAD_TID == offsetof(struct ulf_thread, tid), "asm");

void ulf_event_too_big(const struct ulf_event *event)
{
	const struct buffer *buffer = event->buffer;

	if (!__atomic_load_n(&buffer->shared->recording, __ATOMIC_RELAXED))
		return;
	count_lost(&buffer->shared->too_big);
	if (!ulf_probe_enter())
		return;
	/* mate: buffer.c [buffer.set] */
	ring_drop(__atomic_load_n(&buffer->set, __ATOMIC_ACQUIRE));
	ulf_probe_exit();
}

/* ---- on and off ---- */

static int set_on(struct ulf_event *event, bool on)
{
	struct tracepoint *tp = event->tracepoint;
	struct buffer *buffer;
	int r;

	if (event->is_on == on)
		return 0;
	if (!on) {
		r = tracepoint_remove(tp, event->probe, event);
	} else {
		runtime_lock();
		buffer = buffer_get(TOP_BUFFER);
		if (buffer) {
			event->buffer = buffer;
			__atomic_store_n(&event->set, buffer->set,
					 __ATOMIC_RELEASE);
		}
		runtime_unlock();
		r = buffer ? tracepoint_add(tp, event->probe, event,
					    TRACEPOINT_DEFAULT_PRIO) : -ENOMEM;
	}
	if (!r)
		event->is_on = on;
	return r;
}

/* Events have the set themselves: a load less on their path. */
void event_use_set(const struct buffer *buffer)
{
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct ulf_event **e = m->events; e < m->events_end; e++) {
			if ((*e)->buffer == buffer)
				/* mate: commit.S [event.set] */
				__atomic_store_n(&(*e)->set, buffer->set,
						 __ATOMIC_RELEASE);
		}
	}
}

static bool is_wanted(const struct ulf_event *event)
{
	struct abi_event *row = root_event(event->row);

	return (__atomic_load_n(&row->wanted, __ATOMIC_ACQUIRE) &
		(1u << TOP_BUFFER)) &&
	       !__atomic_load_n(&row->failed, __ATOMIC_RELAXED);
}

static bool has_calls(const struct ulf_event *event)
{
	return tracepoint_has_calls(event->tracepoint);
}

/* An id of 0: there was no room for it. */
int event_follow(struct ulf_module *module)
{
	int ret = 0;

	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		int r = (*e)->id && !has_calls(*e) ?
			set_on(*e, is_wanted(*e)) : 0;

		if (r && !ret)
			ret = r;
	}
	return ret;
}

/* ---- the same for events whose tracepoints have calls ---- */

static struct ulf_event *next_to_call(void)
{
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		if (!m->is_registered)
			continue;	/* it is going */
		for (struct ulf_event **e = m->events; e < m->events_end; e++) {
			if ((*e)->id && has_calls(*e) &&
			    (*e)->is_on != is_wanted(*e))
				return *e;
		}
	}
	return NULL;
}

bool event_has_calls_to_make(void)
{
	return next_to_call();
}

/* What cannot be switched on is off, also for the server. */
static int follow_entered(struct ulf_event *event)
{
	bool on = is_wanted(event);
	int r = set_on(event, on);

	if (r && on)
		__atomic_store_n(&root_event(event->row)->failed, (uint32_t)-r,
				 __ATOMIC_RELEASE);
	return r;
}

/* The next one, entered; NULL: none is left.  Its module cannot go while we have
 * the runtime's lock or its tracepoint's. */
static struct ulf_event *enter_next(void)
{
	for (;;) {
		struct ulf_event *event;
		uint32_t *lock, seen;

		runtime_lock();
		event = runtime_is_exiting() ? NULL : next_to_call();
		if (!event || lock_try(&event->tracepoint->lock)) {
			runtime_unlock();
			return event;
		}
		lock = &event->tracepoint->lock;
		seen = lock_mark(lock);
		runtime_unlock();
		lock_sleep(lock, seen);
	}
}

int event_make_calls(void)
{
	struct ulf_event *event;
	bool is_stuck = false;
	int ret = 0, r;

	while (!is_stuck && (event = enter_next())) {
		r = follow_entered(event);
		/* could not be switched off: it would be the next again */
		is_stuck = r && event->is_on;
		tracepoint_leave(event->tracepoint);
		if (r && !ret)
			ret = r;
	}
	return ret;
}

void event_make_calls_coming(struct ulf_module *module)
{
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		if (!(*e)->id || !has_calls(*e))
			continue;
		caller_start();
		if (tracepoint_enter((*e)->tracepoint))
			continue;
		follow_entered(*e);
		tracepoint_leave((*e)->tracepoint);
	}
}

/* Whether it is on or not: a call may be under way. */
void event_make_calls_going(struct ulf_module *module)
{
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		if (!has_calls(*e) || tracepoint_enter((*e)->tracepoint))
			continue;
		set_on(*e, false);
		tracepoint_leave((*e)->tracepoint);
	}
}

void event_stop_module(struct ulf_module *module)
{
	for (struct ulf_event **e = module->events; e < module->events_end; e++)
		set_on(*e, false);
}

/* ---- custom events: on the tracepoint of somebody else ---- */

static struct tracepoint nobody = { .name = "" };

/* The functions of a tracepoint are not called with the lock held. */
static void detach(struct ulf_event *event)
{
	struct tracepoint *tp = event->tracepoint;

	if (tracepoint_enter(tp))
		return;
	if (has_calls(event))
		set_on(event, false);
	runtime_lock();
	set_on(event, false);
	event->tracepoint = &nobody;
	runtime_unlock();
	tracepoint_leave(tp);
}

void ulf_event_attach(struct ulf_event *event, struct tracepoint *tp)
{
	bool is_known = root_control && event->id;

	if (event->tracepoint == tp)
		return;
	detach(event);
	if (tracepoint_enter(tp))
		return;
	runtime_lock();
	event->tracepoint = tp;
	if (is_known && !has_calls(event))
		set_on(event, is_wanted(event));
	runtime_unlock();
	if (is_known && has_calls(event))
		follow_entered(event);
	runtime_lock();
	site_update_key(tp);
	runtime_unlock();
	tracepoint_leave(tp);
}

static bool has_tracepoint(const struct ulf_module *module,
			   const struct tracepoint *tp)
{
	for (struct tracepoint **p = module->tracepoints;
	     p < module->tracepoints_end; p++) {
		if (*p == tp)
			return true;
	}
	return false;
}

void event_detach_from(const struct ulf_module *module)
{
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct ulf_event **e = m->events; e < m->events_end; e++) {
			if (m != module &&
			    has_tracepoint(module, (*e)->tracepoint))
				detach(*e);
		}
	}
}
