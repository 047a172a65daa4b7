/* SPDX-License-Identifier: MIT */
/* Memory pages of the CPU.  Pages of rings (src/abi/ring.h) and blocks in a root
 * (ABI_PAGE_ALIGN) have other sizes and alignments. */
#ifndef ULF_ARCH_PAGE_H
#define ULF_ARCH_PAGE_H

#include <stdint.h>

#define ARCH_PAGE_SHIFT	12
#define ARCH_PAGE_BYTES	4096u

/* Returns the start of the memory page that contains @addr. */
static inline uint64_t arch_page_start(uint64_t addr)
{
	return addr & -(uint64_t)ARCH_PAGE_BYTES;
}

/* Returns the first boundary of a memory page that is not below @addr. */
static inline uint64_t arch_page_end(uint64_t addr)
{
	return arch_page_start(addr + ARCH_PAGE_BYTES - 1);
}

/* The number of bits of a user-space address.  No mapping can be at 1 << ARCH_USER_BITS or
 * above. */
#define ARCH_USER_BITS	47

#endif
