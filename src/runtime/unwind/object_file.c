/* SPDX-License-Identifier: MIT */
/* Read the file of an object: its section headers and single sections. */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "runtime/base/memory.h"
#include "runtime/unwind/object_file.h"

#define SECTIONS_MAX	4096u
#define SECTION_BYTES_MAX (1ull << 30)

static bool read_at(int fd, void *to, size_t bytes, uint64_t off)
{
	return arch_syscall4(SYS_pread64, fd, to, bytes, off) == (long)bytes;
}

bool object_file_open(const struct dl_phdr_info *info, struct object_file *file)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	struct stat st;
	Elf64_Ehdr head;
	size_t bytes;

	*file = (struct object_file){ .fd = -1 };
	/* A name without a slash (linux-vdso.so.1) is not a path.  Do not open it: a file
	 * with this name in the working directory may be a fifo of another user. */
	if (!strchr(path, '/'))
		return false;
	file->fd = (int)arch_syscall4(SYS_openat, AT_FDCWD, path,
				      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (file->fd < 0 || arch_syscall2(SYS_fstat, file->fd, &st) || !S_ISREG(st.st_mode) ||
	    !read_at(file->fd, &head, sizeof(head), 0) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_shentsize != sizeof(*file->sections) ||
	    head.e_shnum >= SECTIONS_MAX || head.e_shstrndx >= head.e_shnum)
		return false;
	bytes = head.e_shnum * sizeof(*file->sections);
	file->sections = memory_alloc(bytes);
	if (!file->sections || !read_at(file->fd, file->sections, bytes, head.e_shoff))
		return false;
	file->nr = head.e_shnum;
	file->names = head.e_shstrndx;
	file->entry = head.e_entry;
	return true;
}

void object_file_close(struct object_file *file)
{
	memory_free(file->sections);
	if (file->fd >= 0)
		arch_syscall1(SYS_close, file->fd);
}

void *object_file_read(const struct object_file *file, const Elf64_Shdr *section)
{
	char *copy = section->sh_size <= SECTION_BYTES_MAX ?
		     memory_alloc(section->sh_size + 1) : NULL;

	if (copy && !read_at(file->fd, copy, section->sh_size, section->sh_offset)) {
		memory_free(copy);
		return NULL;
	}
	return copy;
}

uint64_t object_file_program_bias(void)
{
	struct dl_phdr_info info = { .dlpi_name = "" };
	struct object_file file;
	uint64_t bias = 0;

	if (object_file_open(&info, &file))
		bias = getauxval(AT_ENTRY) - file.entry;
	object_file_close(&file);
	return bias;
}

bool object_find_range(const struct dl_phdr_info *info, uint32_t flags,
		       uint64_t *ret_low, uint64_t *ret_high)
{
	*ret_low = UINT64_MAX;
	*ret_high = 0;
	for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || (p->p_flags & flags) != flags)
			continue;
		if (start < *ret_low)
			*ret_low = start;
		if (start + p->p_filesz > *ret_high)
			*ret_high = start + p->p_filesz;
	}
	return *ret_low < *ret_high;
}
