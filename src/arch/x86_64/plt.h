/* SPDX-License-Identifier: MIT */
/* Entries of procedure linkage tables. */
#ifndef ULF_ARCH_X86_64_PLT_H
#define ULF_ARCH_X86_64_PLT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns true if the function @code is an entry of a PLT: a jump through memory, possibly after
 * endbr64 and with the prefix bnd.  @code: code that is mapped. */
static inline bool arch_is_plt_entry(const uint8_t *code)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (!memcmp(code, endbr64, sizeof(endbr64)))
		code += sizeof(endbr64);
	if (*code == 0xf2)
		code++;
	return code[0] == 0xff && code[1] == 0x25;
}

#endif
