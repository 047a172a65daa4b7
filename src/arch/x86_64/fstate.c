/* SPDX-License-Identifier: MIT */
/*
 * State that the hooks of ftrace.S need: the address of the bodies, and the vector
 * registers of this CPU.  This file calls nothing, so a file that reads the state does not
 * depend on the hooks.
 */
#include <cpuid.h>
#include <stdbool.h>

#include "arch/arch.h"

uint8_t *ftrace_bodies = (uint8_t *)-(uint64_t)GRAPH_BODIES_BYTES;

/* ---- find the registers that ftrace_call_slowly() must save with xsave ---- */

struct ftrace_vectors ftrace_vectors;

#define XSAVE_LEGACY	576u		/* size of xsave's legacy area and header, bytes */
#define XSAVE_TILES	(3ull << 17)	/* State components of AMX tiles, which are
					 * not saved, because a called function need
					 * not preserve them. */

bool ftrace_vectors_init(void)
{
	uint32_t a, b, c, d, bytes = XSAVE_LEGACY;
	uint64_t parts;

	if (ftrace_vectors.bytes)
		return true;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return false;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	parts = ((uint64_t)d << 32 | a) & ~XSAVE_TILES;
	for (uint32_t i = 2; i < 63; i++) {
		if (!(parts >> i & 1))
			continue;
		__cpuid_count(0xd, i, a, b, c, d);
		if (a + b > bytes)
			bytes = a + b;
	}
	ftrace_vectors.parts = parts;
	ftrace_vectors.bytes = (bytes + 63) & ~63u;
	return true;
}
