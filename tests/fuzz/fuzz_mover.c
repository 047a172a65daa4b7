/* SPDX-License-Identifier: MIT */
/*
 * The analysis of functions reads files that are damaged at random: in their headers, in their
 * unwind tables, in relocations, in code.  It must end without an error of the sanitizer, and
 * moved_check() must accept each table that it makes.  Then tables are damaged: whatever
 * moved_check() accepts must be usable.  The memory ends where a table ends.
 *
 *	fuzz-fuzz_mover [COUNT [SEED]]
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/text.h"
#include "mover/mover.h"
#include "symbols/elf.h"

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void fail(const char *what)
{
	printf("%s\n", what);
	exit(1);
}

/* ---- damaged files ---- */

static uint8_t *original, *damaged;
static size_t bytes;

static void read_original(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		fail("cannot read the file");
	bytes = (size_t)st.st_size;
	original = malloc(bytes);
	damaged = malloc(bytes);
	if (!original || !damaged || read(fd, original, bytes) != (ssize_t)bytes)
		fail("cannot read the file");
	close(fd);
}

/* Returns the offset of a random section or segment, and its size. */
static size_t choose_range(size_t *ret_bytes)
{
	Elf64_Ehdr head;
	Elf64_Shdr section;
	Elf64_Phdr program;

	memcpy(&head, original, sizeof(head));
	memcpy(&section, original + head.e_shoff + random_below(head.e_shnum) * sizeof(section),
	       sizeof(section));
	memcpy(&program, original + head.e_phoff + random_below(head.e_phnum) * sizeof(program),
	       sizeof(program));
	switch (random_below(5)) {
	case 0:
		*ret_bytes = sizeof(head);
		return 0;
	case 1:
		*ret_bytes = head.e_phnum * sizeof(Elf64_Phdr);
		return head.e_phoff;
	case 2:
		*ret_bytes = head.e_shnum * sizeof(Elf64_Shdr);
		return head.e_shoff;
	case 3:
		*ret_bytes = program.p_filesz;
		return program.p_offset;
	default:
		*ret_bytes = section.sh_type == SHT_NOBITS ? 0 : section.sh_size;
		return section.sh_offset;
	}
}

static void damage_file(void)
{
	size_t size, at = choose_range(&size);

	memcpy(damaged, original, bytes);
	for (uint64_t nr = 1 + random_below(20); size && nr; nr--) {
		uint8_t *byte = damaged + at + random_below(size);

		switch (random_below(4)) {
		case 0:	*byte = (uint8_t)random_below(256); break;
		case 1:	*byte ^= (uint8_t)(1 << random_below(8)); break;
		case 2:	*byte = random_below(2) ? 0xff : 0x7f; break;
		default: *byte = 0; break;
		}
	}
}

/* Analyse the damaged file.  Returns true if there is a table. */
static bool analyse(struct text *table)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint64_t left = 64 << 20;
	struct elf_source source = { .fd = fd, .bytes_left = &left };
	const struct mover_limits limits = { 32 << 20, 20000 };
	int r;

	if (fd < 0 || write(fd, damaged, bytes) != (ssize_t)bytes)
		fail("no memory file");
	text_reset(table);
	r = mover_analyse(&source, &limits, table);
	close(fd);
	if (!r && !moved_check(table->data, table->len))
		fail("the analysis has made a table that moved_check() refuses");
	return !r;
}

/* ---- damaged tables ---- */

static void use_table(const struct moved_head *head)
{
	uint8_t copy[MOVED_COPY_MAX];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < head->nr_rows; i++) {
		const struct moved_row *row = &moved_rows(head)[i];

		if (row->class == MOVED_REFUSED)
			continue;
		if (moved_copy(head, row, 0x10000000, 0x10000000 + row->vaddr, copy) >
		    (int)MOVED_COPY_MAX)
			fail("a copy is too long");
		for (uint32_t k = 0; k < row->nr_frames; k++)
			sum += moved_frames(head, row)[k].saved[0];
		sum += moved_original(head, row)[row->original_bytes - 1];
		if (moved_find(head, row->vaddr) != row)
			fail("a row is not found");
	}
	if (sum == 1)
		printf(" ");
}

static uint64_t damage_tables(const struct text *table, uint64_t count)
{
	uint64_t accepted = 0;

	for (uint64_t i = 0; i < count; i++) {
		size_t size = random_below(4) ? table->len : random_below(table->len);
		uint8_t *copy = malloc(size + !size);

		memcpy(copy, table->data, size);
		for (uint64_t nr = random_below(4); size && nr; nr--) {
			size_t most = random_below(2) || size < 4096 ? size : 4096;
			size_t at = random_below(most);

			copy[at] = random_below(2) ? (uint8_t)random_below(256) :
				   copy[at] ^ (uint8_t)(1 << random_below(8));
		}
		if (moved_check(copy, size)) {
			use_table((const struct moved_head *)copy);
			accepted++;
		}
		free(copy);
	}
	return accepted;
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	bool is_long = torture && !strcmp(torture, "long");
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : is_long ? 50000 : 1000;
	uint64_t made = 0, accepted;
	struct text table;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x2545f4914f6cdd1dull;
	read_original(access("/bin/true", R_OK) ? "/proc/self/exe" : "/bin/true");
	text_init(&table, 16 << 20);
	memcpy(damaged, original, bytes);
	if (!analyse(&table))
		fail("the file itself has no table");
	accepted = damage_tables(&table, count);
	for (uint64_t i = 0; i < count; i++) {
		damage_file();
		made += analyse(&table);
	}
	text_done(&table);
	free(original);
	free(damaged);
	printf("score: %lu files with %lu tables, %lu tables of which %lu are accepted\n",
	       (unsigned long)count, (unsigned long)made, (unsigned long)count,
	       (unsigned long)accepted);
	return made < count / 10 || accepted < count / 10;
}
