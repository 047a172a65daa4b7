/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stddef.h>

#include "plug.h"

TRACED long plug_adds(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

TRACED long plug_calls(long x, long (*back)(long))
{
	return back(plug_adds(x)) + 1;
}

const void *plug_unwinder(void)
{
	const void *found = NULL;

#ifdef DLFO_EH_SEGMENT_TYPE
	*(int (**)(void *, struct dl_find_object *))&found = _dl_find_object;
	__asm__ volatile("" : "+r"(found));
#endif
	return found;
}
