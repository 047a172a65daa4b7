/* SPDX-License-Identifier: MIT */
/*
 * Notes of USDT probes are read from files that are damaged at random: in their headers, in the
 * lengths and strings of notes, in arguments.  It must end without an error of the sanitizer, and
 * usdt_check() must accept each table that is made.  The file is this program itself.
 *
 *	fuzz-fuzz_usdt [COUNT [SEED]]
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../data/usdt/probe.h"
#include "arch/arch.h"
#include "base/text.h"
#include "symbols/elf.h"
#include "symbols/elf_usdt.h"

SEMAPHORE(fuzz_semaphore);
int fuzz_global;
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

/* The probes of this file. */
static void hit_probes(int value)
{
	PROBE0("fuzz", "nothing");
	PROBE1("fuzz", "one", "-4", value);
	PROBE2("fuzz", "two", "-4", value, "1", (char)value);
	PROBE_IF("fuzz", "counted", fuzz_semaphore, "-4", value);
	PROBE1("other_provider", "two", "-8", (long)value);
	__asm__ volatile(PROBE_NOTE("fuzz", "many", "fuzz_semaphore",
		"8@-24(%rbp) 4@8(%rax,%rbx,4) -2@$-5 8@fuzz_global+4(%rip) 8@$fuzz_global 1@%ah"));
}

static uint8_t *original, *damaged;
static size_t bytes;
static Elf64_Shdr notes;		/* the section with the notes */

static void read_original(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	const Elf64_Shdr *sections;
	const Elf64_Ehdr *head;
	const char *names;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		fail("cannot read the file");
	bytes = (size_t)st.st_size;
	original = malloc(bytes);
	damaged = malloc(bytes);
	if (!original || !damaged || read(fd, original, bytes) != (ssize_t)bytes)
		fail("cannot read the file");
	close(fd);
	head = (const Elf64_Ehdr *)original;
	sections = (const Elf64_Shdr *)(original + head->e_shoff);
	names = (const char *)original + sections[head->e_shstrndx].sh_offset;
	for (uint32_t i = 0; i < head->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, ".note.stapsdt"))
			notes = sections[i];
	if (!notes.sh_size)
		fail("this file has no probes");
}

/* Returns the offset of a range of the file that may be damaged, and its size. */
static size_t choose_range(size_t *ret_bytes)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)original;

	switch (random_below(10)) {
	case 0:
		*ret_bytes = sizeof(*head);
		return 0;
	case 1:
		*ret_bytes = head->e_phnum * sizeof(Elf64_Phdr);
		return head->e_phoff;
	case 2:
		*ret_bytes = head->e_shnum * sizeof(Elf64_Shdr);
		return head->e_shoff;
	default:
		*ret_bytes = notes.sh_size;
		return notes.sh_offset;
	}
}

static void damage_file(void)
{
	static const char chars[] = "()%$@,-+0189 \t.raxbrip";
	size_t size, at = choose_range(&size);

	memcpy(damaged, original, bytes);
	for (uint64_t nr = 1 + random_below(10); nr; nr--) {
		uint8_t *byte = damaged + at + random_below(size);

		switch (random_below(5)) {
		case 0:	*byte = (uint8_t)random_below(256); break;
		case 1:	*byte ^= (uint8_t)(1 << random_below(8)); break;
		case 2:	*byte = random_below(2) ? 0xff : 0x7f; break;
		case 3:	*byte = (uint8_t)chars[random_below(sizeof(chars) - 1)]; break;
		default: *byte = 0; break;
		}
	}
}

/* Read the damaged file.  Returns the number of probes. */
static uint32_t parse(struct text *table)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint64_t left = 64 << 20;
	struct elf_source source = { .fd = fd, .bytes_left = &left };
	int r;

	if (fd < 0 || write(fd, damaged, bytes) != (ssize_t)bytes)
		fail("no memory file");
	text_reset(table);
	r = elf_usdt_parse(&source, table);
	close(fd);
	if (r || !table->len)
		return 0;
	if (!usdt_check(table->data, table->len))
		fail("a table that usdt_check() refuses");
	return ((const struct usdt_head *)table->data)->nr_sites;
}

/* Damage a table: what usdt_check() accepts can be used. */
static bool damage_table(const struct text *table)
{
	size_t size = random_below(8) ? table->len : random_below(table->len);
	uint8_t *copy = malloc(size + !size);
	const struct usdt_head *head = (const struct usdt_head *)copy;
	uint64_t sum = 0;
	bool is_ok;

	memcpy(copy, table->data, size);
	for (uint64_t nr = random_below(3); size && nr; nr--)
		copy[random_below(size)] = (uint8_t)random_below(256);
	is_ok = usdt_check(copy, size);
	for (uint32_t i = 0; is_ok && i < head->nr_sites; i++) {
		const struct usdt_site *site = &usdt_sites(head)[i];
		const struct usdt_event *event = &usdt_events(head)[site->event];

		sum += strlen(usdt_strings(head) + event->name);
		for (uint32_t k = 0; k < event->nr_args; k++)
			sum += usdt_args(head)[site->first_arg + k].value;
	}
	free(copy);
	return is_ok && sum != 1;
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	bool is_long = torture && !strcmp(torture, "long");
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : is_long ? 50000 : 1000;
	uint64_t made = 0, accepted = 0;
	struct text table, first;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x2545f4914f6cdd1dull;
	hit_probes(argc);
	read_original();
	text_init(&table, 16 << 20);
	text_init(&first, 16 << 20);
	memcpy(damaged, original, bytes);
	if (parse(&first) != 6)
		fail("the file itself has other probes");
	for (uint64_t i = 0; i < count; i++) {
		accepted += damage_table(&first);
		damage_file();
		made += parse(&table) != 0;
	}
	text_done(&table);
	text_done(&first);
	free(original);
	free(damaged);
	printf("score: %lu files with %lu tables, %lu tables of which %lu are accepted\n",
	       (unsigned long)count, (unsigned long)made, (unsigned long)count,
	       (unsigned long)accepted);
	return made < count / 10 || accepted < count / 10;
}
