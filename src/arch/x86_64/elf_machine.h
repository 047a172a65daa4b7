/* SPDX-License-Identifier: MIT */
/* ELF files for this CPU: their machine, relocation types and PLT entries. */
#ifndef ULF_ARCH_ELF_MACHINE_H
#define ULF_ARCH_ELF_MACHINE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ARCH_ELF_MACHINE	EM_X86_64
#define ARCH_ELF_MACHINE_NAME	"64-bit x86"	/* name of the CPU in messages */
/* path of the dynamic linker of glibc */
#define ARCH_LINKER	"/lib64/ld-linux-x86-64.so.2"

/* Types of relocations.  RELATIVE: the linker stores the load address + addend in the
 * word.  GLOB_DAT and JUMP_SLOT: it stores the address of a symbol, for data or for
 * calls. */
#define ARCH_RELOC_RELATIVE	R_X86_64_RELATIVE
#define ARCH_RELOC_GLOB_DAT	R_X86_64_GLOB_DAT
#define ARCH_RELOC_JUMP_SLOT	R_X86_64_JUMP_SLOT

/* The instruction endbr64.  With branch protection a function that is the target of an
 * indirect jump begins with this instruction. */
#define ARCH_LANDING_PAD	"\xf3\x0f\x1e\xfa"
#define ARCH_LANDING_PAD_BYTES	4u

/* Returns true if a thread that enters at @code reaches @site without any effect.
 * Between the two there may be one endbr64 and NOPs of one byte. */
static inline bool arch_leads_to(const uint8_t *code, const uint8_t *site)
{
	if (site - code >= (int)ARCH_LANDING_PAD_BYTES &&
	    !memcmp(code, ARCH_LANDING_PAD, ARCH_LANDING_PAD_BYTES))
		code += ARCH_LANDING_PAD_BYTES;
	while (code < site && *code == 0x90)
		code++;
	return code == site;
}

#define ARCH_PLT_BYTES	11u		/* arch_plt_word() reads at most this many bytes
					 * of a PLT entry */

/*
 * arch_plt_word - find the word through which a PLT entry jumps.
 * @code: the first @bytes bytes of the entry, which is at address @addr:
 *	[endbr64]  [bnd] jmp *word(%rip)
 * Returns the address of the word, or 0 if @code is not a PLT entry.
 */
static inline uint64_t arch_plt_word(const uint8_t *code, uint64_t bytes, uint64_t addr)
{
	uint64_t at = 0;
	int32_t distance;

	if (bytes >= ARCH_LANDING_PAD_BYTES &&
	    !memcmp(code, ARCH_LANDING_PAD, ARCH_LANDING_PAD_BYTES))
		at += ARCH_LANDING_PAD_BYTES;
	if (at < bytes && code[at] == 0xf2)
		at++;
	if (bytes < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	memcpy(&distance, code + at + 2, sizeof(distance));
	return addr + at + 6 + (uint64_t)(int64_t)distance;
}

#endif
