/* SPDX-License-Identifier: MIT */
/* Switch events on and off: add their probes to tracepoints, and remove them. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "runtime/base/lock.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/buffer/buffer.h"
#include "runtime/event/caller.h"
#include "runtime/event/dynamic.h"
#include "runtime/event/event.h"
#include "runtime/event/module.h"
#include "runtime/event/plan.h"
#include "runtime/event/site.h"
#include "runtime/event/tracepoint.h"
#include <ulf/tracepoint.h>

/* ---- switch events on and off ---- */

/* Switch @event on or off.  @wanted: the buffers that get the event's records, one bit
 * for each buffer; 0: off. */
static int set_on(struct ulf_event *event, uint32_t wanted)
{
	struct tracepoint *tp = event->tracepoint;
	int r = 0;

	if (wanted) {
		runtime_lock();
		r = plan_apply(event, wanted);
		runtime_unlock();
	}
	if (r || event->is_on == (wanted != 0))
		return r;
	if (wanted)
		r = tracepoint_add(tp, event->probe, event,
				   TRACEPOINT_DEFAULT_PRIO);
	else
		r = tracepoint_remove(tp, event->probe, event);
	if (!r)
		event->is_on = wanted != 0;
	return r;
}

void event_use_set(const struct buffer *buffer)
{
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct ulf_event **e = m->events; e < m->events_end; e++) {
			if ((*e)->plan == &buffer->use)
				plan_use_set(*e);
		}
	}
}

uint32_t event_wanted(const struct ulf_event *event)
{
	struct abi_event *row = root_event(event->row);

	if (__atomic_load_n(&row->failed, __ATOMIC_RELAXED))
		return 0;
	return __atomic_load_n(&row->wanted, __ATOMIC_ACQUIRE) &	/* [event.wanted] */
	       ((1u << ABI_BUFFERS) - 1);
}

/* Switch @event off without calling its unregfunc. */
static void drop_event(struct ulf_event *event)
{
	if (event->is_on &&
	    !tracepoint_drop(event->tracepoint, event->probe, event))
		event->is_on = false;
}

static bool has_calls(const struct ulf_event *event)
{
	return tracepoint_has_calls(event->tracepoint);
}

/* Apply the settings of a module's events.  An event with id 0 stays off, because there was no
 * space for it in the tables.  If the event's tracepoint has a regfunc or unregfunc, this
 * function only gives the event a new plan; it also switches all other events on and off. */
static int apply_module(struct ulf_module *module)
{
	int ret = 0;

	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		uint32_t wanted = (*e)->id ? event_wanted(*e) : 0;
		int r = 0;

		if ((*e)->id && !has_calls(*e))
			r = set_on(*e, wanted);
		else if ((*e)->is_on && wanted)
			r = plan_apply(*e, wanted);
		if (r && !ret)
			ret = r;
	}
	return ret;
}

int event_apply(struct ulf_module *module)
{
	int ret = apply_module(module), r;

	r = dynamic_apply();
	return ret ? ret : r;
}

int event_apply_all(void)
{
	int ret = 0, r;

	for (struct ulf_module *m = module_first(); m; m = m->next) {
		r = apply_module(m);
		if (r && !ret)
			ret = r;
	}
	r = dynamic_apply();
	ret = ret ? ret : r;
	r = site_update_all();
	return ret ? ret : r;
}

/* ---- switch events whose tracepoints have functions to call (regfunc,
 * unregfunc) ---- */

/* Returns an event of @module that must be switched on or off by calling regfunc or
 * unregfunc, or NULL if there is none. */
static struct ulf_event *next_in(const struct ulf_module *module)
{
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		if ((*e)->id && has_calls(*e) &&
		    (*e)->is_on != (event_wanted(*e) != 0))
			return *e;
	}
	return NULL;
}

static struct ulf_event *next_to_call(void)
{
	struct ulf_event *event = NULL;

	for (struct ulf_module *m = module_first(); m && !event; m = m->next) {
		if (m->is_registered)	/* Skip a module that is being loaded or
					 * unloaded, because the thread that loads or
					 * unloads it also calls the functions of the
					 * module's events (regfunc, unregfunc). */
			event = next_in(m);
	}
	return event;
}

bool event_has_calls_to_make(void)
{
	return next_to_call();
}

bool event_module_has_calls_to_make(const struct ulf_module *module)
{
	return next_in(module);
}

void event_set_failed(const struct ulf_event *event, int error)
{
	__atomic_store_n(&root_event(event->row)->failed, (uint32_t)-error,
			 __ATOMIC_RELEASE);	/* [event.failed] */
}

void event_give_up_calls(int error)
{
	struct ulf_event *event;

	/* Usually each turn marks an event as failed or switches it off, so the loop ends.
	 * Another process of the root may remove such a mark (abi_event.failed) each time; then
	 * the limit ABI_EVENTS ends the loop. */
	for (uint32_t i = 0; i < ABI_EVENTS && (event = next_to_call()); i++) {
		if (!event->is_on) {
			event_set_failed(event, error);
			continue;
		}
		drop_event(event);
		if (event->is_on)
			break;		/* stop, because there is no memory for the new
					 * probe list */
	}
}

/* Apply the setting of an event.  The caller holds the lock of its tracepoint.  If the event
 * cannot be switched on, abi_event.failed reports that to the server. */
static int apply_entered(struct ulf_event *event)
{
	uint32_t wanted = event_wanted(event);
	int r = set_on(event, wanted);

	if (r && wanted)
		event_set_failed(event, r);
	return r;
}

/* Find the next event whose regfunc or unregfunc must be called, and take the lock of its
 * tracepoint.  Returns NULL if none is left.  The event's module cannot be unloaded while this
 * thread holds the runtime's lock or the tracepoint's lock. */
static struct ulf_event *enter_next(void)
{
	for (;;) {
		struct ulf_event *event;
		uint32_t *lock, seen;

		runtime_lock();
		event = process_is_exiting() ? NULL : next_to_call();
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
		r = apply_entered(event);
		/* The event could not be switched off, so enter_next() would return it
		 * again and again. */
		is_stuck = r && event->is_on;
		tracepoint_leave(event->tracepoint);
		if (r && !ret)
			ret = r;
	}
	return ret;
}

int event_make_calls_coming(struct ulf_module *module)
{
	int ret = 0, r;

	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		if (!(*e)->id || !has_calls(*e))
			continue;
		caller_start();
		r = tracepoint_enter((*e)->tracepoint);
		if (!r) {
			r = apply_entered(*e);
			tracepoint_leave((*e)->tracepoint);
		}
		if (r && !ret)
			ret = r;
	}
	return ret;
}

/* Take the lock of each tracepoint even if its event is off, because a call of its regfunc or
 * unregfunc may still be running in another thread. */
void event_make_calls_going(struct ulf_module *module)
{
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		if (!has_calls(*e) || tracepoint_enter((*e)->tracepoint))
			continue;
		set_on(*e, 0);
		tracepoint_leave((*e)->tracepoint);
	}
}

void event_stop_module(struct ulf_module *module)
{
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		drop_event(*e);
		plan_forget(*e);
	}
}

int event_stop_all(void)
{
	for (struct ulf_module *m = module_first(); m; m = m->next)
		event_stop_module(m);
	dynamic_forget();
	return site_update_all();
}

/* ---- stop using blocks of the arena in a child of fork() ---- */

/* Forget the plans, because their histograms use tables, which are blocks of the arena. */
void event_detach(void)
{
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct ulf_event **e = m->events; e < m->events_end; e++)
			plan_forget(*e);
	}
	dynamic_forget();
}

void event_after_claim(bool is_late)
{
	if (is_late)
		event_detach();
}

/*
 * Correct ulf_event.is_on in a child of fork().  Probes are added and removed under the
 * runtime's lock, which fork() also takes.  But is_on is written later, when the function
 * of the program (regfunc) has returned, which may take long.  So in the child is_on may
 * differ from the list of probes, which is correct.
 */
void event_after_fork(const struct ulf_module *module)
{
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		if (has_calls(*e) && (*e)->is_on !=
		    tracepoint_has((*e)->tracepoint, (*e)->probe, *e))
			(*e)->is_on = !(*e)->is_on;
	}
}

/* ---- custom events: events on the tracepoint of another event ---- */

static struct tracepoint nobody = { .name = "" };

/* Remove the custom event @event from its tracepoint.  regfunc and unregfunc must not
 * be called while the runtime's lock is held, nor after exit() has begun. */
static void detach_event(struct ulf_event *event)
{
	struct tracepoint *tp = event->tracepoint;
	bool can_call = has_calls(event) && !process_is_exiting();

	if (can_call && tracepoint_enter(tp))
		return;
	if (can_call)
		set_on(event, 0);
	runtime_lock();
	drop_event(event);
	event->tracepoint = &nobody;
	runtime_unlock();
	if (can_call)
		tracepoint_leave(tp);
}

void ulf_event_attach(struct ulf_event *event, struct tracepoint *tp)
{
	bool is_known = root_control && event->id;

	if (event->tracepoint == tp)
		return;
	detach_event(event);
	if (tracepoint_enter(tp))
		return;
	runtime_lock();
	event->tracepoint = tp;
	if (is_known && !has_calls(event))
		set_on(event, event_wanted(event));
	runtime_unlock();
	if (is_known && has_calls(event))
		apply_entered(event);
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

bool event_module_is_custom(const struct ulf_module *module)
{
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		if (!has_tracepoint(module, (*e)->tracepoint))
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
				detach_event(*e);
		}
	}
}
