/* SPDX-License-Identifier: MIT */
/* The registers that are needed to unwind a stack, by their DWARF numbers. */
#ifndef ULF_ARCH_UNWIND_H
#define ULF_ARCH_UNWIND_H

#include <stdint.h>

enum {
	ARCH_UNWIND_FRAME	= 6,	/* rbp */
	ARCH_UNWIND_SP		= 7,	/* rsp */
	ARCH_UNWIND_PC		= 16,	/* the return address, for which DWARF has a
					 * register number of its own */
	ARCH_UNWIND_REGS	= 17,
};

/* Number of bytes that a call pushes.  When a function begins, the CFA is the stack pointer
 * + this number, and the return address is at CFA - this number. */
#define ARCH_CALL_BYTES	8

#define ARCH_NO_ARG	UINT32_MAX
/* Returns the number of the argument that the register with the DWARF number @reg holds when a
 * function begins: rdi 0, rsi 1, rdx 2, rcx 3, r8 4, r9 5.  Returns ARCH_NO_ARG for other
 * registers. */
static inline uint32_t arch_arg_of(uint32_t reg)
{
	/* For each register, 1 + the number of its argument; 0: the register
	 * holds no argument.  The subtraction of 1 below turns 0 into
	 * ARCH_NO_ARG. */
	static const uint8_t args[] = { [5] = 1, [4] = 2, [1] = 3, [2] = 4,
					[8] = 5, [9] = 6 };

	return reg < sizeof(args) ? args[reg] - 1u : ARCH_NO_ARG;
}

/* Store the current values of the callee-saved registers, of the stack pointer and of the
 * program counter in @regs.  All other elements of @regs become 0. */
static inline __attribute__((always_inline)) void
arch_unwind_here(uint64_t regs[ARCH_UNWIND_REGS])
{
	for (int i = 0; i < ARCH_UNWIND_REGS; i++)
		regs[i] = 0;
	__asm__ volatile("movq	%%rbx, 3*8(%0)\n\t"
			 "movq	%%rbp, 6*8(%0)\n\t"
			 "movq	%%rsp, 7*8(%0)\n\t"
			 "movq	%%r12, 12*8(%0)\n\t"
			 "movq	%%r13, 13*8(%0)\n\t"
			 "movq	%%r14, 14*8(%0)\n\t"
			 "movq	%%r15, 15*8(%0)\n\t"
			 "leaq	0(%%rip), %%rcx\n\t"
			 "movq	%%rcx, 16*8(%0)"
			 : : "a"(regs) : "rcx", "memory");
}

/* Returns the thread pointer, which in a thread of pthread_create() is at the upper end of
 * the stack. */
static inline uint64_t arch_thread_pointer(void)
{
	uint64_t tp;

	__asm__ ("movq %%fs:0, %0" : "=r"(tp));
	return tp;
}

#endif
