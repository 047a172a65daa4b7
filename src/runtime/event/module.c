/* SPDX-License-Identifier: MIT */
/* Modules: the program and its shared objects, coming and going. */
#include "arch/x86_64/poke.h"
#include "runtime/runtime.h"
#include "runtime/unwind/unwind.h"
#include <ulf/tracepoint.h>

#define EXIT_MS		1000		/* how long exit() waits for probes */

static struct ulf_module *modules;	/* under runtime_lock() */

/* Held while one comes or goes, or all are walked over, functions of the
 * program included; recursive, as those may have modules come or go. */
static struct lock modules_lock;

struct ulf_module *module_first(void)
{
	return modules;
}

static void coming(struct ulf_module *module, const struct table_object *object)
{
	struct image image;
	bool has_rows, is_done;
	int r = 0;

	runtime_lock();
	module->next = modules;
	modules = module;
	has_rows = root_control && !table_add_module(module, object);
	if (unwind_find((uint64_t)module, &image))
		image_tell(&image);
	if (has_rows)
		event_follow(module);
	runtime_unlock();
	/* Until it is registered nobody else makes its calls, as those may wait
	 * for the dlopen() that we are in.  Wishes come meanwhile, too. */
	do {
		if (has_rows)
			r = event_make_calls_coming(module);
		runtime_lock();
		is_done = !has_rows || r ||
			  !event_module_has_calls_to_make(module);
		if (is_done) {
			module->is_registered = 1;
			/* also: its sites of tracepoints that others have
			 * switched on */
			site_update_module(module);
		}
		runtime_unlock();
	} while (!is_done);
}

/* A constructor: before any other code of the module runs, so what is already
 * wanted of its events is in force for all of it. */
void ulf_module_register(struct ulf_module *module)
{
	struct table_object object = { 0 };

	if (module->is_registered || module->version > ULF_ABI_VERSION ||
	    module->version < ULF_ABI_VERSION_OLDEST)
		return;
	runtime_init();
	runtime_watch_exit();
	if (root_control)
		object = table_find_object(module);
	lock_enter(&modules_lock);
	if (!module->is_registered) {
		order_events(module);
		coming(module, &object);
	}
	lock_leave(&modules_lock);
	boot_wait_for(module);
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

/* The text of one module is in one piece. */
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

/* Its text goes, but not before the calls that are under way there.  On exit it
 * may stay or go; no function is called any more, and the dead root keeps its
 * events. */
static void going(struct ulf_module *module, bool is_exiting)
{
	runtime_lock();
	module->is_registered = 0;	/* no new calls */
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

/* A destructor, by dlclose() or exit(), or by dlclose() in a handler of exit().
 * The program's own stays as it is then: its threads may still be running. */
void ulf_module_unregister(struct ulf_module *module)
{
	bool is_exiting = runtime_is_exiting(), is_custom;

	if (!module->is_registered || (is_exiting && table_is_program(module)))
		return;
	lock_enter(&modules_lock);
	is_custom = event_module_is_custom(module);
	if (module->is_registered)
		going(module, is_exiting);
	lock_leave(&modules_lock);
	/* The sites of others call its probes; but on exit a thread may be
	 * in some probe for good. */
	if (is_custom)
		grace_wait(is_exiting ? EXIT_MS : -1);
}

void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv),
				void *priv)
{
	lock_enter(&modules_lock);
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		for (struct tracepoint **tp = m->tracepoints;
		     tp < m->tracepoints_end; tp++)
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
