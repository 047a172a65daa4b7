/* SPDX-License-Identifier: MIT */
/*
 * Function tracing: what the slots of fsite.c call, and what functions return
 * to while the graph tracer follows them.  docs/design/functions.md.
 */
#include "append.h"
#include "ftrace.h"

	.macro	push_scratch
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	.endm

	/* Flags are kept. */
	.macro	pop_scratch
	popq	%r11
	.cfi_adjust_cfa_offset -8
	popq	%r10
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	.endm
#define SCRATCH		72		/* bytes of them */

/*
 * ftrace_trampoline: called by a slot, at the entry of a function.  On the
 * stack: behind the slot's call, then the function's return address.  Every
 * register is kept: a caller that knows the function (gcc's -fipa-ra) relies
 * on more than the ABI says.  Returns with the carry set if the slot is to go
 * on by way of its body.
 *
 * For unwinders the slot is not there: the function's caller called us.
 */
	function ftrace_trampoline
	.cfi_def_cfa_offset 16
	push_scratch
	movq	SCRATCH(%rsp), %rdx		/* the slot, + 6 */
	movslq	3(%rdx), %rdi
	leaq	2(%rdx,%rdi), %rdi		/* the site */
	leaq	SCRATCH+8(%rsp), %rsi		/* the return address's place */
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	ftrace_hit
	leaq	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	addl	$-1, %eax			/* carry: it was not 0 */
	pop_scratch
	ret
	end_function ftrace_trampoline

/*
 * The graph tracer.  A body, one for each function, calls the function in the
 * place of its caller; so it has the function's return address on the stack,
 * and the CPU's prediction of returns stays in step:
 *
 *	0	call	*16(body)
 *	6	jmp	graph_return
 *	16	.quad	site + 5
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
	subq	$8, %rsp			/* what is there stays */
	.cfi_adjust_cfa_offset 8
	push_scratch
	movq	SCRATCH(%rsp), %rdi		/* the body, + 6 */
	leaq	SCRATCH(%rsp), %rsi
	movq	SCRATCH-8(%rsp), %rdx		/* rax: what it returns */
	call	ftrace_graph_left
	movq	%rax, SCRATCH(%rsp)
	.cfi_restore rsp
	.cfi_offset rip, -8
	.cfi_def_cfa rsp, SCRATCH + 8
	pop_scratch
	ret
	end_function ftrace_graph_return

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
 * Records of function tracers, as ulf_event_commit() writes its own, but with
 * general registers alone and from the registers they are in:
 *
 *	arch_function_append(set, ip,   parent,        head)
 *	arch_graph_append   (set, func, &shadow->time, head, depth)
 *	arch_exit_append    (set, func, value,         head, shadow)
 *			     rdi  rsi   rdx	       rcx   r8
 *
 * @set: where the pointer to it is, loaded inside of the section [grace.rseq].
 * What append_body needs the registers for is in the red zone.  Whatever does
 * not go straight is left to the \slowly function, with the same arguments;
 * so nothing may be changed but the ring before the commit.
 */
#define SAVED_SET	-8(%rsp)
#define SAVED_RDX	-16(%rsp)
#define SAVED_HEAD	-24(%rsp)
#define SAVED_R8	-32(%rsp)

	.macro	append_words name, bytes, copy, done, slowly
	function \name
	movq	arch_rseq_offset(%rip), %r11
	movq	%rdi, SAVED_SET
	movq	%rdx, SAVED_RDX
	movq	%rcx, SAVED_HEAD
	movq	%r8, SAVED_R8
	movl	$\bytes, %r9d
	arm	\name\()_section
\name\()_begin:
	movq	(%rdi), %rcx			/* [buffer.set] */
	cmpl	SET_SMALL_MAX(%rcx), %r9d
	ja	\name\()_slowly
	movl	%fs:RSEQ_CPU_ID(%r11), %eax
	cmpl	SET_NR_CPUS(%rcx), %eax
	jae	\name\()_slowly
	movq	SET_FAST(%rcx,%rax,8), %rcx
	testq	%rcx, %rcx
	jz	\name\()_slowly
	append_body own, \name\()_slowly, event_header, \copy, %rdi
	append_commit
\name\()_end:
	\done
	ret
	.byte	0x0f, 0xb9, 0x3d
	.long	RSEQ_SIGNATURE
\name\()_slowly:
	movq	SAVED_SET, %rdi
	movq	SAVED_RDX, %rdx
	movq	SAVED_HEAD, %rcx
	movq	SAVED_R8, %r8
	jmp	\slowly
	end_function \name
	section_descriptor \name\()_section, \name\()_begin, \name\()_end, \name\()_slowly
	.endm

	/* rdx: the record; rdi: its time; rsi: the function */
	.macro	copy_head
	movq	SAVED_HEAD, %rax
	movq	%rsi, 12(%rdx)
	movq	%rax, 4(%rdx)
	.endm

	.macro	copy_function
	copy_head
	movq	SAVED_RDX, %rax
	movq	%rax, 20(%rdx)
	jmp	4f
	.endm

	.macro	copy_graph
	copy_head
	movl	SAVED_R8, %eax
	movl	%eax, 20(%rdx)
	jmp	4f
	.endm

	.macro	copy_exit
	copy_head
	movq	SAVED_RDX, %rax
	movq	SAVED_R8, %r11
	movq	%rax, 20(%rdx)
	movl	SHADOW_DEPTH(%r11), %eax
	movl	%eax, 28(%rdx)
	movl	ftrace_graph_lost(%rip), %eax
	movl	%eax, 32(%rdx)			/* the overrun */
	movq	SHADOW_TIME(%r11), %rax
	movq	%rdi, 44(%rdx)
	movq	%rax, 36(%rdx)
	jmp	4f
	.endm

	.macro	done_function			/* returns 0 */
	xorl	%eax, %eax
	.endm

	.macro	done_graph			/* keeps the time, returns 1 */
	movq	SAVED_RDX, %rdx
	movl	$1, %eax
	movq	%rdi, (%rdx)
	.endm

	.macro	done_exit			/* returns where to */
	movq	SAVED_R8, %rax
	movq	SHADOW_RET(%rax), %rax
	.endm

	append_words arch_function_append, 24, copy_function, done_function, ftrace_function_slowly
	append_words arch_graph_append, 20, copy_graph, done_graph, ftrace_graph_slowly
	append_words arch_exit_append, 48, copy_exit, done_exit, ftrace_exit_slowly

	.section .note.GNU-stack, "", @progbits
