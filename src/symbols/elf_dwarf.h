/* SPDX-License-Identifier: MIT */
/*
 * Read DWARF with libdw.  Only elf_args.c, elf_dwarf.c and elf_params.c include this header.
 */
#ifndef ULF_SYMBOLS_ELF_DWARF_H
#define ULF_SYMBOLS_ELF_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf_value.h"

/*
 * Get the attribute @name of the DWARF entry @die, or of the entry of which @die is an
 * instance.  Returns false if there is no such attribute.  Also returns false if the
 * attribute refers to another file, because libdw would open that file.
 */
bool die_attr(Dwarf_Die *die, unsigned int name, Dwarf_Attribute *ret_attr);
/* Get a string attribute of a DWARF entry; see die_attr().  Returns NULL if there is no such
 * attribute. */
const char *die_string(Dwarf_Die *die, unsigned int name);
/* Get an attribute of a DWARF entry that is an unsigned number; see die_attr().  Returns
 * false if there is no such attribute. */
bool die_number(Dwarf_Die *die, unsigned int name, uint64_t *ret_number);
/* If the DWARF entry @die is an instance of a declaration, return the offset of this
 * declaration.  Otherwise return the offset of @die itself. */
Dwarf_Off die_declared(Dwarf_Die *die);
/*
 * Get the type of the DWARF entry @die, without typedef, const and similar qualifiers.
 * Returns false if the type is void or unknown.
 */
bool die_type(Dwarf_Die *die, Dwarf_Die *ret_type);
/*
 * Visit the children of the DWARF entry @die, one after the other.  Both functions
 * return false if there is no further child.
 */
bool die_first_child(Dwarf_Die *die, Dwarf_Die *ret_child);
bool die_next(Dwarf_Die *die);

/*
 * Return true if @type is a class whose values are passed by reference, because only the code
 * of the class may copy them.
 */
bool die_is_by_reference(Dwarf_Die *type);
/* Find out how values of @type are passed to functions. */
struct elf_value die_classify(Dwarf_Die *type);

/* ---- elf_params.c: read the parameters of a function ---- */

struct elf_deadline;

/*
 * Read the parameters of @function.  @low: start of the function.  @body: first
 * instruction after the function site, the NOPs that make the function traceable.
 * Returns an empty list if the function has no parameters, NULL if there is no memory.
 * The caller frees the result.
 */
struct elf_params *elf_dwarf_params(Dwarf_Die *function, Dwarf_Addr low, Dwarf_Addr body,
				    struct elf_deadline *deadline);

#endif
