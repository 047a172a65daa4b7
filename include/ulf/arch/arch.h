/* SPDX-License-Identifier: MIT */
/*
 * The assembly that the macros of trace headers need.  Each CPU architecture has a file
 * next to this one, which defines:
 *
 * __ULF_ARCH_SITE		the instruction of a tracepoint that is off.  libulf
 *				replaces it in running code (src/arch/arch.h)
 * __ULF_ARCH_ADDRESS(label)	load the address of @label to operand %0
 * __ULF_ARCH_LOAD(label)	load the word at @label to operand %0
 * __ULF_ARCH_LOAD_GOT(symbol)	load the address of @symbol from the GOT to operand %0
 * __ULF_ARCH_PAGE_SHIFT	the kernel's PAGE_SHIFT, for expressions of trace headers
 *
 * Labels and symbols are strings; a label is in the same object file.
 */
#ifndef ULF_ARCH_ARCH_PUBLIC_H
#define ULF_ARCH_ARCH_PUBLIC_H

#if defined(__x86_64__)
#include <ulf/arch/x86_64.h>
#else
#error "ulf: this CPU architecture is not supported; only x86-64 is so far"
#endif

#endif
