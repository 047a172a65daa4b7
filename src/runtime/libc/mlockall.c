/* SPDX-License-Identifier: MIT */
/*
 * Replace mlockall(), so that it locks only the program's memory.  libulf reserves many
 * gigabytes of address space (for the root's memory and for its tables).  The kernel would
 * count all of this against RLIMIT_MEMLOCK, and would allocate all pages of a table that
 * is in use.
 *
 * The kernel's mlockall() cannot leave a mapping out.  So for MCL_CURRENT this function
 * locks the current mappings one by one, without libulf's.  For MCL_FUTURE it calls the
 * kernel, which locks all future mappings.
 *
 * Only libulf.so has this function.  If a program calls libc's mlockall() directly, that
 * locks libulf's mappings too.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/base/lock.h"
#include "runtime/base/maps.h"
#include "runtime/base/memory.h"
#include "runtime/base/thread.h"

#define USER_END	(1ull << 47)	/* end of user space; only the mapping
					 * [vsyscall] is above it */

/* ---- walk over all mappings ---- */

typedef void map_fn(uint64_t start, uint64_t bytes, void *arg);

/* Returns true if @addr is in one of libulf's large mappings, in the graph tracer's bodies,
 * or in a window of pun.c.  If *@until is above the end of the addresses for which the
 * answer is valid, *@until becomes this end. */
static bool is_ours(uint64_t addr, uint64_t *until)
{
	uint64_t bodies = (uint64_t)ftrace_graph_bodies;
	bool is_body = memory_is_in(bodies, bodies + sizeof(ftrace_graph_bodies), addr, until);
	bool is_stub = pun_has(addr, until);

	return memory_is_large(addr, until) || is_body || is_stub;
}

/* Call @each for every range of addresses from @start to before @end that is not
 * libulf's. */
static void use_map(map_fn *each, void *arg, uint64_t start, uint64_t end)
{
	uint64_t until;

	for (; start < end; start = until) {
		until = end;
		if (!is_ours(start, &until))
			each(start, until - start, arg);
	}
}

/* Arguments of for_each_map(). */
struct map_use {
	map_fn *each;
	void *arg;
};

static bool see_map(const struct maps_line *line, void *arg)
{
	const struct map_use *use = arg;

	if (line->end <= USER_END)
		use_map(use->each, use->arg, line->start, line->end);
	return false;
}

/* Call @each for all mappings of the program.  Returns false if /proc/self/maps cannot be
 * read. */
static bool for_each_map(map_fn *each, void *arg)
{
	struct map_use use = { each, arg };

	return !maps_walk(see_map, &use);
}

static void count_bytes(uint64_t start, uint64_t bytes, void *arg)
{
	(void)start;
	*(uint64_t *)arg += bytes;
}

/* Lock one mapping.  Errors are ignored, as in the kernel's mlockall(), because the
 * mapping may be unmapped by now, or have pages that cannot be allocated. */
static void lock_mapping(uint64_t start, uint64_t bytes, void *arg)
{
	const int *flags = arg;

	if (*flags & MCL_ONFAULT)
		arch_syscall3(SYS_mlock2, start, bytes, MLOCK_ONFAULT);
	else
		arch_syscall2(SYS_mlock, start, bytes);
}

/* ---- check RLIMIT_MEMLOCK ---- */

/* Returns true if this process may lock more than @limit bytes.  To find out, the
 * function tries to lock a mapping without memory pages.  The capabilities of the
 * process do not answer this question in a user namespace. */
static bool may_exceed(uint64_t limit)
{
	long bytes = (long)arch_page_end(limit + ARCH_PAGE_BYTES);
	long mem = arch_syscall6(SYS_mmap, 0, bytes, PROT_NONE, MAP_PRIVATE |
				 MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long r;

	if (arch_is_error(mem))
		return false;
	r = arch_syscall3(SYS_mlock2, mem, bytes, MLOCK_ONFAULT);
	arch_syscall2(SYS_munmap, mem, bytes);
	return !r;
}

/* Returns true if this process may lock @bytes bytes.  Like the kernel, check this before
 * anything is locked. */
static bool is_allowed(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_MEMLOCK, &limit) || bytes <= limit.rlim_cur ||
	       may_exceed(limit.rlim_cur);
}

/* ---- libulf's mlockall() ---- */

/* Convert the result of a system call to that of a libc function, with errno. */
static int set_errno(long r)
{
	if (!r)
		return 0;
	errno = (int)-r;
	return -1;
}

static bool has_future;			/* true: the last mlockall() had MCL_FUTURE */

__attribute__((visibility("default"))) int mlockall(int flags)
{
	uint64_t bytes = 0;
	long r = 0;

	if (!(flags & MCL_CURRENT) ||
	    flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) ||
	    !for_each_map(count_bytes, &bytes) || !is_allowed(bytes))
		return set_errno(arch_syscall1(SYS_mlockall, flags));
	if (flags & MCL_FUTURE)
		r = arch_syscall1(SYS_mlockall, flags & ~MCL_CURRENT);
	else if (__atomic_load_n(&has_future, __ATOMIC_RELAXED))
		/* Call munlockall(), because no other call ends MCL_FUTURE without
		 * locking libulf's mappings. */
		r = arch_syscall0(SYS_munlockall);
	if (r)
		return set_errno(r);
	__atomic_store_n(&has_future, flags & MCL_FUTURE, __ATOMIC_RELAXED);
	for_each_map(lock_mapping, &flags);
	return 0;
}
