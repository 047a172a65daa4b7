/* SPDX-License-Identifier: MIT */
/* Lets a test program have its own functions traced, by the settings that a server would
 * write. */
#ifndef ULF_TESTS_OWN_FUNCTIONS_H
#define ULF_TESTS_OWN_FUNCTIONS_H

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "abi/functions.h"
#include "lib/rules.h"

/* The linker defines these symbols. */
extern const uint64_t __start___patchable_function_entries[];
extern const uint64_t __stop___patchable_function_entries[];

/* Callback of dl_iterate_phdr(), which lists the program first: store its text and its build
 * id. */
static inline int own_functions_look(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct abi_function_object *object = arg;

	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const char *at = (const char *)(info->dlpi_addr + p->p_vaddr);
		const ElfW(Nhdr) *note = (const void *)at;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && !object->text) {
			object->text = (uint64_t)at;
			object->text_end = (uint64_t)at + p->p_filesz;
		}
		for (; p->p_type == PT_NOTE && (const char *)note < at + p->p_memsz;
		     note = (const void *)((const char *)(note + 1) +
					   ((note->n_namesz + 3) & ~3u) +
					   ((note->n_descsz + 3) & ~3u))) {
			if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4)
				continue;
			object->build_id_bytes = (uint16_t)note->n_descsz;
			memcpy(object->build_id, (const char *)(note + 1) + 4,
			       note->n_descsz);
		}
	}
	return 1;
}

/* Set @users for all functions that can be traced.  The caller raises the generation. */
static inline void own_functions_set_users(struct driver *d, uint32_t users)
{
	const uint64_t *table = __start___patchable_function_entries;
	uint32_t nr = (uint32_t)(__stop___patchable_function_entries - table);
	uint64_t off = rules_page_off(d, RULES_FREE_PAGE);
	struct abi_functions *functions = (void *)(d->mem + off);
	uint32_t *of_each = (uint32_t *)&functions->objects[1];

	*functions = (struct abi_functions){
		.magic = ABI_FUNCTIONS_MAGIC, .bytes = 4096, .serial = 1,
		.nr_objects = 1,
	};
	functions->objects[0] = (struct abi_function_object){
		.table = (uint64_t)table, .nr = nr,
		.users = (uint32_t)((char *)of_each - (char *)functions),
	};
	dl_iterate_phdr(own_functions_look, &functions->objects[0]);
	for (uint32_t i = 0; i < nr; i++)
		of_each[i] = users;
	__atomic_store_n(&d->control->functions, off, __ATOMIC_RELEASE);
}

#endif
