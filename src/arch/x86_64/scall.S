/* SPDX-License-Identifier: MIT */
/*
 * The hooks around system calls (scall.h).  A cell jumps to them, with its return address in r11.
 * Each makes the record of the call on the stack, and has arch_event_append() write it for the
 * events that are on.  Where this fails, scall_slowly() does all the work.  No code here changes a
 * vector register.
 *
 * Unwinders see a function that the instruction of the call has called: its CFA is rsp at that
 * instruction, so no frame lies in the red zone, and its return address is the one after the
 * instruction.  There the registers have the program's values, and the tables of the function
 * apply.  The cell has the distance to that address: for
 *
 *	back = return address in the cell, cell = back & -FCODE_CELL_BYTES
 *
 * it is the upper half of the word at cell + SCALL_NR.
 */
#include "arch/x86_64/fcode.h"
#include "arch/x86_64/scall.h"

/* The frame of a hook, from low to high addresses. */
#define RECORD		0		/* struct scall_record */
#define STEPS		64		/* address of the struct scall_steps of this call */
#define FLAGS		72
#define RAX		80		/* scall_enter_hook */
#define R10		80		/* scall_exit_hook */
#define BACK		88
#define RED_ZONE	128
#define FRAME		224		/* 96 + RED_ZONE */

#define STEP_BYTES	8		/* offsets in struct scall_steps */
#define NAMED		16

	.text

	/*
	 * Operations of a DWARF expression.  On the DWARF stack they replace `back', the
	 * address in a cell to which the hook returns, by the address at which the program
	 * continues after the cell.
	 */
#define FIND_NEXT							\
	0x09, -FCODE_CELL_BYTES & 0xff, 0x1a,	/* const1s, and: cell */	\
	0x12, 0x23, SCALL_NR, 0x06,		/* dup, plus_uconst, deref */	\
	0x08, 32, 0x26, 0x22			/* const1u 32, shra, plus */

	/*
	 * Unwind rule: rip is what FIND_NEXT computes from r11.  DW_CFA_val_expression (0x16),
	 * DW_OP_breg11 (0x7b).
	 */
	.macro	back_is_in_r11
	.cfi_escape 0x16, 16, 13, 0x7b, 0, FIND_NEXT
	.endm

	/*
	 * Unwind rule: rip is what FIND_NEXT computes from the word BACK of the frame: const1u,
	 * minus, deref.
	 */
	.macro	back_is_in_frame
	.cfi_escape 0x16, 16, 15, 0x08, FRAME - BACK, 0x1c, 0x06, FIND_NEXT
	.endm

	/* Begin a hook: allocate the frame, and save the flags.  lahf stores all flags but
	 * the overflow flag in ah.  \saved, \reg: where to save which register before that. */
	.macro	hook name, saved, reg
	.balign	64
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.cfi_def_cfa rsp, 0
	back_is_in_r11
	leaq	-FRAME(%rsp), %rsp
	.cfi_adjust_cfa_offset FRAME
	movq	%r11, BACK(%rsp)
	back_is_in_frame
	movq	\reg, \saved(%rsp)
	.endm

	.macro	save_flags
	lahf
	seto	%al
	movq	%rax, FLAGS(%rsp)
	.endm

	/*
	 * Write the record of the step at offset \at in struct scall_steps, if the step's event
	 * is on.  In: rcx = address of the struct scall_steps.
	 */
	.macro	take_step at
	movq	\at(%rcx), %rdi
	testq	%rdi, %rdi
	jz	2f
	movl	\at+STEP_BYTES(%rcx), %edx
	movq	%rsp, %rsi
	call	arch_event_append
	testl	%eax, %eax
	jnz	1f
	call	scall_call_slowly
1:
	movq	STEPS(%rsp), %rcx
2:
	.endm

	/*
	 * Write the records of both steps of a system call: of the raw event, and of the
	 * event of this call.  In: rcx = number of the system call.
	 */
	.macro	take_steps all
	leaq	\all(%rip), %rax
	movl	$SCALL_NUMBERS, %edx
	cmpq	%rdx, %rcx			/* compare as unsigned numbers, so
						 * that a negative number counts as
						 * large */
	cmovaeq	%rdx, %rcx
	shlq	$5, %rcx
	addq	%rax, %rcx
	movq	%rcx, STEPS(%rsp)
	take_step 0
	take_step NAMED
	.endm

	/* Restore the CPU's flags, and jump back to the cell.  The addition sets the overflow
	 * flag, because 1 + 127 overflows and 0 + 127 does not; sahf leaves the overflow flag
	 * as it is and sets the others. */
	.macro	end_hook name, saved, reg
	movq	FLAGS(%rsp), %rax
	addb	$127, %al
	sahf
	movq	\saved(%rsp), \reg
	movq	BACK(%rsp), %r11
	back_is_in_r11
	leaq	FRAME(%rsp), %rsp
	.cfi_adjust_cfa_offset -FRAME
	jmp	*%r11
	.cfi_endproc
	.size	\name, . - \name
	.endm

	/* The hook before a system call, whose number is in eax. */
	hook	scall_enter_hook, RAX, %rax
	movslq	%eax, %rcx
	save_flags
	movq	%rcx, RECORD+8(%rsp)
	movq	%rdi, RECORD+16(%rsp)
	movq	%rsi, RECORD+24(%rsp)
	movq	%rdx, RECORD+32(%rsp)
	movq	%r10, RECORD+40(%rsp)
	movq	%r8, RECORD+48(%rsp)
	movq	%r9, RECORD+56(%rsp)
	take_steps scall_enter_steps
	movq	RECORD+16(%rsp), %rdi
	movq	RECORD+24(%rsp), %rsi
	movq	RECORD+32(%rsp), %rdx
	movq	RECORD+40(%rsp), %r10
	movq	RECORD+48(%rsp), %r8
	movq	RECORD+56(%rsp), %r9
	end_hook scall_enter_hook, RAX, %rax

	/* The hook after a system call, whose result is in rax.  The cell begins with the
	 * jump to this hook, and contains the number of the call. */
	hook	scall_exit_hook, RECORD+16, %rax
	movslq	SCALL_NR-SCALL_CALL_BYTES(%r11), %rcx
	save_flags
	movq	%rcx, RECORD+8(%rsp)
	movq	%rdi, RECORD+24(%rsp)
	movq	%rsi, RECORD+32(%rsp)
	movq	%rdx, RECORD+40(%rsp)
	movq	%r8, RECORD+48(%rsp)
	movq	%r9, RECORD+56(%rsp)
	movq	%r10, R10(%rsp)
	take_steps scall_exit_steps
	movq	RECORD+24(%rsp), %rdi
	movq	RECORD+32(%rsp), %rsi
	movq	RECORD+40(%rsp), %rdx
	movq	RECORD+48(%rsp), %r8
	movq	RECORD+56(%rsp), %r9
	movq	R10(%rsp), %r10
	end_hook scall_exit_hook, RECORD+16, %rax

	/* Call scall_slowly() with an aligned stack, and with the arguments that
	 * arch_event_append() has got.  The step must not be read again: the agent may have
	 * switched its event off. */
	.balign	16
	.type	scall_call_slowly, @function
scall_call_slowly:
	.cfi_startproc
	movl	%r9d, %edx
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	call	*scall_slowly(%rip)
	leave
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	scall_call_slowly, . - scall_call_slowly

	.section .note.GNU-stack, "", @progbits
