/* SPDX-License-Identifier: MIT */
/* Assembler macros that write records of a constant size, for the hooks of ftrace.S. */
#include "arch/x86_64/append.h"

/* Offsets from the thread pointer.  They are known only when the program runs, and are
 * equal for all threads.  An instruction that needs such an offset is assembled with
 * UNKNOWN in its last four bytes, and ftrace_hooks_make() replaces UNKNOWN by the value. */
#define THIS(word)	UNKNOWN+THIS_##word	/* struct ftrace_thread */
#define RSEQ(word)	UNKNOWN+RSEQ_##word	/* struct rseq */

	.set	known_THIS, KNOWN_THIS
	.set	known_RSEQ, KNOWN_RSEQ
	.set	known_BODIES, KNOWN_BODIES

	.macro	known what, instruction:vararg
	\instruction
	.pushsection .rodata.ftrace_known, "a", @progbits
	.long	.Lknown\@ - 4 - ., known_\what
	.popsection
.Lknown\@:
	.endm

/*
 * Three macros that together write a record to the ring of this CPU, with general
 * registers only.  The macros do what append.h does, but for a record of constant size.
 * If the page is full, they go to \full.  In other rare cases, such as a long time since
 * the last record, they go to \slowly.  After the kernel has aborted the section, the
 * thread also continues at \slowly.  In all these cases nothing was changed, except by
 * the macro \copy.
 *
 * section_begin	Arm the section.  All addresses on the way to the ring must be loaded
 *		after this [grace.rseq].  rcx: scratch; out: r8 = thread pointer, through
 *		which stores are faster than through %fs.
 * record_ring	In: rcx = set of rings.  Out: rcx = ring, or ring_none.  r8, r10: scratch.
 *		\limit: a word on the stack.  The macro stores there the largest offset
 *		in the ring at which a record may begin.  The value comes from the set,
 *		which no other process can write.
 *		\bytes: size of the record; if omitted: RING_HOOK_MAX.
 * record_end	Write the record and commit it.  \copy: a macro that writes the data after
 *		the header, to RECORD(4) and so on; it may use rdx and r8 as scratch and
 *		must keep rax, rcx and r10.  The time is also stored in the memory operand
 *		\keep and at the offset \at of the record, if these are given.  Other
 *		registers are kept.
 *
 * rdtsc waits until all earlier instructions are done, and all later ones wait for it.
 * So about half of the loads that depend on each other come before it, the others after
 * it.
 */
	.macro	section_begin name
	movq	%fs:0, %r8
	leaq	\name\()_section(%rip), %rcx
	known	RSEQ, movq %rcx, RSEQ(CS)(%r8)
\name\()_begin:
	.endm

	.macro	record_ring limit, bytes
	known	RSEQ, movslq %fs:RSEQ(CPU_ID), %r10
	.ifnb	\bytes
	movq	SET_LIMIT(%rcx,%r10,8), %r8
	subq	\bytes, %r8
	.else
	movq	SET_HOOK_LIMIT(%rcx,%r10,8), %r8
	.endif
	movq	%r8, \limit
	movq	SET_FAST(%rcx,%r10,8), %rcx
	.endm

#define RECORD(at)	at(%rcx,%r10)

	.macro	record_end name, bytes, limit, copy, full, slowly, keep, at
	movq	RING_POSITION(%rcx), %r10
	movl	%r10d, %r8d
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	mulq	RING_CLOCK_MULT(%rcx)
	addq	RING_CLOCK_NS(%rcx), %rdx
	andl	$3, %r8d

	/* Check that the record fits into the open page. */
	movq	RING_OFF(%rcx), %rax
	leaq	4+\bytes(%r10,%rax), %rax
	cmpq	RING_END(%rcx,%r8,8), %rax
	ja	\full

	/* time_ns[i] and entries[i] are valid, with i = position & 3.  Write element i ^ 1. */
	movq	RING_ENTRIES(%rcx,%r8,8), %rax
	xorl	$1, %r8d
	movq	%rdx, RING_TIME(%rcx,%r8,8)		/* [ring.copy] */
	incq	%rax
	movq	%rax, RING_ENTRIES(%rcx,%r8,8)
	.ifnb	\keep
	movq	%rdx, \keep
	.endif
	leaq	4+\bytes(%r10), %rax
	xorl	$1, %r8d
	addq	RING_ADDRESS(%rcx,%r8,8), %r10
	cmpq	\limit, %r10		/* Any process may have stored wrong values in
					 * address[] and end[].  So compare with
					 * \limit, which no other process can change
					 * [ring.limit] */
	ja	\slowly
	.ifnb	\at
	movq	%rdx, RECORD(\at)
	.endif
	subq	RING_TIME(%rcx,%r8,8), %rdx	/* rdx = delta; if the clock has gone
						 * backwards, this unsigned number is
						 * huge */
	cmpq	$1 << 27, %rdx			/* a delta that needs more than 27
						 * bits does not fit into the header */
	jae	\slowly
	shll	$5, %edx
	orl	$\bytes / 4, %edx
	movl	%edx, RECORD(0)
	\copy
	xorq	$1, %rax
	movq	%rax, RING_POSITION(%rcx)	/* [ring.commit] */
\name\()_end:
	section_descriptor \name\()_section, \name\()_begin, \name\()_end, \slowly
	.endm

	/* The signature that the kernel requires before an abort handler.  The label
	 * \slowly of record_end must follow this macro. */
	.macro	abort_signature
	.byte	0x0f, 0xb9, 0x3d	/* start of the instruction ud1
					 * signature(%rip), %edi, whose last four
					 * bytes are the signature */
	.long	RSEQ_SIGNATURE
	.endm

