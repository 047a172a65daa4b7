/* SPDX-License-Identifier: MIT */
/* Register the program and its shared objects when they are loaded, and unregister them
 * when they are unloaded. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/event/event.h"
#include "runtime/event/late_event.h"
#include "runtime/event/module.h"
#include "runtime/event/order.h"
#include "runtime/event/site.h"
#include "runtime/event/table.h"
#include "runtime/unwind/unwind.h"
#include <ulf/tracepoint.h>

#define EXIT_MS		1000		/* maximum time that a destructor waits for
					 * probes during exit(), ms */

static struct ulf_module *modules;	/* list of all modules; written under runtime_lock() */

/* The modules' lock, which is held while a module is registered or unregistered, and
 * while for_each_kernel_tracepoint() walks all modules.  The lock stays held while
 * functions of the program are called.  These functions may load and unload modules,
 * so the lock is recursive. */
static struct lock modules_lock;

struct ulf_module *module_first(void)
{
	return modules;
}

static void module_coming(struct ulf_module *module, const struct table_object *object)
{
	struct image image;
	bool has_rows, is_done;
	int r = 0;

	runtime_lock();
	module->next = modules;
	modules = module;
	has_rows = root_control && !table_add_module(module, object);
	if (unwind_find((uint64_t)module, &image))
		image_report(&image);
	if (has_rows)
		event_apply(module);
	runtime_unlock();
	/*
	 * Set is_registered only when no regfunc or unregfunc of this module must be called any
	 * more.  Until then no other thread calls them.  (Such a call could wait for the
	 * dlopen() that this thread is in.)  This needs a loop: the server may change settings
	 * meanwhile, so that further calls are needed.
	 */
	do {
		if (has_rows)
			r = event_make_calls_coming(module);
		runtime_lock();
		is_done = !has_rows || r ||
			  !event_module_has_calls_to_make(module);
		if (is_done) {
			module->is_registered = 1;
			/* This call also patches the sites of this module whose
			 * tracepoint is in another module, if that tracepoint is on. */
			site_update_module(module);
		}
		runtime_unlock();
	} while (!is_done);
}

void module_register(struct ulf_module *module)
{
	struct table_object object = { 0 };

	if (root_control)
		object = table_find_object(module);
	lock_enter(&modules_lock);
	if (!module->is_registered) {
		order_events(module);
		module_coming(module, &object);
	}
	lock_leave(&modules_lock);
}

void module_add_made(struct ulf_module *module, const struct table_object *object)
{
	module->next = modules;
	modules = module;
	if (root_control && !table_add_module(module, object))
		event_apply(module);
	module->is_registered = 1;
}

static void unlink_module(struct ulf_module *module)
{
	struct ulf_module **p = &modules;

	while (*p && *p != module)
		p = &(*p)->next;
	if (*p)
		*p = module->next;
	module->next = NULL;
}

void module_remove_made(struct ulf_module *module)
{
	module->is_registered = 0;
	event_stop_module(module);
	table_remove_module(module);
	unlink_module(module);
}

/* Free the stubs of the module's sites.  The text of a module is one range of
 * addresses, so every jump target between the lowest and the highest target of
 * the module belongs to the module. */
static void forget_stubs(const struct ulf_module *module)
{
	const uint8_t *low = NULL, *high = NULL;

	for (struct ulf_site *s = module->sites; s < module->sites_end; s++) {
		const uint8_t *target = (const uint8_t *)s + s->target;

		if (!low || target < low)
			low = target;
		if (target > high)
			high = target;
	}
	if (low)
		poke_forget(low, high + 1);
}

/*
 * Unregister @module.  If the module's text is about to be unmapped, wait for the calls of its
 * regfunc and unregfunc that have begun.  During exit() it is not known whether the text will
 * be unmapped.  So these functions are not called any more.  The descriptions of the events
 * stay in the root, for those who read it after the program has ended.
 */
static void module_going(struct ulf_module *module, bool is_exiting)
{
	runtime_lock();
	module->is_registered = 0;	/* from here on no thread begins a new call of
					 * regfunc or unregfunc of this module */
	runtime_unlock();
	if (!is_exiting)
		event_make_calls_going(module);
	event_detach_from(module);
	runtime_lock();
	event_stop_module(module);
	if (!is_exiting) {
		table_remove_module(module);
		site_update_all();
		forget_stubs(module);
	}
	unlink_module(module);
	runtime_unlock();
}

/* Unregister a module.  Called by a destructor of the module: in dlclose(), in exit(), or
 * in a dlclose() that an exit handler calls.  During exit() the module of the program
 * itself stays registered, because threads of the program may still run. */
void ulf_module_unregister(struct ulf_module *module)
{
	bool is_exiting = process_is_exiting(), is_custom;

	if (!module->is_registered || (is_exiting && table_is_program(module)))
		return;
	lock_enter(&modules_lock);
	is_custom = event_module_is_custom(module);
	if (module->is_registered)
		module_going(module, is_exiting);
	lock_leave(&modules_lock);
	/* Wait until no thread is in a probe of a custom event of this module, because
	 * sites of other modules call such probes.  During exit() a thread may stay in
	 * a probe for ever, so this wait has a limit. */
	if (is_custom)
		grace_wait(is_exiting ? EXIT_MS : -1);
}

/* Returns true if the program may see the tracepoints of @m.  Tracepoints of late events
 * are hidden: the program may search for a tracepoint of its own by name, and may use the
 * names of late events itself. */
static bool is_seen(const struct ulf_module *m)
{
	return m->events == m->events_end || !event_is_late(*m->events);
}

void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv),
				void *priv)
{
	lock_enter(&modules_lock);
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct tracepoint **tp = m->tracepoints;
		     is_seen(m) && tp < m->tracepoints_end; tp++)
			fct(*tp, priv);
	}
	lock_leave(&modules_lock);
}

void module_after_fork(uint32_t old_tid)
{
	lock_after_fork(&modules_lock.owner, old_tid);
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct tracepoint **tp = m->tracepoints;
		     tp < m->tracepoints_end; tp++)
			lock_after_fork(&(*tp)->lock, old_tid);
		event_after_fork(m);
	}
}
