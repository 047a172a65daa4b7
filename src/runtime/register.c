/* SPDX-License-Identifier: MIT */
/*
 * Modules and probes that the program registers.
 *
 * The functions that register something start the runtime first: a constructor of the
 * program may call them before libulf's own constructor has run.
 */
#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/boot.h"
#include "runtime/event/module.h"
#include "runtime/event/site.h"
#include "runtime/event/table.h"
#include "runtime/event/tracepoint.h"
#include "runtime/init.h"
#include <ulf/event.h>
#include <ulf/tracepoint.h>

/* ---- register modules ---- */

/* Register a module.  A constructor of the module calls this before other code of the
 * module runs, so settings that exist already apply to all code of the module. */
void ulf_module_register(struct ulf_module *module)
{
	bool is_known = module->version <= ULF_ABI_VERSION &&
			module->version >= ULF_ABI_VERSION_OLDEST;

	if (!is_known) {
		/* Read only the member version: the other members may have another
		 * layout. */
		runtime_init();
		table_refuse_module(module->version);
		return;
	}
	if (module->is_registered)
		return;
	runtime_init();
	runtime_watch_exit();
	module_register(module);
	boot_wait_for(module);
}

/* ---- register and unregister probes of tracepoints ---- */

static int update_text(const struct tracepoint *tp)
{
	int r;

	runtime_lock();
	r = site_update_key(tp);
	runtime_unlock();
	return r;
}

int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe,
				   void *data, int prio)
{
	int r;

	runtime_init();
	r = tracepoint_enter(tp);
	if (r)
		return r;
	r = tracepoint_add(tp, probe, data, prio);
	if (!r) {
		r = update_text(tp);
		if (r) {
			tracepoint_remove(tp, probe, data);
			update_text(tp);
		}
	}
	tracepoint_leave(tp);
	return r;
}

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	return tracepoint_probe_register_prio(tp, probe, data,
					      TRACEPOINT_DEFAULT_PRIO);
}

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	int r;

	r = tracepoint_enter(tp);
	if (r)
		return r;
	r = tracepoint_remove(tp, probe, data);
	if (!r)
		update_text(tp);
	tracepoint_leave(tp);
	return r;
}

void tracepoint_synchronize_unregister(void)
{
	grace_wait(-1);
}
