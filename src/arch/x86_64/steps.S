/* SPDX-License-Identifier: MIT */
/*
 * Read and write the CPU's flags; see steps.c.  In C, the compiler's unwind table would be
 * wrong between the push and the pop.  A signal handler may unwind the stack there.
 */
#ifdef __CET__
#include <cet.h>
#endif

	.text
	.globl	arch_flags
	.hidden	arch_flags
	.type	arch_flags, @function
arch_flags:
	.cfi_startproc
	endbr64
	pushfq
	.cfi_adjust_cfa_offset 8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	arch_flags, . - arch_flags

	.globl	arch_set_flags
	.hidden	arch_set_flags
	.type	arch_set_flags, @function
arch_set_flags:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	popfq
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	arch_set_flags, . - arch_set_flags

	.section .note.GNU-stack, "", @progbits
