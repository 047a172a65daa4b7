/* SPDX-License-Identifier: MIT */
/*
 * Find the parameters of a function.  DWARF gives the location of each parameter.  If
 * the location is memory, the registers are computed from the ABI's rules.  elf_args.c
 * describes the method.
 */
#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "arch/arch.h"
#include "symbols/elf_dwarf.h"
#include "symbols/elf_impl.h"

#define CHILDREN_MAX	4096u		/* maximum number of DWARF entries of one
					 * function that are searched for parameters */

/* Return the number of the argument register that has the DWARF register number @reg;
 * ARCH_NO_REG if it is no argument register. */
static uint8_t arg_of_register(unsigned int reg)
{
	uint32_t arg = arch_arg_of(reg);

	return arg == ARCH_NO_ARG ? ARCH_NO_REG : (uint8_t)arg;
}

static bool is_register_op(const Dwarf_Op *op)
{
	return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31;
}

/* Returns true if the DWARF operation @op uses the contents of a register, as a value
 * or as an address. */
static bool is_register_based_op(const Dwarf_Op *op)
{
	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
}

/* Returns true if the location @ops is the lower bits of a register.  clang writes such
 * a location for parameters of narrow types. */
static bool is_narrowed_register(const Dwarf_Op *ops, size_t nr)
{
	if (nr < 2 || !is_register_based_op(ops) || ops[0].number ||
	    ops[nr - 1].atom != DW_OP_stack_value)
		return false;
	for (size_t i = 1; i < nr - 1; i++)
		if (ops[i].atom != DW_OP_constu && ops[i].atom != DW_OP_and &&
		    ops[i].atom != DW_OP_convert)
			return false;
	return true;
}

/*
 * Read a location of a parameter that is split by DW_OP_piece.  Each DW_OP_piece gives the
 * number of bytes of one part.  The operation before it names the register that holds the
 * part.  Without such an operation the part is stored nowhere:
 *
 *	DW_OP_reg5 DW_OP_piece(8) DW_OP_reg4 DW_OP_piece(8)	word 0 in rdi, word 1 in rsi
 *	DW_OP_piece(8) DW_OP_reg4 DW_OP_piece(8)		word 0 dropped, word 1 in rsi
 *
 * A part of less than a word does not set the word's register.  Returns false if the
 * location is something else.
 */
static bool read_split_location(const Dwarf_Op *ops, size_t nr, struct elf_param *param)
{
	uint8_t regs[2] = { ARCH_NO_REG, ARCH_NO_REG };
	bool has_register = false;
	uint64_t at = 0;

	if (param->bytes > sizeof(regs) * ARCH_WORD_BYTES)
		return false;
	for (size_t i = 0; i < nr; i++) {
		uint8_t reg = ARCH_NO_REG;

		if (is_register_op(&ops[i])) {
			has_register = true;
			reg = arg_of_register(ops[i++].atom - DW_OP_reg0);
		}
		if (i == nr || ops[i].atom != DW_OP_piece)
			return false;
		if (at < 2 * ARCH_WORD_BYTES && at % ARCH_WORD_BYTES == 0 &&
		    ops[i].number >= min_u64(ARCH_WORD_BYTES, param->bytes - at))
			regs[at / ARCH_WORD_BYTES] = reg;
		at += ops[i].number;
	}
	if (has_register)
		memcpy(param->regs, regs, sizeof(regs));
	return has_register;
}

static bool read_register_location(const Dwarf_Op *ops, size_t nr, struct elf_param *param)
{
	if (nr == 1 && is_register_op(ops))
		param->regs[0] = arg_of_register(ops->atom - DW_OP_reg0);
	else if (is_narrowed_register(ops, nr))
		param->regs[0] = arg_of_register(ops->atom - DW_OP_breg0);
	else
		return read_split_location(ops, nr, param);
	return true;
}

/*
 * Returns true if the location @ops is memory to which the function stores the
 * parameter.  Computed values and split locations are not memory.
 */
static bool is_memory_location(const Dwarf_Op *ops, size_t nr)
{
	if (!nr || (ops[0].atom != DW_OP_fbreg && ops[0].atom != DW_OP_bregx &&
		    ops[0].atom != DW_OP_call_frame_cfa && !is_register_based_op(ops)))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (ops[i].atom == DW_OP_stack_value || ops[i].atom == DW_OP_piece ||
		    ops[i].atom == DW_OP_bit_piece)
			return false;
	return true;
}

enum location_kind {
	LOCATION_NONE,			/* no location: the compiler has dropped the
					 * parameter, or DWARF has no location for it */
	LOCATION_REGISTER,
	LOCATION_MEMORY,			/* the location is memory to which the
						 * function stores the parameter, or in which
						 * the caller passed it */
	LOCATION_LATER,			/* the location becomes valid only after the first
					 * instructions of the function */
};

/* The data that DWARF contains about a parameter. */
struct param_desc {
	enum location_kind location;
	struct elf_value value;
	bool is_bool, is_class;
	Dwarf_Off declared;		/* offset of the parameter's declaration in DWARF;
					 * parameters are sorted by this offset */
	struct elf_param *param;
};

struct location {
	Dwarf_Op *ops;
	size_t nr;
	bool is_later;
};

/*
 * Get the first location of a parameter's list of locations, even if its range is empty.  A
 * later location must not be used: it is for a value that the function has changed.
 * ret_at->is_later is false if the parameter is at this location when the function starts.
 * For such a parameter gcc lets the range begin at @low, and clang lets it begin at @body.
 * @low: start of the function; @body: its first instruction after those that make it
 * traceable.
 */
static bool get_location(Dwarf_Die *die, Dwarf_Addr low, Dwarf_Addr body,
			 struct location *ret_at)
{
	Dwarf_Addr base, start, end;
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocations(&attr, 0, &base, &start, &end, &ret_at->ops,
			       &ret_at->nr) <= 0)
		return false;
	ret_at->is_later = (start || end != UINT64_MAX) &&
			   (start < low || start > body);
	return true;
}

/* Returns true if an argument register holds the address of the parameter. */
static bool is_addressed_by_register(const struct location *at)
{
	return at->nr == 1 && is_register_based_op(at->ops) && !at->ops->number &&
	       arg_of_register(at->ops->atom - DW_OP_breg0) != ARCH_NO_REG;
}

/*
 * Returns true if a parameter whose type is a class is passed by reference.  gcc's DWARF does
 * not say this, but the location of such a parameter shows it.  The location is memory to
 * which an argument register, or a stored pointer, points.
 */
static bool is_passed_by_reference(const struct location *at)
{
	return is_addressed_by_register(at) ||
	       (at->nr > 1 && is_memory_location(at->ops, at->nr) &&
		at->ops[at->nr - 1].atom == DW_OP_deref);
}

/*
 * Find out where a parameter is when the function starts.  clang gives some locations too
 * late: the location of a bool is valid only after the instruction that masks its lowest bit;
 * that of a parameter on the stack only after the function has set up its frame.  All other
 * locations that become valid later contain a new value, not the value that was passed.
 */
static enum location_kind read_param_location(const struct location *at,
					      const struct param_desc *desc)
{
	if (desc->is_class && is_addressed_by_register(at)) {
		desc->param->regs[0] = arg_of_register(at->ops->atom - DW_OP_breg0);
		return at->is_later ? LOCATION_LATER : LOCATION_REGISTER;
	}
	if (is_memory_location(at->ops, at->nr))
		return at->is_later ? LOCATION_LATER : LOCATION_MEMORY;
	if ((at->is_later && !desc->is_bool) ||
	    !read_register_location(at->ops, at->nr, desc->param))
		return LOCATION_NONE;
	return at->is_later ? LOCATION_LATER : LOCATION_REGISTER;
}

static void read_param_type(Dwarf_Die *die, struct param_desc *desc)
{
	uint64_t encoding = 0;
	Dwarf_Die type;

	if (!die_type(die, &type))
		return;
	desc->value = die_classify(&type);
	desc->is_class = die_is_by_reference(&type) ||
			 desc->value.kind == ELF_PARAM_STRUCT ||
			 desc->value.kind == ELF_PARAM_UNION;
	desc->is_bool = die_number(&type, DW_AT_encoding, &encoding) &&
			encoding == DW_ATE_boolean;
}

static struct param_desc read_param(Dwarf_Die *die, Dwarf_Addr low, Dwarf_Addr body,
				    struct elf_param *param)
{
	struct param_desc desc = {
		.value = { .bytes = ARCH_WORD_BYTES, .passed.is_integer = { true } },
		.declared = die_declared(die), .param = param,
	};
	struct location at = { 0 };
	bool has_location;

	read_param_type(die, &desc);
	has_location = get_location(die, low, body, &at);
	if (has_location && desc.is_class && is_passed_by_reference(&at))
		desc.value = (struct elf_value){
			.kind = ELF_PARAM_POINTER, .bytes = ARCH_WORD_BYTES,
			.passed.is_integer = { true },
		};
	elf_param_init(param, die_string(die, DW_AT_name), &desc.value);
	if (has_location)
		desc.location = read_param_location(&at, &desc);
	return desc;
}

static int compare_declared(const void *pa, const void *pb)
{
	const struct param_desc *a = pa, *b = pb;

	return (a->declared > b->declared) - (a->declared < b->declared);
}

enum trust {
	TRUST_NONE,
	TRUST_REGISTERS,
	TRUST_ABI,			/* all parameters are in the registers that the
					 * ABI prescribes */
};

/* Returns true if the location of the parameter is missing.  A location that becomes
 * valid later counts as missing, unless it is the register that the ABI prescribes. */
static bool is_location_missing(const struct param_desc *desc, const struct arch_place *abi)
{
	return desc->location == LOCATION_NONE ||
	       (desc->location == LOCATION_LATER && desc->param->regs[0] != abi->regs[0]);
}

/*
 * Check whether the registers that DWARF gives can be those that the caller has set.
 * Register numbers must rise in the order of the parameters.  Before the first parameter
 * without location, no register may be above the register that the ABI prescribes.  (A
 * parameter without location may be passed as several parts, so the check ends at it.)  If
 * the check fails, the caller has not set these registers: the function itself has put values
 * into them, or has copied parameters to them.
 *
 * Example: f(long a, long b, long c) must have a in rdi and b in rsi.  If b is missing,
 * c may be in rsi or rdx.
 *
 * @next: number of the first free argument register
 */
static enum trust check_register_order(const struct param_desc *rows, uint32_t nr, uint8_t next)
{
	bool has_gap = false, is_abi = true;
	int last = -1;

	for (uint32_t i = 0; i < nr; i++) {
		const struct arch_place abi = arch_value_place(&rows[i].value.passed, &next);

		has_gap |= is_location_missing(&rows[i], &abi);
		for (int word = 0; rows[i].location == LOCATION_REGISTER && word < 2; word++) {
			uint8_t reg = rows[i].param->regs[word];

			if (reg == ARCH_NO_REG)
				continue;
			if (reg <= last || (!has_gap && reg > abi.regs[word]))
				return TRUST_NONE;
			is_abi &= reg == abi.regs[word];
			last = reg;
		}
	}
	return is_abi && !has_gap ? TRUST_ABI : TRUST_REGISTERS;
}

static void assign_param_registers(struct param_desc *rows, uint32_t nr, uint8_t next)
{
	enum trust trust;

	qsort(rows, nr, sizeof(*rows), compare_declared);
	trust = check_register_order(rows, nr, next);
	for (uint32_t i = 0; i < nr; i++) {
		const struct arch_place abi = arch_value_place(&rows[i].value.passed, &next);
		struct elf_param *param = rows[i].param;

		if (rows[i].location == LOCATION_REGISTER && trust != TRUST_NONE)
			continue;
		memset(param->regs, ARCH_NO_REG, sizeof(param->regs));
		if (trust == TRUST_ABI) {
			param->is_on_stack = abi.is_on_stack;
			memcpy(param->regs, abi.regs, sizeof(abi.regs));
		}
	}
}

/*
 * Returns the register of the first parameter.  Usually this is the first argument register.
 * For a function with a large return value it is the second, because the first has the
 * address at which the return value must be stored.
 */
static uint8_t first_param_register(Dwarf_Die *function)
{
	struct elf_value value;
	Dwarf_Die type;

	if (!die_type(function, &type))
		return 0;
	value = die_classify(&type);
	return die_is_by_reference(&type) ? 1 : arch_first_arg_reg(&value.passed);
}

struct elf_params *elf_dwarf_params(Dwarf_Die *function, Dwarf_Addr low, Dwarf_Addr body,
				    struct elf_deadline *deadline)
{
	struct elf_params *params = elf_params_new();
	struct param_desc rows[ELF_PARAMS_MAX];
	uint32_t left = CHILDREN_MAX;
	Dwarf_Die die;

	if (!params || !die_first_child(function, &die))
		return params;
	do {
		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		rows[params->nr] = read_param(&die, low, body, &params->rows[params->nr]);
		params->nr++;
	} while (--left && params->nr < ELF_PARAMS_MAX && !elf_deadline_is_over(deadline) &&
		 die_next(&die));
	assign_param_registers(rows, params->nr, first_param_register(function));
	return params;
}
