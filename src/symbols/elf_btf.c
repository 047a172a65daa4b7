/* SPDX-License-Identifier: MIT */
/*
 * BTF describes functions by name, without addresses.  So a function is found by its
 * symbol. gcc writes BTF for each object file, and the linker concatenates the sections:
 * the result is a row of blocks (`piece` in this file), each with its own type numbers
 * and strings.
 *
 * Several functions may have one name.  If their parameters differ, or if more symbols
 * have the name than BTF describes functions, nobody can say which function is which, and
 * none of them is known. gcc also describes functions that are only declared, but without
 * the names of their parameters.
 *
 * libbpf gets a copy of the section in memory, never a file.  It checks that each type
 * lies inside of its block.  The types and strings that a type refers to are checked
 * here, when they are used.
 */
#include "symbols/elf_btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "symbols/elf_value.h"

#define PIECES_MAX	65536u
#define FUNCTIONS_MAX	1000000u
#define MEMORY_MAX	8u		/* bytes of memory for each byte of the section,
					 * at most */
#define CHAIN_MAX	32		/* longest chain of typedefs and qualifiers */
#define LOOKS		256u		/* types or symbols between two checks of the
					 * deadline */

struct function {
	uint64_t hash;			/* hash of the name */
	uint64_t symbol;		/* address of the last symbol with this hash */
	uint32_t nr_symbols;		/* symbols with this hash.  Both are valid only in
					 * the first function with the hash. */
	uint32_t piece, id;		/* number of the block; number of the type in it */
};

struct elf_btf {
	struct btf **pieces;
	uint32_t nr_pieces;
	struct function *functions;	/* sorted by hash */
	uint32_t nr_functions, room;	/* room: allocated rows of @functions */
};

/* ---- types ---- */

static const char *name_at(const struct btf *piece, uint32_t off)
{
	const char *name = btf__name_by_offset(piece, off);

	return name && *name ? name : NULL;
}

/* Return the type without typedef, const and the like.  NULL: unknown, or void. */
static const struct btf_type *type_of(const struct btf *piece, uint32_t id)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		const struct btf_type *type = id ? btf__type_by_id(piece, id) : NULL;

		if (!type || !(btf_is_mod(type) || btf_is_typedef(type)))
			return type;
		id = type->type;
	}
	return NULL;
}

/*
 * Without --btf_gen_floats, pahole describes floating-point types as integers.  Recognise
 * them by name.
 */
static bool is_float(const struct btf *piece, const struct btf_type *type)
{
	static const char *const words[] = {
		"float", "double", "_Float", "_Decimal", "bf16",
	};
	const char *name = name_at(piece, type->name_off);

	if (btf_is_float(type))
		return true;
	for (size_t i = 0; btf_is_int(type) && name && i < ARRAY_SIZE(words); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

static struct elf_scalar scalar_of(const struct btf *piece, const struct btf_type *type)
{
	const char *name = name_at(piece, type->name_off);

	if (is_float(piece, type))
		return elf_scalar_float(name, type->size,
					name && strcasestr(name, "complex"));
	if (btf_is_ptr(type))
		return elf_scalar_integer(ELF_WORD);
	if (btf_is_int(type) || btf_is_any_enum(type))
		return elf_scalar_integer(type->size);
	return (struct elf_scalar) { .class = ELF_SCALAR_UNKNOWN };
}

/* ---- how values are passed ---- */

static void add_part(const struct btf *piece, const struct btf_type *type,
		     struct elf_part part, int depth, struct elf_value *value);

static void add_members(const struct btf *piece, const struct btf_type *type,
			uint64_t bit, int depth, struct elf_value *value)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		struct elf_part part = {
			.bit = bit + btf_member_bit_offset(type, i),
			.bits = btf_member_bitfield_size(type, i),
		};

		if (!elf_value_look(value, depth))
			return;
		add_part(piece, type_of(piece, btf_members(type)[i].type), part,
			 depth + 1, value);
	}
}

static void add_elements(const struct btf *piece, const struct btf_type *type,
			 uint64_t bit, int depth, struct elf_value *value)
{
	uint64_t nr = 1, bits;

	while (type && btf_is_array(type) && elf_value_look(value, depth)) {
		nr *= btf_array(type)->nelems;
		type = type_of(piece, btf_array(type)->type);
	}
	if (!type) {
		value->has |= ELF_SCALAR_UNKNOWN;
		return;
	}
	bits = btf_is_ptr(type) ? ELF_WORD_BITS : 8ull * type->size;
	for (; nr && bits && bit < 2 * ELF_WORD_BITS; nr--, bit += bits)
		add_part(piece, type, (struct elf_part) { .bit = bit }, depth + 1, value);
}

/*
 * Add a member of a struct of at most two words.  A member without a type (gcc's BTF of a
 * vector) makes the value unknown.
 */
static void add_part(const struct btf *piece, const struct btf_type *type,
		     struct elf_part part, int depth, struct elf_value *value)
{
	if (part.bit >= 2 * ELF_WORD_BITS || !elf_value_look(value, depth))
		return;
	if (!type)
		value->has |= ELF_SCALAR_UNKNOWN;
	else if (btf_is_composite(type))
		add_members(piece, type, part.bit, depth, value);
	else if (btf_is_array(type))
		add_elements(piece, type, part.bit, depth, value);
	else
		elf_value_add(value, part, scalar_of(piece, type));
}

static enum elf_param_kind kind_of(const struct btf *piece, const struct btf_type *type)
{
	if (is_float(piece, type))
		return ELF_PARAM_FLOAT;
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		return btf_int_encoding(type) & BTF_INT_SIGNED ? ELF_PARAM_SIGNED :
								 ELF_PARAM_UNSIGNED;
	case BTF_KIND_PTR:
		return ELF_PARAM_POINTER;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return ELF_PARAM_ENUM;
	case BTF_KIND_STRUCT:
		return ELF_PARAM_STRUCT;
	case BTF_KIND_UNION:
		return ELF_PARAM_UNION;
	default:
		return ELF_PARAM_UNKNOWN;
	}
}

/*
 * An array cannot be a parameter in C.  If BTF says so, it is pahole's description of a
 * vector: unknown.
 */
static struct elf_value classify(const struct btf *piece, const struct btf_type *type)
{
	struct elf_value value = {
		.kind = type ? kind_of(piece, type) : ELF_PARAM_UNKNOWN,
		.bytes = ELF_WORD,
	};

	if (value.kind == ELF_PARAM_UNKNOWN) {
		value.has = ELF_SCALAR_UNKNOWN;
		return value;
	}
	if (value.kind != ELF_PARAM_POINTER)
		value.bytes = type->size;
	if (btf_is_composite(type) && value.bytes > 2 * ELF_WORD)
		value.is_in_memory = true;
	else
		add_part(piece, type, (struct elf_part) { 0 }, 0, &value);
	return value;
}

/* ---- functions ---- */

/* Return the prototype of @function, or NULL if it has none. */
static const struct btf_type *proto_of(const struct btf *piece,
				       const struct btf_type *function)
{
	const struct btf_type *proto = btf__type_by_id(piece, function->type);

	return proto && btf_is_func_proto(proto) ? proto : NULL;
}

/* BTF describes `...' as a last parameter without name and type.  Do not count it. */
static uint32_t nr_params(const struct btf_type *proto)
{
	uint32_t nr = btf_vlen(proto);
	const struct btf_param *last = btf_params(proto) + nr - 1;

	return nr && !last->name_off && !last->type ? nr - 1 : nr;
}

static bool is_declaration(const struct btf *piece, const struct btf_type *function,
			   const struct btf_type *proto)
{
	if (btf_vlen(function) == BTF_FUNC_EXTERN)
		return true;
	for (uint32_t i = 0; i < btf_vlen(proto); i++)
		if (name_at(piece, btf_params(proto)[i].name_off))
			return false;
	return btf_vlen(proto);
}

static uint8_t first_reg(const struct btf *piece, const struct btf_type *proto)
{
	const struct btf_type *type = type_of(piece, proto->type);
	struct elf_value value;

	if (!type)
		return proto->type ? ELF_NO_REG : 0;
	value = classify(piece, type);
	return elf_value_first_reg(&value);
}

static struct elf_params *read_params(const struct btf *piece,
				      const struct btf_type *proto)
{
	struct elf_params *params = elf_params_new();
	uint8_t next = first_reg(piece, proto);

	for (uint32_t i = 0; params && i < ELF_PARAMS_MAX && i < nr_params(proto); i++) {
		const struct btf_param *said = &btf_params(proto)[i];
		struct elf_value value = classify(piece, type_of(piece, said->type));
		struct elf_param *param = &params->rows[params->nr++];

		elf_param_init(param, name_at(piece, said->name_off), &value);
		elf_value_place(&value, &next, param);
	}
	return params;
}

static bool is_same_param(const struct elf_param *a, const struct elf_param *b)
{
	return a->kind == b->kind && a->bytes == b->bytes &&
	       a->is_on_stack == b->is_on_stack &&
	       !memcmp(a->regs, b->regs, sizeof(a->regs)) && !a->name == !b->name &&
	       (!a->name || !strcmp(a->name, b->name));
}

static bool is_same(const struct elf_params *a, const struct elf_params *b)
{
	if (a->nr != b->nr)
		return false;
	for (uint32_t i = 0; i < a->nr; i++)
		if (!is_same_param(&a->rows[i], &b->rows[i]))
			return false;
	return true;
}

/* ---- functions by name ---- */

static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 0x100000001b3;
	return hash;
}

/* Return the first function with @hash, or the end of the table if there is none. */
static struct function *first_of(const struct elf_btf *btf, uint64_t hash)
{
	uint32_t low = 0, high = btf->nr_functions;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (btf->functions[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return &btf->functions[low];
}

static bool has_hash(const struct elf_btf *btf, const struct function *function,
		     uint64_t hash)
{
	return function < btf->functions + btf->nr_functions && function->hash == hash;
}

/* Return NULL if another name has the same hash. */
static struct elf_params *read_function(const struct elf_btf *btf,
					const struct function *function,
					const char *name)
{
	const struct btf *piece = btf->pieces[function->piece];
	const struct btf_type *type = btf__type_by_id(piece, function->id);
	const char *own = name_at(piece, type->name_off);

	return own && !strcmp(own, name) ? read_params(piece, proto_of(piece, type)) :
					   NULL;
}

/*
 * A name with a suffix of the compiler, such as f.isra.0, is a function with changed
 * parameters: unknown.
 */
struct elf_params *elf_btf_find(const struct elf_btf *btf, const char *name,
				struct elf_deadline *deadline)
{
	uint64_t hash = hash_of(name);
	const struct function *function = first_of(btf, hash);
	struct elf_params *params = NULL;
	uint32_t left = 0;		/* symbols that have no described function yet */
	bool is_known = has_hash(btf, function, hash) && !strchr(name, '.');

	if (is_known)
		left = function->nr_symbols;
	for (; is_known && has_hash(btf, function, hash); function++) {
		struct elf_params *other = read_function(btf, function, name);

		is_known = other && (!params || is_same(params, other)) &&
			   !elf_deadline_is_over(deadline);
		left -= left > 0;
		free(params);
		params = other;
	}
	if (is_known && !left)
		return params;
	free(params);
	return NULL;
}

/* ---- reading BTF ---- */

static bool add_function(struct elf_btf *btf, struct function function)
{
	if (btf->nr_functions == btf->room) {
		uint32_t room = btf->room ? 2 * btf->room : 64;
		struct function *functions = room > FUNCTIONS_MAX ? NULL :
			realloc(btf->functions, room * sizeof(*functions));

		if (!functions)
			return false;
		btf->functions = functions;
		btf->room = room;
	}
	btf->functions[btf->nr_functions++] = function;
	return true;
}

/* Returns false if there is no memory, or the deadline has passed. */
static bool list_functions(struct elf_btf *btf, struct elf_deadline *deadline)
{
	uint32_t number = btf->nr_pieces - 1;
	const struct btf *piece = btf->pieces[number];
	uint32_t nr = btf__type_cnt(piece);

	for (uint32_t id = 1; id < nr; id++) {
		const struct btf_type *type = btf__type_by_id(piece, id), *proto;
		const char *name;

		if (id % LOOKS == 1 && elf_deadline_is_over(deadline))
			return false;
		proto = btf_is_func(type) ? proto_of(piece, type) : NULL;
		name = proto ? name_at(piece, type->name_off) : NULL;
		if (!name || strnlen(name, ELF_NAME_MAX) == ELF_NAME_MAX ||
		    is_declaration(piece, type, proto))
			continue;
		if (!add_function(btf, (struct function) {
				.hash = hash_of(name), .piece = number, .id = id }))
			return false;
	}
	return true;
}

/*
 * Return the length of a block by its header.  0: no valid header, or the other byte
 * order.
 */
static uint64_t piece_bytes(const char *data, uint64_t bytes)
{
	struct btf_header head;
	uint64_t used;

	if (bytes < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	used = (uint64_t)head.hdr_len + head.str_off + head.str_len;
	return head.magic == BTF_MAGIC && head.version == BTF_VERSION &&
	       head.hdr_len >= sizeof(head) && head.hdr_len % 4 == 0 &&
	       used <= bytes && used <= UINT32_MAX ? used : 0;
}

static bool add_piece(struct elf_btf *btf, const char *data, uint64_t bytes)
{
	struct btf **pieces = btf->nr_pieces == PIECES_MAX ? NULL :
		realloc(btf->pieces, (btf->nr_pieces + 1) * sizeof(*pieces));

	if (!pieces)
		return false;
	btf->pieces = pieces;
	pieces[btf->nr_pieces] = btf__new(data, (uint32_t)bytes);
	if (!pieces[btf->nr_pieces])
		return false;
	btf->nr_pieces++;
	return true;
}

/*
 * Read all blocks.  Zeroes may lie between them.  Returns false if any part is malformed.
 */
static bool read_pieces(struct elf_btf *btf, const char *data, uint64_t bytes,
			struct elf_deadline *deadline)
{
	for (uint64_t at = 0, used; at < bytes; at += used) {
		while (at < bytes && !data[at])
			at++;
		used = piece_bytes(data + at, bytes - at);
		if (at < bytes && (!used || !add_piece(btf, data + at, used) ||
				   !list_functions(btf, deadline)))
			return false;
	}
	return true;
}

static int compare_functions(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;

	return (a->hash > b->hash) - (a->hash < b->hash);
}

/*
 * Count the symbols of each name.  @symbols are sorted by address, so equal ones are
 * neighbours.
 */
static bool count_symbols(struct elf_btf *btf, const struct elf_symbols *symbols,
			  struct elf_deadline *deadline)
{
	for (uint32_t i = 0; i < symbols->nr; i++) {
		const struct elf_symbol *symbol = &symbols->rows[i];
		uint64_t hash = hash_of(symbol->name);
		struct function *function = first_of(btf, hash);

		if (i % LOOKS == 0 && elf_deadline_is_over(deadline))
			return false;
		if (!has_hash(btf, function, hash) ||
		    (function->nr_symbols && function->symbol == symbol->addr))
			continue;
		function->nr_symbols++;
		function->symbol = symbol->addr;
	}
	return true;
}

/* Read the section, if the memory that it needs fits into bytes_left. */
static char *read_section(const struct elf_file *file, uint64_t *ret_bytes)
{
	const Elf64_Shdr *section = elf_find_section(file, ".BTF");

	if (!section || section->sh_flags & SHF_COMPRESSED ||
	    file->head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    section->sh_size > *file->bytes_left / MEMORY_MAX)
		return NULL;
	*ret_bytes = section->sh_size;
	*file->bytes_left -= (MEMORY_MAX - 1) * section->sh_size;
	return elf_read_section(file, section);
}

/*
 * libbpf_set_print() turns libbpf's messages off: they are for the author of the file.
 * This affects the whole process, in which nobody else uses libbpf.
 */
struct elf_btf *elf_btf_open(const struct elf_file *file,
			     const struct elf_symbols *symbols,
			     struct elf_deadline *deadline)
{
	uint64_t bytes;
	char *data = read_section(file, &bytes);
	struct elf_btf *btf = data ? calloc(1, sizeof(*btf)) : NULL;
	bool is_read;

	libbpf_set_print(NULL);
	is_read = btf && read_pieces(btf, data, bytes, deadline) && btf->nr_functions;
	free(data);
	if (is_read) {
		qsort(btf->functions, btf->nr_functions, sizeof(*btf->functions),
		      compare_functions);
		is_read = count_symbols(btf, symbols, deadline);
	}
	if (is_read)
		return btf;
	elf_btf_close(btf);
	return NULL;
}

void elf_btf_close(struct elf_btf *btf)
{
	if (!btf)
		return;
	for (uint32_t i = 0; i < btf->nr_pieces; i++)
		btf__free(btf->pieces[i]);
	free(btf->pieces);
	free(btf->functions);
	free(btf);
}
