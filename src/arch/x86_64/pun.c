/* SPDX-License-Identifier: MIT */
/*
 * Map memory for the stubs of punned jumps, and write the stubs.
 *
 *	off	55 48 89 e5 41		push %rbp; mov %rsp,%rbp; ...
 *	on	e9 48 89 e5 41		jmp  . + 5 + 0x41e58948
 *	stub	e9 .. .. .. ..		jmp  slot
 *
 * The bytes of the program's instructions decide where the stub must be: anywhere within 2
 * GiB.  This file maps windows of address space at such places.  A window is as large as one
 * table of pages, so it costs one table and the pages that have stubs.  Windows side by side
 * are one mapping for the kernel.  fork() copies mappings one by one, which is why there are no
 * smaller windows.
 *
 * The program may want to use these addresses later.  mmap() can give it other addresses
 * instead.  In the following cases there are no other addresses, so no window is mapped at
 * such places:
 *
 *	the heap of brk()	grows upwards without a gap
 *	the main stack		grows downwards without a gap
 *	below LOWEST		accesses through a null pointer must stay faults
 *	RLIMIT_AS		the limit is the program's
 *
 * The number of windows is a small share of the mappings that a process may have
 * (vm.max_map_count).  Pages cannot be unmapped as long as a site may lead to them, because
 * a thread that was interrupted in a stub may continue in it much later.
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
#define STUBS_MAX	8192u		/* maximum number of stubs, because each may
					 * take a memory page of its own */
#define MAPS_SHARE	32u		/* windows may use at most 1 / MAPS_SHARE of
					 * the mappings that the process may have */
#define MAPS_DEFAULT	65530u		/* number of mappings of a process that the
					 * kernel allows by default */
#define LOWEST		0x4000000ull
#define HEAP_ROOM	0x10000000ull	/* space that is kept for the heap of brk(), bytes */
#define HEAP_ROOM_SMALL	0x2000000ull	/* space that pun_take_near_heap() keeps for the heap,
					 * bytes */
#define STACK_ROOM	0x40000000ull	/* minimum space that is kept for the main stack, bytes */
#define STACK_ROOM_MAX	0x1000000000ull	/* maximum space that is kept for the main stack, bytes */

/* Windows: ranges of addresses for stubs.  pun_has() reads this array without a lock. */
static struct window {
	uint64_t base;			/* address of the window, a multiple of WINDOW_BYTES */
	uint32_t nr;			/* number of stubs of which at least one byte is in the
					 * window */
} windows[WINDOWS_MAX];
static uint32_t nr_windows;
static uint32_t nr_stubs;

uint64_t pun_stub(uint64_t at, const uint8_t distance[4])
{
	int32_t value;

	memcpy(&value, distance, sizeof(value));
	return at + PATCH_JUMP_BYTES + (uint64_t)(int64_t)value;
}

/* ---- address space that the program itself needs ---- */

/* Returns the resource limit @which (RLIMIT_...) of this process; UINT64_MAX: unlimited. */
static uint64_t limit_of(int which)
{
	struct rlimit limit;

	return arch_syscall4(SYS_prlimit64, 0, which, NULL, &limit) ||
	       limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

/* Returns true if the addresses from @start to before @end overlap the addresses from @from
 * to before @to. */
static bool overlaps(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	return start < to && from < end;
}

static bool is_in_heap(uint64_t start, uint64_t end, uint64_t room)
{
	long heap = arch_syscall1(SYS_brk, 0);

	return heap <= 0 || overlaps(start, end, (uint64_t)heap, (uint64_t)heap + room);
}

static bool is_in_stack(uint64_t start, uint64_t end)
{
	uint64_t top = getauxval(AT_EXECFN);	/* address of a string that is above
						 * the first stack frame */
	uint64_t room = limit_of(RLIMIT_STACK);

	if (room < STACK_ROOM)
		room = STACK_ROOM;
	if (room > STACK_ROOM_MAX)
		room = STACK_ROOM_MAX;
	return !top || overlaps(start, end, top - room, top);
}

/* Returns the maximum number of mappings that a process may have (vm.max_map_count). */
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

/* Returns true if the process may map one more window. */
static bool has_room(void)
{
	static uint64_t maps_max;	/* maximum number of mappings
					 * (read_maps_max()); 0: not read yet */

	if (!maps_max)
		maps_max = read_maps_max();
	return nr_windows < WINDOWS_MAX && nr_windows < maps_max / MAPS_SHARE &&
	       limit_of(RLIMIT_AS) == UINT64_MAX;
}

/* ---- windows ---- */

static struct window *find_window(uint64_t addr)
{
	static uint32_t last;		/* index of the window that was found last;
					 * the next search is mostly for this window
					 * again */
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

/* Keep the window at @base small in two respects.  A kernel that uses large pages by itself
 * must not allocate one for the first stub.  And with mlockall() the whole window must not
 * count against the limit of locked memory. */
static void keep_small(uint64_t base)
{
	arch_syscall3(SYS_madvise, base, WINDOW_BYTES, MADV_NOHUGEPAGE);
	arch_syscall2(SYS_munlock, base, WINDOW_BYTES);
}

static bool map_window(uint64_t base, uint64_t heap_room)
{
	uint64_t end = base + WINDOW_BYTES;

	if (base < LOWEST || end >> ARCH_USER_BITS || !has_room() ||
	    is_in_heap(base, end, heap_room) || is_in_stack(base, end) ||
	    !patch_map(base, WINDOW_BYTES, PROT_READ | PROT_EXEC))
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
 * Returns true if the bytes for the stub at @stub are free.
 *
 * Bytes that are not in use are 0, and every stub begins with PATCH_JUMP.  So another stub
 * overlaps in one of two ways.  If it begins in these bytes, one of them is not 0.  If it
 * begins shortly before these bytes, one of the bytes before them, at a distance less than
 * the size of a stub, is PATCH_JUMP.  The distance in a stub that is further away may
 * contain such a byte, too; then the bytes count as used, although they are free.
 */
static bool is_free(uint64_t stub)
{
	uint64_t before = PATCH_JUMP_BYTES - 1;
	uint8_t seen[2 * PATCH_JUMP_BYTES - 1] = { 0 };

	if (!find_window(stub - before))
		before = stub % WINDOW_BYTES;	/* a stub may lie in two windows; then
						 * it counts in both */
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

/* Add @change to the number of stubs of each window that contains a byte of the stub at
 * @stub. */
static void count(uint64_t stub, uint32_t change)
{
	struct window *first = find_window(stub);
	struct window *last = find_window(stub + PATCH_JUMP_BYTES - 1);

	first->nr += change;
	if (last != first)
		last->nr += change;
	nr_stubs += change;
}

static bool take(uint64_t stub, const uint8_t *to, uint64_t heap_room)
{
	const uint64_t end = stub + PATCH_JUMP_BYTES - 1;
	bool is_taken;

	if (nr_stubs == STUBS_MAX || !is_in_reach(stub, to))
		return false;
	is_taken = (find_window(stub) || map_window(stub & -(uint64_t)WINDOW_BYTES, heap_room)) &&
		   (find_window(end) || map_window(end & -(uint64_t)WINDOW_BYTES, heap_room)) &&
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

bool pun_take(uint64_t stub, const uint8_t *to)
{
	return take(stub, to, HEAP_ROOM);
}

bool pun_take_near_heap(uint64_t stub, const uint8_t *to)
{
	return take(stub, to, HEAP_ROOM_SMALL);
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
