/* SPDX-License-Identifier: MIT */
/* The parameters of functions from BTF; for elf_args.c alone. */
#ifndef ULF_SERVER_ELF_BTF_H
#define ULF_SERVER_ELF_BTF_H

#include "symbols/elf.h"
#include "symbols/elf_args.h"
#include "symbols/elf_impl.h"

/* NULL: there is none, or not enough memory, bytes or time left.  @symbols: all that
 * the program has. */
struct elf_btf *elf_btf_open(const struct elf_file *file,
			     const struct elf_symbols *symbols,
			     struct elf_deadline *deadline);
void elf_btf_close(struct elf_btf *btf);

/* Of the function with that symbol; to be freed, before elf_btf_close().  NULL: not
 * known, or there are different ones. */
struct elf_params *elf_btf_find(const struct elf_btf *btf, const char *name,
				struct elf_deadline *deadline);

#endif
