/* SPDX-License-Identifier: MIT */
/*
 * Memory of the runtime, for example for probe lists and sets of rings.  malloc() cannot be
 * used: the agent is not a thread of libc, and an allocator of the program may hold its locks
 * around fork() when this code runs.
 *
 * Blocks have sizes that are powers of two and come from chunks of 64 KiB, which are
 * never unmapped.  Larger blocks are mapped one by one.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/base/thread.h"

#define CHUNK_BYTES	65536u
#define CLASS_MIN	6		/* log2 of the smallest size of a block, 64 bytes */
#define CLASSES		9		/* number of sizes of blocks: 64 bytes to 16 KiB */
#define REACH		(1ull << 31)	/* maximum distance of a jump, bytes */
#define LARGE		4		/* maximum number of ranges that
					 * memory_note_large() can note: the root's
					 * memory, the shadow stacks, their tags, the
					 * profiler's table */

struct block {
	size_t bytes:63;		/* size of the block, including this header,
					 * bytes */
	size_t is_stable:1;		/* true: the block was allocated by
					 * memory_alloc_stable() */
	struct block *next;		/* next block of the list, while this block is
					 * free or deferred */
};

static struct block *free_blocks[CLASSES];	/* free blocks by size; runtime_lock()
						 * protects free_blocks, stable_blocks,
						 * rest and rest_bytes */
static struct block *stable_blocks;	/* free blocks of memory_alloc_stable(), all
					 * sizes */
static char *rest;			/* address of the unused end of the newest
					 * chunk */
static size_t rest_bytes;		/* number of unused bytes at `rest` */

static void *map_chunk(size_t bytes)
{
	long mem = arch_syscall6(SYS_mmap, 0, (long)bytes,
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return arch_is_error(mem) ? NULL : (void *)mem;
}

static long map_nothing(uint64_t bytes)
{
	return arch_syscall6(SYS_mmap, 0, (long)bytes, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Returns true if the address space is not limited (RLIMIT_AS).  If it is limited, the
 * caller must not reserve more than it needs, not even for a moment: another thread of
 * the program may need the space at that moment. */
static bool is_plenty(void)
{
	struct rlimit limit;

	return !arch_syscall4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) &&
	       limit.rlim_cur == RLIM_INFINITY;
}

/*
 * Reserve address space.  The kernel places the reservation next to shared libraries.
 * Functions and tracepoints of a library jump to stubs and slots, which must be at most 2
 * GiB away.  So reserve REACH bytes more on either side and unmap them at once: these
 * ranges stay free for stubs and slots.
 */
void *memory_reserve(uint64_t bytes)
{
	long mem;

	bytes = ALIGN_UP(bytes, ARCH_PAGE_BYTES);
	mem = is_plenty() ? map_nothing(bytes + 2 * REACH) : -ENOMEM;

	if (arch_is_error(mem)) {
		mem = map_nothing(bytes);
		return arch_is_error(mem) ? NULL : (void *)mem;
	}
	arch_syscall2(SYS_munmap, mem, (long)REACH);
	mem += (long)REACH;
	arch_syscall2(SYS_munmap, mem + (long)bytes, (long)REACH);
	return (void *)mem;
}

/* ---- the large address ranges that libulf's mlockall() does not lock ---- */

static struct range {
	uint64_t start, end;
} large[LARGE];				/* only one thread at a time adds a range */
static uint32_t nr_large;

bool memory_note_large(void *mem, uint64_t bytes)
{
	uint32_t nr = nr_large;

	if (nr == LARGE)
		return false;
	large[nr] = (struct range){ (uint64_t)mem, (uint64_t)mem + bytes };
	__atomic_store_n(&nr_large, nr + 1, __ATOMIC_RELEASE);	/* [memory.large] */
	return true;
}

/* Allocate a large table.  munlock() must be called before the table becomes
 * writable: otherwise, in a program that has called mlockall(MCL_FUTURE), the kernel
 * would allocate all memory pages of the table. */
void *memory_alloc_table(uint64_t bytes)
{
	void *mem = memory_reserve(bytes);

	if (!mem)
		return NULL;
	if (!memory_note_large(mem, bytes)) {
		arch_syscall2(SYS_munmap, mem, (long)bytes);
		return NULL;
	}
	arch_syscall2(SYS_munlock, mem, (long)bytes);
	if (arch_syscall3(SYS_mprotect, mem, (long)bytes, PROT_READ | PROT_WRITE)) {
		nr_large--;
		arch_syscall2(SYS_munmap, mem, (long)bytes);
		return NULL;
	}
	return mem;
}

bool memory_is_in(uint64_t start, uint64_t end, uint64_t addr, uint64_t *until)
{
	bool is_inside = addr >= start && addr < end;
	uint64_t border = is_inside ? end : start;

	if (border > addr && border < *until)
		*until = border;
	return is_inside;
}

bool memory_is_large(uint64_t addr, uint64_t *until)
{
	uint32_t nr = __atomic_load_n(&nr_large, __ATOMIC_ACQUIRE);	/* [memory.large] */
	bool is_large = false;

	for (uint32_t i = 0; i < nr; i++)
		is_large |= memory_is_in(large[i].start, large[i].end, addr, until);
	return is_large;
}

static unsigned int class_of(size_t bytes)
{
	unsigned int class = 0;

	while (class < CLASSES && bytes > (size_t)1 << (class + CLASS_MIN))
		class++;
	return class;
}

static struct block *carve_block(size_t bytes)
{
	struct block *block;

	if (rest_bytes < bytes) {
		rest = map_chunk(CHUNK_BYTES);
		rest_bytes = rest ? CHUNK_BYTES : 0;
		if (!rest)
			return NULL;
	}
	block = (struct block *)(void *)rest;
	rest += bytes;
	rest_bytes -= bytes;
	return block;
}

void *memory_alloc(size_t bytes)
{
	unsigned int class = class_of(bytes + sizeof(struct block));
	struct block *block;

	runtime_lock();
	if (class == CLASSES) {
		bytes += sizeof(*block);
		block = map_chunk(bytes);
	} else {
		bytes = (size_t)1 << (class + CLASS_MIN);
		block = free_blocks[class];
		if (block)
			free_blocks[class] = block->next;
		else
			block = carve_block(bytes);
	}
	runtime_unlock();
	if (!block)
		return NULL;
	block->bytes = bytes;
	block->is_stable = false;
	block->next = NULL;
	return memset(block + 1, 0, bytes - sizeof(*block));
}

void *memory_alloc_stable(size_t bytes)
{
	struct block **at = &stable_blocks, *block;

	runtime_lock();
	while (*at && (*at)->bytes < bytes + sizeof(*block))
		at = &(*at)->next;
	block = *at;
	if (block)
		*at = block->next;
	runtime_unlock();
	if (!block) {
		block = memory_alloc(bytes);
		if (!block)
			return NULL;
		block--;
		block->is_stable = true;
	}
	return block + 1;
}

void memory_free(void *ptr)
{
	struct block *block, **list;
	unsigned int class;

	if (!ptr)
		return;
	block = (struct block *)ptr - 1;
	class = class_of(block->bytes);
	if (class == CLASSES && !block->is_stable) {
		arch_syscall2(SYS_munmap, block, block->bytes);
		return;
	}
	runtime_lock();
	list = block->is_stable ? &stable_blocks : &free_blocks[class];
	block->next = *list;
	*list = block;
	runtime_unlock();
}

void memory_defer(void **list, void *ptr)
{
	if (!ptr)
		return;
	((struct block *)ptr - 1)->next = *list;
	*list = (struct block *)ptr - 1;
}

void memory_defer_all(void **list, void *more)
{
	struct block *block, *next;

	for (block = more; block; block = next) {
		next = block->next;
		memory_defer(list, block + 1);
	}
}

void memory_free_deferred(void *list)
{
	struct block *block, *next;

	for (block = list; block; block = next) {
		next = block->next;
		memory_free(block + 1);
	}
}
