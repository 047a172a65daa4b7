/* SPDX-License-Identifier: MIT */
/*
 * The limit: the least that recording an event can cost on this machine.  The code finds
 * the ring of this CPU, reads the clock, writes a record of 48 bytes (header, common
 * fields, int, u64, 16-byte string) and makes it visible by one plain store, all in one
 * restartable sequence.  There is no registration, no event id to look up, no probe to call
 * and no reader, and one thread is bound to one CPU.  The cost of ulf's events is compared
 * with this limit.
 */
#ifndef ULF_BENCH_LIMIT_H
#define ULF_BENCH_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <unistd.h>
#include <x86intrin.h>

#define LIMIT_RING_BYTES	(1u << 20)
#define LIMIT_PAGE_BYTES	4096
#define LIMIT_PAGE_HEADER	16
#define LIMIT_RECORD_BYTES	48
#define LIMIT_RING_SHIFT	6

struct limit_ring {
	uint64_t position;	/* number of bytes written; one store of it commits a record */
	uint64_t page_tsc;	/* time of the page, from which records have deltas */
	uint64_t mask;		/* size of @data in bytes, minus 1 */
	char *data;
	uint64_t pad[4];
};
_Static_assert(sizeof(struct limit_ring) == 1 << LIMIT_RING_SHIFT, "shift");

/*
 * Create a ring for every CPU and touch all pages of the rings.
 * Returns NULL if there is no memory or no rseq.
 */
static inline struct limit_ring *limit_init(void)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);
	struct limit_ring *rings;

	if (!__rseq_size)
		return NULL;
	rings = aligned_alloc(sizeof(*rings), nr * sizeof(*rings));
	if (!rings)
		return NULL;
	for (long cpu = 0; cpu < nr; cpu++) {
		void *data = mmap(NULL, LIMIT_RING_BYTES, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (data == MAP_FAILED)
			return NULL;
		memset(data, 0, LIMIT_RING_BYTES);
		rings[cpu] = (struct limit_ring){
			.position = LIMIT_PAGE_HEADER,
			.page_tsc = __rdtsc(),
			.mask = LIMIT_RING_BYTES - 1,
			.data = data,
		};
	}
	return rings;
}

/*
 * Write one record.  Returns false if the page is full; then nothing was written.
 *
 *	again:	rseq_cs = this section
 *	start:	ring = &rings[cpu_id]
 *		if ((position - 16) % 4096 > 4096 - 16 - 48) return false
 *		at = data + (position & mask)
 *		header = (rdtsc - page_tsc) << 5 | 11
 *		at[0..47] = header, common, i, u, s
 *		position += 48				(commit)
 *	abort:	goto again
 */
static inline bool limit_try_write(struct limit_ring *rings, uint64_t common,
				   int number, uint64_t value, const char *string)
{
	asm goto volatile(
		".pushsection __rseq_cs, \"aw\"\n"
		"	.balign	32\n"
		"1:	.long	0, 0\n"
		"	.quad	3f, 4f - 3f, 5f\n"
		".popsection\n"
		"2:	leaq	1b(%%rip), %%rax\n"
		"	movq	%%rax, %%fs:8(%[rseq])\n"
		"3:	movl	%%fs:4(%[rseq]), %%ecx\n"
		"	shlq	%[shift], %%rcx\n"
		"	addq	%[rings], %%rcx\n"
		"	movq	(%%rcx), %%rsi\n"
		"	leal	-%c[header](%%rsi), %%eax\n"
		"	andl	%[page_mask], %%eax\n"
		"	cmpl	%[last], %%eax\n"
		"	ja	%l[full]\n"
		"	movq	16(%%rcx), %%rdi\n"
		"	andq	%%rsi, %%rdi\n"
		"	addq	24(%%rcx), %%rdi\n"
		"	rdtsc\n"
		"	shlq	$32, %%rdx\n"
		"	orq	%%rdx, %%rax\n"
		"	subq	8(%%rcx), %%rax\n"
		"	shlq	$5, %%rax\n"
		"	orq	$11, %%rax\n"
		"	movq	%%rax, (%%rdi)\n"
		"	movq	%[common], 8(%%rdi)\n"
		"	movl	%[number], 16(%%rdi)\n"
		"	movq	%[value], 24(%%rdi)\n"
		"	movq	(%[string]), %%rax\n"
		"	movq	8(%[string]), %%rdx\n"
		"	movq	%%rax, 32(%%rdi)\n"
		"	movq	%%rdx, 40(%%rdi)\n"
		"	addq	%[bytes], %%rsi\n"
		"	movq	%%rsi, (%%rcx)\n"
		"4:\n"
		".pushsection .text.unlikely, \"ax\"\n"
		"	.byte	0x0f, 0xb9, 0x3d\n"	/* ud1 $sig(%%rip), %%edi */
		"	.long	%c[signature]\n"
		"5:	jmp	2b\n"
		".popsection\n"
		:
		: [rseq] "r" (__rseq_offset), [rings] "r" (rings),
		  [common] "r" (common), [number] "r" (number),
		  [value] "r" (value), [string] "r" (string),
		  [shift] "i" (LIMIT_RING_SHIFT),
		  [header] "i" (LIMIT_PAGE_HEADER),
		  [page_mask] "i" (LIMIT_PAGE_BYTES - 1),
		  [last] "i" (LIMIT_PAGE_BYTES - LIMIT_PAGE_HEADER -
			      LIMIT_RECORD_BYTES),
		  [bytes] "i" (LIMIT_RECORD_BYTES),
		  [signature] "i" (RSEQ_SIG)
		: "rax", "rcx", "rdx", "rsi", "rdi", "memory", "cc"
		: full);
	return true;
full:
	return false;
}

/* Enter the next page.  The caller must be bound to a CPU and must be the only writer there. */
static inline void limit_next_page(struct limit_ring *rings)
{
	struct limit_ring *ring = &rings[sched_getcpu()];
	uint64_t next = ring->position;
	uint64_t *header;

	next = (next + LIMIT_PAGE_BYTES - 1) & -(uint64_t)LIMIT_PAGE_BYTES;
	header = (uint64_t *)(ring->data + (next & ring->mask));
	header[0] = ring->page_tsc = __rdtsc();
	header[1] = 0;
	ring->position = next + LIMIT_PAGE_HEADER;
}

/* Write one record.  If the open page is full, write it on the next page. */
static inline void limit_write(struct limit_ring *rings, uint64_t common,
			       int number, uint64_t value, const char *string)
{
	while (!limit_try_write(rings, common, number, value, string))
		limit_next_page(rings);
}

#endif
