/* SPDX-License-Identifier: MIT */
/*
 * Count the functions of files that can be moved.
 *
 *	build-count_moved FILE		prints: MOVED FUNCTIONS PER-MILLE CPU-MS
 *	build-count_moved -l FILE	lists each function: address, class, reason
 *	build-count_moved -f FILE	lists the frames of each moved instruction: its address,
 *					the CFA's register and offset, register=offset
 *					from the CFA for each saved register
 *	build-count_moved -c FILE	lists each system call: address, number (-1: it is not
 *					constant), sizes of the instructions after it and before it
 *					that are moved, or the reason why it cannot be traced
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/posix_clock.h"
#include "base/text.h"
#include "mover/mover.h"
#include "symbols/elf.h"

static void list_rows(const struct moved_head *head)
{
	static const char *const classes[MOVED_CLASSES] = {
		[MOVED_REFUSED] = "refused", [MOVED_ONE] = "one",
		[MOVED_SEVERAL] = "several", [MOVED_BYTE] = "byte",
	};

	for (uint32_t i = 0; i < head->nr_rows; i++) {
		const struct moved_row *row = &moved_rows(head)[i];

		printf("%lx %s%s%s\n", (unsigned long)(row->vaddr - row->lead),
		       classes[row->class], row->reason ? ": " : "",
		       row->reason ? mover_reason_text(row->reason) : "");
	}
}

static void list_frames_of(const struct moved_head *head, const struct moved_row *row)
{
	static const uint8_t numbers[] = MOVED_SAVED_DWARF;
	const struct moved_frame *frames = moved_frames(head, row);

	for (uint32_t i = 0; i < row->nr_frames; i++) {
		/* a step of a call that the original does not have */
		if (i && frames[i].original == frames[i - 1].original)
			continue;
		printf("%lx %u %d", (unsigned long)row->vaddr + frames[i].original,
		       frames[i].cfa_register, frames[i].cfa_offset);
		for (uint32_t k = 0; k < MOVED_SAVED_REGS; k++)
			if (frames[i].saved[k])
				printf(" %u=%d", numbers[k], -8 * frames[i].saved[k]);
		printf("\n");
	}
}

static void list_frames(const struct moved_head *head)
{
	for (uint32_t i = 0; i < head->nr_rows; i++)
		if (moved_rows(head)[i].class != MOVED_REFUSED)
			list_frames_of(head, &moved_rows(head)[i]);
}

static void list_calls(const struct moved_head *head)
{
#define TEXT(number, name, text) [number] = text,
	static const char *const reasons[] = { MOVED_SYSCALL_REASONS(TEXT) };

	for (uint32_t i = 0; i < head->nr_syscalls; i++) {
		const struct moved_syscall *call = &moved_syscalls(head)[i];

		printf("%lx ", (unsigned long)call->vaddr);
		if (call->reason)
			printf("%s\n", reasons[call->reason]);
		else
			printf("%d %u %u\n", call->nr == MOVED_SYSCALL_UNKNOWN ? -1 : call->nr,
			       call->after_insn, call->before.moved_bytes);
	}
}

int main(int argc, char **argv)
{
	const char *option = argc > 2 ? argv[1] : "";
	uint64_t left = 4ull << 30, start_ns = clock_posix_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct elf_source source = { .bytes_left = &left };
	const struct moved_head *head;
	struct text table;
	uint32_t moved;
	int r;

	source.fd = argc > 1 ? open(argv[argc - 1], O_RDONLY | O_CLOEXEC) : -1;
	if (source.fd < 0)
		return 2;
	text_init(&table, MOVED_BYTES_MAX);
	r = mover_analyse(&source, &MOVER_LIMITS, &table);
	close(source.fd);
	head = (const struct moved_head *)table.data;
	if (r || !moved_check(head, table.len)) {
		printf("%s\n", r ? strerror(-r) : "the table is invalid");
		return 1;
	}
	moved = head->nr_rows - head->nr_refused;
	if (!strcmp(option, "-l"))
		list_rows(head);
	else if (!strcmp(option, "-f"))
		list_frames(head);
	else if (!strcmp(option, "-c"))
		list_calls(head);
	else
		printf("%u %u %u %u\n", moved, head->nr_rows, moved * 1000 / head->nr_rows,
		       (unsigned int)((clock_posix_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns) /
				      1000000));
	text_done(&table);
	return 0;
}
