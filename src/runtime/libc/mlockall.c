/* SPDX-License-Identifier: MIT */
/*
 * mlockall(), so that it means the program's memory: the address space that libulf
 * keeps (of the root, of its tables) is many gigabytes, which would count against
 * RLIMIT_MEMLOCK, and those of a table in use would become memory.
 *
 * The kernel knows no mapping that is left out.  So what there is is locked piece by
 * piece; what is to come, by the kernel.  In libulf.so alone: where a program calls
 * another one, all is locked.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/runtime.h"

#define USER_END	(1ull << 47)	/* the page of the old system calls is behind */

/* ---- all mappings ---- */

/* Of a line of /proc/self/maps: "START-END rights ...". */
struct line {
	uint64_t word[2];
	unsigned int at;		/* word; 2: the rest of it */
};

static bool is_end(struct line *line, char c)
{
	unsigned int digit = c <= '9' ? (unsigned int)(c - '0') :
					(unsigned int)(c - 'a' + 10);

	if (c == '\n')
		return true;
	if (line->at < 2 && (c == '-' || c == ' '))
		line->at++;
	else if (line->at < 2)
		line->word[line->at] = line->word[line->at] << 4 | digit;
	return false;
}

typedef void map_fn(uint64_t start, uint64_t bytes, void *arg);

/* What of [@start, @end) is not ours. */
static void use_map(map_fn *each, void *arg, uint64_t start, uint64_t end)
{
	uint64_t until;

	for (; start < end; start = until) {
		until = end;
		if (!memory_is_large(start, &until))
			each(start, until - start, arg);
	}
}

static bool for_each_map(map_fn *each, void *arg)
{
	long fd = arch_syscall4(SYS_openat, AT_FDCWD, "/proc/self/maps",
				O_RDONLY | O_CLOEXEC, 0);
	struct line line = { 0 };
	char buf[1024];
	long n = fd;

	if (fd < 0)
		return false;
	while ((n = arch_syscall3(SYS_read, fd, buf, sizeof(buf))) > 0)
		for (long i = 0; i < n; i++) {
			if (!is_end(&line, buf[i]))
				continue;
			if (line.word[1] <= USER_END)
				use_map(each, arg, line.word[0], line.word[1]);
			line = (struct line) { 0 };
		}
	arch_syscall1(SYS_close, fd);
	return !n;
}

static void count(uint64_t start, uint64_t bytes, void *arg)
{
	(void)start;
	*(uint64_t *)arg += bytes;
}

/* It may be gone by now, or have pages that cannot be had: no error to mlockall(). */
static void lock(uint64_t start, uint64_t bytes, void *arg)
{
	const int *flags = arg;

	if (*flags & MCL_ONFAULT)
		arch_syscall3(SYS_mlock2, start, bytes, MLOCK_ONFAULT);
	else
		arch_syscall2(SYS_mlock, start, bytes);
}

/* ---- the limit ---- */

/* Tried with something that is never there: rights to it are not what they seem in a
 * user namespace. */
static bool may_exceed(uint64_t limit)
{
	long bytes = (long)ALIGN_UP(limit + 4096, 4096ull);
	long mem = arch_syscall6(SYS_mmap, 0, bytes, PROT_NONE, MAP_PRIVATE |
				 MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long r;

	if (mem < 0 && mem > -4096)
		return false;
	r = arch_syscall3(SYS_mlock2, mem, bytes, MLOCK_ONFAULT);
	arch_syscall2(SYS_munmap, mem, bytes);
	return !r;
}

/* As the kernel does it with all of @bytes, before anything is locked. */
static bool is_allowed(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_MEMLOCK, &limit) || bytes <= limit.rlim_cur ||
	       may_exceed(limit.rlim_cur);
}

/* ---- the call ---- */

static int answer(long r)
{
	if (!r)
		return 0;
	errno = (int)-r;
	return -1;
}

static bool has_future;			/* as it was last asked for */

__attribute__((visibility("default"))) int mlockall(int flags)
{
	uint64_t bytes = 0;
	long r = 0;

	if (!(flags & MCL_CURRENT) ||
	    flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) ||
	    !for_each_map(count, &bytes) || !is_allowed(bytes))
		return answer(arch_syscall1(SYS_mlockall, flags));
	if (flags & MCL_FUTURE)
		r = arch_syscall1(SYS_mlockall, flags & ~MCL_CURRENT);
	else if (__atomic_load_n(&has_future, __ATOMIC_RELAXED))
		r = arch_syscall0(SYS_munlockall);	/* nothing else ends it */
	if (r)
		return answer(r);
	__atomic_store_n(&has_future, flags & MCL_FUTURE, __ATOMIC_RELAXED);
	for_each_map(lock, &flags);
	return 0;
}
