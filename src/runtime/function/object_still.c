/* SPDX-License-Identifier: MIT */
/* The function sites that are switched while no other thread runs (still.h): those of objects that
 * no compiler has prepared. */
#include "arch/arch.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/object.h"
#include "runtime/function/still.h"

static bool need(void)
{
	for (struct object *o = object_first(); o; o = o->next)
		if (ftrace_may_patch(o) && fsites_need_flip(&o->sites))
			return true;
	return false;
}

/* Returns the object with the lowest text from @from on, or NULL. */
static struct object *next_object(uint64_t from)
{
	struct object *next = NULL;

	for (struct object *o = object_first(); o; o = o->next)
		if (o->moved && o->text >= from && (!next || o->text < next->text))
			next = o;
	return next;
}

static uint64_t list(struct abi_stop_range *to)
{
	uint64_t nr = 0, start, end;

	for (struct object *o = next_object(0); o; o = next_object(o->text + 1))
		for (uint32_t i = o->sites.low_changed; i < o->sites.end_changed; i++) {
			if (!fsites_inner_range(&o->sites, i, &start, &end))
				continue;
			if (to)
				to[nr] = (struct abi_stop_range){ start, end };
			nr++;
		}
	return nr;
}

static void note(uint64_t addr)
{
	for (struct object *o = object_first(); o; o = o->next)
		fsites_note_use(&o->sites, addr);
}

static int flip(uint32_t *ret_used)
{
	int ret = 0, r;

	for (struct object *o = object_first(); o; o = o->next) {
		r = ftrace_may_patch(o) ? fsites_flip(&o->sites, ret_used) : 0;
		if (r && !ret)
			ret = r;
	}
	return ret;
}

const struct still_sites object_still = { need, list, note, flip };
