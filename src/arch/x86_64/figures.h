/* SPDX-License-Identifier: MIT */
/* Add to the figures of a histogram (abi/hist.h) in an rseq section.  The code is inlined,
 * because a call would make each hit longer by a fifth. */
#ifndef ULF_ARCH_FIGURES_H
#define ULF_ARCH_FIGURES_H

#include <stdint.h>

#include "arch/x86_64/rseq.h"
#include "arch/x86_64/rseq_signature.h"

/*
 * Where the figures of a histogram's table are: each CPU has a part with the figures of all
 * entries.
 */
struct arch_figures {
	char *at;			/* address of the figures of entry 0 in the
					 * part of CPU 0 */
	uint64_t part_bytes;		/* distance between the parts of two CPUs, bytes */
	uint32_t figure_bytes;		/* size of the figures of an entry, bytes */
	uint32_t nr_cpus;		/* number of CPUs that have a part */
};

/* Arm the rseq section between the labels 1 and 2; see append.h.  If the kernel
 * aborts the section, the thread continues at label 4, after RSEQ_SIGNATURE. */
#ifndef ULF_TEST_UNARMED
#define FIGURES_ARM	"	movq	%%rax, %%fs:%c[rseq_cs](%[rseq])\n"
#else
#define FIGURES_ARM	""
#endif

/*
 * Begin the rseq section.  Out: rax = address of the entry's figures in the part of this
 * CPU.
 */
#define FIGURES_BEGIN							\
	".pushsection .data.rel.ro, \"aw\", @progbits\n"		\
	"	.balign	32\n"						\
	"3:	.long	0, 0\n"			/* version, flags */	\
	"	.quad	1f, 2f - 1f, 4f\n"				\
	".popsection\n"							\
	"	leaq	3b(%%rip), %%rax\n"				\
	FIGURES_ARM							\
	"1:\n"								\
	"	movl	%%fs:%c[cpu_id](%[rseq]), %%eax\n"		\
	"	cmpl	%[nr_cpus], %%eax\n"				\
	"	jae	%l[no_cpu]\n"					\
	"	imulq	%[part_bytes], %%rax\n"				\
	"	addq	%[figures], %%rax\n"

/* End the rseq section, after the instruction that commits. */
#define FIGURES_END							\
	"2:\n"								\
	".pushsection .text.unlikely, \"ax\", @progbits\n"		\
	"	.byte	0x0f, 0xb9, 0x3d\n"	/* see append.h */	\
	"	.long	%c[signature]\n"				\
	"4:	jmp	%l[aborted]\n"					\
	".popsection\n"

/*
 * The operands of the asm are local variables of the caller with these names.  Members of a
 * struct would be an error for cppcheck, which cannot parse `->' in an operand.
 */
#define FIGURES_INPUT							\
	[rseq] "r"(arch_rseq_offset), [figures] "r"(figures),		\
	[part_bytes] "m"(*part_bytes), [nr_cpus] "m"(*nr_cpus),		\
	[rseq_cs] "i"(ARCH_RSEQ_CS), [cpu_id] "i"(ARCH_RSEQ_CPU_ID),	\
	[signature] "i"(RSEQ_SIGNATURE)

/*
 * arch_figures_add_pair - commit a hit in a table with at most one value, in one rseq
 * section:
 *
 *	cpu = this CPU
 *	if cpu >= @where->nr_cpus: ARCH_COMMIT_NO_RING
 *	figures = the figures of entry @index in the part of cpu
 *	{ figures->hits, figures->sum } += { 1, @value }		<- the commit
 *
 * @where: in private memory.  @index: a valid index.
 * Returns ARCH_COMMIT_DONE, ARCH_COMMIT_NO_RING or ARCH_COMMIT_ABORTED; in the last
 * two cases the hit is not counted.  Any thread and any signal handler may call this.
 */
static inline __attribute__((always_inline)) enum arch_commit
arch_figures_add_pair(const struct arch_figures *where, uint32_t index, uint64_t value)
{
	char *figures = where->at + 16ull * index;
	const uint64_t *part_bytes = &where->part_bytes;
	const uint32_t *nr_cpus = &where->nr_cpus;

	__asm__ goto volatile(
		"	movl	$1, %%eax\n"
		"	movq	%%rax, %%xmm0\n"
		"	movq	%[value], %%xmm1\n"
		"	punpcklqdq %%xmm1, %%xmm0\n"
		FIGURES_BEGIN
		"	paddq	(%%rax), %%xmm0\n"
		"	movaps	%%xmm0, (%%rax)\n"	/* [hist.figures] */
		FIGURES_END
		: : FIGURES_INPUT, [value] "r"(value)
		: "rax", "xmm0", "xmm1", "memory", "cc"
		: no_cpu, aborted);
	return ARCH_COMMIT_DONE;
no_cpu:
	return ARCH_COMMIT_NO_RING;
aborted:
	return ARCH_COMMIT_ABORTED;
}

/*
 * arch_figures_add - commit a hit in a table with @nr values, in one rseq section:
 *
 *	cpu, figures: as in arch_figures_add_pair()
 *	hits = figures->hits
 *	for each i < @nr:
 *		figures->sums[(hits + 1) % 2][i] = figures->sums[hits % 2][i] + @values[i]
 *	figures->hits = hits + 1				<- the commit
 *
 * @nr: at least 1.
 */
static inline enum arch_commit arch_figures_add(const struct arch_figures *where, uint32_t index,
						const uint64_t *values, uint64_t nr)
{
	char *figures = where->at + (uint64_t)index * where->figure_bytes;
	const uint64_t *part_bytes = &where->part_bytes;
	const uint32_t *nr_cpus = &where->nr_cpus;

	/* r8: hits; r9: the valid copy of the sums; r10: the other copy; rcx: i */
	__asm__ goto volatile(
		FIGURES_BEGIN
		"	movq	(%%rax), %%r8\n"
		"	leaq	8(%%rax), %%r9\n"
		"	leaq	8(%%rax,%[nr],8), %%r10\n"
		"	testb	$1, %%r8b\n"
		"	jz	5f\n"
		"	xchgq	%%r9, %%r10\n"
		"5:	xorl	%%ecx, %%ecx\n"
		"6:	movq	(%%r9,%%rcx,8), %%r11\n"
		"	addq	(%[values],%%rcx,8), %%r11\n"
		"	movq	%%r11, (%%r10,%%rcx,8)\n"
		"	incl	%%ecx\n"
		"	cmpq	%[nr], %%rcx\n"
		"	jb	6b\n"
		"	incq	%%r8\n"
		"	movq	%%r8, (%%rax)\n"	/* [hist.figures] */
		FIGURES_END
		: : FIGURES_INPUT, [values] "r"(values), [nr] "r"(nr)
		: "rax", "rcx", "r8", "r9", "r10", "r11", "memory", "cc"
		: no_cpu, aborted);
	return ARCH_COMMIT_DONE;
no_cpu:
	return ARCH_COMMIT_NO_RING;
aborted:
	return ARCH_COMMIT_ABORTED;
}

/*
 * Load and store the words hits and sum at @figures, with one instruction for both.  So a
 * SIGKILL cannot come between the two words.  Other CPUs, too, see such a store as one step
 * on every CPU that has AVX: Intel and AMD promise this for 16 aligned bytes.
 */
static inline void arch_figures_load(const uint64_t *figures, uint64_t ret[2])
{
	__asm__ volatile("movaps %1, %%xmm0\n"
			 "movups %%xmm0, %0"
			 : "=m"(*(uint64_t (*)[2])ret)
			 : "m"(*(const uint64_t (*)[2])figures) : "xmm0");
}

static inline void arch_figures_store(uint64_t *figures, const uint64_t from[2])
{
	__asm__ volatile("movups %1, %%xmm0\n"
			 "movaps %%xmm0, %0"
			 : "=m"(*(uint64_t (*)[2])figures)
			 : "m"(*(const uint64_t (*)[2])from) : "xmm0");
}

#endif
