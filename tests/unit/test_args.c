/* SPDX-License-Identifier: MIT */
/* The places of function parameters, from the debug information of this program, as the
 * compiler writes it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbols/elf.h"
#include "symbols/elf_args.h"
#include "unit/fake_calls.h"

#define PLENTY	(1ull << 30)

struct pair { long a, b; };
struct mixed { double d; int i; };
struct floats { float f[4]; };
struct large { char c[40]; };
struct __attribute__((packed)) packed { char c; long l; };
struct halves { int i[2]; double d; };
struct bits { unsigned long a:60, b:7, c:9; };
struct extended { long double x; };
typedef int vector __attribute__((vector_size(16)));
enum colour { RED, GREEN };
typedef const unsigned short u16_const;

/* keeps a variable from the optimiser */
#define USE(x)	__asm__ volatile("" : : "m"(x) : "memory")

CALLED_WITH void scalars(signed char c, u16_const u, enum colour colour, void *p,
			 _Bool b, long l, int seventh)
{
	USE(c);
	USE(u);
	USE(colour);
	USE(p);
	USE(b);
	USE(l);
	USE(seventh);
}

CALLED_WITH void structs(struct pair pair, double x, struct mixed mixed,
			 struct floats floats, struct large large, int last)
{
	USE(pair);
	USE(x);
	USE(mixed);
	USE(floats);
	USE(large);
	USE(last);
}

CALLED_WITH struct large returned(int x)
{
	struct large large = { { (char)x } };

	USE(x);
	return large;
}

CALLED_WITH void no_room(long a, long b, long c, long d, long e, struct pair pair,
			 int last)
{
	USE(a);
	USE(b);
	USE(c);
	USE(d);
	USE(e);
	USE(pair);
	USE(last);
}

/* In unoptimised functions the compiler does not say in which registers parameters are. */
#ifdef __clang__
#define UNOPTIMISED __attribute__((optnone))
#else
#define UNOPTIMISED __attribute__((optimize("O0")))
#endif

CALLED_WITH UNOPTIMISED void odd(struct packed packed, struct halves halves,
				 struct bits bits, _Complex double complex, vector four,
				 int last)
{
	USE(packed);
	USE(halves);
	USE(bits);
	USE(complex);
	USE(four);
	USE(last);
}

CALLED_WITH UNOPTIMISED struct extended wide(struct extended extended, __int128 integer,
					     int last)
{
	USE(extended);
	USE(integer);
	USE(last);
	return extended;
}

CALLED_WITH void nothing(void)
{
	__asm__ volatile("");
}

#define NONE	ARCH_NO_REG

static const struct expected {
	void *function;
	struct {
		const char *name;
		uint8_t kind, is_on_stack, regs[2];
	} params[8];
} expected[] = {
	{ (void *)scalars, {
		{ "c", ELF_PARAM_SIGNED, 0, { 0, NONE } },
		{ "u", ELF_PARAM_UNSIGNED, 0, { 1, NONE } },
		{ "colour", ELF_PARAM_ENUM, 0, { 2, NONE } },
		{ "p", ELF_PARAM_POINTER, 0, { 3, NONE } },
		{ "b", ELF_PARAM_UNSIGNED, 0, { 4, NONE } },
		{ "l", ELF_PARAM_SIGNED, 0, { 5, NONE } },
		{ "seventh", ELF_PARAM_SIGNED, 1, { NONE, NONE } },
	} },
	{ (void *)structs, {
		{ "pair", ELF_PARAM_STRUCT, 0, { 0, 1 } },
		{ "x", ELF_PARAM_FLOAT, 0, { NONE, NONE } },
		{ "mixed", ELF_PARAM_STRUCT, 0, { NONE, 2 } },
		{ "floats", ELF_PARAM_STRUCT, 0, { NONE, NONE } },
		{ "large", ELF_PARAM_STRUCT, 1, { NONE, NONE } },
		{ "last", ELF_PARAM_SIGNED, 0, { 3, NONE } },
	} },
	{ (void *)returned, { { "x", ELF_PARAM_SIGNED, 0, { 1, NONE } } } },
	{ (void *)no_room, {
		{ "a", ELF_PARAM_SIGNED, 0, { 0, NONE } },
		{ "b", ELF_PARAM_SIGNED, 0, { 1, NONE } },
		{ "c", ELF_PARAM_SIGNED, 0, { 2, NONE } },
		{ "d", ELF_PARAM_SIGNED, 0, { 3, NONE } },
		{ "e", ELF_PARAM_SIGNED, 0, { 4, NONE } },
		{ "pair", ELF_PARAM_STRUCT, 1, { NONE, NONE } },
		{ "last", ELF_PARAM_SIGNED, 0, { 5, NONE } },
	} },
	{ (void *)odd, {
		{ "packed", ELF_PARAM_STRUCT, 1, { NONE, NONE } },
		{ "halves", ELF_PARAM_STRUCT, 0, { 0, NONE } },
		{ "bits", ELF_PARAM_STRUCT, 0, { 1, 2 } },
		{ "complex", ELF_PARAM_FLOAT, 0, { NONE, NONE } },
		{ "four", ELF_PARAM_UNKNOWN, 0, { NONE, NONE } },
		{ "last", ELF_PARAM_SIGNED, 0, { 3, NONE } },
	} },
	{ (void *)wide, {
		{ "extended", ELF_PARAM_STRUCT, 1, { NONE, NONE } },
		{ "integer", ELF_PARAM_SIGNED, 0, { 0, 1 } },
		{ "last", ELF_PARAM_SIGNED, 0, { 2, NONE } },
	} },
	{ (void *)nothing, { { NULL, 0, 0, { NONE, NONE } } } },
};

static int find_self(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(uint64_t *)arg = info->dlpi_addr;
	return 1;			/* the program comes first */
}

static void check_function(const struct elf_params *params,
			   const struct expected *wanted)
{
	uint32_t nr = 0;

	assert_non_null(params);
	for (; nr < 8 && wanted->params[nr].name; nr++) {
		const struct elf_param *param = &params->rows[nr];

		assert_true(nr < params->nr);
		assert_string_equal(param->name, wanted->params[nr].name);
		assert_int_equal(param->kind, wanted->params[nr].kind);
		assert_int_equal(param->is_on_stack, wanted->params[nr].is_on_stack);
		assert_memory_equal(param->regs, wanted->params[nr].regs, 2);
	}
	assert_int_equal(params->nr, nr);
}

static void parameters_are_found(void **state)
{
	uint64_t bias, bytes_left = PLENTY;
	struct elf_args *args;

	(void)state;
	dl_iterate_phdr(find_self, &bias);
	args = elf_args_open("/proc/self/exe", NULL, 0, &bytes_left);
	assert_non_null(args);
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
			check_function(elf_args_find(args, (uint64_t)expected[i].function -
						     bias), &expected[i]);
	assert_null(elf_args_find(args, 1));
	assert_null(elf_args_find(args, UINT64_MAX));
	elf_args_close(args);
}

static void there_may_be_none(void **state)
{
	uint64_t bytes_left = PLENTY;

	(void)state;
	assert_null(elf_args_open("/nosuch", NULL, 0, &bytes_left));
	assert_null(elf_args_open("/dev/null", NULL, 0, &bytes_left));
	bytes_left = 10000;
	assert_null(elf_args_open("/proc/self/exe", NULL, 0, &bytes_left));
}

/* A copy of this program, with its section headers and their names. */
struct copy {
	int fd;
	Elf64_Ehdr head;
	Elf64_Shdr sections[128], strings;
	char names[4096];
};

static void copy_make(struct copy *copy, const char *path)
{
	char command[400];
	size_t bytes;

	snprintf(command, sizeof(command), "cp /proc/%d/exe '%s'", getpid(), path);
	assert_int_equal(system(command), 0);
	copy->fd = open(path, O_RDWR);
	assert_int_equal(pread(copy->fd, &copy->head, sizeof(copy->head), 0),
			 sizeof(copy->head));
	bytes = copy->head.e_shnum * sizeof(copy->sections[0]);
	assert_in_range(bytes, 1, sizeof(copy->sections));
	assert_int_equal(pread(copy->fd, copy->sections, bytes,
			       (off_t)copy->head.e_shoff), bytes);
	copy->strings = copy->sections[copy->head.e_shstrndx];
	assert_in_range(copy->strings.sh_size, 1, sizeof(copy->names));
	assert_int_equal(pread(copy->fd, copy->names, copy->strings.sh_size,
			       (off_t)copy->strings.sh_offset), copy->strings.sh_size);
}

static Elf64_Shdr *copy_section(struct copy *copy, const char *name)
{
	for (int i = 0; i < copy->head.e_shnum; i++)
		if (!strcmp(copy->names + copy->sections[i].sh_name, name))
			return &copy->sections[i];
	fail_msg("no %s", name);
	return NULL;
}

/* Write the copy back.  Returns how much debug information was read, or 0 if it was
 * refused. */
static uint64_t copy_used(struct copy *copy, const char *path)
{
	size_t bytes = copy->head.e_shnum * sizeof(copy->sections[0]);
	uint64_t bytes_left = PLENTY;
	struct elf_args *args;

	assert_int_equal(pwrite(copy->fd, copy->sections, bytes,
				(off_t)copy->head.e_shoff), bytes);
	assert_int_equal(pwrite(copy->fd, copy->names, copy->strings.sh_size,
				(off_t)copy->strings.sh_offset), copy->strings.sh_size);
	args = elf_args_open(path, NULL, 0, &bytes_left);
	elf_args_close(args);
	return args ? PLENTY - bytes_left : 0;
}

/* The server knows how much libdw will read before libdw reads it. */
static void debug_information_counts(void **state)
{
	char dir[128], path[160];
	struct copy copy;
	uint64_t used;

	(void)state;
	fake_dir_make(dir);
	snprintf(path, sizeof(path), "%s/elf", dir);
	copy_make(&copy, path);
	used = copy_used(&copy, path);
	assert_true(used > copy_section(&copy, ".debug_info")->sh_size);
	/* also if the section claims to be loaded into memory */
	copy_section(&copy, ".debug_info")->sh_flags |= SHF_ALLOC;
	assert_int_equal(copy_used(&copy, path), used);
	/* the sum must not wrap around */
	copy_section(&copy, ".comment")->sh_size = 0 - (used - 10000);
	assert_int_equal(copy_used(&copy, path), 0);
	copy_section(&copy, ".comment")->sh_size = 16;
	assert_true(copy_used(&copy, path) > 0);
	/* old packed sections have no size in their headers */
	memcpy(copy.names + copy_section(&copy, ".comment")->sh_name, ".zdebug_", 8);
	assert_int_equal(copy_used(&copy, path), 0);
	close(copy.fd);
	fake_dir_remove(dir);
}

#define SLOW_UNITS	65536
#define SLOW_RANGES	1000000

/* Debug information of many units which all have one long list of ranges, and the list is
 * empty. */
struct slow_elf {
	struct slow_start {
		Elf64_Ehdr head;
		Elf64_Shdr sections[5];
		char names[64];
		uint8_t abbrev[8];
	} start;
	struct __attribute__((packed)) {
		uint32_t bytes;
		uint16_t version;
		uint32_t abbrev;
		uint8_t addr_bytes, code;
		uint32_t ranges;
	} units[SLOW_UNITS];
	uint64_t ranges[SLOW_RANGES + 1][2];
};

#define SLOW_SECTION(name, type, field)					\
	{ .sh_name = name, .sh_type = type,				\
	  .sh_offset = offsetof(struct slow_elf, field),		\
	  .sh_size = sizeof(((struct slow_elf *)0)->field) }

static void put_slow(const char *path)
{
	static const struct slow_start start = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shoff = offsetof(struct slow_start, sections),
			.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5, .e_shstrndx = 1,
		},
		.sections = {
			{ .sh_type = SHT_NULL },
			SLOW_SECTION(0, SHT_STRTAB, start.names),
			SLOW_SECTION(1, SHT_PROGBITS, start.abbrev),
			SLOW_SECTION(15, SHT_PROGBITS, units),
			SLOW_SECTION(27, SHT_PROGBITS, ranges),
		},
		.names = "\0.debug_abbrev\0.debug_info\0.debug_ranges",
		/* abbreviation 1: DW_TAG_compile_unit with DW_AT_ranges */
		.abbrev = { 1, 0x11, 0, 0x55, 0x17 },
	};
	static struct slow_elf file;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	file.start = start;
	for (int i = 0; i < SLOW_UNITS; i++) {
		file.units[i].bytes = sizeof(file.units[i]) - 4;
		file.units[i].version = 4;
		file.units[i].addr_bytes = 8;
		file.units[i].code = 1;
	}
	for (int i = 0; i < SLOW_RANGES; i++)
		file.ranges[i][0] = UINT64_MAX;		/* an entry that sets the base */
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	close(fd);
}

/* Reading all of it takes many minutes; the alarm ends such a reader. */
static void slow_files_are_left(void **state)
{
	uint64_t bytes_left = PLENTY;
	char dir[128], path[160];
	struct elf_args *args;

	(void)state;
	fake_dir_make(dir);
	snprintf(path, sizeof(path), "%s/elf", dir);
	put_slow(path);
	alarm(120);
	args = elf_args_open(path, NULL, 0, &bytes_left);
	assert_non_null(args);
	assert_null(elf_args_find(args, 0x1000));
	alarm(0);
	elf_args_close(args);
	fake_dir_remove(dir);
}

/* Copies of this program with more and more bytes changed, at random places. */
static void broken_files_are_survived(void **state)
{
	uint64_t bias, seed = 1;
	char dir[128], path[160], command[400];
	struct elf_symbols symbols;
	struct elf_args *args;
	int nr_opened = 0;
	off_t bytes;
	int fd;

	(void)state;
	dl_iterate_phdr(find_self, &bias);
	fake_dir_make(dir);
	snprintf(path, sizeof(path), "%s/elf", dir);
	for (int turn = 0; turn < 100; turn++) {
		uint64_t bytes_left = PLENTY;

		snprintf(command, sizeof(command), "cp /proc/%d/exe '%s'", getpid(), path);
		assert_int_equal(system(command), 0);
		fd = open(path, O_RDWR);
		bytes = lseek(fd, 0, SEEK_END);
		for (int i = 0; i < turn * turn; i++) {
			uint64_t junk = seed = seed * 6364136223846793005ull + 99;
			off_t at = 1024 + (off_t)((seed >> 20) % (uint64_t)(bytes - 1024));

			assert_int_equal(pwrite(fd, (char *)&junk + 7, 1, at), 1);
		}
		close(fd);
		args = elf_args_open(path, NULL, 0, &bytes_left);
		nr_opened += args != NULL;
		for (size_t i = 0; args && i < sizeof(expected) / sizeof(expected[0]); i++)
			elf_args_find(args, (uint64_t)expected[i].function - bias);
		elf_args_close(args);
		if (!elf_symbols_read(path, NULL, 0, &bytes_left, &symbols)) {
			for (uint32_t i = 0; i < symbols.nr; i++)
				assert_true(strlen(symbols.rows[i].name) < 4096 + 5);
			elf_symbols_done(&symbols);
		}
	}
	fake_dir_remove(dir);
	print_message("%d of 100 were opened\n", nr_opened);
	assert_true(nr_opened > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_found),
		cmocka_unit_test(there_may_be_none),
		cmocka_unit_test(debug_information_counts),
		cmocka_unit_test(slow_files_are_left),
		cmocka_unit_test(broken_files_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
