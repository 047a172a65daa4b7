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
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "runtime/runtime.h"

#define USER_END	(1ull << 47)	/* the page of the old system calls is behind */

typedef int lock_fn(int flags);

static lock_fn *next;			/* by whoever looks first */

static lock_fn *find_next(void)
{
	lock_fn *found = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!found) {
		*(void **)&found = dlsym(RTLD_NEXT, "mlockall");
		__atomic_store_n(&next, found, __ATOMIC_RELAXED);
	}
	return found;
}

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

typedef long map_fn(uint64_t start, uint64_t bytes);

/* What of [@start, @end) is not ours. */
static long use_map(map_fn *each, uint64_t start, uint64_t end)
{
	uint64_t until;
	long r = 0;

	for (; !r && start < end; start = until) {
		until = end;
		if (!memory_is_table(start, &until))
			r = each(start, until - start);
	}
	return r;
}

/* Call @each until it fails. */
static long for_each_map(map_fn *each)
{
	long fd = arch_syscall3(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	struct line line = { 0 };
	char buf[1024];
	long n = fd, r = fd < 0 ? fd : 0;

	while (!r && (n = arch_syscall3(SYS_read, fd, buf, sizeof(buf))) > 0)
		for (long i = 0; !r && i < n; i++) {
			if (!is_end(&line, buf[i]))
				continue;
			if (line.word[1] <= USER_END)
				r = use_map(each, line.word[0], line.word[1]);
			line = (struct line) { 0 };
		}
	if (fd >= 0)
		arch_syscall1(SYS_close, fd);
	return r ? r : n;
}

/* Without making it memory, so what fails is a limit. */
static long lock_on_fault(uint64_t start, uint64_t bytes)
{
	return arch_syscall3(SYS_mlock2, start, bytes, MLOCK_ONFAULT);
}

/* A page that cannot be had is no error to mlockall(). */
static long lock(uint64_t start, uint64_t bytes)
{
	arch_syscall2(SYS_mlock, start, bytes);
	return 0;
}

/* False: not to be done so, and perhaps not at all.  Then some of it is locked, and
 * stays so: nobody knows which was before. */
static bool lock_current(int flags)
{
	return !for_each_map(lock_on_fault) &&
	       ((flags & MCL_ONFAULT) || !for_each_map(lock));
}

__attribute__((visibility("default"))) int mlockall(int flags)
{
	lock_fn *all = find_next();
	int future = flags & (MCL_FUTURE | MCL_ONFAULT);

	if (!all) {
		errno = ENOSYS;
		return -1;
	}
	if (!root_control || !(flags & MCL_CURRENT) || !lock_current(flags))
		return all(flags);
	return flags & MCL_FUTURE ? all(future) : 0;
}
