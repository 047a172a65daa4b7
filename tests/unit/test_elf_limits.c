/* SPDX-License-Identifier: MIT */
/* Limits of how much the server reads and unpacks of a file, which may be hostile. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <elf.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <cmocka.h>

#include "symbols/elf.h"
#include "symbols/elf_sites.h"
#include "unit/fake_root.h"

#define PLENTY	(1ull << 30)

__attribute__((noinline, patchable_function_entry(5))) static void a_site(void)
{
	__asm__ volatile("");
}

/* The text counts that is read wherever entries point to, in any order. */
static void text_counts(void **state)
{
	uint64_t bytes_left = PLENTY, text;
	struct elf_sites sites;

	(void)state;
	a_site();
	assert_int_equal(elf_sites_read("/proc/self/exe", NULL, 0, 0, &bytes_left, &sites),
			 0);
	assert_int_equal(sites.nr, 1);
	text = sites.text_end - sites.text;
	assert_in_range(sites.addrs[0], sites.text, sites.text_end - 1);
	elf_sites_done(&sites);
	assert_true(PLENTY - bytes_left > text);
	bytes_left = PLENTY - bytes_left - 1;
	assert_int_equal(elf_sites_read("/proc/self/exe", NULL, 0, 0, &bytes_left, &sites),
			 -ENOEXEC);
}

#define PLT_ENTRIES	16
#define PLT_NAME	4000

/* An ELF file whose calls of other objects' functions all use one long name. */
struct plt_elf {
	Elf64_Ehdr head;
	Elf64_Shdr sections[6];
	char names[32];
	Elf64_Sym symbols[2];
	Elf64_Rela relocation;
	uint8_t plt[PLT_ENTRIES][16];
	char strings[PLT_NAME + 2];
};

#define PLT_SECTION(name, type, link, field)				\
	{ .sh_name = name, .sh_type = type, .sh_link = link,		\
	  .sh_offset = offsetof(struct plt_elf, field),			\
	  .sh_size = sizeof(((struct plt_elf *)0)->field) }

static const char *put_plt(const char *dir)
{
	static struct plt_elf file = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			.e_shoff = offsetof(struct plt_elf, sections),
			.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 6, .e_shstrndx = 1,
		},
		.sections = {
			{ .sh_type = SHT_NULL },
			PLT_SECTION(0, SHT_STRTAB, 0, names),
			PLT_SECTION(0, SHT_DYNSYM, 3, symbols),
			PLT_SECTION(0, SHT_STRTAB, 0, strings),
			PLT_SECTION(1, SHT_PROGBITS, 0, plt),
			PLT_SECTION(6, SHT_RELA, 0, relocation),
		},
		.names = "\0.plt\0.rela.plt",
		.symbols = { { 0 }, { .st_name = 1 } },
		.relocation = { .r_offset = 0x1000, .r_info = ELF64_R_INFO(1ull, 7) },
	};
	static char path[160];
	int fd;

	memset(file.strings + 1, 'x', PLT_NAME);
	for (int i = 0; i < PLT_ENTRIES; i++) {
		int32_t distance = 0x1000 - 16 * i - 6;

		memcpy(file.plt[i], "\xff\x25", 2);
		memcpy(file.plt[i] + 2, &distance, sizeof(distance));
	}
	snprintf(path, sizeof(path), "%s/plt", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	close(fd);
	return path;
}

/* The sum of the names is larger than the file. */
static void names_of_calls_count(void **state)
{
	struct elf_symbols symbols;
	uint64_t bytes_left;
	bool was_read = false;
	const char *path;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	path = put_plt(dir);
	for (uint64_t allowed = 0; allowed < 100000; allowed += 100) {
		bytes_left = allowed;
		if (!elf_symbols_read(path, NULL, 0, &bytes_left, &symbols)) {
			was_read |= symbols.nr == PLT_ENTRIES;
			elf_symbols_done(&symbols);
		}
		assert_true(bytes_left <= allowed);
	}
	assert_true(was_read);
	fake_dir_remove(dir);
}

#define BOMB_BYTES	(128u << 20)

/* Write a file of a few KB that contains 128 MiB of packed data. */
static const char *put_bomb(const char *dir)
{
	static struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[3];
		char names[32];
		uint8_t packed[1 << 16];
	} file = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			.e_shoff = sizeof(file.head),
			.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 1,
		},
		.names = "\0.gnu_debugdata",
	};
	uint8_t *zeroes = calloc(1, BOMB_BYTES);
	static char path[160];
	size_t bytes = 0;
	int fd;

	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, zeroes,
						 BOMB_BYTES, file.packed, &bytes,
						 sizeof(file.packed)), LZMA_OK);
	free(zeroes);
	file.sections[1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_size = sizeof(file.names),
		.sh_offset = (uint64_t)(file.names - (char *)&file),
	};
	file.sections[2] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = bytes,
		.sh_offset = (uint64_t)((char *)file.packed - (char *)&file),
	};
	snprintf(path, sizeof(path), "%s/bomb", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	close(fd);
	return path;
}

/* Packed symbols are limited, because unpacking takes time. */
static void packed_symbols_are_few(void **state)
{
	uint64_t bytes_left = PLENTY;
	struct elf_symbols symbols;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	assert_int_equal(elf_symbols_read(put_bomb(dir), NULL, 0, &bytes_left, &symbols),
			 -ENOEXEC);
	assert_true(PLENTY - bytes_left < BOMB_BYTES / 2 + (1 << 20));
	fake_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_counts),
		cmocka_unit_test(names_of_calls_count),
		cmocka_unit_test(packed_symbols_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
