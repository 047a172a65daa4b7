/* SPDX-License-Identifier: MIT */
/* Read the parameters of functions from BTF.  Only elf_args.c includes this header. */
#ifndef ULF_SERVER_ELF_BTF_H
#define ULF_SERVER_ELF_BTF_H

#include "symbols/elf.h"
#include "symbols/elf_args.h"
#include "symbols/elf_impl.h"

/*
 * Read the BTF of @file.  @symbols: all symbols of the program.  Returns NULL if there is
 * no usable BTF, no memory, not enough bytes_left, or the deadline has passed.
 */
struct elf_btf *elf_btf_open(const struct elf_file *file,
			     const struct elf_symbols *symbols,
			     struct elf_deadline *deadline);
/* Free @btf.  NULL is allowed. */
void elf_btf_close(struct elf_btf *btf);

/*
 * Return the parameters of the function whose symbol is @name.  The caller frees the
 * result before elf_btf_close().  Returns NULL if the function is unknown, or if
 * functions with different parameters have this name.
 */
struct elf_params *elf_btf_find(const struct elf_btf *btf, const char *name,
				struct elf_deadline *deadline);

#endif
