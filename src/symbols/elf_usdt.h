/* SPDX-License-Identifier: MIT */
/* Read the USDT probes of an ELF file.  Only parsers call this; a parser is a process without
 * rights. */
#ifndef ULF_SYMBOLS_ELF_USDT_H
#define ULF_SYMBOLS_ELF_USDT_H

struct elf_source;
struct text;

/*
 * elf_usdt_parse - make the table (abi/usdt.h) of the probes in the notes of a file
 * @ret_table: an empty text; gets the table, and stays empty if the file has no probes
 *
 * A malformed note and all notes after it are skipped, because it is not known where the
 * later notes begin.  Returns 0 or what elf_symbols_parse() returns.
 */
int elf_usdt_parse(const struct elf_source *source, struct text *ret_table);

#endif
