/* SPDX-License-Identifier: MIT */
/*
 * Function tracing: what the slots of fsite.c call, and what functions return
 * to while the graph tracer follows them.  docs/design/functions.md.
 */
#include "record.h"
#include "ftrace.h"

/*
 * The frames of all hooks below have the registers that C may change (struct
 * ftrace_regs), a word of no use, and then:
 */
#define SLOT		ENTRY_FRAME(%rsp)	/* + FSITE_SLOT_CALL */
#define PLACE		PLACE_FRAME(%rsp)	/* the function's return address */

/* What the common paths need; for C: for_rest, too. */
	.macro	for_scratch op
	\op	rax, REGS_RAX
	\op	rcx, REGS_RCX
	\op	rdx, REGS_RDX
	\op	rsi, REGS_RSI
	\op	rdi, REGS_RDI
	\op	r8, REGS_R8
	\op	r10, REGS_R10
	.endm

	.macro	for_rest op
	\op	r9, REGS_R9
	\op	r11, REGS_R11
	.endm

	.macro	save reg, at
	movq	%\reg, \at(%rsp)
	.endm

	.macro	load reg, at		/* flags are kept */
	movq	\at(%rsp), %\reg
	.endm

	/* rsi: a place on the stack, then its shadow, if that is where it is
	 * looked for first (shadow_at()); else to \slowly.  rax, rdx, r10: scratch */
	.macro	shadow_find slowly
	movabsq	$SHADOW_HASH, %rdx
	movq	shadow_keys(%rip), %r10
	movq	%rsi, %rax
	shrq	$12, %rax
	imulq	%rax, %rdx
	shrq	$48, %rdx
	cmpq	%rax, (%r10,%rdx,8)
	jne	\slowly
	shlq	$14, %rdx
	andl	$0xff8, %esi
	addq	shadow_entries(%rip), %rdx
	leaq	(%rdx,%rsi,4), %rsi
	.endm

	/* r8: behind the slot's call.  \to: the site; rdx: scratch */
	.macro	find_site to
	movslq	3(%r8), %rdx
	leaq	2(%r8,%rdx), \to
	.endm

	.macro	copy_function			/* rdi: the record's head */
	movq	SLOT, %r8
	movq	%rdi, RECORD(4)
	find_site %r8
	movq	PLACE, %rdx
	movq	%r8, RECORD(12)
	movq	%rdx, RECORD(20)
	.endm

	/* rdi: the thread's.  Leaves SLOT in r8, the depth in edx */
	.macro	copy_graph
	movq	%fs:THIS_ENTRY_HEAD(%rdi), %rdx
	movq	SLOT, %r8
	movq	%rdx, RECORD(4)
	find_site %rdx
	movq	%rdx, RECORD(12)
	movl	%fs:THIS_DEPTH(%rdi), %edx
	movl	%edx, RECORD(20)
	.endm

	.macro	copy_exit			/* the same; rsi: the shadow */
	movl	SHADOW_WORD(%rsi), %r8d
	leaq	ftrace_graph_bodies-FTRACE_GRAPH_BIT(%rip), %rdx
	movq	GRAPH_BODY_SITE(%r8,%rdx), %r8
	movq	%fs:THIS_EXIT_HEAD(%rdi), %rdx
	movq	%rdx, RECORD(4)
	movq	REGS_RAX(%rsp), %rdx
	movq	%r8, RECORD(12)
	movl	SHADOW_DEPTH(%rsi), %r8d
	movq	%rdx, RECORD(20)
	movl	ftrace_graph_lost(%rip), %edx
	movl	%r8d, RECORD(28)
	movq	SHADOW_TIME(%rsi), %r8
	movl	%edx, RECORD(32)
	movq	%r8, RECORD(36)
	.endm

/*
 * Entries: called by a slot, at the entry of a function.  On the stack: behind the
 * slot's call, then the function's return address.  Every register is kept: a
 * caller that knows the function (gcc's -fipa-ra) relies on more than the ABI says.
 * Return with the carry set if the slot is to go on by way of its body.
 *
 * What is common is done here: one buffer that traces functions, or the graph
 * tracer without conditions, in a thread that is known.  ftrace_hit() does all
 * else, from the start.
 *
 * Their addresses differ in one byte only: so a slot's can be changed while threads
 * call through it (fsite.c).  For unwinders the slot is not there: the function's
 * caller called us.
 */
	.text
	.balign	4096
	.macro	entry name
	.balign	256, 0xcc
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	subq	$ENTRY_FRAME, %rsp
	.cfi_adjust_cfa_offset ENTRY_FRAME
	for_scratch save
	.endm

	.macro	entry_return
	for_scratch load
	leaq	ENTRY_FRAME(%rsp), %rsp
	.cfi_remember_state
	.cfi_adjust_cfa_offset -ENTRY_FRAME
	ret
	.cfi_restore_state
	.endm

	entry	ftrace_entry_function
	movq	ftrace_this@gottpoff(%rip), %rdi
	movq	SLOT, %rsi
	movq	%fs:THIS_HEAD(%rdi), %rdi
	movl	SLOT_USERS-FSITE_SLOT_CALL(%rsi), %esi
	testq	%rdi, %rdi
	jz	hit_slowly
	movq	PLACE, %rax
	leaq	ftrace_graph_bodies(%rip), %rdx
	subq	%rdx, %rax
	cmpq	$GRAPH_BODIES_BYTES, %rax	/* a tail call? */
	jb	hit_slowly
	record_begin function
	movq	ftrace_state+STATE_FUNCTION(%rip), %r8
	movq	CASE_SET(%r8), %rcx		/* [buffer.set] */
	cmpl	CASE_USERS(%r8), %esi
	jne	hit_slowly
	record_ring hit_slowly
	record_end function, 24, copy_function, hit_slowly
	clc
	entry_return
	end_function ftrace_entry_function

	entry	ftrace_entry_graph
	record_begin graph
	movq	ftrace_state+STATE_GRAPH_SET(%rip), %rcx	/* [buffer.set] */
	record_ring hit_slowly
	movq	ftrace_this@gottpoff(%rip), %rdi
	leaq	PLACE, %rsi
	movq	%fs:THIS_TOP(%rdi), %r8
	cmpq	%rsi, %r8			/* live_above(); SHADOW_SLOWLY */
	jle	hit_slowly
	shadow_find hit_slowly
	movq	PLACE, %rax
	leaq	ftrace_graph_bodies(%rip), %rdx
	movq	%rax, %r10
	subq	%rdx, %rax
	cmpq	$GRAPH_BODIES_BYTES, %rax	/* a tail call? */
	jb	hit_slowly
	movq	SLOT, %rax
	movl	%fs:THIS_DEPTH(%rdi), %edx
	movl	SLOT_WORD-FSITE_SLOT_CALL(%rax), %eax
	movq	%r10, SHADOW_RET(%rsi)
	movq	%r8, SHADOW_ABOVE(%rsi)
	movl	%edx, SHADOW_DEPTH(%rsi)
	movl	%eax, SHADOW_WORD(%rsi)
	record_end graph, 20, copy_graph, hit_slowly, SHADOW_TIME(%rsi)
	/* Now it is followed: take_place(), set_top() */
	leaq	PLACE, %rcx
	movq	SLOT_BODY-FSITE_SLOT_CALL(%r8), %r8
	incl	%edx		/* in place: after a handler it would be twice */
	movq	%rcx, %fs:THIS_TOP(%rdi)
	addq	$GRAPH_BODY_RETURN, %r8
	movl	%edx, %fs:THIS_DEPTH(%rdi)
	movq	%r8, PLACE
	stc
	entry_return
	end_function ftrace_entry_graph

	entry	ftrace_entry
	jmp	hit_slowly
	abort_signature
hit_slowly:
	for_rest save
	movq	SLOT, %rdx
	movslq	3(%rdx), %rdi
	leaq	2(%rdx,%rdi), %rdi		/* the site */
	leaq	PLACE, %rsi
	movq	%rsp, %rcx
	call	ftrace_hit
	for_rest load
	addl	$-1, %eax			/* carry: it was not 0 */
	entry_return
	end_function ftrace_entry

/*
 * The graph tracer.  A body, one for each function, calls the function in the
 * place of its caller; so it has the function's return address on the stack,
 * and the CPU's prediction of returns stays in step:
 *
 *	0	call	*16(body)
 *	6	jmp	graph_return
 *	16	.quad	site + 5, site
 *
 * Bodies lie in a part of libulf without content in the file, and how to
 * unwind from there is the same for all of them: the original return address
 * is in the shadow (shadow.h), found by the stack's address.  Unwinders of
 * C++, gdb, perf, and of pthread_cancel() do that by themselves:
 *
 *	slot = CFA - 9;  page = *slot & -4096;  keys = page[0]
 *	nr = slot >> 12
 *	for (key = keys + hash(nr) * 8; *key != nr && *key; )
 *		key += 8
 *	return address = *(page[1] + ((key - keys) << 11) + ((slot & 0xff8) << 2))
 *
 * The CFA is odd: frames are told apart by it, and the one before and the one
 * behind have the even ones at both sides.
 */
	.macro	shadow_cfi
	.cfi_escape 0x16, 7, 2, 0x31, 0x1c		/* rsp: CFA - 1 */
	.cfi_escape 0x16, 16, 76			/* rip: */
	.cfi_escape 0x30,0x16				/* 0: libgcc picks no lowest */
	.cfi_escape 0x08,9,0x1c				/* slot */
	.cfi_escape 0x12,0x06,0x0b,0x00,0xf0,0x1a	/* slot page */
	.cfi_escape 0x12,0x06				/* slot page keys */
	.cfi_escape 0x15,2,0x08,12,0x25			/* slot page keys nr */
	.cfi_escape 0x12,0x0e,0x15,0x7c,0x4a,0x7f,0xb9,0x79,0x37,0x9e
	.cfi_escape 0x1e,0x08,48,0x25,0x33,0x24
	.cfi_escape 0x15,2,0x22				/* slot page keys nr key */
	.cfi_escape 0x12,0x06,0x12,0x15,3,0x29		/* is it nr, */
	.cfi_escape 0x16,0x30,0x29,0x21			/* or 0? */
	.cfi_escape 0x28,5,0,0x23,8,0x2f,0xee,0xff	/* no: the next */
	.cfi_escape 0x16,0x13,0x16,0x1c			/* slot page key-keys */
	.cfi_escape 0x08,11,0x24,0x16,0x23,8,0x06,0x22	/* slot shadow */
	.cfi_escape 0x16,0x0a,0xf8,0x0f,0x1a,0x32,0x24,0x22,0x06
	.endm

	.section .bodies, "ax", @nobits
	.balign	4096
	.globl	ftrace_graph_bodies
	.hidden	ftrace_graph_bodies
	.type	ftrace_graph_bodies, @function
ftrace_graph_bodies:
	.cfi_startproc
	.cfi_def_cfa rsp, 1
	shadow_cfi
	.skip	GRAPH_BODIES_BYTES
	.cfi_endproc
	.size	ftrace_graph_bodies, GRAPH_BODIES_BYTES

	/* A function has returned to its body. */
	.text
	.balign	64
	.globl	ftrace_graph_return
	.hidden	ftrace_graph_return
	.type	ftrace_graph_return, @function
ftrace_graph_return:
	.cfi_startproc
	.cfi_def_cfa rsp, 1
	shadow_cfi
	subq	$PLACE_FRAME+8, %rsp		/* what is there stays */
	.cfi_adjust_cfa_offset PLACE_FRAME+8
	for_scratch save
	record_begin left
	movq	ftrace_state+STATE_GRAPH_SET(%rip), %rcx	/* [buffer.set] */
	record_ring left_slowly
	movq	ftrace_this@gottpoff(%rip), %rdi
	leaq	PLACE, %rsi
	cmpq	%fs:THIS_TOP(%rdi), %rsi	/* without SHADOW_SLOWLY */
	jne	left_slowly
	shadow_find left_slowly
	/* Coroutines may have left there what is not so any more. */
	cmpb	$FTRACE_GRAPH_BIT >> 24, SHADOW_WORD+3(%rsi)
	movq	SHADOW_ABOVE(%rsi), %rdx
	movl	SHADOW_DEPTH(%rsi), %eax
	jne	left_slowly
	movq	%rdx, %fs:THIS_TOP(%rdi)
	movl	%eax, %fs:THIS_DEPTH(%rdi)
	record_end left, 48, copy_exit, left_slowly, at=44
	movq	SHADOW_RET(%rsi), %rax
	.cfi_remember_state
left_done:
	movq	%rax, PLACE
	.cfi_restore rsp
	.cfi_offset rip, -8
	.cfi_def_cfa rsp, PLACE_FRAME + 8
	for_scratch load
	leaq	PLACE_FRAME(%rsp), %rsp
	.cfi_def_cfa rsp, 8
	ret
	abort_signature
left_slowly:
	.cfi_restore_state
	for_rest save
	leaq	PLACE, %rdi
	movq	REGS_RAX(%rsp), %rsi		/* what it returns */
	call	ftrace_graph_left
	for_rest load
	jmp	left_done
	end_function ftrace_graph_return

/*
 * What code that was compiled with -pg -mfentry calls, until fcall.c has changed it;
 * for libc it would be a profile.
 */
	.globl	__fentry__
	.type	__fentry__, @function
	function ftrace_fentry
__fentry__:
	ret
	end_function ftrace_fentry
	.size	__fentry__, . - __fentry__

/*
 * ftrace_call_slowly(fn, a, b, c): call C that may use any register, and
 * keep the vectors, of which our caller knows nothing.
 *		       rdi rsi rdx rcx
 */
	function ftrace_call_slowly
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq	%rbx
	.cfi_offset rbx, -24
	movl	ftrace_vectors+8(%rip), %eax	/* bytes */
	subq	%rax, %rsp
	andq	$-64, %rsp
	movq	%rsp, %rbx
	movq	%rdi, %r11
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %r10
	xorl	%eax, %eax
	movl	$8, %ecx			/* the header: to be zero */
1:
	movq	%rax, 504(%rbx,%rcx,8)
	subl	$1, %ecx
	jnz	1b
	movl	ftrace_vectors(%rip), %eax	/* which parts */
	movl	ftrace_vectors+4(%rip), %edx
	xsave64	(%rbx)
	movq	%r10, %rdx
	call	*%r11
	movq	%rax, %r10
	movl	ftrace_vectors(%rip), %eax
	movl	ftrace_vectors+4(%rip), %edx
	xrstor64 (%rbx)
	movq	%r10, %rax
	movq	-8(%rbp), %rbx
	.cfi_restore rbx
	leave
	.cfi_def_cfa rsp, 8
	ret
	end_function ftrace_call_slowly

/*
 * arch_words_append(buffer, entry, bytes, time): a record from memory, of 8
 * bytes at least.
 *		     rdi     rsi    edx    rcx
 * *@time, which may be a part of it, becomes its time before that.
 */
	.macro	copy_words
	movq	-8(%rsi,%r9), %rax
	movq	%rax, -4(%rdx,%r9)
	xorl	%r11d, %r11d
2:
	movq	(%rsi,%r11), %rax
	movq	%rax, 4(%rdx,%r11)
	addl	$8, %r11d
	leal	8(%r11), %eax
	cmpl	%r9d, %eax
	jbe	2b
	jmp	4f
	.endm

	function arch_words_append
	movl	%edx, %r9d
	movq	%rdi, %r8
	movq	%rcx, %rdi
	record_begin words
	movq	BUFFER_SET(%r8), %rcx		/* [buffer.set], [grace.rseq] */
	record_ring words_slowly
	append_body own, words_slowly, event_header, copy_words, (%rdi)
	append_commit
words_end:
	movl	$1, %eax
	ret
	abort_signature
words_slowly:
	xorl	%eax, %eax
	ret
	end_function arch_words_append
	section_descriptor words_section, words_begin, words_end, words_slowly

	.section .note.GNU-stack, "", @progbits
