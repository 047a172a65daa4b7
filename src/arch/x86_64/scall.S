/* SPDX-License-Identifier: MIT */
/*
 * The hooks around system calls (scall.h).  A cell jumps to them, with its return address in r11.
 * Each calls a C function which may change all registers that the ABI lets it change, but no
 * vector registers.
 *
 * Unwinders see a function that the cell has called: its return address is in r11 first,
 * and then on the stack.  The CFA of the hook's frame is rsp of the cell, so no frame lies
 * in the red zone.
 */
#include "arch/x86_64/scall.h"

#define RED_ZONE	128

	.text

	.macro	push_word register
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endm

	.macro	pop_word register
	popq	\register
	.cfi_adjust_cfa_offset -8
	.endm

	.macro	hook name
	.balign	64
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.cfi_def_cfa rsp, 0
	.cfi_register rip, r11
	leaq	-RED_ZONE(%rsp), %rsp
	.cfi_adjust_cfa_offset RED_ZONE
	push_word %r11
	.cfi_offset rip, -RED_ZONE - 8
	.endm

	/* Push the flags: lahf stores all flags but the overflow flag in ah. */
	.macro	push_flags
	lahf
	seto	%al
	push_word %rax
	.endm

	/* Restore the flags.  The addition sets the overflow flag, because 1 + 127
	 * overflows and 0 + 127 does not; sahf leaves the overflow flag as it is and sets
	 * the others. */
	.macro	pop_flags
	pop_word %rax
	addb	$127, %al
	sahf
	.endm

	/* Call the C function at \function in scall_handlers, with an aligned stack.  \pushed:
	 * number of words that were pushed. */
	.macro	call_aligned function, pushed
	push_word %rbp
	.cfi_offset rbp, -RED_ZONE - 8 * \pushed - 8
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	call	*(scall_handlers + \function)(%rip)
	movq	%rbp, %rsp
	.cfi_def_cfa_register rsp
	pop_word %rbp
	.cfi_restore rbp
	.endm

	.macro	end_hook name
	pop_word %r11
	.cfi_register rip, r11
	leaq	RED_ZONE(%rsp), %rsp
	.cfi_adjust_cfa_offset -RED_ZONE
	jmp	*%r11
	.cfi_endproc
	.size	\name, . - \name
	.endm

	/* The hook before a system call, whose number is in eax.  The six arguments are
	 * pushed so that they are an array. */
	hook	scall_enter_hook
	push_word %rax
	movl	%eax, %ecx
	push_flags
	push_word %r9
	push_word %r8
	push_word %r10
	push_word %rdx
	push_word %rsi
	push_word %rdi
	movl	%ecx, %esi
	movq	%rsp, %rdi
	call_aligned SCALL_ENTER, 9
	pop_word %rdi
	pop_word %rsi
	pop_word %rdx
	pop_word %r10
	pop_word %r8
	pop_word %r9
	pop_flags
	pop_word %rax
	end_hook scall_enter_hook

	/* The hook after a system call, whose result is in rax.  The cell begins with the
	 * jump to this hook, and contains the number of the call. */
	hook	scall_exit_hook
	push_word %rax
	movq	%rax, %rcx
	push_flags
	push_word %r9
	push_word %r8
	push_word %r10
	push_word %rdx
	push_word %rsi
	push_word %rdi
	movl	SCALL_NR-SCALL_CALL_BYTES(%r11), %edi
	movq	%rcx, %rsi
	call_aligned SCALL_EXIT, 9
	pop_word %rdi
	pop_word %rsi
	pop_word %rdx
	pop_word %r10
	pop_word %r8
	pop_word %r9
	pop_flags
	pop_word %rax
	end_hook scall_exit_hook

	.section .note.GNU-stack, "", @progbits
