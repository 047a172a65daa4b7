/* SPDX-License-Identifier: MIT */
/* The functions of a test program that it wants traced itself, as a server would say it. */
#ifndef ULF_TESTS_OWN_FUNCTIONS_H
#define ULF_TESTS_OWN_FUNCTIONS_H

#include <stdint.h>
#include <string.h>

#include "abi/functions.h"
#include "lib/rules.h"

/* The linker's. */
extern const char __executable_start[], etext[];
extern const uint64_t __start___patchable_function_entries[];
extern const uint64_t __stop___patchable_function_entries[];

/* All that can be traced are wanted by @users.  Nobody is told of it yet. */
static inline void own_functions_wish(struct driver *d, uint32_t users)
{
	const uint64_t *table = __start___patchable_function_entries;
	uint32_t nr = (uint32_t)(__stop___patchable_function_entries - table);
	uint64_t off = rules_page_off(d, RULES_FREE_PAGE);
	struct abi_functions *functions = (void *)(d->mem + off);
	uint32_t *of_each = (uint32_t *)&functions->objects[1];

	*functions = (struct abi_functions) {
		.magic = ABI_FUNCTIONS_MAGIC, .bytes = 4096, .serial = 1,
		.nr_objects = 1,
	};
	functions->objects[0] = (struct abi_function_object) {
		.text = (uint64_t)__executable_start, .text_end = (uint64_t)etext,
		.table = (uint64_t)table, .nr = nr,
		.users = (uint32_t)((char *)of_each - (char *)functions),
	};
	for (uint32_t i = 0; i < nr; i++)
		of_each[i] = users;
	__atomic_store_n(&d->control->functions, off, __ATOMIC_RELEASE);
}

#endif
