/* SPDX-License-Identifier: MIT */
/* Tables of USDT probes (abi/usdt.h): check a table, and parse the text of an argument. */
#ifndef ULF_ARCH_USDT_TABLE_H
#define ULF_ARCH_USDT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/usdt.h"

/* Returns true if the @bytes bytes at @table, which are aligned to 8 bytes, are a table for
 * which the accessors of abi/usdt.h may be used.  The memory must be private. */
bool usdt_check(const void *table, uint64_t bytes);

#define USDT_NOP	0x90		/* the byte at a site that is off, a NOP */

/*
 * Callback by which usdt_parse_arg() finds the address of a symbol.  find() returns false if
 * there is no symbol with this name.
 */
struct usdt_finder {
	bool (*find)(const struct usdt_finder *finder, const char *name, uint32_t len,
		     uint64_t *ret_vaddr);
};

/*
 * usdt_parse_arg - parse one argument of a probe, as an assembler prints operands
 * @text: the argument, @len bytes: N@OP or OP, for example -4@%eax, 8@-24(%rbp), 4@$5,
 *	8@name+4(%rip), 8@-8(%rax,%rbx,8).  N is the size, negative if the value is signed.
 * @finder: finds symbols; NULL: there are no symbols
 *
 * Fills *@ret.  Returns false if the argument cannot be understood; its kind is then
 * USDT_UNKNOWN.
 */
bool usdt_parse_arg(const char *text, uint32_t len, const struct usdt_finder *finder,
		    struct usdt_arg *ret);

/* Returns the next argument in the text *@at, in which arguments are separated by blanks
 * and a NUL is the end.  *@ret_len: length of the argument.  Returns NULL at the end of the
 * text. */
const char *usdt_next_arg(const char **at, uint32_t *ret_len);

#endif
