/* SPDX-License-Identifier: MIT */
/* Assembler macros: records of a constant size, for the hooks of ftrace.S. */
#include "append.h"

/*
 * A record of \bytes into the ring of this CPU, with general registers alone: as
 * append.h has it, but for a constant size, and what is not common (a page is
 * full, a long time since the last one) goes to \slowly, as does the kernel when
 * it was interrupted; nothing is changed then.
 *
 * record_begin	rcx, r10: scratch.  What leads to the ring is loaded behind it
 *		[grace.rseq]
 * record_ring	rcx: the set of rings, then the ring.  r10: scratch
 * record_end	\copy writes what is behind the header to RECORD(4) and so on, with
 *		rdx and r8 as scratch; rax, rcx and r10 stay as they are.  \keep: a
 *		place for the time; \at: one in the record.  Else rsi, rdi and others are left alone.
 *
 * rdtsc waits until all before it is done, and what is behind it waits for it:
 * loads that depend on each other are spread over both sides.
 */
	.macro	record_begin name
	movq	arch_rseq_offset(%rip), %r10
	leaq	\name\()_section(%rip), %rcx
	movq	%rcx, %fs:RSEQ_CS(%r10)
\name\()_begin:
	.endm

	.macro	record_ring slowly
	movl	%fs:RSEQ_CPU_ID(%r10), %r10d
	cmpl	SET_NR_SMALL(%rcx), %r10d
	jae	\slowly
	movq	SET_FAST(%rcx,%r10,8), %rcx
	testq	%rcx, %rcx
	jz	\slowly
	.endm

#define RECORD(at)	at(%rcx,%r10)

	.macro	record_end name, bytes, copy, slowly, keep, at
	rdtsc
	movq	RING_POSITION(%rcx), %r10
	shlq	$32, %rdx
	orq	%rdx, %rax
	mulq	RING_CLOCK_MULT(%rcx)

	/* Room?  See append_body. */
	movl	RING_OFFSET_MASK(%rcx), %r8d
	movl	RING_OFFSET_MAX(%rcx), %eax
	andl	%r10d, %r8d
	subl	$\bytes, %eax
	subl	$16, %r8d
	cmpl	%eax, %r8d
	ja	\slowly

	/* tail[position & 1] is valid, the other one is ours to write. */
	movl	%r10d, %r8d
	addq	RING_CLOCK_NS(%rcx), %rdx
	shll	$4, %r8d
	andl	$16, %r8d
	movq	RING_TAIL_ENTRIES(%rcx,%r8), %rax
	xorl	$16, %r8d
	incq	%rax
	movq	%rax, RING_TAIL_ENTRIES(%rcx,%r8)
	movq	%rdx, RING_TAIL_TIME(%rcx,%r8)
	xorl	$16, %r8d

	/* lap[position & 2] + position, without the flags */
	movl	%r10d, %eax
	andl	$2, %eax
	addq	RING_LAP(%rcx,%rax,4), %r10
	andq	$-4, %r10
	.ifnb	\keep
	movq	%rdx, \keep
	.endif
	.ifnb	\at
	movq	%rdx, RECORD(\at)
	.endif
	subq	RING_TAIL_TIME(%rcx,%r8), %rdx	/* the delta; a clock that */
	cmpq	$1 << 27, %rdx			/* runs backwards: a huge one */
	jae	\slowly
	shll	$5, %edx
	orl	$\bytes / 4, %edx
	movl	%edx, RECORD(0)
	movq	RING_POSITION(%rcx), %rax
	\copy
	addq	$4+\bytes, %rax
	xorq	$1, %rax
	movq	%rax, RING_POSITION(%rcx)	/* [ring.commit] */
\name\()_end:
	section_descriptor \name\()_section, \name\()_begin, \name\()_end, \slowly
	.endm

	/* Before what \slowly is: the kernel goes there, too. */
	.macro	abort_signature
	.byte	0x0f, 0xb9, 0x3d	/* ud1 <signature>(%rip), %edi */
	.long	RSEQ_SIGNATURE
	.endm

