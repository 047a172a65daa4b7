/* SPDX-License-Identifier: MIT */
/*
 * Find where functions start.  Each FDE of .eh_frame describes a range of code.  The range is
 * a function if at its start the stack is as a call leaves it, and no register is saved.
 * This leaves out most cold parts of functions, the PLT, _start, and code to which signal
 * handlers return.  Files without symbols have .eh_frame, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "mover/mover_impl.h"

/* ---- read .eh_frame ---- */

/* Returns true if the code at @vaddr is an entry of the PLT. */
static bool is_in_plt(const struct mover *mover, uint64_t vaddr)
{
	for (uint32_t i = 0; i < mover->file.head.e_shnum; i++) {
		const Elf64_Shdr *section = &mover->file.sections[i];

		if (vaddr - section->sh_addr < section->sh_size && section->sh_addr &&
		    section->sh_name < mover->file.names_bytes &&
		    (!strncmp(mover->file.names + section->sh_name, ".plt", 4) ||
		     !strncmp(mover->file.names + section->sh_name, ".iplt", 5)))
			return true;
	}
	return false;
}

static int add_function(struct mover *mover, const struct function *function)
{
	if (mover->nr == mover->room) {
		uint32_t room = mover->room ? 2 * mover->room : 1024;
		struct function *functions;

		if (mover->nr >= mover->limits->functions)
			return -E2BIG;
		functions = realloc(mover->functions, room * sizeof(*functions));
		if (!functions)
			return -ENOMEM;
		mover->functions = functions;
		mover->room = room;
	}
	mover->functions[mover->nr++] = *function;
	return 0;
}

/*
 * Mark the landing pads of a function, where a thread continues after an exception.  @at:
 * address of the function's table of exception handlers.  Returns false if the table cannot be
 * read.
 */
static bool mark_landing_pads(struct mover *mover, uint64_t at, uint64_t start)
{
	uint64_t off = at - (uint64_t)mover->cfi.start;
	struct cfi_bytes bytes = { mover->cfi.start + off, mover->cfi.end, false };
	uint64_t length, landing;
	uint8_t encoding;

	if (off >= (uint64_t)(mover->cfi.end - mover->cfi.start))
		return false;
	if (bytes_u8(&bytes) != CFI_OMITTED)	/* refuse the table: its landing pads are
						 * relative to another base, which is not
						 * supported */
		return false;
	if (bytes_u8(&bytes) != CFI_OMITTED)	/* types of exceptions */
		bytes_uleb(&bytes);
	encoding = bytes_u8(&bytes);
	length = bytes_uleb(&bytes);
	if (bytes.is_bad || length > bytes_left(&bytes) || encoding & ~CFI_FORMAT)
		return false;
	bytes.end = bytes.at + length;
	while (bytes_left(&bytes) && !bytes.is_bad) {
		cfi_number(&bytes, encoding);
		cfi_number(&bytes, encoding);
		landing = cfi_number(&bytes, encoding);
		bytes_uleb(&bytes);
		if (landing)
			target_add(mover, start + landing);
	}
	return !bytes.is_bad;
}

/* Add the function of the FDE at address @fde.  Returns 0 or -errno. */
static int add_fde(struct mover *mover, uint64_t fde)
{
	struct cfi_function described;
	struct function function;
	struct cfi_walk walk;
	int r = cfi_walk_begin(&mover->cfi, fde, &walk, &described);

	if (r)
		return 0;		/* ignore this FDE if its rows cannot be read */
	function = (struct function){
		.start = mapped_vaddr(mover, described.start),
		.end = mapped_vaddr(mover, described.end), .fde = fde,
	};
	if (!is_text(mover, function.start) || function.end <= function.start)
		return 0;
	function.end = min_u64(function.end, mover->text_end);
	function.is_function = !cfi_walk_to(&walk, described.start) &&
			       !described.is_signal_frame && frame_is_first(&walk.row) &&
			       !is_in_plt(mover, function.start);
	if (function.is_function && !mover->file.head.e_shnum &&
	    arch_plt_word(mover->image + (function.start - mover->low),
			  function.end - function.start, function.start))
		function.reason = MOVED_BY_PLT;
	if (described.exceptions &&
	    (described.has_bad_exceptions ||
	     !mark_landing_pads(mover, described.exceptions, function.start)))
		function.reason = MOVED_BY_UNWIND;
	return add_function(mover, &function);
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Sort the functions, remove duplicates, and cut each function off where the next one starts. */
static void sort_functions(struct mover *mover)
{
	uint32_t nr = 0;

	if (mover->nr)
		qsort(mover->functions, mover->nr, sizeof(*mover->functions), compare_functions);
	for (uint32_t i = 0; i < mover->nr; i++) {
		struct function *last = nr ? &mover->functions[nr - 1] : NULL;

		if (last && last->start == mover->functions[i].start) {
			last->is_function &= mover->functions[i].is_function;
			continue;
		}
		if (last)
			last->end = min_u64(last->end, mover->functions[i].start);
		mover->functions[nr++] = mover->functions[i];
	}
	mover->nr = nr;
}

static uint64_t first_entry(const struct mover *mover)
{
	const Elf64_Shdr *section;

	if (mover->cfi.header)
		return cfi_first(&mover->cfi);
	section = elf_find_section(&mover->file, ".eh_frame");
	return mapped_at(mover, section->sh_addr, section->sh_size) ?
	       mapped_address(mover, section->sh_addr) : 0;
}

int starts_find(struct mover *mover)
{
	uint64_t at = first_entry(mover), fde;
	int r = 0;

	while (!r && cfi_next(&mover->cfi, &at, &fde))
		r = add_fde(mover, fde);
	if (r)
		return r;
	sort_functions(mover);
	for (uint32_t i = 0; i < mover->nr; i++)
		target_add(mover, mover->functions[i].start);
	return mover->error ? mover->error : mover->nr ? 0 : -ENOENT;
}

struct function *starts_at(const struct mover *mover, uint64_t vaddr)
{
	uint32_t low = 0, high = mover->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (mover->functions[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && vaddr < mover->functions[low - 1].end ? &mover->functions[low - 1] : NULL;
}

/* ---- names ---- */

/* Handle one symbol of the file: mark its address, and check its name if a function starts at
 * the address. */
static void apply_symbol(struct mover *mover, const Elf64_Sym *symbol, const char *name)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	struct function *function;
	enum moved_reason reason;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
	    !is_text(mover, symbol->st_value))
		return;
	target_add(mover, symbol->st_value);
	function = starts_at(mover, symbol->st_value);
	if (!function || function->start != symbol->st_value || type == STT_NOTYPE)
		return;
	reason = mover_unsafe_name(name);
	if (reason == MOVED_BY_COLD && function->is_named)
		return;
	if (reason || function->reason == MOVED_BY_COLD)
		function->reason = (uint8_t)reason;
	function->is_named |= reason != MOVED_BY_COLD;
}

static void apply_table(struct mover *mover, uint32_t type)
{
	struct elf_table table;

	if (elf_table_read(&mover->file, type, &table))
		return;
	for (uint64_t i = 0; i < table.nr; i++) {
		const Elf64_Sym *symbol = &table.rows[i];
		const char *name = symbol->st_name < table.strings_bytes ?
				   table.strings + symbol->st_name : "";

		if (strnlen(name, ELF_NAME_MAX) < ELF_NAME_MAX)
			apply_symbol(mover, symbol, name);
	}
	elf_table_done(&table);
}

void starts_name(struct mover *mover)
{
	struct function *function = starts_at(mover, mover->file.head.e_entry);

	apply_table(mover, SHT_DYNSYM);
	apply_table(mover, SHT_SYMTAB);
	if (function && function->start == mover->file.head.e_entry && mover->file.head.e_entry)
		function->reason = MOVED_BY_START;
}
