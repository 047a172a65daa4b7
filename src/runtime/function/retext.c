/* SPDX-License-Identifier: MIT */
/*
 * Replace code at one instant, while threads run it.
 *
 * An instruction of five bytes cannot be replaced by one store, and no sequence of one-byte
 * stores leads from `mov $39,%eax` to a jump by harmless instructions.  So this code
 * replaces the pages instead of the bytes:
 *
 *	copy = mmap(the file of the code, at any address)
 *	write to copy what differs from the file in the code, and the new bytes
 *	mremap(copy, to the address of the code)
 *
 * mremap() unmaps the old pages and moves the new ones, with the lock of the address space
 * held for writing.  A thread that executes the code meanwhile gets a page fault.  The
 * fault waits for this lock, and the thread continues with the new page.  So it executes
 * old bytes or new ones, and never a mixture.  The kernel interrupts each core that runs a
 * thread of this process, to make it forget the old pages, and the interrupt also
 * serializes the core.
 *
 * The new mapping has the file, the access rights and the offset of the old mapping.  So
 * /proc/self/maps, debuggers and profilers show the object as before, and the kernel merges
 * it with its neighbours if they were one mapping.
 */
#include "runtime/function/retext.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "base/testpoint.h"
#include "runtime/base/maps.h"

struct wanted {
	uint64_t addr;
	struct maps_line line;		/* result: the mapping that contains @addr */
};

static bool see_mapping(const struct maps_line *line, void *arg)
{
	struct wanted *wanted = arg;

	if (wanted->addr < line->start || wanted->addr >= line->end)
		return false;
	wanted->line = *line;
	return true;
}

static int find_mapping(uint64_t addr, struct maps_line *ret)
{
	struct wanted wanted = { .addr = addr };
	int r = maps_walk(see_mapping, &wanted);

	*ret = wanted.line;
	return r ? r : wanted.line.end && wanted.line.is_code && wanted.line.ino ? 0 : -ENOENT;
}

/* Map the file at @path as @line says, at any address.  Returns the address or -errno. */
static long map_file(const char *path, const struct maps_line *line)
{
	long fd = arch_syscall4(SYS_openat, AT_FDCWD, *path ? path : "/proc/self/exe",
				O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0), r;

	if (fd < 0)
		return fd;
	r = arch_syscall6(SYS_mmap, 0, (long)(line->end - line->start), PROT_READ | PROT_EXEC,
			  MAP_PRIVATE, fd, (long)line->offset);
	arch_syscall1(SYS_close, fd);
	return r;
}

static void unmap(const struct retext *retext)
{
	arch_syscall2(SYS_munmap, retext->copy, retext->end - retext->start);
}

/* Returns 0 if the file of @line is also mapped at @copy, else -errno. */
static int check_file(const uint8_t *copy, const struct maps_line *line)
{
	struct maps_line mapped;
	int r = find_mapping((uint64_t)copy, &mapped);

	if (r)
		return r;
	return mapped.ino == line->ino && mapped.dev_major == line->dev_major &&
	       mapped.dev_minor == line->dev_minor ? 0 : -ENOENT;
}

/* Write to the copy all pages of the code that differ from those of the file. */
static int copy_changes(const struct retext *retext)
{
	static uint8_t now[ARCH_PAGE_BYTES], file[ARCH_PAGE_BYTES];
	uint64_t bytes = retext->end - retext->start;
	int fd = codemem_begin(), r = 0;

	for (uint64_t at = 0; at < bytes && !r; at += ARCH_PAGE_BYTES) {
		const uint8_t *from = (const uint8_t *)retext->start + at;
		/* The last pages of a mapping may be beyond the end of the file. */
		int missing = codemem_read(fd, from, now, ARCH_PAGE_BYTES);

		r = codemem_read(fd, retext->copy + at, file, ARCH_PAGE_BYTES);
		if (missing == r && r == -EFAULT)
			r = 0;
		else if (!r && memcmp(now, file, ARCH_PAGE_BYTES))
			r = missing ? missing :
			    codemem_write(fd, retext->copy + at, now, ARCH_PAGE_BYTES);
	}
	codemem_end(fd);
	return r;
}

int retext_begin(const char *path, uint64_t addr, struct retext *ret)
{
	struct maps_line line;
	int r = find_mapping(addr, &line);
	long copy;

	if (r)
		return r;
	copy = map_file(path, &line);
	if (arch_is_error(copy))
		return (int)copy;
	*ret = (struct retext){ line.start, line.end, (uint8_t *)copy };
	r = check_file(ret->copy, &line);
	if (!r)
		r = copy_changes(ret);
	if (r)
		unmap(ret);
	else
		patch_begin();
	return r;
}

static uint8_t *copy_at(const struct retext *retext, uint64_t addr)
{
	return retext->copy + (addr - retext->start);
}

void retext_get(const struct retext *retext, uint64_t addr, uint8_t *to, uint32_t nr)
{
	patch_get(PATCH_TEXT, copy_at(retext, addr), to, nr);
}

void retext_put(const struct retext *retext, uint64_t addr, const uint8_t *bytes, uint32_t nr)
{
	patch_put(PATCH_TEXT, copy_at(retext, addr), bytes, nr);
}

int retext_end(struct retext *retext)
{
	uint64_t bytes = retext->end - retext->start;
	int r = patch_flush();
	long at;

	if (!r) {
		TESTPOINT("retext.move");
		at = arch_syscall6(SYS_mremap, (long)retext->copy, (long)bytes, (long)bytes,
				   MREMAP_MAYMOVE | MREMAP_FIXED, (long)retext->start, 0);
		r = arch_is_error(at) ? (int)at : 0;
	}
	if (r)
		unmap(retext);
	patch_end();
	return r;
}
