/* SPDX-License-Identifier: MIT */
/* A library with one function, whose first bytes lead a jump far below the library. */
__asm__(".text\n\t.p2align 4\n\t.globl live_plugin\n\t.type live_plugin,@function\nlive_plugin:\n\t"
	".cfi_startproc\n\tmovl $0xa0000007,%eax\n\tsubl $0xa0000000,%eax\n\t"
	"leaq (%rdi,%rdi,2),%rdx\n\taddq %rdx,%rax\n\tret\n\t.cfi_endproc\n\t"
	".size live_plugin,.-live_plugin");
