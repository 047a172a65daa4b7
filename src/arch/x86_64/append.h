/* SPDX-License-Identifier: MIT */
/* Assembler macros for rseq sections; see append.S for their rules. */
#include "arch/x86_64/known.h"
#include "arch/x86_64/offsets.h"

/* With -fcf-protection, the header cet.h defines _CET_ENDBR and marks the object file as
 * compatible with CET.  libulf is compiled without this option. */
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.macro	section_descriptor name, begin, end, abort
	.pushsection .data.rel.ro, "aw", @progbits
	.balign	32
\name:
	.long	0, 0			/* version, flags */
	.quad	\begin, \end - \begin, \abort
	.popsection
	.endm

	/* Arm the section: store its descriptor in the rseq area.  From here on the
	 * kernel aborts the section if necessary.  r11: offset of the rseq area from the
	 * thread pointer.  A test build with ULF_TEST_UNARMED omits the store, and the
	 * torture test must then fail. */
	.macro	arm section
	leaq	\section(%rip), %rax
#ifndef ULF_TEST_UNARMED
	movq	%rax, %fs:RSEQ_CS(%r11)
#endif
	.endm

	/* Begin the code at which the thread continues after the kernel has aborted a
	 * section.  The kernel requires RSEQ_SIGNATURE before the label of this
	 * code. */
	.macro	abort_handler name
	.byte	0x0f, 0xb9, 0x3d	/* start of the instruction ud1
					 * signature(%rip), %edi, whose last four
					 * bytes are the signature */
	.long	RSEQ_SIGNATURE
\name:
	movl	$COMMIT_ABORTED, %eax
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
	_CET_ENDBR
	.endm

	.macro	end_function name
	.cfi_endproc
	.size	\name, . - \name
	.endm

/* Copy r9d bytes, at least 16, from rsi to 4(rdx): first 16 bytes at each end, which may
 * overlap, then the bytes between them.  For less than 16 bytes use label 3 of
 * append_body.  rax, r11: scratch. */
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
 * Copy r9d bytes from rsi to 4(rdx), as copy_by_vectors does, but with general registers only.
 * r9d: 16 to 64, a multiple of 8.  rax, r11: scratch.
 */
	.macro	copy_by_words
	movq	(%rsi), %rax
	movq	-8(%rsi,%r9), %r11
	movq	%rax, 4(%rdx)
	movq	%r11, -4(%rdx,%r9)
	movq	8(%rsi), %rax
	movq	%rax, 12(%rdx)
	cmpl	$24, %r9d
	jbe	4f
	movq	16(%rsi), %rax
	movq	24(%rsi), %r11
	movq	%rax, 20(%rdx)
	movq	%r11, 28(%rdx)
	cmpl	$40, %r9d
	jbe	4f
	movq	32(%rsi), %rax
	movq	40(%rsi), %r11
	movq	%rax, 36(%rdx)
	movq	%r11, 44(%rdx)
	cmpl	$56, %r9d
	jbe	4f
	movq	48(%rsi), %rax
	movq	%rax, 52(%rdx)
	jmp	4f
	.endm

/*
 * Load rcx with the address of the ring of CPU rax, or with that of ring_none if the
 * CPU has no ring.  \set: register with the address of the struct ring_set.  Store in
 * LIMIT the largest offset in the ring at which a record of r9 bytes may begin.  LIMIT
 * comes from the set, which is private to this process, so it is correct even if
 * another process has stored wrong values in the ring.  r8: scratch.
 */
#define LIMIT	-16(%rsp)
	.macro	append_ring set
	movq	SET_LIMIT(\set,%rax,8), %r8
	subq	%r9, %r8
	movq	%r8, LIMIT
	movq	SET_FAST(\set,%rax,8), %rcx
	.endm

/*
 * The body of an append; see arch/arch.h.  In: rcx = ring, rsi = data, r9d = bytes,
 * LIMIT, and rdi = time if \clock is `given'.  \header: a macro that computes the
 * record's header in edx from the delta in rdx, which is below 1 << 27.  \copy: a macro
 * that writes the data to 4(%rdx).  \keep: a memory operand to which the record's time is
 * also stored.  rdi, rsi and r9 are kept.  r10: the position after the record.  r11: the
 * position before it, then the record's offset in the ring.  r8: the low bits of the
 * position, the index of the valid copy.  rax is scratch; \copy may also use r8 and r11 as
 * scratch.
 *
 * rdtsc waits until all earlier instructions are done, and all later instructions wait
 * for rdtsc.  The macro reads the clock at the point where these waits are shortest:
 * where few loads before it and after it depend on each other.
 */
	.macro	append_body clock, no_room, header, copy=copy_by_vectors, keep
	.ifnc	\clock, given
	rdtsc
	.endif
	movq	RING_POSITION(%rcx), %r11
	movl	%r11d, %r8d
	andl	$3, %r8d
	.ifc	\clock, given
	movq	%rdi, %rdx
	.else
	shlq	$32, %rdx
	orq	%rdx, %rax
	mulq	RING_CLOCK_MULT(%rcx)
	addq	RING_CLOCK_NS(%rcx), %rdx
	.endif

	/* Check that header and data fit into the open page. */
	leaq	4(%r11,%r9), %r10
	addq	RING_OFF(%rcx), %r10
	cmpq	RING_END(%rcx,%r8,8), %r10
	ja	\no_room
	addq	RING_ADDRESS(%rcx,%r8,8), %r11
	cmpq	LIMIT, %r11		/* Any process may have stored wrong values in
					 * address[] and end[].  So compare with
					 * LIMIT, which no other process can change
					 * [ring.limit] */
	ja	\no_room

	/* The low 2 bits of the position, i, select the valid time_ns[i] and entries[i].
	 * Write element i ^ 1. The store of the new position, with bit 0 flipped, then
	 * selects this element. */
	movq	RING_ENTRIES(%rcx,%r8,8), %rax
	incq	%rax
	xorl	$1, %r8d
	movq	%rax, RING_ENTRIES(%rcx,%r8,8)
	movq	%rdx, RING_TIME(%rcx,%r8,8)		/* [ring.copy] */
	.ifnb	\keep
	movq	%rdx, \keep
	.endif
	xorl	$1, %r8d
	subq	RING_TIME(%rcx,%r8,8), %rdx	/* rdx = delta; if the clock has gone
						 * backwards, this unsigned number is
						 * huge */
	cmpq	$1 << 27, %rdx			/* a delta that needs more than 27
						 * bits does not fit into the header */
	jae	5f
1:
	\header
	movl	%edx, (%rcx,%r11)
	leaq	(%rcx,%r11), %rdx

	\copy
5:
	movq	RING_TIME(%rcx,%r8,8), %rax
	addq	%rdx, %rax
	jnc	6f
	subq	%rdx, %rax		/* use the time of the previous record, because
					 * times in a ring never decrease */
	xorl	$1, %r8d
	movq	%rax, RING_TIME(%rcx,%r8,8)
	.ifnb	\keep
	movq	%rax, \keep
	.endif
	xorl	%edx, %edx
	jmp	1b
6:				/* A delta of 1 << 27 ns or more needs a record with a
				 * time extend. */
	movl	%edx, %eax
	shll	$5, %eax
	orl	$REC_TIME_EXTEND, %eax
	movl	%eax, (%rcx,%r11)
	shrq	$27, %rdx
	movl	%edx, 4(%rcx,%r11)
	addq	$8, %r11
	addq	$8, %r10
	xorl	%edx, %edx
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

	.macro	event_header			/* Compute the record's header in edx:
						 * rdx << 5 | bytes / 4, where rdx is
						 * the delta. */
	shlq	$7, %rdx
	addq	%r9, %rdx
	shrq	$2, %rdx
	.endm

	.macro	append_commit
	xorq	$1, %r10
	movq	%r10, RING_POSITION(%rcx)	/* [ring.commit] */
	.endm
