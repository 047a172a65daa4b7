/* SPDX-License-Identifier: MIT */
/*
 * An image of the ELF file as the loader would map it: one array with the bytes of all
 * segments, so that the distances between code and data are those in a process.  The zeros
 * that the loader adds after the end of a segment are not in the array.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "mover/mover_impl.h"

/* maximum size of the image minus the size of the file: the space between segments, bytes */
#define HOLES_MAX	(64ull << 20)

static bool is_mapped(const Elf64_Phdr *program)
{
	return program->p_type == PT_LOAD && program->p_filesz;
}

/*
 * Reduce the range of the text to the sections with code.  Some linkers put read-only data
 * into the segment with the code.  Without this reduction that data would be searched for
 * instructions.
 */
static void find_code_sections(struct mover *mover)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < mover->file.head.e_shnum; i++) {
		const Elf64_Shdr *section = &mover->file.sections[i];

		if (section->sh_type != SHT_PROGBITS || !(section->sh_flags & SHF_EXECINSTR) ||
		    !section->sh_size)
			continue;
		start = min_u64(start, section->sh_addr);
		end = max_u64(end, section->sh_addr + section->sh_size);
	}
	if (start < end && start >= mover->text && end <= mover->text_end) {
		mover->text = start;
		mover->text_end = end;
	}
}

/* Find the addresses of all segments, and those of the segments with code. */
static int find_ranges(struct mover *mover)
{
	mover->low = mover->text = UINT64_MAX;
	for (uint32_t i = 0; i < mover->file.head.e_phnum; i++) {
		const Elf64_Phdr *program = &mover->file.programs[i];
		uint64_t start = program->p_vaddr, end = start + program->p_filesz;

		if (!is_mapped(program))
			continue;
		if (end < start || end > INT64_MAX || program->p_filesz > mover->file.bytes)
			return -ENOEXEC;
		mover->low = min_u64(mover->low, start);
		mover->high = max_u64(mover->high, end);
		if (program->p_flags & PF_X) {
			mover->text = min_u64(mover->text, start);
			mover->text_end = max_u64(mover->text_end, end);
		}
	}
	if (mover->text >= mover->text_end)
		return -ENOEXEC;
	mover->low &= ~7ull;		/* round down, so that an aligned address is aligned
					 * in the image, too */
	return mover->high - mover->low > min_u64(mover->limits->image_bytes,
						  mover->file.bytes + HOLES_MAX) ? -E2BIG : 0;
}

int mapped_read(struct mover *mover)
{
	int r = find_ranges(mover);

	if (r)
		return r;
	mover->image = calloc(1, mover->high - mover->low);
	if (!mover->image)
		return -ENOMEM;
	for (uint32_t i = 0; i < mover->file.head.e_phnum; i++) {
		const Elf64_Phdr *program = &mover->file.programs[i];

		if (is_mapped(program) &&
		    !elf_read_to(&mover->file, program->p_offset, program->p_filesz,
				 mover->image + (program->p_vaddr - mover->low)))
			return -ENOEXEC;
	}
	find_code_sections(mover);
	mover->is_fixed = mover->file.head.e_type == ET_EXEC;
	return 0;
}

uint64_t mapped_bytes_at(const struct mover *mover, uint64_t vaddr)
{
	return vaddr - mover->low < mover->high - mover->low ? mover->high - vaddr : 0;
}

const uint8_t *mapped_at(const struct mover *mover, uint64_t vaddr, uint64_t bytes)
{
	uint64_t available = mapped_bytes_at(mover, vaddr);

	return available && bytes <= available ? mover->image + (vaddr - mover->low) : NULL;
}

void list_add(struct mover *mover, struct list *list, uint64_t number)
{
	if (list->nr == list->room) {
		uint64_t room = list->room ? 2 * list->room : 1024;
		uint64_t *data = realloc(list->data, room * sizeof(*data));

		if (!data) {
			mover->error = -ENOMEM;
			return;
		}
		list->data = data;
		list->room = room;
	}
	list->data[list->nr++] = number;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void list_sort(struct list *list)
{
	uint64_t nr = 0;

	if (list->nr)
		qsort(list->data, list->nr, sizeof(*list->data), compare_numbers);
	for (uint64_t i = 0; i < list->nr; i++)
		if (!nr || list->data[i] != list->data[nr - 1])
			list->data[nr++] = list->data[i];
	list->nr = nr;
}
