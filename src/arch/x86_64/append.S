/* SPDX-License-Identifier: MIT */
/*
 * The rseq sections that write rings.  Pseudo-code is in arch/arch.h, the
 * argument in docs/design/ring.md.  Between the labels `begin' and `end' of
 * a section there is no call, no push and no callee-saved register, so that
 * the abort handler finds the stack as it was; all of the section lies between
 * them (code elsewhere would not be aborted), and the last instruction before
 * `end' is the one store that commits.
 */
#include "offsets.h"

	.macro	section_descriptor name, begin, end, abort
	.pushsection .data.rel.ro, "aw", @progbits
	.balign	32
\name:
	.long	0, 0			/* version, flags */
	.quad	\begin, \end - \begin, \abort
	.popsection
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
 * arch_ring_append(set, data, bytes, type_len, now_ns)
 *		    rdi  rsi   edx    ecx       r8
 *
 * rdi: set, then ring		r9d: bytes to copy
 * r10: position, then the new	rax: now, then the time delta
 * rdx: scratch, then the place of the record
 */
	function arch_ring_append
	movq	arch_rseq_offset(%rip), %r11
	movl	%edx, %r9d
	leaq	append_section(%rip), %rax
	movq	%rax, %fs:RSEQ_CS(%r11)
append_begin:
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rdi), %eax
	jae	append_no_ring
	movq	SET_FAST(%rdi,%rax,8), %rdi
	testq	%rdi, %rdi
	jz	append_no_ring
	movq	RING_POSITION(%rdi), %r10

	/* Room for a time extend, the header and the data? */
	movl	RING_PAGE_BYTES(%rdi), %eax
	leal	-1(%rax), %edx
	andl	%r10d, %edx
	andl	$-4, %edx		/* offset in the page */
	subl	%edx, %eax		/* what is left of it */
	leal	12(%r9), %r11d
	cmpl	%r11d, %eax
	jb	append_no_room
	cmpl	$16, %edx		/* its header is not written yet */
	jb	append_no_room

	movq	%r8, %rax
	testl	$2, RING_FLAGS(%rdi)	/* ABI_RING_CLOCK_GIVEN */
	jnz	append_have_time
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	subq	RING_CLOCK_TSC(%rdi), %rax
	mulq	RING_CLOCK_MULT(%rdi)
	shrdq	$32, %rdx, %rax
	addq	RING_CLOCK_NS(%rdi), %rax
append_have_time:
	/* tail[position & 1] is valid, the other one is ours to write. */
	movl	%r10d, %r11d
	andl	$1, %r11d
	shll	$4, %r11d
	addq	%rdi, %r11
	movq	RING_TAIL_TIME(%r11), %rdx
	movq	RING_TAIL_ENTRIES(%r11), %r8
	cmpq	%rdx, %rax
	cmovbq	%rdx, %rax		/* time never runs backwards */
	xorq	$16, %r11
	incq	%r8
	movq	%rax, RING_TAIL_TIME(%r11)
	movq	%r8, RING_TAIL_ENTRIES(%r11)
	subq	%rdx, %rax		/* delta */

	/* rdx = ring + lap[position & 2] + position */
	movl	%r10d, %edx
	andl	$2, %edx
	movq	RING_LAP(%rdi,%rdx,4), %rdx
	addq	%rdi, %rdx
	movq	%r10, %r8
	andq	$-4, %r8
	addq	%r8, %rdx
	leaq	4(%r10,%r9), %r10

	cmpq	$(1 << 27), %rax
	jb	append_header
	movq	%rax, %r8
	shll	$5, %eax
	orl	$30, %eax		/* ABI_REC_TIME_EXTEND */
	movl	%eax, (%rdx)
	shrq	$27, %r8
	movl	%r8d, 4(%rdx)
	addq	$8, %rdx
	addq	$8, %r10
	xorl	%eax, %eax
append_header:
	shll	$5, %eax
	orl	%ecx, %eax
	movl	%eax, (%rdx)
	addq	$4, %rdx

	subl	$16, %r9d
	jb	append_copy_rest
append_copy:
	movups	(%rsi), %xmm0
	movups	%xmm0, (%rdx)
	addq	$16, %rsi
	addq	$16, %rdx
	subl	$16, %r9d
	jae	append_copy
append_copy_rest:
	testl	$8, %r9d
	jz	append_copy_word
	movq	(%rsi), %rax
	movq	%rax, (%rdx)
	addq	$8, %rsi
	addq	$8, %rdx
append_copy_word:
	testl	$4, %r9d
	jz	append_commit
	movl	(%rsi), %eax
	movl	%eax, (%rdx)
append_commit:
	xorq	$1, %r10
	movq	%r10, RING_POSITION(%rdi)	/* [ring.commit] */
append_end:
	xorl	%eax, %eax
	ret

append_no_room:
	movl	$1, %eax		/* ARCH_COMMIT_NO_ROOM */
	ret
append_no_ring:
	movl	$2, %eax		/* ARCH_COMMIT_NO_RING */
	ret
	abort_handler append_abort
	end_function arch_ring_append
	section_descriptor append_section, append_begin, append_end, append_abort

/*
 * arch_rseq_store(cpu, word, expect, value, stores, nr)
 *		   edi  rsi   rdx     rcx    r8      r9d
 */
	function arch_rseq_store
	movq	arch_rseq_offset(%rip), %r11
	leaq	store_section(%rip), %rax
	movq	%rax, %fs:RSEQ_CS(%r11)
store_begin:
	cmpl	%fs:RSEQ_CPU_ID(%r11), %edi
	jne	store_changed
	cmpq	(%rsi), %rdx
	jne	store_changed
store_next:
	subl	$1, %r9d
	jb	store_commit
	movq	0(%r8), %rax
	movq	8(%r8), %r10
	movq	%r10, (%rax)
	addq	$16, %r8
	jmp	store_next
store_commit:
	movq	%rcx, (%rsi)		/* [ring.commit] */
store_end:
	xorl	%eax, %eax
	ret
store_changed:
	movl	$4, %eax		/* ARCH_COMMIT_CHANGED */
	ret
	abort_handler store_abort
	end_function arch_rseq_store
	section_descriptor store_section, store_begin, store_end, store_abort

	.section .note.GNU-stack, "", @progbits
