/* SPDX-License-Identifier: MIT */
/* Write to text through /proc/self/mem, so the pages stay read-only and executable.  Where
 * the kernel denies this (chroot, non-dumpable process), mprotect() makes the pages
 * writable during the write. */
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/codemem.h"
#include "base/bits.h"
#include "base/testpoint.h"

/* Id of the thread that keeps /proc/self/mem open, and the descriptor.  Only this thread
 * writes mem_tid.  Other threads only compare mem_tid with their own id, which is
 * different. */
static long mem_tid;
static int mem_fd;

static bool has_mem_file(void)
{
	long tid = __atomic_load_n(&mem_tid, __ATOMIC_RELAXED);

	return tid && tid == arch_syscall0(SYS_gettid);
}

static int open_mem_file(void)
{
	return (int)arch_syscall4(SYS_openat, AT_FDCWD, "/proc/self/mem",
				  O_RDWR | O_CLOEXEC, 0);
}

/* Remember the thread that keeps /proc/self/mem open.  If seccomp blocks gettid(), a thread
 * cannot find out whether it is this thread.  In another thread the same descriptor may be
 * a file of the program.  So nothing is kept open in this case. */
void codemem_start(bool has_own_table)
{
	long tid = arch_syscall0(SYS_gettid);

	__atomic_store_n(&mem_tid, 0, __ATOMIC_RELAXED);
	mem_fd = has_own_table && tid > 0 ? open_mem_file() : -1;
	if (mem_fd >= 0)
		__atomic_store_n(&mem_tid, tid, __ATOMIC_RELAXED);
}

int codemem_begin(void)
{
	return has_mem_file() ? mem_fd : open_mem_file();
}

void codemem_end(int fd)
{
	if (fd >= 0 && !(has_mem_file() && fd == mem_fd))
		arch_syscall1(SYS_close, fd);
}

static int write_by_mprotect(uint8_t *addr, const uint8_t *bytes, uint32_t nr)
{
	uint64_t start = arch_page_start((uint64_t)addr);
	uint64_t size = arch_page_end((uint64_t)addr + nr) - start;
	long r = arch_syscall3(SYS_mprotect, start, size,
			       PROT_READ | PROT_WRITE | PROT_EXEC);

	if (r)
		return (int)r;
	for (uint32_t i = 0; i < nr; i++)
		__atomic_store_n(&addr[i], bytes[i], __ATOMIC_RELAXED);
	arch_syscall3(SYS_mprotect, start, size, PROT_READ | PROT_EXEC);
	return 0;
}

/* Read text directly.  The text may have been unmapped before.  It is not unmapped during
 * the copy, because dlclose() of libulf.so itself waits. */
static int read_mapped_text(const uint8_t *addr, void *to, uint32_t nr)
{
	uint64_t end = (uint64_t)addr + nr;

	for (uint64_t at = (uint64_t)addr; at < end; at = arch_page_end(at + 1))
		if (!arch_is_readable((const void *)at))
			return -EFAULT;
	memcpy(to, addr, nr);
	return 0;
}

int codemem_read(int fd, const uint8_t *addr, void *to, uint32_t nr)
{
	long n;

	if (fd < 0)
		return read_mapped_text(addr, to, nr);
	n = arch_syscall4(SYS_pread64, fd, to, nr, addr);
	if (n == (long)nr)
		return 0;
	return n >= 0 || n == -EIO ? -EFAULT : (int)n;
}

int codemem_write(int fd, uint8_t *addr, const uint8_t *bytes, uint32_t nr)
{
	uint8_t seen;
	int r;

	if (fd >= 0 &&
	    arch_syscall4(SYS_pwrite64, fd, bytes, nr, addr) == (long)nr)
		return 0;
	r = write_by_mprotect(addr, bytes, nr);
	/* The error ENOMEM has two causes: there is no memory, or nothing is mapped at
	 * @addr. */
	return r == -ENOMEM && codemem_read(fd, addr, &seen, 1) ? -EFAULT : r;
}

void codemem_sync(void)
{
	const long sync = MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE;

	if (!arch_syscall2(SYS_membarrier, sync, 0))
		return;
	arch_syscall2(SYS_membarrier,
		      MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0);
	if (!arch_syscall2(SYS_membarrier, sync, 0))
		return;
	/*
	 * An old kernel does not have this command of membarrier().  Instead change a
	 * mapping: the kernel then interrupts all cores that run this process, and an
	 * interrupt has the same effect.
	 */
	long mem = arch_syscall6(SYS_mmap, 0, ARCH_PAGE_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arch_is_error(mem))
		return;
	*(volatile char *)mem = 1;
	arch_syscall3(SYS_mprotect, mem, ARCH_PAGE_BYTES, PROT_NONE);
	arch_syscall2(SYS_munmap, mem, ARCH_PAGE_BYTES);
}

const uint8_t *codemem_view_at(struct codemem_view *view, uint64_t at, uint32_t nr)
{
	uint64_t page = at - at % ARCH_PAGE_BYTES;

	if (page != view->page) {
		const uint8_t *from = (const uint8_t *)page;
		bool is_next = page == view->page + ARCH_PAGE_BYTES &&
			       view->bytes == 2 * ARCH_PAGE_BYTES;

		if (is_next)
			memcpy(view->text, view->text + ARCH_PAGE_BYTES, ARCH_PAGE_BYTES);
		view->page = page;
		view->bytes = 0;
		if (is_next || !codemem_read(view->fd, from, view->text, ARCH_PAGE_BYTES))
			view->bytes = ARCH_PAGE_BYTES;
		if (view->bytes && !codemem_read(view->fd, from + ARCH_PAGE_BYTES,
					      view->text + ARCH_PAGE_BYTES, ARCH_PAGE_BYTES))
			view->bytes += ARCH_PAGE_BYTES;
	}
	return at - page + nr <= view->bytes ? view->text + (at - page) : NULL;
}

/* ---- batches of writes ---- */

void codemem_batch_init(struct codemem_batch *batch, int fd)
{
	batch->fd = fd;
	batch->error = 0;
	batch->page = 0;
}

static void flush_batch_page(struct codemem_batch *batch)
{
	int r;

	if (!batch->page || !batch->is_there || batch->low >= batch->high)
		return;
	TESTPOINT("codemem.flush");
	r = codemem_write(batch->fd, (uint8_t *)batch->page + batch->low,
		       batch->bytes + batch->low, batch->high - batch->low);
	if (r && !batch->error)
		batch->error = r;
}

static void load_batch_page(struct codemem_batch *batch, uint64_t page)
{
	int r;

	flush_batch_page(batch);
	batch->page = page;
	batch->low = ARCH_PAGE_BYTES;
	batch->high = 0;
	r = codemem_read(batch->fd, (const uint8_t *)page, batch->bytes, ARCH_PAGE_BYTES);
	batch->is_there = !r;
	if (!batch->error)
		batch->error = r;
}

static uint8_t *batch_byte_at(struct codemem_batch *batch, uint64_t at)
{
	uint32_t offset = at % ARCH_PAGE_BYTES;

	if (at - offset != batch->page)
		load_batch_page(batch, at - offset);
	return &batch->bytes[offset];
}

static void put_batch_byte(struct codemem_batch *batch, uint8_t *byte, uint8_t new)
{
	uint32_t offset = (uint32_t)(byte - batch->bytes);

	if (*byte == new)
		return;
	*byte = new;
	if (offset < batch->low)
		batch->low = offset;
	if (offset >= batch->high)
		batch->high = offset + 1;
}

void codemem_batch_get(struct codemem_batch *batch, const uint8_t *addr, uint8_t *to,
		    uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		to[i] = *batch_byte_at(batch, (uint64_t)addr + i);
}

void codemem_batch_put(struct codemem_batch *batch, uint8_t *addr,
		    const uint8_t *bytes, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		put_batch_byte(batch, batch_byte_at(batch, (uint64_t)addr + i), bytes[i]);
}

int codemem_batch_change(struct codemem_batch *batch, uint8_t *addr, uint8_t old,
		      uint8_t new)
{
	uint8_t *byte = batch_byte_at(batch, (uint64_t)addr);

	if (!batch->is_there || *byte != old)
		return -EILSEQ;
	put_batch_byte(batch, byte, new);
	return 0;
}

int codemem_batch_done(struct codemem_batch *batch)
{
	flush_batch_page(batch);
	batch->page = 0;
	return batch->error;
}
