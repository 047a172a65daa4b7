/* SPDX-License-Identifier: MIT */
/* Choose the code in commit.S that loads the key of a histogram. */
#include <cpuid.h>

#include "arch/arch.h"

#define HIDDEN	__attribute__((visibility("hidden")))

extern const char hist_load_u8[] HIDDEN, hist_load_u16[] HIDDEN, hist_load_u32[] HIDDEN,
	hist_load_s8[] HIDDEN, hist_load_s16[] HIDDEN, hist_load_s32[] HIDDEN,
	hist_load_u64[] HIDDEN, hist_load_name[] HIDDEN,
	hist_change_none[] HIDDEN, hist_change_log2[] HIDDEN, hist_change_log2_bsr[] HIDDEN,
	hist_change_sublog2[] HIDDEN;

const void *arch_hist_load(uint32_t bytes, bool is_signed)
{
	switch (bytes) {
	case 1:
		return is_signed ? hist_load_s8 : hist_load_u8;
	case 2:
		return is_signed ? hist_load_s16 : hist_load_u16;
	case 4:
		return is_signed ? hist_load_s32 : hist_load_u32;
	default:
		return hist_load_u64;
	}
}

/* Returns true if the CPU has the instruction lzcnt. */
static bool has_lzcnt(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & bit_LZCNT;
}

const void *arch_hist_change(enum arch_hist_change change)
{
	switch (change) {
	case ARCH_HIST_LOG2:
		return has_lzcnt() ? hist_change_log2 : hist_change_log2_bsr;
	case ARCH_HIST_SUBLOG2:
		return hist_change_sublog2;
	default:
		return hist_change_none;
	}
}

const void *arch_hist_load_string(uint32_t bytes, uint32_t words)
{
	return bytes == 16 && words == 2 ? hist_load_name : NULL;
}
