/* SPDX-License-Identifier: MIT */
/* Parameters of functions from BTF: how types are passed, which function is meant, and
 * sections that are wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/bits.h"
#include "btf_file.h"

#define PLENTY	(1ull << 30)
#define NONE	ELF_NO_REG

static const struct elf_symbols no_symbols;

/* ---- how types are passed ---- */

static const struct expected {
	const char *name;
	int returned;
	struct {
		struct btf_file_param said;
		uint8_t kind, is_on_stack, regs[2];
		uint64_t bytes;
	} params[8];
} expected[] = {
	{ "scalars", T_VOID, {
		{ { "c", T_CHAR }, ELF_PARAM_SIGNED, 0, { 0, NONE }, 1 },
		{ { "u", T_TYPEDEF }, ELF_PARAM_UNSIGNED, 0, { 1, NONE }, 2 },
		{ { "colour", T_ENUM }, ELF_PARAM_ENUM, 0, { 2, NONE }, 4 },
		{ { "p", T_RESTRICT }, ELF_PARAM_POINTER, 0, { 3, NONE }, 8 },
		{ { "b", T_BOOL }, ELF_PARAM_UNSIGNED, 0, { 4, NONE }, 1 },
		{ { "large", T_ENUM64 }, ELF_PARAM_ENUM, 0, { 5, NONE }, 8 },
		{ { "seventh", T_INT }, ELF_PARAM_SIGNED, 1, { NONE, NONE }, 4 },
	} },
	{ "structs", T_INT, {
		{ { "pair", T_PAIR }, ELF_PARAM_STRUCT, 0, { 0, 1 }, 16 },
		{ { "x", T_DOUBLE }, ELF_PARAM_FLOAT, 0, { NONE, NONE }, 8 },
		{ { "mixed", T_MIXED }, ELF_PARAM_STRUCT, 0, { NONE, 2 }, 16 },
		{ { "floats", T_FLOATS }, ELF_PARAM_STRUCT, 0, { NONE, NONE }, 16 },
		{ { "large", T_LARGE }, ELF_PARAM_STRUCT, 1, { NONE, NONE }, 40 },
		{ { "either", T_UNION }, ELF_PARAM_UNION, 0, { 3, NONE }, 8 },
		{ { "last", T_INT }, ELF_PARAM_SIGNED, 0, { 4, NONE }, 4 },
	} },
	{ "odd", T_VOID, {
		{ { "packed", T_PACKED }, ELF_PARAM_STRUCT, 1, { NONE, NONE }, 9 },
		{ { "halves", T_HALVES }, ELF_PARAM_STRUCT, 0, { 0, NONE }, 16 },
		{ { "bits", T_BITS }, ELF_PARAM_STRUCT, 0, { 1, 2 }, 16 },
		{ { "complex", T_COMPLEX }, ELF_PARAM_FLOAT, 0, { NONE, NONE }, 16 },
		{ { "extended", T_EXTENDED }, ELF_PARAM_FLOAT, 1, { NONE, NONE }, 16 },
		{ { "empty", T_EMPTY }, ELF_PARAM_STRUCT, 0, { NONE, NONE }, 0 },
		{ { "open", T_OPEN }, ELF_PARAM_STRUCT, 0, { NONE, NONE }, 8 },
		{ { "last", T_INT }, ELF_PARAM_SIGNED, 0, { 3, NONE }, 4 },
	} },
	{ "nested", T_PAIR, {
		{ { "outer", T_OUTER }, ELF_PARAM_STRUCT, 0, { NONE, 0 }, 16 },
		{ { "pointers", T_POINTERS_IN }, ELF_PARAM_STRUCT, 0, { 1, 2 }, 16 },
		{ { "square", T_SQUARE_IN }, ELF_PARAM_STRUCT, 0, { NONE, 3 }, 16 },
		{ { "wide", T_INT128 }, ELF_PARAM_SIGNED, 0, { 4, 5 }, 16 },
	} },
	{ "returned", T_LARGE, {
		{ { "x", T_INT }, ELF_PARAM_SIGNED, 0, { 1, NONE }, 4 },
	} },
	{ "returned_packed", T_PACKED, {
		{ { "x", T_INT }, ELF_PARAM_SIGNED, 0, { 1, NONE }, 4 },
	} },
	{ "returned_in_fpu", T_LONG_DOUBLE_IN, {
		{ { "extended", T_LONG_DOUBLE_IN }, ELF_PARAM_STRUCT, 1, { NONE, NONE }, 16 },
		{ { "x", T_INT }, ELF_PARAM_SIGNED, 0, { 0, NONE }, 4 },
	} },
	{ "no_room", T_EXTENDED, {
		{ { "pair", T_PAIR }, ELF_PARAM_STRUCT, 0, { 0, 1 }, 16 },
		{ { "pair2", T_PAIR }, ELF_PARAM_STRUCT, 0, { 2, 3 }, 16 },
		{ { "e", T_LONG }, ELF_PARAM_SIGNED, 0, { 4, NONE }, 8 },
		{ { "wide", T_INT128 }, ELF_PARAM_SIGNED, 1, { NONE, NONE }, 16 },
		{ { "last", T_INT }, ELF_PARAM_SIGNED, 0, { 5, NONE }, 4 },
	} },
	/* Of what is behind one that is not known nobody knows where it is. */
	{ "vector", T_VOID, {
		{ { "a", T_INT }, ELF_PARAM_SIGNED, 0, { 0, NONE }, 4 },
		{ { "v", T_VOID_TYPEDEF }, ELF_PARAM_UNKNOWN, 0, { NONE, NONE }, 8 },
		{ { "b", T_INT }, ELF_PARAM_SIGNED, 0, { NONE, NONE }, 4 },
		{ { "large", T_LARGE }, ELF_PARAM_STRUCT, 0, { NONE, NONE }, 40 },
	} },
	{ "vector_in", T_VOID, {
		{ { "v", T_VECTOR_IN }, ELF_PARAM_STRUCT, 0, { NONE, NONE }, 16 },
		{ { "b", T_INT }, ELF_PARAM_SIGNED, 0, { NONE, NONE }, 4 },
	} },
	{ "forward", T_FWD, {
		{ { "b", T_INT }, ELF_PARAM_SIGNED, 0, { NONE, NONE }, 4 },
	} },
	{ "pahole", T_VOID, {
		{ { "d", T_PAHOLE_DOUBLE }, ELF_PARAM_FLOAT, 0, { NONE, NONE }, 8 },
		{ { "a", T_INT }, ELF_PARAM_SIGNED, 0, { 0, NONE }, 4 },
		{ { "v", T_PAHOLE_VECTOR }, ELF_PARAM_UNKNOWN, 0, { NONE, NONE }, 8 },
		{ { "b", T_INT }, ELF_PARAM_SIGNED, 0, { NONE, NONE }, 4 },
	} },
	{ "circles", T_VOID, {
		{ { "c", T_CIRCLE }, ELF_PARAM_UNKNOWN, 0, { NONE, NONE }, 8 },
	} },
	{ "twisted", T_VOID, {
		{ { "t", T_TWISTED }, ELF_PARAM_STRUCT, 0, { NONE, NONE }, 16 },
		{ { "b", T_INT }, ELF_PARAM_SIGNED, 0, { NONE, NONE }, 4 },
	} },
	{ "nothing", T_VOID, { { { NULL, 0 }, 0, 0, { NONE, NONE }, 0 } } },
};

static int expected_nr(const struct expected *wanted)
{
	int nr = 0;

	while (nr < 8 && wanted->params[nr].said.name)
		nr++;
	return nr;
}

static void add_expected(struct btf *btf, const struct expected *wanted)
{
	struct btf_file_param params[8];

	for (int i = 0; i < 8; i++)
		params[i] = wanted->params[i].said;
	btf_file_function(btf, wanted->name, wanted->returned, params,
			  expected_nr(wanted), BTF_FUNC_STATIC);
}

static void file_with_expected(struct btf_file *file)
{
	struct btf *btf = btf_file_types();

	assert_non_null(btf);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		add_expected(btf, &expected[i]);
	btf_file_init(file);
	btf_file_add(file, btf);
}

static struct elf_btf *open_file(struct btf_file *file)
{
	struct elf_deadline deadline = { .cpu_ns = UINT64_MAX };
	uint64_t bytes_left = PLENTY;

	return btf_file_open(file, &no_symbols, &bytes_left, &deadline);
}

static struct elf_params *find(const struct elf_btf *btf, const char *name)
{
	struct elf_deadline deadline = { .cpu_ns = UINT64_MAX };

	return elf_btf_find(btf, name, &deadline);
}

static void check_function(const struct elf_params *params,
			   const struct expected *wanted)
{
	assert_non_null(params);
	assert_int_equal(params->nr, expected_nr(wanted));
	for (uint32_t i = 0; i < params->nr; i++) {
		const struct elf_param *param = &params->rows[i];

		assert_string_equal(param->name, wanted->params[i].said.name);
		assert_int_equal(param->kind, wanted->params[i].kind);
		assert_int_equal(param->is_on_stack, wanted->params[i].is_on_stack);
		assert_memory_equal(param->regs, wanted->params[i].regs, 2);
		assert_int_equal(param->bytes, wanted->params[i].bytes);
	}
}

static struct btf_file file;

/* Who walks all of T_TWISTED takes for ever, and is ended by the alarm. */
static void types_are_passed(void **state)
{
	struct elf_btf *btf;

	(void)state;
	alarm(60);
	file_with_expected(&file);
	btf = open_file(&file);
	assert_non_null(btf);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct elf_params *params = find(btf, expected[i].name);

		print_message("%s\n", expected[i].name);
		check_function(params, &expected[i]);
		free(params);
	}
	assert_null(find(btf, "nosuch"));
	assert_null(find(btf, ""));
	elf_btf_close(btf);
	alarm(0);
}

/* ---- which function is meant ---- */

static const struct btf_file_param one[] = { { "x", T_INT } };
static const struct btf_file_param same_but_type[] = { { "x", T_LONG } };
static const struct btf_file_param same_but_name[] = { { "y", T_INT } };
static const struct btf_file_param two[] = { { "x", T_INT }, { "y", T_INT } };
static const struct btf_file_param unnamed[] = { { NULL, T_INT } };
static const struct btf_file_param variable[] = { { "x", T_INT }, { NULL, T_VOID } };
static const struct btf_file_param floating[] = { { "x", T_FLOAT }, { "y", T_INT } };

/* What the two pieces have of the function f, and how many symbols have that name. */
static const struct {
	const struct btf_file_param *first, *second;
	int first_nr, second_nr;
	enum btf_func_linkage linkage;	/* of the second */
	uint32_t nr_symbols;
	int nr;				/* of parameters; -1: nobody knows */
} meant[] = {
	{ one, NULL, 1, 0, BTF_FUNC_STATIC, 1, 1 },
	{ NULL, one, 0, 1, BTF_FUNC_STATIC, 1, 1 },
	{ one, one, 1, 1, BTF_FUNC_STATIC, 1, 1 },
	{ one, one, 1, 1, BTF_FUNC_STATIC, 2, 1 },
	{ one, one, 1, 1, BTF_FUNC_STATIC, 3, -1 },
	{ one, NULL, 1, 0, BTF_FUNC_STATIC, 2, -1 },
	{ one, same_but_type, 1, 1, BTF_FUNC_STATIC, 1, -1 },
	{ one, same_but_name, 1, 1, BTF_FUNC_STATIC, 1, -1 },
	{ one, two, 1, 2, BTF_FUNC_STATIC, 1, -1 },
	{ two, one, 2, 1, BTF_FUNC_STATIC, 1, -1 },
	{ two, floating, 2, 2, BTF_FUNC_STATIC, 2, -1 },
	{ one, two, 1, 2, BTF_FUNC_EXTERN, 1, 1 },
	{ one, unnamed, 1, 1, BTF_FUNC_STATIC, 1, 1 },
	{ one, unnamed, 1, 1, BTF_FUNC_STATIC, 2, -1 },
	{ unnamed, NULL, 1, 0, BTF_FUNC_STATIC, 1, -1 },
	{ one, one, 1, 0, BTF_FUNC_STATIC, 1, -1 },
	{ variable, NULL, 2, 0, BTF_FUNC_STATIC, 1, 1 },
};

static void add_meant(const struct btf_file_param *params, int nr,
		      enum btf_func_linkage linkage)
{
	struct btf *btf = btf_file_types();

	if (params)
		btf_file_function(btf, "f", T_VOID, params, nr, linkage);
	btf_file_function(btf, "f.isra.0", T_VOID, one, 1, BTF_FUNC_STATIC);
	btf_file_function(btf, "g", T_VOID, one, 1, BTF_FUNC_STATIC);
	btf_file_add(&file, btf);
}

/* With @gap bytes between the two. */
static struct elf_btf *open_meant(size_t i, size_t gap)
{
	/* the first has two names, and the second name twice */
	const struct elf_symbol rows[] = {
		{ 0x1000, 8, "f" }, { 0x1000, 8, "f" }, { 0x1000, 8, "g" },
		{ 0x2000, 8, "f" }, { 0x3000, 8, "f" },
	};
	const struct elf_symbols symbols = {
		.rows = (struct elf_symbol *)rows, .nr = 2 + meant[i].nr_symbols,
	};
	struct elf_deadline deadline = { .cpu_ns = UINT64_MAX };
	uint64_t bytes_left = PLENTY;

	btf_file_init(&file);
	add_meant(meant[i].first, meant[i].first_nr, BTF_FUNC_STATIC);
	file.bytes += gap;
	add_meant(meant[i].second, meant[i].second_nr, meant[i].linkage);
	return btf_file_open(&file, &symbols, &bytes_left, &deadline);
}

static void functions_are_told_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(meant); i++)
		for (size_t gap = 0; gap < 5; gap++) {
			struct elf_btf *btf = open_meant(i, gap);
			struct elf_params *params;

			assert_non_null(btf);
			params = find(btf, "f");
			if ((params ? (int)params->nr : -1) != meant[i].nr)
				fail_msg("row %zu", i);
			free(params);
			params = find(btf, "g");
			assert_non_null(params);
			assert_string_equal(params->rows[0].name, "x");
			free(params);
			assert_null(find(btf, "f.isra.0"));
			elf_btf_close(btf);
		}
}

/* ---- sections that are wrong ---- */

static void try_all(struct elf_btf *btf)
{
	for (size_t i = 0; btf && i < ARRAY_SIZE(expected); i++) {
		struct elf_params *params = find(btf, expected[i].name);

		for (uint32_t k = 0; params && k < params->nr; k++)
			assert_true(!params->rows[k].name ||
				    strlen(params->rows[k].name) < BTF_FILE_MAX);
		free(params);
	}
	elf_btf_close(btf);
}

/* Half a piece is none. */
static void truncated_ones_are_refused(void **state)
{
	size_t bytes;

	(void)state;
	file_with_expected(&file);
	bytes = file.bytes;
	for (file.bytes = 0; file.bytes < bytes; file.bytes++)
		assert_null(open_file(&file));
	try_all(open_file(&file));
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 99;
	return *seed >> 33;
}

static void broken_ones_are_survived(void **state)
{
	static struct btf_file whole;
	uint64_t seed = 1;
	int nr_opened = 0;

	(void)state;
	file_with_expected(&whole);
	for (int turn = 0; turn < 4000; turn++) {
		struct elf_btf *btf;

		file = whole;
		for (int i = 0; i < turn % 16; i++)
			file.data[next_random(&seed) % file.bytes] =
				(char)next_random(&seed);
		btf = open_file(&file);
		nr_opened += btf != NULL;
		try_all(btf);
	}
	print_message("%d of 4000 were opened\n", nr_opened);
	assert_in_range(nr_opened, 400, 3900);
}

/* Each word of it, and each number of a type, as large as can be. */
static void large_numbers_are_survived(void **state)
{
	static const uint32_t numbers[] = {
		0, 0xffff, 0x7fffffff, 0x80000000, 0xffffff00, UINT32_MAX,
	};
	static struct btf_file whole;

	(void)state;
	file_with_expected(&whole);
	for (size_t at = 0; at + 4 <= whole.bytes; at += 4)
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
			file = whole;
			memcpy(file.data + at, &numbers[i], sizeof(numbers[i]));
			try_all(open_file(&file));
		}
}

/* References to what is not there, or is something else; newer versions of libbpf refuse
 * all of such a piece. */
static void wrong_references_are_survived(void **state)
{
	struct btf *made = btf_file_types();
	struct btf_file_param param = { "x", btf__add_typedef(made, "nosuch", 100000) };
	struct elf_params *params;
	struct elf_btf *btf;

	(void)state;
	btf_file_function(made, "out_of_range", T_VOID, &param, 1, BTF_FUNC_STATIC);
	btf__add_func(made, "without_prototype", BTF_FUNC_STATIC, T_INT);
	btf__add_func(made, "without_anything", BTF_FUNC_STATIC, 100000);
	btf_file_init(&file);
	btf_file_add(&file, made);
	btf = open_file(&file);
	if (!btf)
		return;
	params = find(btf, "out_of_range");
	assert_non_null(params);
	assert_int_equal(params->nr, 1);
	assert_int_equal(params->rows[0].kind, ELF_PARAM_UNKNOWN);
	assert_int_equal(params->rows[0].regs[0], NONE);
	free(params);
	assert_null(find(btf, "without_prototype"));
	assert_null(find(btf, "without_anything"));
	elf_btf_close(btf);
}

static struct btf_header head_of(const struct btf_file *of)
{
	struct btf_header head;

	memcpy(&head, of->data, sizeof(head));
	return head;
}

/* What is not as on this machine, or would have to be unpacked, is not read. */
static void foreign_ones_are_refused(void **state)
{
	struct btf_header head;

	(void)state;
	file_with_expected(&file);
	head = head_of(&file);
	head.magic = __builtin_bswap16(head.magic);
	memcpy(file.data, &head, sizeof(head));
	assert_null(open_file(&file));

	file_with_expected(&file);
	file.head.e_ident[EI_DATA] = ELFDATA2MSB;
	assert_null(open_file(&file));

	file_with_expected(&file);
	file.sections[2].sh_flags = SHF_COMPRESSED;
	assert_null(open_file(&file));

	file_with_expected(&file);
	file.sections[2].sh_type = SHT_NOBITS;
	assert_null(open_file(&file));

	file_with_expected(&file);
	file.data[file.bytes++] = 'x';
	assert_null(open_file(&file));
}

static void bytes_count(void **state)
{
	struct elf_deadline deadline = { .cpu_ns = UINT64_MAX };
	uint64_t bytes_left, used;
	struct elf_btf *btf;

	(void)state;
	file_with_expected(&file);
	bytes_left = PLENTY;
	btf = btf_file_open(&file, &no_symbols, &bytes_left, &deadline);
	assert_non_null(btf);
	elf_btf_close(btf);
	used = PLENTY - bytes_left;
	assert_true(used >= 8 * file.bytes);
	bytes_left = used - 1;
	assert_null(btf_file_open(&file, &no_symbols, &bytes_left, &deadline));
	assert_true(bytes_left < used);
}

/* A clock that has run out. */
static void late_ones_are_left(void **state)
{
	struct elf_deadline deadline = { .cpu_ns = 0 };
	uint64_t bytes_left = PLENTY;
	struct elf_btf *btf;

	(void)state;
	file_with_expected(&file);
	btf = open_file(&file);
	assert_non_null(btf);
	assert_null(elf_btf_find(btf, "scalars", &deadline));
	assert_true(deadline.was_missed);
	elf_btf_close(btf);
	deadline = (struct elf_deadline) { .cpu_ns = 0 };
	assert_null(btf_file_open(&file, &no_symbols, &bytes_left, &deadline));
	assert_true(deadline.was_missed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_passed),
		cmocka_unit_test(functions_are_told_apart),
		cmocka_unit_test(truncated_ones_are_refused),
		cmocka_unit_test(broken_ones_are_survived),
		cmocka_unit_test(large_numbers_are_survived),
		cmocka_unit_test(wrong_references_are_survived),
		cmocka_unit_test(foreign_ones_are_refused),
		cmocka_unit_test(bytes_count),
		cmocka_unit_test(late_ones_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
