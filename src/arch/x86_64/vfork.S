/* SPDX-License-Identifier: MIT */
/*
 * libulf.so's own vfork().  src/runtime/libc/vfork.c explains why libulf has one, and
 * contains vfork_begin() and vfork_end().
 *
 *	if vfork_next: it is called instead of this function
 *	before = vfork_begin(), top = ftrace_this.top
 *	child:	if VFORK_KEPT in before: set its CPU number to -1
 *		back to the caller
 *	parent:	return vfork_end(the child's pid, or -errno, before, top)
 *
 * The child runs on the stack of its parent and overwrites the memory below the caller's
 * frame.  So this function keeps its values in registers, because each process has a
 * private copy of the registers.  The child jumps back to the caller and does not use a
 * return instruction: that would also take the address off the hardware shadow stack,
 * which both processes share.
 */
#include "arch/x86_64/offsets.h"

	.text
	.globl	vfork, __vfork, vfork_here
	.hidden	vfork_here			/* a second name for this function; it
						 * stays valid even if the linker binds
						 * vfork to another function */
	.type	vfork, @function
	.type	__vfork, @function
vfork:
__vfork:
vfork_here:
	.cfi_startproc
	movq	vfork_next(%rip), %rax
	testq	%rax, %rax
	jz	1f
	jmp	*%rax
1:
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	vfork_begin			/* vfork_begin() returns the value
						 * `before` in rax and rdx */
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	movq	%rax, %rsi
	movq	ftrace_this@gottpoff(%rip), %rcx
	movq	%fs:THIS_TOP(%rcx), %r10
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdi
	movl	$NR_VFORK, %eax			/* the system call changes rax, rcx and
						 * r11 */
	syscall
	testl	%eax, %eax
	jz	2f
	pushq	%rdi
	.cfi_remember_state
	.cfi_adjust_cfa_offset 8
	.cfi_offset rip, -8
	movq	%rax, %rdi
	movq	%r10, %rcx
	jmp	vfork_end			/* the arguments are rdi = pid; rsi, rdx
						 * = before; rcx = top */
2:
	.cfi_restore_state
	testb	$VFORK_KEPT, %dl
	jz	3f
	movq	arch_rseq_offset(%rip), %rcx
	movl	$-1, %fs:RSEQ_CPU_ID(%rcx)
3:
	jmp	*%rdi
	.cfi_endproc
	.size	vfork, . - vfork
	.size	__vfork, . - __vfork

	.section .note.GNU-stack, "", @progbits
