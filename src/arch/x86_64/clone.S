/* SPDX-License-Identifier: MIT */
/*
 * arch_clone_thread(flags, stack, tls, fn)
 *		     rdi    rsi    rdx  rcx
 * Start a thread of this process that libc does not know.  The thread runs fn() on @stack
 * with its thread pointer at @tls; fn must not return.  Returns the thread id, or -errno.
 */
#include "arch/x86_64/offsets.h"

	.text
	.globl	arch_clone_thread
	.hidden	arch_clone_thread
	.type	arch_clone_thread, @function
arch_clone_thread:
	.cfi_startproc
	movq	%rcx, %r9
	movq	%rdx, %r8
	xorl	%edx, %edx
	xorl	%r10d, %r10d
	movl	$NR_CLONE, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
1:
	.cfi_undefined rip		/* this is the outermost frame of the new
					 * thread, so it has no return address */
	xorl	%ebp, %ebp
	andq	$-16, %rsp
	call	*%r9
	hlt
	.cfi_endproc
	.size	arch_clone_thread, . - arch_clone_thread

/*
 * arch_call_on(stack, fn)
 *		rdi    rsi
 *
 * Call fn() in this thread, on another stack.
 */
	.globl	arch_call_on
	.hidden	arch_call_on
	.type	arch_call_on, @function
arch_call_on:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	movq	%rdi, %rsp
	call	*%rsi
	leave
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	ret
	.cfi_endproc
	.size	arch_call_on, . - arch_call_on

	.section .note.GNU-stack, "", @progbits
