/* SPDX-License-Identifier: MIT */
/* Put USDT probes into a program, as <sys/sdt.h> of SystemTap does. */
#ifndef PROBE_H
#define PROBE_H

/* The section whose address a note has, to find out whether the file was moved. */
__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n");

/*
 * A NOP, and a note for it.  @semaphore: an address, or 0; @args: text, with operands.
 *
 * A jump at the probe leads where the four bytes after the NOP say.  So that this does not depend
 * on chance, they are the start of a nopl whose bytes lead 528 MB below the program, where nothing
 * is.  A test may choose other instructions (PROBE_AFTER).
 */
#ifndef PROBE_AFTER
#define PROBE_AFTER	".byte 0x0f, 0x1f, 0x80, 0xe0, 0, 0, 0\n"
#endif

#define PROBE_NOTE(provider, name, semaphore, args)				\
	"990:	nop\n"								\
	PROBE_AFTER								\
	".pushsection .note.stapsdt,\"\",\"note\"\n"				\
	".balign 4\n"								\
	".long 992f - 991f, 994f - 993f, 3\n"					\
	"991:	.asciz \"stapsdt\"\n"						\
	"992:	.balign 4\n"							\
	"993:	.quad 990b\n"							\
	".quad _.stapsdt.base\n"						\
	".quad " semaphore "\n"							\
	".asciz \"" provider "\"\n"						\
	".asciz \"" name "\"\n"							\
	".asciz \"" args "\"\n"							\
	"994:	.balign 4\n"							\
	".popsection\n"

#define PROBE0(provider, name)							\
	__asm__ volatile(PROBE_NOTE(provider, name, "0", ""))
#define PROBE1(provider, name, size, a)						\
	__asm__ volatile(PROBE_NOTE(provider, name, "0", size "@%0") : : "nor"(a))
#define PROBE2(provider, name, size, a, size2, b)				\
	__asm__ volatile(PROBE_NOTE(provider, name, "0", size "@%0 " size2 "@%1") \
			 : : "nor"(a), "nor"(b))
/* A probe with a semaphore: a uint16_t variable that has the name @semaphore. */
#define PROBE_IF(provider, name, semaphore, size, a)				\
	do {									\
		extern volatile unsigned short semaphore;			\
										\
		if (semaphore)							\
			__asm__ volatile(PROBE_NOTE(provider, name, #semaphore,	\
						    size "@%0") : : "nor"(a));	\
	} while (0)
#define SEMAPHORE(name)								\
	volatile unsigned short name __attribute__((section(".probes"), used))

#endif
