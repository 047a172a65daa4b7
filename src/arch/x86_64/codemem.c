/* SPDX-License-Identifier: MIT */
/* Write to text through /proc/self/mem, so that its memory pages stay read-only and
 * executable.  If the kernel denies this (chroot, non-dumpable process), mprotect()
 * makes the pages writable during the write. */
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/codemem.h"
#include "base/bits.h"

/*
 * mem_tid: id of the thread that keeps /proc/self/mem open; mem_fd: its descriptor of that
 * file.  Only this thread writes mem_tid.  Other threads compare mem_tid with their own ids,
 * which are different, and so do not use mem_fd.
 */
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

/*
 * Open /proc/self/mem, and store the id of the calling thread, which keeps it open.  If
 * seccomp blocks gettid(), keep nothing open.  The reason: in another thread, this descriptor
 * number may be a file of the program.  Without gettid() a thread cannot find out whether it is
 * the thread with the open file.
 */
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

/* Read text without /proc/self/mem.  The text may have been unmapped before this call.
 * It cannot be unmapped during the copy, because libulf's own dlclose() waits
 * meanwhile. */
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
	/* ENOMEM has two causes: there is no memory, or nothing is mapped at @addr.  A
	 * read shows which of them it is. */
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
	 * An old kernel does not have SYNC_CORE of membarrier().  On such a kernel,
	 * change a mapping: this makes the kernel interrupt all cores that run this
	 * process, and an interrupt has the same effect as SYNC_CORE.
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
