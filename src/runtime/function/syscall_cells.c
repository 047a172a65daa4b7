/* SPDX-License-Identifier: MIT */
/* The cells of an object's system calls; see syscalls.c. */
#include <errno.h>
#include <stdint.h>

#include "arch/arch.h"
#include "event/boot.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/function/object.h"
#include "runtime/function/syscalls.h"

bool syscalls_are_wanted(void)
{
	return &syscall_events && root_has_boot(BOOT_SYSCALLS);
}

/* ---- function sites ---- */

/* Returns true if a jump around @call may replace one of the bytes of @row. */
static bool do_overlap(const struct moved_syscall *call, const struct moved_row *row)
{
	uint64_t start = call->vaddr - MOVED_SYSCALL_BEFORE;
	uint64_t end = call->vaddr + MOVED_SYSCALL_BYTES + call->after_bytes;

	return row->vaddr < end && start < row->vaddr + row->original_bytes;
}

void syscalls_take_functions(struct object *object)
{
	const struct moved_head *head = object->moved;
	const struct moved_syscall *call = moved_syscalls(head);
	const struct moved_syscall *end = call + head->nr_syscalls;

	for (uint32_t i = 0; i < object->sites.nr; i++) {
		const struct moved_row *row = moved_rows(head) + i;

		while (call < end && (call->reason || call->vaddr + MOVED_SYSCALL_BYTES +
				      call->after_bytes <= row->vaddr))
			call++;
		if (call < end && row->class != MOVED_REFUSED && do_overlap(call, row))
			object->sites.table[i].form = FSITE_OTHER;
	}
}

/* ---- cells ---- */

struct scall_site syscall_site(const struct object *object, uint32_t cell)
{
	return scall_site(moved_syscalls(object->moved) + cell / 2, cell % 2);
}

bool syscall_has_site(const struct object *object, uint32_t cell)
{
	return !moved_syscalls(object->moved)[cell / 2].reason && syscall_site(object, cell).insn;
}

static int write_cells(const struct object *object, const struct syscalls *syscalls)
{
	int r;

	patch_begin();
	for (uint32_t i = 0; i < syscalls->nr; i++) {
		struct scall_site site;

		if (!syscall_has_site(object, i))
			continue;
		site = syscall_site(object, i);
		scall_write(syscalls->cells + i, &site, moved_syscalls(object->moved)[i / 2].nr,
			    object->sites.bias);
	}
	r = patch_step();
	patch_end();
	return r;
}

int syscall_cells_make(struct object *object)
{
	uint32_t nr = 2 * object->moved->nr_syscalls;
	struct syscalls *syscalls = memory_alloc(sizeof(*syscalls) + nr * sizeof(bool));
	int r;

	if (!syscalls)
		return -ENOMEM;
	syscalls->nr = nr;
	syscalls->cells = scall_map((uint64_t)object->sites.low, (uint64_t)object->sites.high, nr);
	r = syscalls->cells ? write_cells(object, syscalls) : -ENOMEM;
	if (r) {
		syscalls_free(syscalls);
		return r;
	}
	object->syscalls = syscalls;
	return 0;
}

void syscalls_free(struct syscalls *syscalls)
{
	if (!syscalls)
		return;
	scall_unmap(syscalls->cells, syscalls->nr);
	memory_free(syscalls);
}
