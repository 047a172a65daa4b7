/* SPDX-License-Identifier: MIT */
/*
 * Mark the addresses in the text to which data refers.  A position independent file has such
 * addresses in relocations, or, in jump tables, as distances from an address that code
 * computes.  Words that merely look like addresses are marked, too.
 */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "mover/mover_impl.h"

/* maximum number of words of jump tables that are read.  A file with more words is refused,
 * because a hostile file could make the analysis take any time */
#define TABLE_WORDS_MAX	(64ull << 20)

void target_add(struct mover *mover, uint64_t vaddr)
{
	if (set_bit(mover, mover->targets, vaddr) && !has_bit(mover, mover->decoded, vaddr))
		list_add(mover, &mover->todo, vaddr);
}

void target_add_entry(struct mover *mover, uint64_t vaddr)
{
	target_add(mover, vaddr);
	set_bit(mover, mover->entries, vaddr);
}

void target_add_label(struct mover *mover, uint64_t vaddr)
{
	if (set_bit(mover, mover->labels, vaddr) && !has_bit(mover, mover->decoded, vaddr))
		list_add(mover, &mover->todo, vaddr);
}

/* ---- relocations ---- */

/* Mark an address of the text that data contains. */
static void mark_pointer(struct mover *mover, uint64_t vaddr)
{
	target_add_label(mover, vaddr);
	set_bit(mover, mover->entries, vaddr);
}

static uint64_t symbol_value(const struct mover *mover, uint64_t symbols, uint64_t number)
{
	const uint8_t *at = number ? mapped_at(mover, symbols + number * sizeof(Elf64_Sym),
					       sizeof(Elf64_Sym)) : NULL;
	Elf64_Sym symbol;

	if (!at)
		return 0;
	memcpy(&symbol, at, sizeof(symbol));
	return symbol.st_value;
}

static void mark_relocations(struct mover *mover, uint64_t table, uint64_t bytes,
			     uint64_t symbols)
{
	const uint8_t *at = mapped_at(mover, table, bytes);
	Elf64_Rela row;

	for (uint64_t i = 0; at && i < bytes / sizeof(row); i++) {
		memcpy(&row, at + i * sizeof(row), sizeof(row));
		mark_pointer(mover, (uint64_t)row.r_addend +
			     symbol_value(mover, symbols, ELF64_R_SYM(row.r_info)));
		for (uint64_t k = 0; is_text(mover, row.r_offset) && k < 8; k++)
			set_bit(mover, mover->relocated, row.r_offset + k);
	}
}

static void mark_dynamic(struct mover *mover, const Elf64_Phdr *program)
{
	uint64_t nr = program->p_filesz / sizeof(Elf64_Dyn), values[DT_NUM] = { 0 };
	const uint8_t *at = mapped_at(mover, program->p_vaddr, program->p_filesz);
	Elf64_Dyn row;

	for (uint64_t i = 0, tag = DT_NUM; at && i < nr && tag != DT_NULL; i++) {
		memcpy(&row, at + i * sizeof(row), sizeof(row));
		tag = (uint64_t)row.d_tag;
		if (tag < DT_NUM)
			values[tag] = row.d_un.d_val;
	}
	mark_relocations(mover, values[DT_RELA], values[DT_RELASZ], values[DT_SYMTAB]);
	mark_relocations(mover, values[DT_JMPREL], values[DT_PLTRELSZ], values[DT_SYMTAB]);
	target_add_entry(mover, values[DT_INIT]);
	target_add_entry(mover, values[DT_FINI]);
}

/* Mark the addresses in relocations that only section headers describe, as in static
 * programs.  These relocations have no symbols. */
static void mark_relocation_sections(struct mover *mover)
{
	for (uint32_t i = 0; i < mover->file.head.e_shnum; i++) {
		const Elf64_Shdr *section = &mover->file.sections[i];

		if (section->sh_type == SHT_RELA && section->sh_flags & SHF_ALLOC)
			mark_relocations(mover, section->sh_addr, section->sh_size, 0);
	}
}

/* ---- words ---- */

/*
 * Mark the addresses that aligned words of the file could be: words of 8 bytes, and in a file that
 * is loaded at a fixed address also words of 4 bytes.  Packed relocations (RELR) have their addends
 * in such words.  A word of 4 bytes is more often a number, so its address is marked as a label
 * only, not as an entry.
 */
static void mark_words(struct mover *mover)
{
	uint64_t bytes = mover->high - mover->low, size = mover->text_end - mover->text;

	for (uint64_t at = 0; at + 8 <= bytes; at += 8) {
		uint64_t word;

		memcpy(&word, mover->image + at, sizeof(word));
		if (word - mover->text < size)
			mark_pointer(mover, word);
		if (!mover->is_fixed)
			continue;
		if ((uint32_t)word - mover->text < size)
			target_add_label(mover, (uint32_t)word);
		if ((word >> 32) - mover->text < size)
			target_add_label(mover, word >> 32);
	}
}

void targets_of_data(struct mover *mover)
{
	for (uint32_t i = 0; i < mover->file.head.e_phnum; i++)
		if (mover->file.programs[i].p_type == PT_DYNAMIC)
			mark_dynamic(mover, &mover->file.programs[i]);
	mark_relocation_sections(mover);
	target_add_entry(mover, mover->file.head.e_entry);
	mark_words(mover);
}

/* ---- jump tables ---- */

/* Read one entry of a jump table: a word of 4 or 8 bytes at @at, which is a distance from
 * @base.  Returns true if the address at this distance is in the text. */
static bool read_entry(const struct mover *mover, uint64_t base, uint64_t at, uint32_t bytes,
		       uint64_t *ret_target)
{
	const uint8_t *word = mover->image + (at - mover->low);
	int64_t distance = 0;
	int32_t half;

	memcpy(bytes == sizeof(half) ? (void *)&half : (void *)&distance, word, bytes);
	if (bytes == sizeof(half))
		distance = half;
	*ret_target = base + (uint64_t)distance;
	return is_text(mover, *ret_target);
}

/* Mark the addresses in the jump table at @base, if there is one.  @bytes: size of a word of
 * the table. */
static uint64_t mark_entries(struct mover *mover, uint64_t base, uint64_t end, uint32_t bytes)
{
	uint64_t nr = (end - base) / bytes, target;

	for (uint64_t i = 0; i < nr; i++) {
		if (!read_entry(mover, base, base + i * bytes, bytes, &target))
			return i;
		target_add_label(mover, target);
	}
	return nr;
}

/*
 * Mark the addresses in the jump table at @base, if there is one.  Its words are distances
 * from @base to the text, of 32 bits, or in very large programs of 64 bits.  The table ends
 * before the first word that is no such distance, or at @end.  If words after the table look
 * like entries, their addresses are marked without need.  Returns the number of words.
 */
static uint64_t mark_table(struct mover *mover, uint64_t base, uint64_t end)
{
	return mark_entries(mover, base, end, 4) + mark_entries(mover, base, end, 8);
}

/* Remove the addresses from @list at which no jump table starts. */
static void keep_tables(struct mover *mover, struct list *list)
{
	uint64_t nr = 0, target;

	list_sort(list);
	for (uint64_t i = 0; i < list->nr; i++)
		if (read_entry(mover, list->data[i], list->data[i], 4, &target))
			list->data[nr++] = list->data[i];
	list->nr = nr;
}

/*
 * Mark the addresses in each jump table, up to the start of the next table.  A table's
 * entries are relative to its start, so code computes only the address of its start.  So an
 * address that code computes can be the start of a table, but no other part of one.  A
 * guessed address ends no table, because the guess may be wrong.
 */
void targets_of_tables(struct mover *mover)
{
	const struct list *bases = &mover->bases, *guesses = &mover->guesses;
	uint64_t words = 0, k = 0;

	keep_tables(mover, &mover->bases);
	keep_tables(mover, &mover->guesses);
	for (uint64_t i = 0; i < bases->nr; i++)
		words += mark_table(mover, bases->data[i], i + 1 < bases->nr ?
				    bases->data[i + 1] : mover->high);
	for (uint64_t i = 0; i < guesses->nr && words <= TABLE_WORDS_MAX; i++) {
		while (k < bases->nr && bases->data[k] <= guesses->data[i])
			k++;
		words += mark_table(mover, guesses->data[i],
				    k < bases->nr ? bases->data[k] : mover->high);
	}
	if (words > TABLE_WORDS_MAX)
		mover->error = -E2BIG;
}
