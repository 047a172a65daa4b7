/* SPDX-License-Identifier: MIT */
/*
 * The rseq sections that write rings.  arch/arch.h has the pseudo-code;
 * docs/design/ring.md shows that they are correct.
 *
 * Rules: A section is the code between its labels `begin' and `end'.  It makes no call,
 * pushes nothing and changes no callee-saved register, so at an abort there is nothing to
 * restore.  It does not jump out of the labels and back, because the kernel does not
 * abort code outside of them.  The last instruction before `end' is the one store that
 * commits.
 */
#include "arch/x86_64/append.h"

	.macro	append_header			/* Compute the record's header.  In: edx =
						 * delta, the time since the previous record.
						 * Out: edx = delta << 5 | type_len. */
	shll	$5, %edx
	orl	-8(%rsp), %edx
	.endm

/*
 * arch_ring_append(set, data, now_ns, type_len, unused, bytes)
 *		    rdi  rsi   rdx     ecx       r8d    r9d
 */
	.macro	append_function name, section, clock
	function \name
	movq	arch_rseq_offset(%rip), %r11
	movl	%ecx, -8(%rsp)		/* keep type_len in the red zone, the memory
					 * below the stack pointer */
	movl	%r9d, %r9d		/* clear the upper half of r9: the
					 * calling convention leaves it
					 * undefined */
	arm	\section
\name\()_begin:
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rdi), %eax
	jae	\name\()_no_ring
	append_ring %rdi
	leaq	ring_none(%rip), %rax
	cmpq	%rax, %rcx
	je	\name\()_no_ring
	movq	%rdx, %rdi
	append_body \clock, \name\()_no_room, append_header
	append_commit
\name\()_end:
	xorl	%eax, %eax
	ret
\name\()_no_room:
	movl	$COMMIT_NO_ROOM, %eax
	ret
\name\()_no_ring:
	movl	$COMMIT_NO_RING, %eax
	ret
	abort_handler \name\()_abort
	end_function \name
	section_descriptor \section, \name\()_begin, \name\()_end, \name\()_abort
	.endm

	append_function arch_ring_append, append_section, own
	append_function arch_ring_append_given, append_given_section, given

/*
 * arch_rseq_store(cpu, word, expect, value, stores, nr)
 *		   edi  rsi   rdx     rcx    r8      r9d
 */
	function arch_rseq_store
	movq	arch_rseq_offset(%rip), %r11
	arm	store_section
store_begin:
	cmpl	%fs:RSEQ_CPU_ID(%r11), %edi
	jne	store_changed
	cmpq	(%rsi), %rdx
	jne	store_changed
store_next:
	subl	$1, %r9d
	jb	store_commit
	movq	STORE_ADDR(%r8), %rax
	movq	STORE_VALUE(%r8), %r10
	movq	%r10, (%rax)		/* [ring.lap] */
	addq	$STORE_BYTES, %r8
	jmp	store_next
store_commit:
	movq	%rcx, (%rsi)		/* [ring.commit] */
store_end:
	xorl	%eax, %eax
	ret
store_changed:
	movl	$COMMIT_CHANGED, %eax
	ret
	abort_handler store_abort
	end_function arch_rseq_store
	section_descriptor store_section, store_begin, store_end, store_abort

	.section .note.GNU-stack, "", @progbits
