/* SPDX-License-Identifier: MIT */
/* The assembly of trace headers for x86-64; see <ulf/arch/arch.h>. */
#ifndef ULF_ARCH_X86_64_H
#define ULF_ARCH_X86_64_H

/* nopl 0(%rax,%rax,1) */
#define __ULF_ARCH_SITE			".byte 0x0f, 0x1f, 0x44, 0x00, 0x00"
#define __ULF_ARCH_ADDRESS(label)	"leaq " label "(%%rip), %0"
#define __ULF_ARCH_LOAD(label)		"movq " label "(%%rip), %0"
#define __ULF_ARCH_LOAD_GOT(symbol)	"movq " symbol "@GOTPCREL(%%rip), %0"

#define __ULF_ARCH_PAGE_SHIFT		12

#endif
