/* SPDX-License-Identifier: MIT */
/* Numbers that C and assembly of this directory share.  Offsets of members are
 * generated, and are in offsets.h. */
#ifndef ULF_ARCH_KNOWN_H
#define ULF_ARCH_KNOWN_H

#include "arch/x86_64/rseq_signature.h"

#define UNKNOWN			0x40000000	/* placeholder for numbers in
						 * instructions that are patched at
						 * run time (record.h) */
#define KNOWN_THIS		0		/* KNOWN_...: indices of the values that
						 * replace UNKNOWN in instructions
						 * (fhooks.c) */
#define KNOWN_RSEQ		1
#define KNOWN_BODIES		2

#endif
