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
 * The body of an append; see arch/arch.h.  In: rcx ring, rsi data, r9d bytes,
 * and with \clock `given' rdi the time.  \type_len is the instruction that
 * brings it into eax.  rdi, rsi and r9 are left as they were; r10: position;
 * rax: time, then delta; rdx: the record's place; r8, r11: scratch.
 */
	.macro	append_body clock, no_room, type_len:vararg
	movq	RING_POSITION(%rcx), %r10

	/*
	 * Room for a time extend, the header and the data, in a page whose
	 * header is written?  16 <= offset <= page_bytes - 12 - bytes, in one
	 * comparison: below 16 the difference is a huge number.
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
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	subq	RING_CLOCK_TSC(%rcx), %rax
	mulq	RING_CLOCK_MULT(%rcx)
	shrdq	$32, %rdx, %rax
	addq	RING_CLOCK_NS(%rcx), %rax
	.endif

	/* tail[position & 1] is valid, the other one is ours to write. */
	movl	%r10d, %r11d
	shll	$4, %r11d
	andl	$16, %r11d
	movq	RING_TAIL_TIME(%rcx,%r11), %rdx
	movq	RING_TAIL_ENTRIES(%rcx,%r11), %r8
	cmpq	%rdx, %rax
	cmovbq	%rdx, %rax		/* time never runs backwards */
	xorl	$16, %r11d
	incq	%r8
	movq	%rax, RING_TAIL_TIME(%rcx,%r11)
	movq	%r8, RING_TAIL_ENTRIES(%rcx,%r11)
	subq	%rdx, %rax		/* delta */

	/* ring + lap[position & 2] + position, without the flags */
	movl	%r10d, %r8d
	andl	$2, %r8d
	leaq	(%rcx,%r10), %rdx
	addq	RING_LAP(%rcx,%r8,4), %rdx
	andq	$-4, %rdx
	leaq	4(%r10,%r9), %r10

	cmpq	$(1 << 27), %rax
	jb	1f
	movl	%eax, %r11d
	shll	$5, %r11d
	orl	$30, %r11d		/* ABI_REC_TIME_EXTEND */
	movl	%r11d, (%rdx)
	shrq	$27, %rax
	movl	%eax, 4(%rdx)
	addq	$8, %rdx
	addq	$8, %r10
	xorl	%eax, %eax
1:
	shll	$5, %eax
	\type_len
	movl	%eax, (%rdx)

	/* Copy; the last 16 bytes again rather than what is left over. */
	movl	%r9d, %r8d
	subl	$16, %r8d
	jb	3f
	xorl	%r11d, %r11d
2:
	movups	(%rsi,%r11), %xmm0
	movups	%xmm0, 4(%rdx,%r11)
	addl	$16, %r11d
	cmpl	%r8d, %r11d
	jb	2b
	movups	(%rsi,%r8), %xmm0
	movups	%xmm0, 4(%rdx,%r8)
	jmp	4f
3:
	movl	-4(%rsi,%r9), %eax
	movl	%eax, (%rdx,%r9)
	testl	$8, %r9d
	jz	4f
	movq	(%rsi), %rax
	movq	%rax, 4(%rdx)
4:
	.endm

	.macro	event_type_len			/* bytes / 4, they are few */
	movl	%r9d, %r8d
	shrl	$2, %r8d
	orl	%r8d, %eax
	.endm

	.macro	append_commit
	xorq	$1, %r10
	movq	%r10, RING_POSITION(%rcx)	/* [ring.commit] */
	.endm

/*
 * arch_ring_append(set, data, now_ns, type_len, flags, bytes)
 *		    rdi  rsi   rdx     ecx       r8d    r9d
 */
	.macro	append_function name, section, clock
	function \name
	movq	arch_rseq_offset(%rip), %r11
	movl	%ecx, -8(%rsp)		/* type_len, in the red zone */
	leaq	\section(%rip), %rax
	movq	%rax, %fs:RSEQ_CS(%r11)
\name\()_begin:
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rdi), %eax
	jae	\name\()_no_ring
	movq	SET_FAST(%rdi,%rax,8), %rcx
	testq	%rcx, %rcx
	jz	\name\()_no_ring
	movq	%rdx, %rdi
	append_body \clock, \name\()_no_room, orl -8(%rsp), %eax
	append_commit
\name\()_end:
	xorl	%eax, %eax
	ret
\name\()_no_room:
	movl	$1, %eax		/* ARCH_COMMIT_NO_ROOM */
	ret
\name\()_no_ring:
	movl	$2, %eax		/* ARCH_COMMIT_NO_RING */
	ret
	abort_handler \name\()_abort
	end_function \name
	section_descriptor \section, \name\()_begin, \name\()_end, \name\()_abort
	.endm

	append_function arch_ring_append, append_section, own
	append_function arch_ring_append_given, append_given_section, given

/*
 * ulf_event_commit(event, entry, bytes): the whole path of a small record, in
 * one piece because every call and every saved register counts here.
 *		    rdi    rsi    rdx
 * @bytes is a multiple of 4.  Whatever does not go straight is left to
 * event_commit_slowly(), with the same arguments.
 */
	.text
	.balign	64
	.globl	ulf_event_commit
	.type	ulf_event_commit, @function
ulf_event_commit:
	.cfi_startproc
	movq	EVENT_BUFFER(%rdi), %rcx
	movl	%edx, %r9d
	cmpl	BUFFER_SMALL_MAX(%rcx), %edx
	ja	event_commit_slowly
	movq	BUFFER_SET(%rcx), %rcx		/* [buffer.set] */
	movq	arch_rseq_offset(%rip), %r11
	leaq	event_section(%rip), %rax
	movq	%rax, %fs:RSEQ_CS(%r11)
event_begin:
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rcx), %eax
	jae	event_slowly
	movq	SET_FAST(%rcx,%rax,8), %rcx
	testq	%rcx, %rcx
	jz	event_slowly
	append_body own, event_slowly, event_type_len
	movq	ulf_this_thread@gottpoff(%rip), %rax
	movl	EVENT_ID(%rdi), %r8d
	movq	%fs:(%rax), %rax
	movl	THREAD_TID(%rax), %eax
	movl	%r8d, 4(%rdx)			/* struct trace_entry */
	movl	%eax, 8(%rdx)
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
