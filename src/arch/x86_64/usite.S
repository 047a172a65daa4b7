/* SPDX-License-Identifier: MIT */
/*
 * The hook of USDT probes (usite.c).  A probe is in the middle of a function, so every register
 * may be in use: general registers, flags, vectors, and the red zone, which the cell has skipped.
 *
 * The unwind table leads from the hook to the site itself, as if the NOP of the site were a
 * call: the next frame is at the instruction after the NOP.  In that frame the registers
 * have the program's values, and the tables of the function apply.
 */
#include "arch/x86_64/usite.h"

#define CFA	USITE_RED_ZONE + 8	/* distance from the stack pointer at usdt_entry() to that
					 * of the program */

	.macro	push_register reg
	pushq	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.endm

	.macro	pop_register reg
	popq	%\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore \reg
	.endm

	.text
	.globl	usdt_entry
	.hidden	usdt_entry
	.type	usdt_entry, @function
	.balign	16
usdt_entry:
	.cfi_startproc
	.cfi_def_cfa rsp, CFA
	/* Unwind rule, by DW_CFA_expression: rip is stored at *(CFA - 136) + USITE_CELL_NEXT -
	 * USITE_CELL_BACK: const1u 136, minus, deref, plus_uconst */
	.cfi_escape 0x10, 16, 6, 0x08, CFA, 0x1c, 0x06, 0x23, USITE_CELL_NEXT - USITE_CELL_BACK
	pushfq
	.cfi_adjust_cfa_offset 8
	push_register r15
	push_register r14
	push_register r13
	push_register r12
	push_register r11
	push_register r10
	push_register r9
	push_register r8
	push_register rdi
	push_register rsi
	push_register rbp
	pushq	%rsp				/* make space for the program's stack
						 * pointer */
	.cfi_adjust_cfa_offset 8
	push_register rbx
	push_register rdx
	push_register rcx
	push_register rax
	cld
	leaq	USITE_REGS_BYTES+CFA(%rsp), %rax
	movq	%rax, 32(%rsp)
	movq	USITE_REGS_BYTES(%rsp), %rdx	/* load the return address, which is
						 * in the cell */
	movq	USITE_CELL_DATA-USITE_CELL_BACK(%rdx), %rdx
	movq	%rsp, %rsi
	leaq	usdt_hit(%rip), %rdi
	call	ftrace_call_slowly
	pop_register rax
	pop_register rcx
	pop_register rdx
	pop_register rbx
	leaq	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	pop_register rbp
	pop_register rsi
	pop_register rdi
	pop_register r8
	pop_register r9
	pop_register r10
	pop_register r11
	pop_register r12
	pop_register r13
	pop_register r14
	pop_register r15
	popfq
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	usdt_entry, . - usdt_entry

	.section .note.GNU-stack, "", @progbits
