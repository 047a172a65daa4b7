/* SPDX-License-Identifier: MIT */
/*
 * Memory for the stubs of punned jumps.
 *
 *	off	55 48 89 e5 41		push %rbp; mov %rsp,%rbp; ...
 *	on	e9 48 89 e5 41		jmp  . + 5 + 0x41e58948
 *	stub	e9 .. .. .. ..		jmp  slot
 *
 * The instructions that are there decide where the stub is: anywhere within 2 GiB.  This file
 * maps windows of address space at such places.  A window is as large as one table of pages, so
 * it costs one table and the pages that have stubs.  Windows side by side are one mapping for
 * the kernel.  fork() copies mappings one by one, which is why there are no smaller windows.
 *
 * The program may want the addresses, too.  It can always get others from mmap(), but not in
 * these cases, so no window is there:
 *
 *	the heap of brk()	grows upwards without a gap
 *	the main stack		grows downwards without a gap
 *	below LOWEST		accesses through a null pointer must stay faults
 *	RLIMIT_AS		the limit is the program's
 *
 * The number of windows is a small share of the mappings that a process may have
 * (vm.max_map_count).  Pages cannot be unmapped while a site may lead there: a thread that was
 * interrupted in the stub continues there, much later.
 *
 * The state is static, as in patch.c: one caller at a time.
 */
#include "arch/x86_64/pun.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "arch/arch.h"
#include "arch/x86_64/patch.h"

#define WINDOW_BYTES	(2u << 20)
#define WINDOWS_MAX	2048u
#define STUBS_MAX	8192u		/* each may take a page of memory of its own */
#define MAPS_SHARE	32u		/* windows are at most this part of the mappings that a
					 * process may have */
#define MAPS_DEFAULT	65530u		/* what the kernel allows unless it is configured */
#define LOWEST		0x4000000ull
#define HEAP_ROOM	0x10000000ull	/* how far the heap can grow; malloc() of libc and other
					 * allocators use mmap() instead if brk() fails */
#define STACK_ROOM	0x40000000ull	/* room for the main stack, if its limit is lower, */
#define STACK_ROOM_MAX	0x1000000000ull	/* and if it is higher */

/* A part of the address space with stubs.  pun_has() reads this without a lock. */
static struct window {
	uint64_t base;			/* a multiple of WINDOW_BYTES */
	uint32_t nr;			/* number of stubs that begin or end in it */
} windows[WINDOWS_MAX];
static uint32_t nr_windows;
static uint32_t nr_stubs;

uint64_t pun_stub(uint64_t at, const uint8_t distance[4])
{
	int32_t value;

	memcpy(&value, distance, sizeof(value));
	return at + PATCH_JUMP_BYTES + (uint64_t)(int64_t)value;
}

/* ---- what the program needs ---- */

/* Returns the limit @which of this process, or the largest number if there is none. */
static uint64_t limit_of(int which)
{
	struct rlimit limit;

	return arch_syscall4(SYS_prlimit64, 0, which, NULL, &limit) ||
	       limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

/* Returns true if [@start, @end) overlaps [@from, @to). */
static bool overlaps(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	return start < to && from < end;
}

static bool is_in_heap(uint64_t start, uint64_t end)
{
	long heap = arch_syscall1(SYS_brk, 0);

	return heap <= 0 || overlaps(start, end, (uint64_t)heap, (uint64_t)heap + HEAP_ROOM);
}

static bool is_in_stack(uint64_t start, uint64_t end)
{
	uint64_t top = getauxval(AT_EXECFN);	/* a string above the first frame */
	uint64_t room = limit_of(RLIMIT_STACK);

	if (room < STACK_ROOM)
		room = STACK_ROOM;
	if (room > STACK_ROOM_MAX)
		room = STACK_ROOM_MAX;
	return !top || overlaps(start, end, top - room, top);
}

/* Returns how many mappings a process may have. */
static uint64_t read_maps_max(void)
{
	long fd = arch_syscall4(SYS_openat, AT_FDCWD, "/proc/sys/vm/max_map_count",
				O_RDONLY | O_CLOEXEC, 0);
	uint64_t max = 0;
	char text[20];
	long nr;

	if (fd < 0)
		return MAPS_DEFAULT;
	nr = arch_syscall4(SYS_pread64, fd, text, sizeof(text), 0);
	arch_syscall1(SYS_close, fd);
	for (long i = 0; i < nr && text[i] >= '0' && text[i] <= '9'; i++)
		max = max * 10 + (uint64_t)(text[i] - '0');
	return max ? max : MAPS_DEFAULT;
}

/* Returns true if the process may have one more window. */
static bool has_room(void)
{
	static uint64_t maps_max;	/* 0: not known yet */

	if (!maps_max)
		maps_max = read_maps_max();
	return nr_windows < WINDOWS_MAX && nr_windows < maps_max / MAPS_SHARE &&
	       limit_of(RLIMIT_AS) == UINT64_MAX;
}

/* ---- windows ---- */

static struct window *find_window(uint64_t addr)
{
	static uint32_t last;		/* most searches are for the same window as before */
	uint64_t base = addr & -(uint64_t)WINDOW_BYTES;

	if (last < nr_windows && windows[last].base == base)
		return &windows[last];
	for (uint32_t i = 0; i < nr_windows; i++)
		if (windows[i].base == base) {
			last = i;
			return &windows[i];
		}
	return NULL;
}

/* A kernel that makes large pages by itself would make one for the first stub.  And a process
 * that locks all its memory would count the whole window against its limit. */
static void keep_small(uint64_t base)
{
	arch_syscall3(SYS_madvise, base, WINDOW_BYTES, MADV_NOHUGEPAGE);
	arch_syscall2(SYS_munlock, base, WINDOW_BYTES);
}

static bool map_window(uint64_t base)
{
	uint64_t end = base + WINDOW_BYTES;

	if (base < LOWEST || end >> ARCH_USER_BITS || !has_room() || is_in_heap(base, end) ||
	    is_in_stack(base, end) || !patch_map(base, WINDOW_BYTES, PROT_READ | PROT_EXEC))
		return false;
	keep_small(base);
	windows[nr_windows].nr = 0;
	__atomic_store_n(&windows[nr_windows].base, base, __ATOMIC_RELAXED);
	__atomic_store_n(&nr_windows, nr_windows + 1, __ATOMIC_RELEASE); /* [pun.windows] */
	return true;
}

static void unmap_if_empty(uint64_t addr)
{
	struct window *window = find_window(addr);
	uint32_t last = nr_windows - 1;

	if (!window || window->nr)
		return;
	arch_syscall2(SYS_munmap, window->base, WINDOW_BYTES);
	window->nr = windows[last].nr;
	__atomic_store_n(&window->base, windows[last].base, __ATOMIC_RELAXED);
	__atomic_store_n(&nr_windows, last, __ATOMIC_RELEASE);		/* [pun.windows] */
}

bool pun_has(uint64_t addr, uint64_t *until)
{
	uint32_t nr = __atomic_load_n(&nr_windows, __ATOMIC_ACQUIRE);	/* [pun.windows] */
	uint64_t border;

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t base = __atomic_load_n(&windows[i].base, __ATOMIC_RELAXED);
		bool is_inside = addr - base < WINDOW_BYTES;

		border = is_inside ? base + WINDOW_BYTES : base;
		if (border > addr && border < *until)
			*until = border;
		if (is_inside)
			return true;
	}
	return false;
}

/* ---- stubs ---- */

/*
 * Returns true if no byte of the stub at @stub is in another stub.  Unused bytes are 0, and a
 * stub begins with PATCH_JUMP.  So a stub that begins in these bytes leaves a byte that is not
 * 0, and one that begins before them and reaches into them a PATCH_JUMP less than its length
 * before.  The distance of another stub may have such a byte, too: then the place counts as
 * used.
 */
static bool is_free(uint64_t stub)
{
	uint64_t before = PATCH_JUMP_BYTES - 1;
	uint8_t seen[2 * PATCH_JUMP_BYTES - 1] = { 0 };

	if (!find_window(stub - before))
		before = stub % WINDOW_BYTES;	/* a stub has both windows in which it is */
	patch_get(PATCH_FAR, (const uint8_t *)(stub - before), seen,
		  (uint32_t)before + PATCH_JUMP_BYTES);
	for (uint64_t i = 0; i < before + PATCH_JUMP_BYTES; i++)
		if (seen[i] == PATCH_JUMP || (i >= before && seen[i]))
			return false;
	return true;
}

static bool is_in_reach(uint64_t stub, const uint8_t *to)
{
	int64_t distance = (int64_t)((uint64_t)to - (stub + PATCH_JUMP_BYTES));

	return distance == (int32_t)distance;
}

/* Add @change to the numbers of stubs of the windows of the stub at @stub. */
static void count(uint64_t stub, uint32_t change)
{
	struct window *first = find_window(stub);
	struct window *last = find_window(stub + PATCH_JUMP_BYTES - 1);

	first->nr += change;
	if (last != first)
		last->nr += change;
	nr_stubs += change;
}

bool pun_take(uint64_t stub, const uint8_t *to)
{
	const uint64_t end = stub + PATCH_JUMP_BYTES - 1;
	bool is_taken;

	if (nr_stubs == STUBS_MAX || !is_in_reach(stub, to))
		return false;
	is_taken = (find_window(stub) || map_window(stub & -(uint64_t)WINDOW_BYTES)) &&
		   (find_window(end) || map_window(end & -(uint64_t)WINDOW_BYTES)) &&
		   is_free(stub);
	if (!is_taken) {
		unmap_if_empty(stub);
		unmap_if_empty(end);
		return false;
	}
	count(stub, 1);
	pun_write(stub, to);
	return true;
}

void pun_write(uint64_t stub, const uint8_t *to)
{
	uint8_t jump[PATCH_JUMP_BYTES];

	patch_encode_jump(jump, (const uint8_t *)stub, to);
	patch_put(PATCH_FAR, (uint8_t *)stub, jump, sizeof(jump));
}

bool pun_is_complete(uint64_t stub, const uint8_t *to)
{
	uint8_t jump[PATCH_JUMP_BYTES], seen[PATCH_JUMP_BYTES];

	patch_encode_jump(jump, (const uint8_t *)stub, to);
	patch_get(PATCH_FAR, (const uint8_t *)stub, seen, sizeof(seen));
	return !memcmp(seen, jump, sizeof(jump));
}

void pun_give_back(uint64_t stub)
{
	static const uint8_t nothing[PATCH_JUMP_BYTES];
	const uint64_t end = stub + PATCH_JUMP_BYTES - 1;

	count(stub, -1u);
	if (find_window(stub)->nr && find_window(end)->nr)
		patch_put(PATCH_FAR, (uint8_t *)stub, nothing, sizeof(nothing));
	unmap_if_empty(stub);
	unmap_if_empty(end);
}
