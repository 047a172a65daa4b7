/* SPDX-License-Identifier: MIT */
/* BTF that was made for a test, and files that have it. */
#ifndef TESTS_BTF_FILE_H
#define TESTS_BTF_FILE_H

#include <bpf/btf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/elf_btf.h"

#define BTF_FILE_MAX	(1u << 16)

/* Numbers of types, in the order in which they are made. */
enum btf_file_type {
	T_VOID, T_INT, T_LONG, T_CHAR, T_USHORT, T_BOOL, T_INT128, T_FLOAT, T_DOUBLE,
	T_EXTENDED, T_COMPLEX, T_PTR, T_ENUM, T_ENUM64, T_FWD, T_CONST, T_VOLATILE,
	T_TAG, T_TYPEDEF, T_RESTRICT, T_INT_2, T_FLOAT_4, T_CHAR_40, T_CHAR_0,
	T_VOID_TYPEDEF, T_PAIR, T_MIXED, T_FLOATS, T_LARGE, T_PACKED, T_HALVES, T_BITS,
	T_LONG_DOUBLE_IN, T_UNION, T_EMPTY, T_OPEN, T_VECTOR_IN, T_INNER, T_OUTER,
	T_PAHOLE_DOUBLE, T_PAHOLE_VECTOR, T_CIRCLE, T_TWISTED, T_POINTERS, T_POINTERS_IN,
	T_SQUARE, T_SQUARE_OF, T_SQUARE_IN,
	T_NR,
};

static inline void btf_file_struct(struct btf *btf, const char *name, uint32_t bytes,
				   uint32_t a, uint32_t b, uint32_t b_bit)
{
	btf__add_struct(btf, name, bytes);
	btf__add_field(btf, "a", (int)a, 0, 0);
	if (b)
		btf__add_field(btf, "b", (int)b, b_bit, 0);
}

static inline void btf_file_numbers(struct btf *btf)
{
	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_int(btf, "long int", 8, BTF_INT_SIGNED);
	btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	btf__add_int(btf, "short unsigned int", 2, 0);
	btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED);
	btf__add_float(btf, "float", 4);
	btf__add_float(btf, "double", 8);
	btf__add_float(btf, "long double", 16);
	btf__add_float(btf, "complex double", 16);
	btf__add_ptr(btf, T_FWD);
	btf__add_enum(btf, "colour", 4);
	btf__add_enum_value(btf, "RED", -1);
	btf__add_enum64(btf, "large", 8, true);
	btf__add_enum64_value(btf, "LARGE", 1ull << 40);
}

/* T_TYPEDEF: short unsigned int, by way of all that may be in between. */
static inline void btf_file_chains(struct btf *btf)
{
	btf__add_fwd(btf, "fwd", BTF_FWD_STRUCT);
	btf__add_const(btf, T_VOLATILE);
	btf__add_volatile(btf, T_TAG);
	btf__add_type_tag(btf, "user", T_USHORT);
	btf__add_typedef(btf, "u16_const", T_CONST);
	btf__add_restrict(btf, T_PTR);
	btf__add_array(btf, T_INT, T_INT, 2);
	btf__add_array(btf, T_INT, T_FLOAT, 4);
	btf__add_array(btf, T_INT, T_CHAR, 40);
	btf__add_array(btf, T_INT, T_CHAR, 0);
	btf__add_typedef(btf, "vector", T_VOID);
}

static inline void btf_file_structs(struct btf *btf)
{
	btf_file_struct(btf, "pair", 16, T_LONG, T_LONG, 64);
	btf_file_struct(btf, "mixed", 16, T_DOUBLE, T_INT, 64);
	btf_file_struct(btf, "floats", 16, T_FLOAT_4, 0, 0);
	btf_file_struct(btf, "large", 40, T_CHAR_40, 0, 0);
	btf_file_struct(btf, "packed", 9, T_CHAR, T_LONG, 8);
	btf_file_struct(btf, "halves", 16, T_INT_2, T_DOUBLE, 64);
	btf__add_struct(btf, "bits", 16);
	btf__add_field(btf, "f", T_FLOAT, 0, 0);
	btf__add_field(btf, "a", T_LONG, 63, 2);
	btf_file_struct(btf, "extended", 16, T_EXTENDED, 0, 0);
	btf__add_union(btf, "either", 8);
	btf__add_field(btf, "i", T_INT, 0, 0);
	btf__add_field(btf, "d", T_DOUBLE, 0, 0);
	btf__add_struct(btf, "empty", 0);
	btf_file_struct(btf, "open", 8, T_DOUBLE, T_CHAR_0, 64);
	btf_file_struct(btf, "vectors", 16, T_VOID_TYPEDEF, 0, 0);
	btf_file_struct(btf, "inner", 8, T_FLOAT, T_INT, 32);
	btf_file_struct(btf, "outer", 16, T_DOUBLE, T_INNER, 64);
}

/* What pahole writes for numbers and vectors, and what nobody does. */
static inline void btf_file_odd(struct btf *btf)
{
	btf__add_int(btf, "double", 8, 0);
	btf__add_array(btf, T_INT, T_INT, 4);
	btf__add_typedef(btf, "circle", T_CIRCLE);
	btf__add_struct(btf, "twisted", 16);
	for (int i = 0; i < 64; i++)
		btf__add_field(btf, "again", T_TWISTED, 0, 0);
	btf__add_array(btf, T_INT, T_PTR, 2);
	btf_file_struct(btf, "pointers", 16, T_POINTERS, 0, 0);
	btf__add_array(btf, T_INT, T_SQUARE_OF, 2);
	btf__add_array(btf, T_INT, T_FLOAT, 1);
	btf_file_struct(btf, "square", 16, T_SQUARE, T_INT, 64);
}

/* With the types of above. */
static inline struct btf *btf_file_types(void)
{
	struct btf *btf = btf__new_empty();

	btf_file_numbers(btf);
	btf_file_chains(btf);
	btf_file_structs(btf);
	btf_file_odd(btf);
	return btf__type_cnt(btf) == T_NR ? btf : NULL;
}

struct btf_file_param {
	const char *name;
	int type;
};

/* @nr: of @params; linkage as in BTF. */
static inline void btf_file_function(struct btf *btf, const char *name, int returned,
				     const struct btf_file_param *params, int nr,
				     enum btf_func_linkage linkage)
{
	int proto = btf__add_func_proto(btf, returned);

	for (int i = 0; i < nr; i++)
		btf__add_func_param(btf, params[i].name, params[i].type);
	btf__add_func(btf, name, linkage, proto);
}

struct btf_file {
	Elf64_Ehdr head;
	Elf64_Shdr sections[3];
	char names[16];
	char data[BTF_FILE_MAX];
	size_t bytes;			/* of data */
};

static inline void btf_file_init(struct btf_file *file)
{
	static const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
		.e_shoff = offsetof(struct btf_file, sections),
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 1,
	};

	memset(file, 0, sizeof(*file));
	file->head = head;
	file->sections[1] = (Elf64_Shdr) {
		.sh_type = SHT_STRTAB, .sh_size = sizeof(file->names),
		.sh_offset = offsetof(struct btf_file, names),
	};
	file->sections[2] = (Elf64_Shdr) {
		.sh_name = 1, .sh_type = SHT_PROGBITS,
		.sh_offset = offsetof(struct btf_file, data),
	};
	memcpy(file->names, "\0.BTF", 6);
}

/* Put it behind what is there; frees it. */
static inline void btf_file_add(struct btf_file *file, struct btf *btf)
{
	uint32_t bytes;
	const void *data = btf__raw_data(btf, &bytes);

	if (bytes > sizeof(file->data) - file->bytes)
		abort();
	memcpy(file->data + file->bytes, data, bytes);
	file->bytes += bytes;
	btf__free(btf);
}

/* As if it were a file, up to where the data ends. */
static inline struct elf_btf *btf_file_open(struct btf_file *file,
					    const struct elf_symbols *symbols,
					    uint64_t *bytes_left,
					    struct elf_deadline *deadline)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);
	size_t bytes = offsetof(struct btf_file, data) + file->bytes;
	struct elf_btf *btf = NULL;
	struct elf_file elf;

	file->sections[2].sh_size = file->bytes;
	if (write(fd, file, bytes) != (ssize_t)bytes)
		abort();
	if (!elf_file_open_source(&(struct elf_source) { .fd = fd,
							 .bytes_left = bytes_left }, &elf))
		btf = elf_btf_open(&elf, symbols, deadline);
	elf_file_close(&elf);
	close(fd);
	return btf;
}

#endif
