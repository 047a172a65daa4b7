/* SPDX-License-Identifier: MIT */
/* Reading DWARF with libdw; for elf_args.c and elf_dwarf.c alone. */
#ifndef ULF_SERVER_ELF_DWARF_H
#define ULF_SERVER_ELF_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf_value.h"

/* An attribute of @die, or of what that is an instance of.  Not one that leads to
 * another file, which libdw would open. */
bool die_attr(Dwarf_Die *die, unsigned int name, Dwarf_Attribute *ret_attr);
const char *die_string(Dwarf_Die *die, unsigned int name);
bool die_number(Dwarf_Die *die, unsigned int name, uint64_t *ret_number);
/* Where the entry is that @die is, in the end, an instance of. */
Dwarf_Off die_declared(Dwarf_Die *die);
/* Its type, without typedef, const and the like; false: void, or not known. */
bool die_type(Dwarf_Die *die, Dwarf_Die *ret_type);
/* The entries inside of @die, one after the other; false: there is no other. */
bool die_first_child(Dwarf_Die *die, Dwarf_Die *ret_child);
bool die_next(Dwarf_Die *die);

/* A class that only its own code may copy. */
bool die_is_by_reference(Dwarf_Die *type);
/* How values of @type are passed. */
struct elf_value die_classify(Dwarf_Die *type);

#endif
