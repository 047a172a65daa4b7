/* SPDX-License-Identifier: MIT */
/* Patch code that threads may be running, in steps.  See patch.h. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/codemem.h"
#include "arch/x86_64/patch.h"
#include "base/testpoint.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

/* A batch of small writes to one memory page, which are collected before they are
 * written. */
struct batch {
	bool is_there;			/* true: the memory page could be read */
	uint64_t page;			/* address of the memory page whose copy
					 * is in @bytes; 0: there is no copy */
	uint32_t low, high;		/* the changed bytes have offsets from @low to
					 * @high - 1 */
	uint8_t bytes[ARCH_PAGE_BYTES];	/* the content of the memory page after
					 * patch_flush() */
	uint64_t changed[ARCH_PAGE_BYTES / 64];	/* bitmap of the bytes that
						 * patch_flush() must write */
};

/* The collected writes for each enum patch_part.  They change only between
 * patch_begin() and patch_end(), by one caller at a time. */
static struct batch batches[PATCH_PARTS];
static int mem_fd;			/* result of codemem_begin(): a descriptor of
					 * /proc/self/mem, or a negative number */
static int first_error;			/* first error since patch_begin(), as -errno;
					 * 0: there was no error */
static struct arch_signals signals;	/* signal mask of the thread before
					 * patch_begin() */

static void note_error(int r)
{
	if (r && !first_error)
		first_error = r;
}

void patch_begin(void)
{
	/* Block signals: a signal handler that forks between patch_begin() and patch_end()
	 * would leave a child with half-written batches, whose descriptor refers to the
	 * parent's memory. */
	arch_signals_block(&signals);
	mem_fd = codemem_begin();
	first_error = 0;
	for (int i = 0; i < PATCH_PARTS; i++)
		batches[i].page = 0;
}

void patch_end(void)
{
	codemem_end(mem_fd);
	arch_signals_restore(&signals);
}

/*
 * Write the changed bytes of a memory page, and the bytes between them, by one system
 * call.  A debugger or a uprobe may have removed a breakpoint since load_page() read
 * the memory page.  So the bytes are read again just before the write; otherwise the
 * write would put the breakpoint back.
 */
static void flush_page(struct batch *batch)
{
	static uint8_t fresh[ARCH_PAGE_BYTES];
	uint32_t nr = batch->high - batch->low;
	uint8_t *addr = (uint8_t *)(batch->page + batch->low);
	int r;

	if (!batch->page || !batch->is_there || batch->low >= batch->high)
		return;
	r = codemem_read(mem_fd, addr, fresh, nr);
	if (!r) {
		for (uint32_t i = batch->low; i < batch->high; i++)
			if (batch->changed[i / 64] >> i % 64 & 1)
				fresh[i - batch->low] = batch->bytes[i];
		TESTPOINT("patch.flush");
		r = codemem_write(mem_fd, addr, fresh, nr);
	}
	note_error(r);
}

static void load_page(struct batch *batch, uint64_t page)
{
	int r;

	flush_page(batch);
	batch->page = page;
	batch->low = ARCH_PAGE_BYTES;
	batch->high = 0;
	r = codemem_read(mem_fd, (const uint8_t *)page, batch->bytes, ARCH_PAGE_BYTES);
	batch->is_there = !r;
	if (r)			/* The memory page cannot be read. Clear the bytes of the page
				 * that was read before, because patch_get() would otherwise
				 * return them. */
		memset(batch->bytes, 0, ARCH_PAGE_BYTES);
	memset(batch->changed, 0, sizeof(batch->changed));
	note_error(r);
}

static uint8_t *byte_at(struct batch *batch, uint64_t at)
{
	uint32_t offset = at % ARCH_PAGE_BYTES;

	if (at - offset != batch->page)
		load_page(batch, at - offset);
	return &batch->bytes[offset];
}

static void put_byte(struct batch *batch, uint8_t *byte, uint8_t new)
{
	uint32_t offset = (uint32_t)(byte - batch->bytes);

	if (*byte == new)
		return;
	*byte = new;
	batch->changed[offset / 64] |= 1ull << offset % 64;
	if (offset < batch->low)
		batch->low = offset;
	if (offset >= batch->high)
		batch->high = offset + 1;
}

void patch_get(enum patch_part part, const uint8_t *addr, uint8_t *to, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		to[i] = *byte_at(&batches[part], (uint64_t)addr + i);
}

void patch_put(enum patch_part part, uint8_t *addr, const uint8_t *bytes, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		put_byte(&batches[part], byte_at(&batches[part], (uint64_t)addr + i),
			 bytes[i]);
}

int patch_change(enum patch_part part, uint8_t *addr, uint8_t old, uint8_t new)
{
	uint8_t *byte = byte_at(&batches[part], (uint64_t)addr);

	if (!batches[part].is_there || *byte != old)
		return -EILSEQ;
	put_byte(&batches[part], byte, new);
	return 0;
}

int patch_flush(void)
{
	for (int i = 0; i < PATCH_PARTS; i++) {
		flush_page(&batches[i]);
		batches[i].page = 0;
	}
	return first_error;
}

int patch_step(void)
{
	int r = patch_flush();

	TESTPOINT("patch.step");
	codemem_sync();
	return r;
}

void patch_encode_jump(uint8_t *bytes, const uint8_t *from, const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (from + PATCH_JUMP_BYTES));

	bytes[0] = PATCH_JUMP;
	memcpy(bytes + 1, &distance, sizeof(distance));
}

bool patch_map(uint64_t base, uint64_t bytes, int rights)
{
	long r = arch_syscall6(SYS_mmap, (long)base, (long)bytes, rights,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			       MAP_FIXED_NOREPLACE, -1, 0);

	if (r == (long)base)
		return true;
	if (r > 0)		/* An old kernel takes the address only as a hint, and
				 * has mapped the memory at another address. */
		arch_syscall2(SYS_munmap, r, (long)bytes);
	return false;
}
