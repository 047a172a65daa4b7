/* SPDX-License-Identifier: MIT */
/* Prepare hits of libc's functions: find their sites, and allocate libcall_rows, the table of
 * calls whose events are recorded at the return. */
#include <errno.h>

#include "runtime/base/memory.h"
#include "runtime/function/libcalls.h"
#include "runtime/function/object.h"
#include "runtime/function/shadow.h"

static void find_site(uint32_t number)
{
	uint64_t addr = libcall_addresses[number];

	for (const struct object *o = object_first(); addr && o; o = o->next) {
		uint64_t site = object_site_of(o, addr);

		if (site)
			__atomic_store_n(&libcall_sites[number], site, __ATOMIC_RELAXED);
	}
}

int libcalls_prepare(void)
{
	if (!libcall_rows)
		libcall_rows = memory_alloc_table(SHADOW_ENTRIES * sizeof(*libcall_rows));
	if (!libcall_rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < LIBCALL_NR; i++)
		find_site(i);
	return 0;
}
