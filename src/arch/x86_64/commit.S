/* SPDX-License-Identifier: MIT */
/* The function ulf_event_commit(), which copies the record of a probe into the ring. */
#include "arch/x86_64/append.h"

/*
 * ulf_event_commit(event, entry, bytes)
 *		    rdi    rsi    rdx
 * Write a small record.  The function makes no call and saves no register, because both
 * would cost time.  @bytes is a multiple of 4.  If the record cannot be written here, for
 * example because the open page has no space, jump to event_commit_slowly() with the same
 * arguments.
 *
 * The address of the set of rings is loaded inside of the rseq section.  After the agent
 * has replaced the set, it calls membarrier(), which restarts the sections.  So no
 * thread uses the old set any more [grace.rseq], and the code in the section needs no
 * other protection.
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
	jz	event_commit_slowly		/* The thread has no struct ulf_thread yet: go
						 * to the slow path, which needs the old value
						 * of rdx. */
	movl	THREAD_TID(%rax), %eax
	movl	%r8d, (%rsi)			/* Fill in struct trace_entry: the id
						 * of the event, then the thread id. */
	movl	%eax, RECORD_PID(%rsi)
	movq	arch_rseq_offset(%rip), %r11
	arm	event_section
event_begin:
	movq	EVENT_SET(%rdi), %rcx		/* [event.set] */
	cmpl	SET_SMALL_MAX(%rcx), %r9d
	ja	event_not_small
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rcx), %eax
	jae	event_commit_slowly
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

/*
 * arch_event_append(event, record, bytes)
 *		     rdi    rsi     edx
 * Write a small record as ulf_event_commit() does, but with general registers only, for the
 * hooks of scall.S.  rdi and rsi are kept, and r9d is @bytes at the end.
 */
	function arch_event_append
	movl	%edx, %r9d
	movq	ulf_this_thread@gottpoff(%rip), %rax
	movl	EVENT_ID(%rdi), %r8d
	movq	%fs:(%rax), %rax
	testq	%rax, %rax
	jz	straight_failed
	movl	THREAD_TID(%rax), %eax
	shlq	$32, %rax
	orq	%r8, %rax
	movq	%rax, (%rsi)
	movq	arch_rseq_offset(%rip), %r11
	arm	straight_section
straight_begin:
	movq	EVENT_SET(%rdi), %rcx		/* [event.set] */
	cmpl	SET_SMALL_MAX(%rcx), %r9d
	ja	straight_failed
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rcx), %eax
	jae	straight_failed
	append_ring %rcx
	append_body own, straight_failed, event_header, copy_by_words
	append_commit
straight_end:
	movl	$1, %eax
	ret
	.byte	0x0f, 0xb9, 0x3d
	.long	RSEQ_SIGNATURE
straight_failed:
	xorl	%eax, %eax
	ret
	end_function arch_event_append
	section_descriptor straight_section, straight_begin, straight_end, straight_failed

/* ---- histograms ---- */

/*
 * Macros for the steps of hist_hash().  r8: the hash so far; r11: the constant
 * HIST_HASH_MULT.
 */
	.macro	hist_begin_hash
	imulq	QUICK_FIGURES+FIGURES_PART(%rcx), %rax	/* in: rax = CPU number; out: rax =
							 * address of the figures in the part of
							 * this CPU */
	addq	QUICK_FIGURES+FIGURES_AT(%rcx), %rax
	movabsq	$(HIST_HASH_HIGH << 32 | HIST_HASH_LOW), %r11
	movq	QUICK_SEED(%rcx), %r8
	.endm
	.macro	hist_hash_word word
	xorq	\word, %r8
	imulq	%r11, %r8
	movq	%r8, %r10
	shrq	$32, %r10
	xorq	%r10, %r8
	.endm

/* End hist_hash(), and look at the first slot for this hash, slot number r10 = hash >>
 * slot_shift.  A slot contains the word hash << 32 | 1 + index.  So word - (hash << 32) - 1 is
 * the index of the entry, or a large number if the hashes differ or the slot is free.  Leaves
 * the index in rcx, the set in r11 and hash << 32 in r8. \miss: label to which the macro jumps
 * if the entry is not in this slot. */
	.macro	hist_find_slot miss
	imulq	%r11, %r8
	movq	%rcx, %r11
	movl	QUICK_SLOT_SHIFT(%r11), %ecx
	movq	%r8, %r10
	shrq	%cl, %r10
	shlq	$32, %r8
	movq	QUICK_SLOTS(%r11), %rcx
	movq	(%rcx,%r10,8), %rcx		/* [hist.slot] */
	subq	%r8, %rcx
	decq	%rcx
	cmpq	QUICK_NR_ENTRIES(%r11), %rcx
	jae	\miss
	.endm

/* r8 = address of the entry with the index rcx. */
	.macro	hist_find_entry
	movq	QUICK_ENTRY_BYTES(%r11), %r8
	imulq	%rcx, %r8
	addq	QUICK_ENTRIES(%r11), %r8
	.endm

/*
 * Count a hit of an event that has one histogram and is not recorded (hist/quick.h), with the
 * arguments of ulf_event_commit().  The set of such an event is a struct hist_quick.  In one
 * rseq section:
 *
 *	set = event->set
 *	if set is no histogram, or this CPU has no part, or the event is not soft disabled, or
 *	the histogram is paused: slowly
 *	key = the number of the record, changed as the program says
 *	find the entry of key in the table; if it is not found: slowly
 *	figures = the figures of the entry in the part of this CPU
 *	{ figures->hits, figures->sum } += { 1, the value of the record }	<- the commit
 *
 * "Slowly" means: go to event_commit_slowly(), as after an abort; nothing has been counted
 * yet.  After the agent has replaced event->set, a membarrier() restarts the section, as
 * for sets of rings [grace.rseq].
 *
 * rdi, rsi and r9d (bytes) are kept.  rcx: set; rax: CPU, then the figures of its part; rdx:
 * key; r8: hash; r10: slot; r11: set; rcx: word of the slot, then index, then figures.
 */
	.text
	.balign	64
	.type	event_not_small, @function
event_not_small:
	.cfi_startproc
	cmpl	$HIST_QUICK_SET, SET_SMALL_MAX(%rcx)
	jne	event_commit_slowly		/* rdx is as it was */
	arm	hist_section
hist_begin:
	movq	EVENT_SET(%rdi), %rcx		/* [event.set] */
	cmpl	$HIST_QUICK_SET, SET_SMALL_MAX(%rcx)
	jne	hist_slowly
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rcx), %eax
	jae	hist_slowly
	movq	QUICK_SOFT(%rcx), %r8
	cmpq	$0, (%r8)
	je	hist_slowly
	movq	QUICK_PAUSED(%rcx), %r8
	cmpq	$0, (%r8)
	jne	hist_slowly
	movzwl	QUICK_KEY(%rcx), %edx
	jmp	*QUICK_LOAD(%rcx)

	/*
	 * Look for the key in the next slots, but only in a few: another process may have
	 * filled all slots with words that match no hash, and this code must not search for
	 * long.
	 */
hist_next:
	movl	$HIST_QUICK_PROBES, -8(%rsp)
hist_again:
	movq	QUICK_SLOTS(%r11), %rcx
	cmpq	$0, (%rcx,%r10,8)
	je	hist_slowly
	decl	-8(%rsp)
	jz	hist_slowly
	incl	%r10d
	andl	QUICK_SLOT_MASK(%r11), %r10d
	movq	(%rcx,%r10,8), %rcx
	subq	%r8, %rcx
	decq	%rcx
	cmpq	QUICK_NR_ENTRIES(%r11), %rcx
	jae	hist_again
	jmp	hist_compare

	/*
	 * Load the value of the hit if it has less than 8 bytes.  0 bytes: the histogram has no
	 * value.
	 */
hist_value:
	addq	%rsi, %rax
	movzbl	QUICK_VAL_SHIFT(%r11), %edx
	cmpb	$2, QUICK_VAL_BYTES(%r11)
	ja	hist_value_32
	je	hist_value_16
	cmpb	$0, QUICK_VAL_BYTES(%r11)
	je	hist_add
	.macro	hist_load_value extend_zero, extend_sign
	testl	%edx, %edx			/* if edx is not 0, the number is
						 * signed */
	\extend_zero	(%rax), %edx
	\extend_sign	(%rax), %rax
	cmovz	%rdx, %rax
	jmp	hist_value_loaded
	.endm
	hist_load_value movzbl, movsbq
hist_value_16:
	hist_load_value movzwl, movswq
hist_value_32:
	hist_load_value movl, movslq
hist_value_loaded:
	movq	%rax, %xmm1
	punpcklqdq %xmm1, %xmm0
	jmp	hist_add

	/* Load the key if it is an array of 16 characters, and find its entry.  xmm0: the
	 * string, padded with zeroes; r8: its length, 15 at most. */
	.globl	hist_load_name
	.hidden	hist_load_name
hist_load_name:
	movups	(%rsi,%rdx), %xmm0
	pxor	%xmm1, %xmm1
	pcmpeqb	%xmm0, %xmm1
	pmovmskb %xmm1, %edx
	orl	$1 << 15, %edx
	bsfl	%edx, %edx
	leaq	hist_masks+16(%rip), %r8
	subq	%rdx, %r8
	movups	(%r8), %xmm1
	pand	%xmm1, %xmm0
	cmpl	$8, %edx
	movq	%xmm0, %rdx
	movhps	%xmm0, -16(%rsp)
	jb	hist_short_name
	hist_begin_hash
	hist_hash_word %rdx
	hist_hash_word -16(%rsp)
	hist_find_slot hist_slowly
	hist_find_entry
	movq	-16(%rsp), %r10
	cmpq	%r10, 8(%r8)
	jne	hist_slowly
	cmpq	%rdx, (%r8)
	je	hist_found
	jmp	hist_slowly
hist_short_name:
	hist_begin_hash
	hist_hash_word %rdx
	hist_find_slot hist_slowly
	hist_find_entry
	cmpq	%rdx, (%r8)
	je	hist_found
	jmp	hist_slowly

	/*
	 * Load the key if it is a number.  There is code for each size and sign of a number;
	 * QUICK_LOAD points to the code for the key of this histogram.
	 */
	.macro	hist_load name, load, to
	.globl	\name
	.hidden	\name
\name:
	\load	(%rsi,%rdx), \to
	jmp	*QUICK_CHANGE(%rcx)
	.endm
	hist_load hist_load_u8, movzbl, %edx
	hist_load hist_load_u16, movzwl, %edx
	hist_load hist_load_u32, movl, %edx
	hist_load hist_load_u64, movq, %rdx
	hist_load hist_load_s8, movsbq, %rdx
	hist_load hist_load_s16, movswq, %rdx
	hist_load hist_load_s32, movslq, %rdx

	/* Change the key.  There is code for each enum hist_quick_change, such as
	 * hist_sublog2() and hist_log2(); QUICK_CHANGE points to it.  r8, r10: scratch. */
	.globl	hist_change_sublog2
	.hidden	hist_change_sublog2
hist_change_sublog2:
	testq	%rdx, %rdx
	jz	hist_change_none
	bsrq	%rdx, %r8
	subl	QUICK_CHANGE_VALUE(%rcx), %r8d
	jbe	hist_change_none
	movq	%rcx, %r10
	movl	%r8d, %ecx
	shrq	%cl, %rdx
	shlq	%cl, %rdx
	movq	%r10, %rcx
	jmp	hist_change_none
	.globl	hist_change_log2_bsr
	.hidden	hist_change_log2_bsr
hist_change_log2_bsr:			/* the code of .log2 for CPUs without the
					 * instruction lzcnt */
	cmpq	$1, %rdx
	jbe	hist_zero
	decq	%rdx
	bsrq	%rdx, %rdx
	incl	%edx
	jmp	hist_change_none
hist_zero:
	xorl	%edx, %edx
	jmp	hist_change_none
	.globl	hist_change_log2
	.hidden	hist_change_log2
hist_change_log2:
	subq	$1, %rdx
	adcq	$0, %rdx			/* 0 for both 0 and 1 */
	lzcntq	%rdx, %rdx			/* 64 for 0 */
	negl	%edx
	addl	$64, %edx
	.globl	hist_change_none
	.hidden	hist_change_none
hist_change_none:
	hist_begin_hash
	hist_hash_word %rdx
	hist_find_slot hist_next
hist_compare:
	hist_find_entry
	cmpq	%rdx, (%r8)
	jne	hist_slowly
hist_found:
	shlq	$4, %rcx			/* 16 bytes: hits, sum */
	addq	%rax, %rcx
	movzwl	QUICK_VAL(%r11), %eax
	movq	QUICK_ONE(%r11), %xmm0
	cmpb	$8, QUICK_VAL_BYTES(%r11)
	jne	hist_value
	movhps	(%rsi,%rax), %xmm0
hist_add:
	paddq	(%rcx), %xmm0
	movaps	%xmm0, (%rcx)			/* [hist.figures] */
hist_end:
	ret

	.byte	0x0f, 0xb9, 0x3d
	.long	RSEQ_SIGNATURE
hist_abort:
hist_slowly:
	movl	%r9d, %edx
	jmp	event_commit_slowly
	end_function event_not_small
	section_descriptor hist_section, hist_begin, hist_end, hist_abort

	.section .rodata
	.balign	16
hist_masks:				/* hist_masks + 16 - n is the address of a
					 * mask of 16 bytes whose first n bytes are
					 * ones */
	.quad	-1, -1, 0, 0

	.section .note.GNU-stack, "", @progbits
