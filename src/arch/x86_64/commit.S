/* SPDX-License-Identifier: MIT */
/* The function ulf_event_commit(), which copies the record of a probe into the ring. */
#include "arch/x86_64/append.h"

/*
 * ulf_event_commit(event, entry, bytes)
 *		    rdi    rsi    rdx
 * Writes a small record in one function, because every call and every saved register
 * would cost time here.  @bytes is a multiple of 4.  In all other cases, for example if
 * the open page has no space, it jumps to event_commit_slowly() with the same arguments.
 *
 * The address of the set of rings is loaded inside of the rseq section.  After the
 * agent has replaced the set, a membarrier() that restarts sections ensures that no
 * thread uses the old set [grace.rseq], so this path needs no other protection.
 */
	.text
	.balign	64
	.globl	ulf_event_commit
	.type	ulf_event_commit, @function
ulf_event_commit:
	.cfi_startproc
	movl	%edx, %r9d
	movq	ulf_this_thread@gottpoff(%rip), %rax
	movl	EVENT_ID(%rdi), %r8d
	movq	%fs:(%rax), %rax
	testq	%rax, %rax
	jz	event_slowly			/* slow path: the thread has no struct
						 * ulf_thread yet */
	movl	THREAD_TID(%rax), %eax
	movl	%r8d, (%rsi)			/* fill in struct trace_entry: id of the
						 * event, then thread id */
	movl	%eax, 4(%rsi)
	movq	arch_rseq_offset(%rip), %r11
	arm	event_section
event_begin:
	movq	EVENT_SET(%rdi), %rcx		/* [event.set] */
	cmpl	SET_SMALL_MAX(%rcx), %r9d
	ja	event_slowly
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rcx), %eax
	jae	event_slowly
	append_ring %rcx
	append_body own, event_slowly, event_header
	append_commit
event_end:
	ret
event_slowly:
	movl	%r9d, %edx
	jmp	event_commit_slowly
	.byte	0x0f, 0xb9, 0x3d
	.long	RSEQ_SIGNATURE
event_abort:
	movl	%r9d, %edx
	jmp	event_commit_slowly
	end_function ulf_event_commit
	section_descriptor event_section, event_begin, event_end, event_abort

	.section .note.GNU-stack, "", @progbits
