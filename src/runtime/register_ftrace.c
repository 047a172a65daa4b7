/* SPDX-License-Identifier: MIT */
/*
 * Callbacks of the program at functions: <linux/ftrace.h>.
 *
 * The functions that register something start the runtime first: a constructor of the
 * program may call them before libulf's own constructor has run.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/boot.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/ftrace_filter.h"
#include "runtime/function/object.h"
#include "runtime/init.h"
#include "runtime/unwind/loaded.h"
#include <linux/ftrace.h>

static void prepare_unlocked(void)
{
	runtime_init();
	object_scan();
}

/* Find the loaded objects, and return with runtime_lock() held. */
static void prepare_locked(void)
{
	prepare_unlocked();
	runtime_lock();
}

/* Patch the sites after a filter was changed, unless @r is an error.  Releases
 * runtime_lock().  Returns 0 or -errno. */
static int filter_done(int r)
{
	if (!r)
		r = ftrace_filter_changed();
	runtime_unlock();
	return r == -EILSEQ ? 0 : r;
}

/*
 * Functions that no compiler has prepared are known only when the server has analysed their
 * objects.  So if a filter may name such a function, ask the server for the tables of all objects.
 * Returns 0 or -errno of boot_ask_for_tables().
 */
static int ask_for_tables(void)
{
	if (!&object_is_library)
		return -EOPNOTSUPP;
	return boot_ask_for_tables();
}

/* Returns true if @ip is in a loaded object whose functions are not known: no compiler has
 * prepared it, and the server was not asked for its table yet.  Lock held. */
static bool is_in_unknown(unsigned long ip)
{
	struct loaded loaded;

	if (loaded_find(ip, &loaded) || loaded.text == ftrace_state.own_text)
		return false;
	for (const struct object *o = object_first(); o; o = o->next)
		if (o->text == loaded.text)
			return false;
	return true;
}

int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove,
			 int reset)
{
	int r, error;

	prepare_locked();
	r = filter_set_ip(ops, ip, remove, reset);
	if (r == -EINVAL && !remove && is_in_unknown(ip)) {
		runtime_unlock();
		error = ask_for_tables();
		runtime_lock();
		r = error ? error : filter_set_ip(ops, ip, remove, reset);
	}
	return filter_done(r);
}

/* Value of object_unknown.loads when the server was last asked for tables.  Two threads may
 * overwrite each other's value: then the server is asked once more. */
static uint64_t asked_loads;

/* Sets a filter as filter_set_glob() does, and returns with runtime_lock() held. */
static int find_and_set(struct ftrace_ops *ops, enum filter_list list, const char *glob,
			size_t len, bool is_reset)
{
	struct object_unknown unknown = {
		.asked = __atomic_load_n(&asked_loads, __ATOMIC_RELAXED),
	};
	int r = filter_set_glob(ops, list, glob, len, is_reset, &unknown), error;

	if (!unknown.has_some || (r && r != -EINVAL) || (len && *glob == '!'))
		return r;
	runtime_unlock();
	error = ask_for_tables();
	if (error) {
		runtime_lock();
		return r ? error : 0;
	}
	__atomic_store_n(&asked_loads, unknown.loads, __ATOMIC_RELAXED);
	unknown.asked = unknown.loads;
	return filter_set_glob(ops, list, glob, len, is_reset, &unknown);
}

static int set_glob(struct ftrace_ops *ops, enum filter_list list,
		    const unsigned char *buf, int len, int reset)
{
	if (len < 0)
		return -EINVAL;
	prepare_unlocked();
	return filter_done(find_and_set(ops, list, (const char *)buf, (size_t)len, reset));
}

int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	return set_glob(ops, FILTER_ONLY, buf, len, reset);
}

int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	return set_glob(ops, FILTER_BUT, buf, len, reset);
}

void ftrace_free_filter(struct ftrace_ops *ops)
{
	runtime_lock();
	if (!ftrace_has_filter(ops))
		filter_free(ops);
	runtime_unlock();
}

/* Returns true if all @flags are supported.  Otherwise the registration must fail,
 * because no flag may be ignored silently. */
static bool has_flags(unsigned long flags)
{
	unsigned long known = FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED |
		FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_PERMANENT;

	if (flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED)
		known |= FTRACE_OPS_FL_SAVE_REGS;
	return !(flags & ~known);
}

int register_ftrace_function(struct ftrace_ops *ops)
{
	uint32_t i = 0;
	int r = -EBUSY;

	if (!ops->func || !has_flags(ops->flags))
		return -EINVAL;
	prepare_locked();
	while (i < FTRACE_OPS_MAX && ftrace_has_user(FTRACE_OPS + i))
		i++;
	if (i < FTRACE_OPS_MAX && !ftrace_has_filter(ops)) {
		ftrace_state.ops[i] = ops;
		r = ftrace_user_add(FTRACE_OPS + i, ops);
	}
	runtime_unlock();
	return r;
}

int unregister_ftrace_function(struct ftrace_ops *ops)
{
	uint32_t i = 0;
	int r = -EBUSY;			/* the error that the kernel returns for a
					 * struct ftrace_ops that is not registered */

	runtime_lock();
	while (i < FTRACE_OPS_MAX && (!ftrace_has_user(FTRACE_OPS + i) ||
				      ftrace_state.ops[i] != ops))
		i++;
	if (i < FTRACE_OPS_MAX) {
		ftrace_user_remove(FTRACE_OPS + i);
		r = 0;
	}
	runtime_unlock();
	if (!r)
		grace_wait(-1);
	return r;
}

int register_ftrace_graph(struct fgraph_ops *gops)
{
	int r = -EBUSY;

	if (!gops->entryfunc || !gops->retfunc)
		return -EINVAL;
	prepare_locked();
	if (!ftrace_has_user(FTRACE_GRAPH_OPS)) {
		ftrace_state.graph_ops = gops;
		r = ftrace_user_add(FTRACE_GRAPH_OPS, &gops->ops);
	}
	runtime_unlock();
	return r;
}

void unregister_ftrace_graph(struct fgraph_ops *gops)
{
	runtime_lock();
	if (ftrace_has_user(FTRACE_GRAPH_OPS) && ftrace_state.graph_ops == gops)
		ftrace_user_remove(FTRACE_GRAPH_OPS);
	runtime_unlock();
	grace_wait(-1);
}
