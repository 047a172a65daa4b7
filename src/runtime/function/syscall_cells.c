/* SPDX-License-Identifier: MIT */
/* The cells of an object's system calls: the code to which the jumps before and after a call
 * lead; see syscalls.c. */
#include <errno.h>
#include <stdint.h>

#include "arch/arch.h"
#include "event/boot.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/function/object.h"
#include "runtime/function/syscall_events.h"
#include "runtime/function/syscalls.h"

bool syscalls_are_wanted(void)
{
	return &syscall_events && root_has_boot(BOOT_SYSCALLS);
}

/* ---- function sites ---- */

/* Returns true if a jump before or after @call may replace one of the instructions that are
 * moved when the function of @row is traced. */
static bool do_overlap(const struct moved_syscall *call, const struct moved_row *row)
{
	uint64_t end = call->vaddr + MOVED_SYSCALL_BYTES + call->after_bytes;

	return row->vaddr < end && call->before.vaddr < row->vaddr + row->original_bytes;
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
	return (struct scall_site){
		object->moved, moved_syscalls(object->moved) + cell / 2, cell % 2,
	};
}

static int write_cells(const struct object *object, const struct syscalls *syscalls)
{
	int r = 0, ret;

	patch_begin();
	for (uint32_t i = 0; i < syscalls->nr && !r; i++) {
		struct scall_site site = syscall_site(object, i);

		if (scall_has_site(&site))
			r = scall_write(syscalls->cells + i, &site, object->sites.bias);
	}
	ret = patch_step();
	patch_end();
	return r ? r : ret;
}

int syscall_cells_make(struct object *object)
{
	uint32_t nr = 2 * object->moved->nr_syscalls;
	struct syscalls *syscalls = memory_alloc(sizeof(*syscalls) + 2ul * nr * sizeof(bool));
	int r;

	if (!syscalls)
		return -ENOMEM;
	syscalls->nr = nr;
	syscalls->is_jump = (bool *)(syscalls + 1);
	syscalls->is_new = syscalls->is_jump + nr;
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
