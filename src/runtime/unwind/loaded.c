/* SPDX-License-Identifier: MIT */
/*
 * Find the object that is loaded at an address, its text and its build id.  These
 * values come from libc (_dl_find_object()) and from the object's own headers in
 * memory.  The server has stored copies of them in the root's memory.  But every
 * process of the root can write that memory, so the copies are not used.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/unwind/object_file.h"
#include "runtime/unwind/loaded.h"
#include "runtime/unwind/unwind.h"

#define PROGRAMS_MAX	32u		/* maximum number of program headers of an
					 * object that are read; linkers make a dozen */
#define NOTE_BYTES	1024u		/* maximum number of bytes of a PT_NOTE
					 * segment that are read */

struct headers {
	uint32_t nr;
	Elf64_Phdr rows[PROGRAMS_MAX];
};

static int read_rows(int fd, uint64_t at, uint32_t nr, struct headers *ret)
{
	ret->nr = min_u32(nr, PROGRAMS_MAX);
	return codemem_read(fd, (const uint8_t *)at, ret->rows,
			    ret->nr * (uint32_t)sizeof(ret->rows[0]));
}

/* Read the program headers of @image.  Linkers put them in the first memory page of an
 * object.  Returns 0 or -errno. */
static int read_headers(int fd, const struct image *image, struct headers *ret)
{
	Elf64_Ehdr head;
	int r = codemem_read(fd, (const uint8_t *)image->start, &head, sizeof(head));

	if (r)
		return r;
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phoff > ARCH_PAGE_BYTES)
		return -ENOENT;
	return read_rows(fd, image->start + head.e_phoff, head.e_phnum, ret);
}

/* Find the program at @addr, on a libc without _dl_find_object().  Assumes that the program
 * is linked statically and so is the only object.  Returns -ENOENT if @addr is outside of
 * the program. */
static int find_program(int fd, uint64_t addr, struct image *ret_image,
			struct headers *ret)
{
	uint64_t low = UINT64_MAX, high = 0;
	int r = read_rows(fd, getauxval(AT_PHDR), (uint32_t)getauxval(AT_PHNUM), ret);

	*ret_image = (struct image){ .name = "", .bias = object_file_program_bias() };
	for (uint32_t i = 0; !r && i < ret->nr; i++) {
		const Elf64_Phdr *p = &ret->rows[i];

		if (p->p_type != PT_LOAD)
			continue;
		low = min_u64(low, ret_image->bias + p->p_vaddr);
		high = max_u64(high, ret_image->bias + p->p_vaddr + p->p_memsz);
	}
	ret_image->start = low;
	ret_image->end = high;
	return r ? r : addr >= low && addr < high ? 0 : -ENOENT;
}

static void take_id(const uint8_t *notes, uint32_t bytes, struct loaded *ret)
{
	uint32_t at = 0;

	while (!ret->id_bytes && bytes - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint32_t name = at + (uint32_t)sizeof(note), left;

		memcpy(&note, notes + at, sizeof(note));
		left = bytes - name;
		if (note.n_namesz > left || ALIGN_UP(note.n_namesz, 4u) > left ||
		    note.n_descsz > left - ALIGN_UP(note.n_namesz, 4u))
			return;
		at = name + ALIGN_UP(note.n_namesz, 4u);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4)) {
			ret->id_bytes = min_u32(note.n_descsz, sizeof(ret->id));
			memcpy(ret->id, notes + at, ret->id_bytes);
		}
		at += min_u32(ALIGN_UP(note.n_descsz, 4u), bytes - at);
	}
}

static void read_notes(int fd, const Elf64_Phdr *p, struct loaded *ret)
{
	uint32_t bytes = (uint32_t)min_u64(p->p_memsz, NOTE_BYTES);
	uint8_t notes[NOTE_BYTES];

	if (!codemem_read(fd, (const uint8_t *)(ret->image.bias + p->p_vaddr), notes, bytes))
		take_id(notes, bytes, ret);
}

static void take_rows(int fd, const struct headers *headers, struct loaded *ret)
{
	for (uint32_t i = 0; i < headers->nr; i++) {
		const Elf64_Phdr *p = &headers->rows[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && !ret->text_end) {
			ret->text = ret->image.bias + p->p_vaddr;
			ret->text_end = ret->text + p->p_filesz;
		}
		if (p->p_type == PT_NOTE)
			read_notes(fd, p, ret);
	}
}

int loaded_find(uint64_t addr, struct loaded *ret)
{
	struct headers headers;
	int fd = codemem_begin(), r;

	*ret = (struct loaded){ 0 };
	if (!unwind_can_find())
		r = find_program(fd, addr, &ret->image, &headers);
	else if (unwind_find(addr, &ret->image))
		r = read_headers(fd, &ret->image, &headers);
	else
		r = -ENOENT;
	if (!r)
		take_rows(fd, &headers, ret);
	codemem_end(fd);
	if (r == -EFAULT || (!r && !ret->text_end))
		r = -ENOENT;
	return r;
}
