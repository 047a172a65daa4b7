/* SPDX-License-Identifier: MIT */
/*
 * Find out where the parameters of a function are when it starts.
 *
 * DWARF gives the location of each parameter.  Optimised code keeps it in a register, and
 * the location names that register, even if the compiler dropped other parameters.
 * Unoptimised code stores the parameter first, and the location names the memory that it
 * is stored to.  Then the registers are computed from the ABI's rules, one parameter
 * after the other, provided that no location contradicts this.  Functions that only BTF
 * describes are computed from the ABI's rules, too.
 *
 * The functions of a unit are listed when the first of them is looked up.  Results are
 * cached.
 */
#include "symbols/elf_args.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/x86_64/fsite_form.h"
#include "base/bits.h"
#include "event/clock.h"
#include "symbols/elf_btf.h"
#include "symbols/elf_debug.h"
#include "symbols/elf_dwarf.h"
#include "symbols/elf_impl.h"
#include "symbols/localfile.h"

#define FOUND		1024u		/* cached functions; a power of two */
#define RANGES_MAX	1000000u
#define ENTRIES_MAX	1000000u	/* entries of one unit that are searched for
					 * functions */
#define CHILDREN_MAX	4096u		/* entries of one function that are searched for
					 * parameters */
#define UNITS_MAX	65536u		/* libdw needs 1 KB for each unit */
#define NESTED_MAX	16		/* depth of namespaces and classes */
#define TIME_MAX_NS	1000000000u	/* CPU time to open a file or to find a function */

struct range {				/* a range of addresses */
	uint64_t low, high;
	uint64_t of;			/* index of a unit, or offset of a function's
					 * entry */
};

struct ranges {
	struct range *rows;		/* sorted by address */
	size_t nr, room;
};

struct unit {
	Dwarf_Off off;
	bool is_read;
	struct ranges functions;
};

struct found {
	uint64_t addr;			/* address that was looked up; 0: free */
	struct elf_params *params;	/* NULL: the parameters are unknown */
};

struct elf_args {
	struct elf_file file;		/* the file that libdw reads */
	struct elf_file program;	/* the program, if @file is its separate debug
					 * file; else closed */
	int own_fd;			/* descriptor that elf_args_open() opened; -1: the
					 * caller owns it */
	Elf *elf;
	Dwarf *dwarf;			/* NULL: the file has no DWARF */
	struct unit *units;
	size_t nr_units;
	struct ranges ranges;		/* addresses of the units */
	const struct elf_symbols *symbols;
	struct elf_btf *btf;		/* for functions that DWARF does not describe;
					 * NULL: no BTF */
	struct elf_deadline deadline;
	struct found found[FOUND];	/* cache, indexed by a hash of the address; a new
					 * entry replaces the old one */
};

/* ---- time ---- */

/*
 * libdw walks lists, and a hostile file may let many entries refer to the same long list.
 */
static void start_clock(struct elf_args *args)
{
	args->deadline.cpu_ns = clock_posix_ns(CLOCK_THREAD_CPUTIME_ID) + TIME_MAX_NS;
}

bool elf_deadline_is_over(struct elf_deadline *deadline)
{
	deadline->was_missed |=
		clock_posix_ns(CLOCK_THREAD_CPUTIME_ID) > deadline->cpu_ns;
	return deadline->was_missed;
}

static bool is_late(struct elf_args *args)
{
	return elf_deadline_is_over(&args->deadline);
}

/* ---- ranges ---- */

static bool ranges_add(struct ranges *ranges, struct range range)
{
	if (ranges->nr == ranges->room) {
		size_t room = ranges->room ? 2 * ranges->room : 64;
		struct range *rows = room > RANGES_MAX ? NULL :
			realloc(ranges->rows, room * sizeof(*rows));

		if (!rows)
			return false;
		ranges->rows = rows;
		ranges->room = room;
	}
	ranges->rows[ranges->nr++] = range;
	return true;
}

static int compare_ranges(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return (a->low > b->low) - (a->low < b->low);
}

static void ranges_sort(struct ranges *ranges)
{
	if (ranges->nr)
		qsort(ranges->rows, ranges->nr, sizeof(*ranges->rows), compare_ranges);
}

static const struct range *ranges_find(const struct ranges *ranges, uint64_t addr)
{
	size_t low = 0, high = ranges->nr;

	while (low < high) {		/* find the first range that starts after @addr */
		size_t middle = low + (high - low) / 2;

		if (ranges->rows[middle].low <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < ranges->rows[low - 1].high ? &ranges->rows[low - 1] : NULL;
}

/* ---- the functions of a unit ---- */

/* A function may have several ranges.  Its entry is in the first one. */
static void add_function(struct ranges *functions, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;

	if (dwarf_ranges(die, 0, &base, &low, &high) > 0)
		ranges_add(functions, (struct range) { low, high, dwarf_dieoffset(die) });
}

/* *@left: how many entries may still be looked at */
static void list_functions(struct elf_args *args, Dwarf_Die *in, int depth,
			   uint32_t *left, struct ranges *functions)
{
	Dwarf_Die die;

	if (depth > NESTED_MAX || !die_first_child(in, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (!*left ||
		    ((tag == DW_TAG_subprogram || *left % 256 == 0) && is_late(args)))
			return;
		--*left;
		if (tag == DW_TAG_subprogram)
			add_function(functions, &die);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_module ||
			 tag == DW_TAG_class_type || tag == DW_TAG_structure_type)
			list_functions(args, &die, depth + 1, left, functions);
	} while (die_next(&die));
}

static void read_unit(struct elf_args *args, struct unit *unit)
{
	uint32_t left = ENTRIES_MAX;
	Dwarf_Die die;

	if (dwarf_offdie(args->dwarf, unit->off, &die))
		list_functions(args, &die, 0, &left, &unit->functions);
	ranges_sort(&unit->functions);
	unit->is_read = true;
}

/* ---- where a function's body starts ---- */

static uint8_t *read_code(const struct elf_file *file, uint64_t addr, uint32_t *ret_nr)
{
	for (uint32_t i = 0; file->fd >= 0 && i < file->head.e_phnum; i++) {
		const Elf64_Phdr *program = &file->programs[i];
		uint64_t at = addr - program->p_vaddr;

		if (program->p_type != PT_LOAD || addr < program->p_vaddr ||
		    at >= program->p_filesz)
			continue;
		*ret_nr = (uint32_t)min_u64(program->p_filesz - at, FSITE_LOOK_MAX);
		return elf_read_piece(file, program->p_offset + at, *ret_nr);
	}
	return NULL;
}

/*
 * Return the address of the first instruction after those that make the function
 * traceable. clang leaves NOPs of any size, and XRay sleds.  If the program's code cannot
 * be read, assume that the site has FSITE_BYTES.
 */
static uint64_t find_body(const struct elf_args *args, uint64_t low, uint64_t addr)
{
	static const enum fsite_kind kinds[] = { FSITE_PATCHABLE, FSITE_XRAY };
	uint64_t body = addr + FSITE_BYTES;
	uint32_t nr, at;
	uint8_t *code = read_code(args->program.fd >= 0 ? &args->program : &args->file,
				  low, &nr);

	for (uint32_t i = 0; code && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		enum fsite_form form = fsite_form(kinds[i], code, nr, &at);

		if (form < FSITE_FORMS)
			body = low + at + FSITE_BYTES + fsite_shapes[form].tail;
	}
	free(code);
	return body;
}

/* ---- the parameters of a function ---- */

/*
 * Convert a DWARF register number to an argument number: rdi 0, rsi 1, rdx 2, rcx 3, r8
 * 4, r9 5.  The table holds numbers + 1, so that its zeroes become ELF_NO_REG.
 */
static uint8_t arg_of(unsigned int reg)
{
	static const uint8_t args[] = { [5] = 1, [4] = 2, [1] = 3, [2] = 4,
					[8] = 5, [9] = 6 };

	return reg < sizeof(args) ? (uint8_t)(args[reg] - 1) : ELF_NO_REG;
}

static bool is_register(const Dwarf_Op *op)
{
	return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31;
}

/* Does @op use the contents of a register, as a value or as an address? */
static bool is_based(const Dwarf_Op *op)
{
	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
}

/* Is the value the lower bits of a register? clang describes narrow types like this. */
static bool is_narrowed(const Dwarf_Op *ops, size_t nr)
{
	if (nr < 2 || !is_based(ops) || ops[0].number ||
	    ops[nr - 1].atom != DW_OP_stack_value)
		return false;
	for (size_t i = 1; i < nr - 1; i++)
		if (ops[i].atom != DW_OP_constu && ops[i].atom != DW_OP_and &&
		    ops[i].atom != DW_OP_convert)
			return false;
	return true;
}

/*
 * Read a location that is split by DW_OP_piece.  Each DW_OP_piece has the number of
 * bytes, after a register that holds them, or alone if they are nowhere:
 *
 *	DW_OP_reg5 DW_OP_piece(8) DW_OP_reg4 DW_OP_piece(8)	word 0 in rdi, word 1 in rsi
 *	DW_OP_piece(8) DW_OP_reg4 DW_OP_piece(8)		word 0 dropped, word 1 in rsi
 *
 * A part of less than a word does not set the word's register.  Returns false if the
 * location is something else.
 */
static bool read_pieces(const Dwarf_Op *ops, size_t nr, struct elf_param *param)
{
	uint8_t regs[2] = { ELF_NO_REG, ELF_NO_REG };
	bool has_register = false;
	uint64_t at = 0;

	if (param->bytes > sizeof(regs) * ELF_WORD)
		return false;
	for (size_t i = 0; i < nr; i++) {
		uint8_t reg = ELF_NO_REG;

		if (is_register(&ops[i])) {
			has_register = true;
			reg = arg_of(ops[i++].atom - DW_OP_reg0);
		}
		if (i == nr || ops[i].atom != DW_OP_piece)
			return false;
		if (at < 2 * ELF_WORD && at % ELF_WORD == 0 &&
		    ops[i].number >= min_u64(ELF_WORD, param->bytes - at))
			regs[at / ELF_WORD] = reg;
		at += ops[i].number;
	}
	if (has_register)
		memcpy(param->regs, regs, sizeof(regs));
	return has_register;
}

static bool read_registers(const Dwarf_Op *ops, size_t nr, struct elf_param *param)
{
	if (nr == 1 && is_register(ops))
		param->regs[0] = arg_of(ops->atom - DW_OP_reg0);
	else if (is_narrowed(ops, nr))
		param->regs[0] = arg_of(ops->atom - DW_OP_breg0);
	else
		return read_pieces(ops, nr, param);
	return true;
}

/*
 * Is the location memory that the function stores to?  Computed values and split
 * locations are not.
 */
static bool is_memory(const Dwarf_Op *ops, size_t nr)
{
	if (!nr || (ops[0].atom != DW_OP_fbreg && ops[0].atom != DW_OP_bregx &&
		    ops[0].atom != DW_OP_call_frame_cfa && !is_based(ops)))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (ops[i].atom == DW_OP_stack_value || ops[i].atom == DW_OP_piece ||
		    ops[i].atom == DW_OP_bit_piece)
			return false;
	return true;
}

enum place {
	PLACE_NONE,			/* the parameter was dropped, or DWARF does not
					 * say where it is */
	PLACE_REGISTER,
	PLACE_MEMORY,			/* the function stores it there, or the caller
					 * passed it there */
	PLACE_LATER,			/* the location is valid only after some
					 * instructions */
};

/* The description of a parameter, from its DWARF entry. */
struct said {
	enum place place;
	struct elf_value value;
	bool is_bool, is_class;
	Dwarf_Off declared;		/* offset of the declaration; gives the order of
					 * parameters */
	struct elf_param *param;
};

struct location {
	Dwarf_Op *ops;
	size_t nr;
	bool is_later;
};

/*
 * Return the first location of a list, even if its range is empty: the next location is
 * for the value that the function has changed.  The first range of gcc begins at @low,
 * where the function starts, if the parameter is there.  That of clang begins at @body,
 * after the instructions that make the function traceable.
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

/* Does an argument register hold the address of the parameter? */
static bool is_at_register(const struct location *at)
{
	return at->nr == 1 && is_based(at->ops) && !at->ops->number &&
	       arg_of(at->ops->atom - DW_OP_breg0) != ELF_NO_REG;
}

/*
 * Is a class passed by reference? gcc does not say so.  Then the location is memory that
 * an argument register, or a stored pointer, points to.
 */
static bool is_reference(const struct location *at)
{
	return is_at_register(at) ||
	       (at->nr > 1 && is_memory(at->ops, at->nr) &&
		at->ops[at->nr - 1].atom == DW_OP_deref);
}

/*
 * clang gives the location of a bool only after the instruction that masks its lowest
 * bit, and the location of a parameter on the stack only after the function has set up
 * its frame.  Any other location that becomes valid later holds a new value.
 */
static enum place read_place(const struct location *at, const struct said *said)
{
	if (said->is_class && is_at_register(at)) {
		said->param->regs[0] = arg_of(at->ops->atom - DW_OP_breg0);
		return at->is_later ? PLACE_LATER : PLACE_REGISTER;
	}
	if (is_memory(at->ops, at->nr))
		return at->is_later ? PLACE_LATER : PLACE_MEMORY;
	if ((at->is_later && !said->is_bool) ||
	    !read_registers(at->ops, at->nr, said->param))
		return PLACE_NONE;
	return at->is_later ? PLACE_LATER : PLACE_REGISTER;
}

static void read_type(Dwarf_Die *die, struct said *said)
{
	uint64_t encoding = 0;
	Dwarf_Die type;

	if (!die_type(die, &type))
		return;
	said->value = die_classify(&type);
	said->is_class = die_is_by_reference(&type) ||
			 said->value.kind == ELF_PARAM_STRUCT ||
			 said->value.kind == ELF_PARAM_UNION;
	said->is_bool = die_number(&type, DW_AT_encoding, &encoding) &&
			encoding == DW_ATE_boolean;
}

static struct said read_param(Dwarf_Die *die, Dwarf_Addr low, Dwarf_Addr body,
			      struct elf_param *param)
{
	struct said said = {
		.value = { .bytes = ELF_WORD, .is_integer = { true } },
		.declared = die_declared(die), .param = param,
	};
	struct location at = { 0 };
	bool has_location;

	read_type(die, &said);
	has_location = get_location(die, low, body, &at);
	if (has_location && said.is_class && is_reference(&at))
		said.value = (struct elf_value) {
			.kind = ELF_PARAM_POINTER, .bytes = ELF_WORD,
			.is_integer = { true },
		};
	elf_param_init(param, die_string(die, DW_AT_name), &said.value);
	if (has_location)
		said.place = read_place(&at, &said);
	return said;
}

static int compare_declared(const void *pa, const void *pb)
{
	const struct said *a = pa, *b = pb;

	return (a->declared > b->declared) - (a->declared < b->declared);
}

static struct elf_param abi_param(const struct said *said, uint8_t *next)
{
	struct elf_param abi = { .regs = { ELF_NO_REG, ELF_NO_REG } };

	elf_value_place(&said->value, next, &abi);
	return abi;
}

enum trust {
	TRUST_NONE,
	TRUST_REGISTERS,
	TRUST_ABI,			/* all parameters are passed in the ABI's
					 * registers */
};

/* A location that becomes valid later is accepted if it is the ABI's register. */
static bool is_missing(const struct said *said, const struct elf_param *abi)
{
	return said->place == PLACE_NONE ||
	       (said->place == PLACE_LATER && said->param->regs[0] != abi->regs[0]);
}

/*
 * Check whether the registers can be those that the caller has set.  They must rise in
 * the order of the parameters.  As long as no parameter is missing, none may be above the
 * ABI's register.  (A missing parameter may be passed as several parts, so the check ends
 * there.)  If the check fails, the function itself has put values into these registers,
 * or has copied parameters to them.
 *
 * Example: f(long a, long b, long c) must have a in rdi and b in rsi.  If b is missing, c
 * may be in rsi or rdx.
 *
 * @next: the first free register
 */
static enum trust check_order(const struct said *rows, uint32_t nr, uint8_t next)
{
	bool has_gap = false, is_abi = true;
	int last = -1;

	for (uint32_t i = 0; i < nr; i++) {
		const struct elf_param abi = abi_param(&rows[i], &next);

		has_gap |= is_missing(&rows[i], &abi);
		for (int word = 0; rows[i].place == PLACE_REGISTER && word < 2; word++) {
			uint8_t reg = rows[i].param->regs[word];

			if (reg == ELF_NO_REG)
				continue;
			if (reg <= last || (!has_gap && reg > abi.regs[word]))
				return TRUST_NONE;
			is_abi &= reg == abi.regs[word];
			last = reg;
		}
	}
	return is_abi && !has_gap ? TRUST_ABI : TRUST_REGISTERS;
}

static void place_params(struct said *rows, uint32_t nr, uint8_t next)
{
	enum trust trust;

	qsort(rows, nr, sizeof(*rows), compare_declared);
	trust = check_order(rows, nr, next);
	for (uint32_t i = 0; i < nr; i++) {
		const struct elf_param abi = abi_param(&rows[i], &next);
		struct elf_param *param = rows[i].param;

		if (rows[i].place == PLACE_REGISTER && trust != TRUST_NONE)
			continue;
		memset(param->regs, ELF_NO_REG, sizeof(param->regs));
		if (trust == TRUST_ABI) {
			param->is_on_stack = abi.is_on_stack;
			memcpy(param->regs, abi.regs, sizeof(abi.regs));
		}
	}
}

/*
 * A large return value is stored where the first register points, so parameters start at
 * the second.
 */
static uint8_t first_reg(Dwarf_Die *function)
{
	struct elf_value value;
	Dwarf_Die type;

	if (!die_type(function, &type))
		return 0;
	value = die_classify(&type);
	return die_is_by_reference(&type) ? 1 : elf_value_first_reg(&value);
}

/* @low: where the function starts; @addr: its site */
static struct elf_params *read_params(struct elf_args *args, Dwarf_Die *function,
				      Dwarf_Addr low, Dwarf_Addr addr)
{
	struct elf_params *params = elf_params_new();
	struct said rows[ELF_PARAMS_MAX];
	uint32_t left = CHILDREN_MAX;
	Dwarf_Addr body = find_body(args, low, addr);
	Dwarf_Die die;

	if (!params || !die_first_child(function, &die))
		return params;
	do {
		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		rows[params->nr] = read_param(&die, low, body, &params->rows[params->nr]);
		params->nr++;
	} while (--left && params->nr < ELF_PARAMS_MAX && !is_late(args) && die_next(&die));
	place_params(rows, params->nr, first_reg(function));
	return params;
}

/* ---- units ---- */

static bool add_unit(struct elf_args *args, Dwarf_Off off)
{
	struct unit *units = realloc(args->units,
				     (args->nr_units + 1) * sizeof(*units));
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	Dwarf_Die die;

	if (!units)
		return false;
	args->units = units;
	units[args->nr_units] = (struct unit) { .off = off };
	if (!dwarf_offdie(args->dwarf, off, &die) ||
	    dwarf_tag(&die) != DW_TAG_compile_unit)
		return true;
	while ((at = dwarf_ranges(&die, at, &base, &low, &high)) > 0)
		if (!ranges_add(&args->ranges, (struct range) { low, high, args->nr_units }))
			return false;
	args->nr_units++;
	return true;
}

static void read_units(struct elf_args *args)
{
	uint32_t left = UNITS_MAX;
	Dwarf_Off off = 0, next;
	size_t head;

	while (left-- && !is_late(args) &&
	       !dwarf_nextcu(args->dwarf, off, &next, &head, NULL, NULL, NULL) &&
	       next > off && add_unit(args, off + head))
		off = next;
	ranges_sort(&args->ranges);
}

static struct elf_params *search_dwarf(struct elf_args *args, uint64_t addr)
{
	const struct range *range = ranges_find(&args->ranges, addr);
	struct unit *unit;
	Dwarf_Die die;

	if (!range || range->of >= args->nr_units)
		return NULL;
	unit = &args->units[range->of];
	if (!unit->is_read)
		read_unit(args, unit);
	range = ranges_find(&unit->functions, addr);
	if (!range || !dwarf_offdie(args->dwarf, range->of, &die))
		return NULL;
	return read_params(args, &die, range->low, addr);
}

static struct elf_params *search_btf(struct elf_args *args, uint64_t addr)
{
	const struct elf_symbol *symbol = elf_symbols_find(args->symbols, addr);

	return symbol ? elf_btf_find(args->btf, symbol->name, &args->deadline) : NULL;
}

static struct elf_params *search_params(struct elf_args *args, uint64_t addr)
{
	struct elf_params *params = args->dwarf ? search_dwarf(args, addr) : NULL;

	return params || !args->btf ? params : search_btf(args, addr);
}

const struct elf_params *elf_args_find(struct elf_args *args, uint64_t addr)
{
	struct found *found = &args->found[(addr ^ addr >> 10) % FOUND];

	if (args->deadline.was_missed)
		return NULL;
	if (found->addr != addr) {
		start_clock(args);
		free(found->params);
		*found = (struct found) { addr, search_params(args, addr) };
	}
	return found->params;
}

/* ---- files ---- */

static bool has_section(const struct elf_file *file, const char *name)
{
	const Elf64_Shdr *section = elf_find_section(file, name);

	return section && section->sh_type != SHT_NOBITS;
}

static bool has_prefix(const struct elf_file *file, const Elf64_Shdr *section,
		       const char *prefix)
{
	return section->sh_name < file->names_bytes &&
	       !strncmp(file->names + section->sh_name, prefix, strlen(prefix));
}

/*
 * Return the unpacked size of a section.  UINT64_MAX: libdw can unpack the section, but
 * no header says how large it gets.
 */
static uint64_t section_bytes(const struct elf_file *file, const Elf64_Shdr *section)
{
	uint64_t bytes = section->sh_size;
	Elf64_Chdr *packed;

	if (has_prefix(file, section, ".zdebug"))
		return UINT64_MAX;
	if (section->sh_type == SHT_NOBITS ||
	    (section->sh_flags & SHF_ALLOC && !has_prefix(file, section, ".debug")))
		return 0;
	if (!(section->sh_flags & SHF_COMPRESSED))
		return bytes;
	packed = elf_read_piece(file, section->sh_offset, sizeof(*packed));
	if (packed && __builtin_add_overflow(bytes, packed->ch_size, &bytes))
		bytes = UINT64_MAX;
	free(packed);
	return bytes;
}

/*
 * Return how many bytes libdw will have in memory, unpacked.  Files of the other byte
 * order are refused (UINT64_MAX), because libdw would read them differently.
 */
static uint64_t debug_bytes(const struct elf_file *file)
{
	uint64_t bytes = 0;

	if (file->head.e_ident[EI_DATA] != ELFDATA2LSB)
		return UINT64_MAX;
	for (uint32_t i = 0; i < file->head.e_shnum; i++)
		if (__builtin_add_overflow(bytes, section_bytes(file, &file->sections[i]),
					   &bytes))
			return UINT64_MAX;
	return bytes;
}

/*
 * Open the file and, if it has no .debug_info, its separate debug file.  A file that
 * cannot be read is closed.
 */
static void open_files(const struct elf_source *source, struct elf_file files[2])
{
	files[1] = (struct elf_file) { .fd = -1 };
	if (elf_file_open_source(source, &files[0]))
		elf_file_close(&files[0]);
	else if (!has_section(&files[0], ".debug_info") &&
		 elf_debug_open(&files[0], source->finder, &files[1]))
		elf_file_close(&files[1]);
}

/* Return the first of @files that has @section, or NULL. */
static struct elf_file *file_with(struct elf_file files[2], const char *section)
{
	for (int i = 0; i < 2; i++)
		if (has_section(&files[i], section))
			return &files[i];
	return NULL;
}

static void open_dwarf(struct elf_args *args, const struct elf_file *file)
{
	uint64_t bytes = debug_bytes(file);

	elf_version(EV_CURRENT);
	/* ELF_C_READ: read the file, do not map it */
	if (bytes <= *file->bytes_left)
		args->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	if (args->elf)
		args->dwarf = dwarf_begin_elf(args->elf, DWARF_C_READ, NULL);
	if (!args->dwarf)
		return;
	*file->bytes_left -= bytes;
	read_units(args);
}

/*
 * Open DWARF and BTF.  If there is DWARF, moves the program and the file that libdw reads
 * from @files to @args.
 */
static void open_all(struct elf_args *args, struct elf_file files[2])
{
	struct elf_file *dwarf = file_with(files, ".debug_info");
	const struct elf_file *btf = file_with(files, ".BTF");

	start_clock(args);
	if (dwarf)
		open_dwarf(args, dwarf);
	if (btf)
		args->btf = elf_btf_open(btf, args->symbols, &args->deadline);
	if (args->elf) {
		args->file = *dwarf;
		*dwarf = (struct elf_file) { .fd = -1 };
		args->program = files[0];
		files[0] = (struct elf_file) { .fd = -1 };
	}
}

struct elf_args *elf_args_parse(const struct elf_source *source,
				const struct elf_symbols *symbols)
{
	struct elf_args *args = calloc(1, sizeof(*args));
	struct elf_file files[2];

	if (!args)
		return NULL;
	args->file.fd = args->program.fd = args->own_fd = -1;
	args->symbols = symbols;
	open_files(source, files);
	open_all(args, files);
	elf_file_close(&files[0]);
	elf_file_close(&files[1]);
	if (args->dwarf || args->btf)
		return args;
	elf_args_close(args);
	return NULL;
}

struct elf_args *elf_args_open(const char *path, const uint8_t *build_id,
			       uint32_t build_id_bytes,
			       const struct elf_symbols *symbols, uint64_t *bytes_left)
{
	const struct elf_finder finder = elf_finder_local(path);
	struct elf_source source = {
		.build_id = build_id, .build_id_bytes = build_id_bytes,
		.bytes_left = bytes_left, .finder = &finder,
	};
	struct elf_args *args;

	if (localfile_open(path, &source.fd))
		return NULL;
	args = elf_args_parse(&source, symbols);
	if (args)
		args->own_fd = source.fd;
	else
		close(source.fd);
	return args;
}

bool elf_args_is_over(const struct elf_args *args)
{
	return args->deadline.was_missed;
}

void elf_args_close(struct elf_args *args)
{
	if (!args)
		return;
	for (uint32_t i = 0; i < FOUND; i++)
		free(args->found[i].params);
	for (size_t i = 0; i < args->nr_units; i++)
		free(args->units[i].functions.rows);
	free(args->units);
	free(args->ranges.rows);
	elf_btf_close(args->btf);
	dwarf_end(args->dwarf);
	elf_end(args->elf);
	elf_file_close(&args->file);
	elf_file_close(&args->program);
	if (args->own_fd >= 0)
		close(args->own_fd);
	free(args);
}
