/* SPDX-License-Identifier: MIT */
/* Modules: the program and its shared objects, coming and going. */
#include "arch/x86_64/poke.h"
#include "runtime/runtime.h"

static struct ulf_module *modules;	/* under runtime_lock() */

struct ulf_module *module_first(void)
{
	return modules;
}

/* A constructor: before any other code of the module runs, so what is already
 * wanted of its events is in force for all of it. */
void ulf_module_register(struct ulf_module *module)
{
	if (module->is_registered || module->version != ULF_ABI_VERSION)
		return;
	runtime_init();
	runtime_watch_exit();
	runtime_lock();
	if (!module->is_registered) {
		module->is_registered = 1;
		module->next = modules;
		modules = module;
		if (root_control && !event_register_module(module))
			event_follow(module);
		/* also: its sites of tracepoints that others have switched on */
		site_update_module(module);
	}
	runtime_unlock();
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

/* A destructor, by dlclose() or exit().  On exit everything stays as it is:
 * threads may still be running, and the dead root keeps its events. */
void ulf_module_unregister(struct ulf_module *module)
{
	if (!module->is_registered || runtime_is_exiting())
		return;
	runtime_lock();
	event_unregister_module(module);
	site_update_all();
	forget_stubs(module);
	unlink_module(module);
	module->is_registered = 0;
	runtime_unlock();
}
