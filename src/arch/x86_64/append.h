/* SPDX-License-Identifier: MIT */
/* Assembler macros for rseq sections; see append.S for their rules. */
#include "offsets.h"

	.macro	section_descriptor name, begin, end, abort
	.pushsection .data.rel.ro, "aw", @progbits
	.balign	32
\name:
	.long	0, 0			/* version, flags */
	.quad	\begin, \end - \begin, \abort
	.popsection
	.endm

	/* From here on the kernel knows of the section.  r11: the rseq area's
	 * offset.  Left out, the torture test must fail. */
	.macro	arm section
	leaq	\section(%rip), %rax
#ifndef ULF_TEST_UNARMED
	movq	%rax, %fs:RSEQ_CS(%r11)
#endif
	.endm

	/* The kernel goes here when a section was interrupted. */
	.macro	abort_handler name
	.byte	0x0f, 0xb9, 0x3d	/* ud1 <signature>(%rip), %edi */
	.long	RSEQ_SIGNATURE
\name:
	movl	$3, %eax		/* ARCH_COMMIT_ABORTED */
	ret
	.endm

	.macro	function name
	.text
	.balign	64
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm

	.macro	end_function name
	.cfi_endproc
	.size	\name, . - \name
	.endm

/*
 * Copy r9d bytes from rsi to 4(rdx): both ends, which may overlap, then what is
 * between.  rax, r11: scratch.
 */
	.macro	copy_by_vectors
	cmpl	$16, %r9d
	jb	3f
	movups	(%rsi), %xmm0
	movups	-16(%rsi,%r9), %xmm1
	movups	%xmm0, 4(%rdx)
	movups	%xmm1, -12(%rdx,%r9)
	cmpl	$32, %r9d
	jbe	4f
	movups	16(%rsi), %xmm0
	movups	%xmm0, 20(%rdx)
	cmpl	$48, %r9d
	jbe	4f
	movl	$32, %r11d
2:
	movups	(%rsi,%r11), %xmm0
	movups	%xmm0, 4(%rdx,%r11)
	addl	$16, %r11d
	leal	16(%r11), %eax
	cmpl	%r9d, %eax
	jb	2b
	jmp	4f
	.endm

/*
 * The body of an append; see arch/arch.h.  In: rcx ring, rsi data, r9d bytes,
 * and with \clock `given' rdi the time.  \header makes the record's header in eax
 * of the delta in rax, which is below 1 << 27.  rdi, rsi and r9 are left as they
 * were; r10: position; rax: time, then delta; rdx: the record's place; r8, r11:
 * scratch.  \keep: a register for the record's time.
 */
	.macro	append_body clock, no_room, header, copy=copy_by_vectors, keep
	/*
	 * rdtsc waits until all before it is done, and what is behind it waits
	 * for it.  Here is where that costs least: as few loads as possible
	 * that depend on each other on either side.
	 */
	.ifnc	\clock, given
	rdtsc
	shlq	$32, %rdx
	leaq	(%rdx,%rax), %r8
	.endif
	movq	RING_POSITION(%rcx), %r10

	/*
	 * Room for a time extend, the header, the data and a word that stays
	 * free, in a page whose header is written?  16 <= offset <=
	 * page_bytes - 16 - bytes, in one comparison: below 16 the difference
	 * is a huge number.
	 */
	movl	RING_OFFSET_MASK(%rcx), %edx
	movl	RING_OFFSET_MAX(%rcx), %eax
	andl	%r10d, %edx
	subl	%r9d, %eax
	subl	$16, %edx
	cmpl	%eax, %edx
	ja	\no_room

	.ifc	\clock, given
	movq	%rdi, %rax
	.else
	movq	%r8, %rax
	mulq	RING_CLOCK_MULT(%rcx)
	movq	RING_CLOCK_NS(%rcx), %rax
	addq	%rdx, %rax
	.endif

	/* tail[position & 1] is valid, the other one is ours to write. */
	movl	%r10d, %r11d
	shll	$4, %r11d
	andl	$16, %r11d
	movq	RING_TAIL_TIME(%rcx,%r11), %rdx
	movq	RING_TAIL_ENTRIES(%rcx,%r11), %r8
	xorl	$16, %r11d
	incq	%r8
	movq	%r8, RING_TAIL_ENTRIES(%rcx,%r11)
	xorl	%r8d, %r8d
	subq	%rdx, %rax		/* delta */
	cmovbq	%r8, %rax		/* time never runs backwards */
	addq	%rax, %rdx
	movq	%rdx, RING_TAIL_TIME(%rcx,%r11)
	.ifnb	\keep
	movq	%rdx, \keep
	.endif

	/* ring + lap[position & 2] + position, without the flags */
	movl	%r10d, %r8d
	andl	$2, %r8d
	leaq	(%rcx,%r10), %rdx
	addq	RING_LAP(%rcx,%r8,4), %rdx
	andq	$-4, %rdx
	leaq	4(%r10,%r9), %r10

	cmpq	$(1 << 27), %rax
	jae	5f
1:
	\header
	movl	%eax, (%rdx)

	\copy
5:				/* a long delta: 1 << 27 ns and more */
	movl	%eax, %r11d
	shll	$5, %r11d
	orl	$30, %r11d		/* ABI_REC_TIME_EXTEND */
	movl	%r11d, (%rdx)
	shrq	$27, %rax
	movl	%eax, 4(%rdx)
	addq	$8, %rdx
	addq	$8, %r10
	xorl	%eax, %eax
	jmp	1b
3:
	movl	-4(%rsi,%r9), %eax
	movl	%eax, (%rdx,%r9)
	testl	$8, %r9d
	jz	4f
	movq	(%rsi), %rax
	movq	%rax, 4(%rdx)
4:
	.endm

	.macro	event_header			/* delta << 5 | bytes / 4 */
	shlq	$7, %rax
	addq	%r9, %rax
	shrq	$2, %rax
	.endm

	.macro	append_commit
	xorq	$1, %r10
	movq	%r10, RING_POSITION(%rcx)	/* [ring.commit] */
	.endm
