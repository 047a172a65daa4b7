/* SPDX-License-Identifier: MIT */
/*
 * What DWARF says of types, and how values of them are passed.  Chains of
 * references may be circles, so every walk has a limit; references into other
 * files are not followed, as libdw would open what the file names.
 */
#include "server/elf_dwarf.h"

#include <dwarf.h>
#include <string.h>

#define CHAIN_MAX	32		/* of types, of origins */
#define NESTED_MAX	6		/* structs in structs */
#define MEMBERS_MAX	64
#define WORD		8u

/* ---- attributes ---- */

static bool is_elsewhere(unsigned int form)
{
	return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt ||
	       form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 ||
	       form == DW_FORM_strp_sup || form == DW_FORM_ref_sig8;
}

static bool own_attr(Dwarf_Die *die, unsigned int name, Dwarf_Attribute *ret_attr)
{
	return dwarf_attr(die, name, ret_attr) && !is_elsewhere(dwarf_whatform(ret_attr));
}

/* The entry that @die is made of. */
static bool origin_of(Dwarf_Die *die, Dwarf_Die *ret_origin)
{
	Dwarf_Attribute attr;

	return (own_attr(die, DW_AT_abstract_origin, &attr) ||
		own_attr(die, DW_AT_specification, &attr)) &&
	       dwarf_formref_die(&attr, ret_origin);
}

bool die_attr(Dwarf_Die *die, unsigned int name, Dwarf_Attribute *ret_attr)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < CHAIN_MAX; i++) {
		if (own_attr(&at, name, ret_attr))
			return true;
		if (!origin_of(&at, &at))
			return false;
	}
	return false;
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

static bool is_qualifier(int tag)
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
		if (!is_qualifier(dwarf_tag(ret_type)))
			return true;
	}
	return false;
}

bool die_first_child(Dwarf_Die *die, Dwarf_Die *ret_child)
{
	return dwarf_child(die, ret_child) == 0;
}

/* Only forward, whatever DW_AT_sibling says. */
bool die_next(Dwarf_Die *die)
{
	Dwarf_Off here = dwarf_dieoffset(die);

	return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > here;
}

/* ---- how values are passed ---- */

static uint64_t bytes_of(Dwarf_Die *type)
{
	uint64_t bytes;

	return die_number(type, DW_AT_byte_size, &bytes) ? bytes : 0;
}

static bool is_struct(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

static bool is_float(Dwarf_Die *type)
{
	uint64_t encoding = 0;

	die_number(type, DW_AT_encoding, &encoding);
	return encoding == DW_ATE_float || encoding == DW_ATE_complex_float;
}

static void find_integers(Dwarf_Die *type, uint64_t at, int depth,
			  struct die_class *class);

static void find_in_members(Dwarf_Die *type, uint64_t at, int depth,
			    struct die_class *class)
{
	Dwarf_Die member, inner;
	int left = MEMBERS_MAX;

	if (!die_first_child(type, &member))
		return;
	do {
		int tag = dwarf_tag(&member);
		uint64_t off = 0;

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		die_number(&member, DW_AT_data_member_location, &off);
		if (die_type(&member, &inner))
			find_integers(&inner, at + off, depth + 1, class);
	} while (--left && die_next(&member));
}

/* An array in so small a struct: its elements are all alike. */
static void find_in_elements(Dwarf_Die *type, uint64_t at, int depth,
			     struct die_class *class)
{
	Dwarf_Die element;

	if (!die_type(type, &element))
		return;
	find_integers(&element, at, depth + 1, class);
	if (at < WORD && bytes_of(&element) < WORD)
		find_integers(&element, WORD, depth + 1, class);
}

/* Mark the words of a struct of two at most that have integers. */
static void find_integers(Dwarf_Die *type, uint64_t at, int depth,
			  struct die_class *class)
{
	int tag = dwarf_tag(type);

	if (depth > NESTED_MAX || at >= 2 * WORD)
		return;
	if (is_struct(tag))
		find_in_members(type, at, depth, class);
	else if (tag == DW_TAG_array_type)
		find_in_elements(type, at, depth, class);
	else if (tag != DW_TAG_base_type || !is_float(type))
		class->is_integer[at / WORD] = true;
}

static struct die_class classify_struct(Dwarf_Die *type, struct elf_param *param)
{
	struct die_class class = { 0 };
	uint64_t convention = 0;

	die_number(type, DW_AT_calling_convention, &convention);
	if (convention == DW_CC_pass_by_reference) {
		param->kind = ELF_PARAM_POINTER;
		param->bytes = WORD;
		class.is_integer[0] = true;
		return class;
	}
	param->kind = dwarf_tag(type) == DW_TAG_union_type ? ELF_PARAM_UNION :
							     ELF_PARAM_STRUCT;
	class.is_in_memory = param->bytes > 2 * WORD;
	if (!class.is_in_memory)
		find_integers(type, 0, 0, &class);
	return class;
}

static struct die_class classify_number(Dwarf_Die *type, struct elf_param *param)
{
	struct die_class class = { 0 };
	uint64_t encoding = 0;

	die_number(type, DW_AT_encoding, &encoding);
	if (is_float(type)) {
		param->kind = ELF_PARAM_FLOAT;
		class.is_in_memory = param->bytes > WORD;	/* long double */
		return class;
	}
	param->kind = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ?
		      ELF_PARAM_SIGNED : ELF_PARAM_UNSIGNED;
	class.is_integer[0] = true;
	class.is_integer[1] = param->bytes > WORD;
	return class;
}

struct die_class die_classify(Dwarf_Die *type, struct elf_param *param)
{
	struct die_class class = { .is_integer = { true } };
	int tag = dwarf_tag(type);

	param->bytes = bytes_of(type);
	if (is_struct(tag))
		return classify_struct(type, param);
	if (tag == DW_TAG_base_type)
		return classify_number(type, param);
	if (tag == DW_TAG_enumeration_type) {
		param->kind = ELF_PARAM_ENUM;
	} else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		   tag == DW_TAG_rvalue_reference_type ||
		   tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type) {
		param->kind = ELF_PARAM_POINTER;
		param->bytes = WORD;
	} else {
		param->kind = ELF_PARAM_UNKNOWN;
		param->bytes = WORD;
	}
	return class;
}
