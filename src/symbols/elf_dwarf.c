/* SPDX-License-Identifier: MIT */
/*
 * Read types from DWARF, and find out how values of these types are passed to functions.
 * References in a hostile file may form a circle, so the number of steps of every walk has a
 * limit.  References into other files are ignored, because libdw would open these files.
 */
#include "symbols/elf_dwarf.h"

#include <dwarf.h>
#include <string.h>

#define CHAIN_MAX	32		/* maximum length of a chain of types, or of a
					 * chain of origins (die_origin()) */

/* ---- read attributes of DWARF entries ---- */

static bool is_form_in_other_file(unsigned int form)
{
	return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt ||
	       form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 ||
	       form == DW_FORM_strp_sup || form == DW_FORM_ref_sig8;
}

static bool direct_attr(Dwarf_Die *die, unsigned int name, Dwarf_Attribute *ret_attr)
{
	return dwarf_attr(die, name, ret_attr) && !is_form_in_other_file(dwarf_whatform(ret_attr));
}

/* Get the origin of @die: the DWARF entry of which @die is an instance (DW_AT_abstract_origin
 * or DW_AT_specification). */
static bool die_origin(Dwarf_Die *die, Dwarf_Die *ret_origin)
{
	Dwarf_Attribute attr;

	return (direct_attr(die, DW_AT_abstract_origin, &attr) ||
		direct_attr(die, DW_AT_specification, &attr)) &&
	       dwarf_formref_die(&attr, ret_origin);
}

bool die_attr(Dwarf_Die *die, unsigned int name, Dwarf_Attribute *ret_attr)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < CHAIN_MAX; i++) {
		if (direct_attr(&at, name, ret_attr))
			return true;
		if (!die_origin(&at, &at))
			return false;
	}
	return false;
}

Dwarf_Off die_declared(Dwarf_Die *die)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < CHAIN_MAX && die_origin(&at, &at); i++)
		;
	return dwarf_dieoffset(&at);
}

const char *die_string(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return die_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

bool die_number(Dwarf_Die *die, unsigned int name, uint64_t *ret_number)
{
	Dwarf_Attribute attr;

	return die_attr(die, name, &attr) &&
	       !dwarf_formudata(&attr, ret_number);
}

static bool is_qualifier_tag(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type ||
	       tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	       tag == DW_TAG_atomic_type;
}

bool die_type(Dwarf_Die *die, Dwarf_Die *ret_type)
{
	Dwarf_Attribute attr;

	*ret_type = *die;
	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!die_attr(ret_type, DW_AT_type, &attr) ||
		    !dwarf_formref_die(&attr, ret_type))
			return false;
		if (!is_qualifier_tag(dwarf_tag(ret_type)))
			return true;
	}
	return false;
}

bool die_first_child(Dwarf_Die *die, Dwarf_Die *ret_child)
{
	return dwarf_child(die, ret_child) == 0;
}

/*
 * Move @die to its next sibling, but only if the sibling is later in the file.  Otherwise a
 * hostile file could make a loop with DW_AT_sibling.
 */
bool die_next(Dwarf_Die *die)
{
	Dwarf_Off here = dwarf_dieoffset(die);

	return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > here;
}

/* ---- find out how values of a DWARF type are passed ---- */

static uint64_t dwarf_type_bytes(Dwarf_Die *type)
{
	uint64_t bytes;

	return die_number(type, DW_AT_byte_size, &bytes) ? bytes : 0;
}

static bool is_struct_tag(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

static bool is_pointer_tag(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type || tag == DW_TAG_subroutine_type;
}

static bool is_vector_type(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_array_type &&
	       dwarf_hasattr(type, DW_AT_GNU_vector);
}

static bool is_float_encoding(uint64_t encoding)
{
	return encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
	       encoding == DW_ATE_decimal_float;
}

static struct arch_scalar scalar_of_type(Dwarf_Die *type)
{
	uint64_t encoding = 0, bytes = dwarf_type_bytes(type);

	if (is_vector_type(type))
		return (struct arch_scalar){ .class = ARCH_SCALAR_VECTOR };
	if (dwarf_tag(type) == DW_TAG_base_type)
		die_number(type, DW_AT_encoding, &encoding);
	if (is_float_encoding(encoding))
		return arch_scalar_float(die_string(type, DW_AT_name), bytes,
					 encoding == DW_ATE_complex_float);
	return arch_scalar_integer(bytes ? bytes : ARCH_WORD_BYTES);
}

static void add_member_part(Dwarf_Die *type, struct arch_part part, int depth,
			    struct elf_value *value);

static struct arch_part part_of_member(Dwarf_Die *member, uint64_t bit)
{
	struct arch_part part = { .bit = bit };
	uint64_t off = 0;

	if (die_number(member, DW_AT_data_bit_offset, &off))
		part.bit += off;
	else if (die_number(member, DW_AT_data_member_location, &off))
		part.bit += 8 * off;
	die_number(member, DW_AT_bit_size, &part.bits);
	return part;
}

static void add_members(Dwarf_Die *type, uint64_t bit, int depth,
			struct elf_value *value)
{
	Dwarf_Die member, inner;

	if (!die_first_child(type, &member))
		return;
	do {
		int tag = dwarf_tag(&member);
		bool is_here = tag == DW_TAG_inheritance ||
			       (tag == DW_TAG_member &&
				!dwarf_hasattr(&member, DW_AT_declaration));

		if (is_here && die_type(&member, &inner))
			add_member_part(&inner, part_of_member(&member, bit), depth + 1, value);
	} while (elf_value_may_continue(value, depth) && die_next(&member));
}

/* Return the number of elements of an array type, in all its dimensions together.  Returns 0
 * if DWARF does not give the number. */
static uint64_t count_array_elements(Dwarf_Die *type, int depth, struct elf_value *value)
{
	uint64_t nr = 1, of;
	Dwarf_Die range;

	if (!die_first_child(type, &range))
		return 0;
	do {
		if (die_number(&range, DW_AT_count, &of))
			nr *= of;
		else if (die_number(&range, DW_AT_upper_bound, &of))
			nr *= of + 1;
		else
			nr = 0;
	} while (elf_value_may_continue(value, depth) && die_next(&range));
	return nr;
}

static void add_array_elements(Dwarf_Die *type, uint64_t bit, int depth,
			       struct elf_value *value)
{
	uint64_t nr = count_array_elements(type, depth, value), bits;
	Dwarf_Die element;

	if (!die_type(type, &element))
		return;
	while (dwarf_tag(&element) == DW_TAG_array_type && !is_vector_type(&element) &&
	       elf_value_may_continue(value, depth)) {
		nr *= count_array_elements(&element, depth, value);
		if (!die_type(&element, &element))
			return;
	}
	bits = is_pointer_tag(dwarf_tag(&element)) ? ARCH_WORD_BITS :
						     8 * dwarf_type_bytes(&element);
	for (; nr && bits && bit < 2 * ARCH_WORD_BITS; nr--, bit += bits)
		add_member_part(&element, (struct arch_part){ .bit = bit }, depth + 1, value);
}

/* Add a member of a struct, or an element of an array, to a value that has at most two words. */
static void add_member_part(Dwarf_Die *type, struct arch_part part, int depth,
			    struct elf_value *value)
{
	int tag = dwarf_tag(type);

	if (part.bit >= 2 * ARCH_WORD_BITS || !elf_value_may_continue(value, depth))
		return;
	if (is_struct_tag(tag))
		add_members(type, part.bit, depth, value);
	else if (tag == DW_TAG_array_type && !is_vector_type(type))
		add_array_elements(type, part.bit, depth, value);
	else
		arch_value_add(&value->passed, part, scalar_of_type(type));
}

bool die_is_by_reference(Dwarf_Die *type)
{
	uint64_t convention = 0;

	return is_struct_tag(dwarf_tag(type)) &&
	       die_number(type, DW_AT_calling_convention, &convention) &&
	       convention == DW_CC_pass_by_reference;
}

static enum elf_param_kind kind_of_base_type(Dwarf_Die *type)
{
	uint64_t encoding = 0;

	die_number(type, DW_AT_encoding, &encoding);
	if (is_float_encoding(encoding))
		return ELF_PARAM_FLOAT;
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ?
	       ELF_PARAM_SIGNED : ELF_PARAM_UNSIGNED;
}

/* Return the kind of a parameter of @type.  A parameter of an array type is passed as a
 * pointer. */
static enum elf_param_kind kind_of_type(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	if (tag == DW_TAG_base_type)
		return kind_of_base_type(type);
	if (tag == DW_TAG_enumeration_type)
		return ELF_PARAM_ENUM;
	if (is_pointer_tag(tag) || die_is_by_reference(type) ||
	    (tag == DW_TAG_array_type && !is_vector_type(type)))
		return ELF_PARAM_POINTER;
	if (is_struct_tag(tag))
		return tag == DW_TAG_union_type ? ELF_PARAM_UNION : ELF_PARAM_STRUCT;
	return ELF_PARAM_UNKNOWN;
}

struct elf_value die_classify(Dwarf_Die *type)
{
	const struct arch_part whole = { 0 };
	struct elf_value value = { .kind = kind_of_type(type), .bytes = dwarf_type_bytes(type) };

	if (value.kind == ELF_PARAM_POINTER || value.kind == ELF_PARAM_UNKNOWN)
		value.bytes = ARCH_WORD_BYTES;
	if (value.kind == ELF_PARAM_POINTER)
		arch_value_add(&value.passed, whole, arch_scalar_integer(ARCH_WORD_BYTES));
	else if (is_struct_tag(dwarf_tag(type)) && value.bytes > 2 * ARCH_WORD_BYTES)
		value.passed.is_in_memory = true;
	else
		add_member_part(type, whole, 0, &value);
	return value;
}
