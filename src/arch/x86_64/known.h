/* SPDX-License-Identifier: MIT */
/* Numbers that C and assembly of this directory share; offsets of members are generated
 * (offsets.c). */
#ifndef ULF_ARCH_KNOWN_H
#define ULF_ARCH_KNOWN_H

#define UNKNOWN			0x40000000	/* placeholder in instructions, see
						 * record.h */
#define KNOWN_THIS		0		/* indices of the values that replace
						 * UNKNOWN (fhooks.c) */
#define KNOWN_RSEQ		1
#define KNOWN_BODIES		2

#define RSEQ_SIGNATURE		0x53053053	/* glibc registers rseq areas with this
						 * signature */

#endif
