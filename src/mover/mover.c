/* SPDX-License-Identifier: MIT */
/* Run the steps of an analysis in their order, which mover_impl.h describes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/own_id.h"
#include "base/text.h"
#include "mover/mover_impl.h"

/* Find .eh_frame by the program header; without that header, by the name of the section. */
static int find_unwind_table(struct mover *mover)
{
	struct cfi_object *cfi = &mover->cfi;

	cfi->start = mover->image;
	cfi->end = mover->image + (mover->high - mover->low);
	cfi->bias = (uint64_t)mover->image - mover->low;
	for (uint32_t i = 0; i < mover->file.head.e_phnum; i++) {
		const Elf64_Phdr *program = &mover->file.programs[i];

		if (program->p_type == PT_GNU_EH_FRAME)
			cfi->header = mapped_at(mover, program->p_vaddr, program->p_filesz);
	}
	if (cfi->header || elf_find_section(&mover->file, ".eh_frame"))
		return 0;
	return -ENOENT;
}

static int alloc_bitmaps(struct mover *mover)
{
	uint64_t words = (mover->text_end - mover->text) / 64 + 1;

	mover->targets = calloc(words, sizeof(uint64_t));
	mover->labels = calloc(words, sizeof(uint64_t));
	mover->entries = calloc(words, sizeof(uint64_t));
	mover->decoded = calloc(words, sizeof(uint64_t));
	mover->relocated = calloc(words, sizeof(uint64_t));
	return mover->targets && mover->labels && mover->entries && mover->decoded &&
	       mover->relocated ? 0 : -ENOMEM;
}

static int analyse_code(struct mover *mover)
{
	starts_name(mover);
	targets_of_data(mover);
	sweep(mover);
	targets_of_tables(mover);
	sweep_todo(mover);
	return mover->error;
}

static int write_table(struct mover *mover, struct text *out)
{
	struct function *places;
	int r;

	if (!mover->places) {
		choose(mover);
		return rows_write(mover, out);
	}
	places = places_make(mover);
	r = places ? rows_write_places(mover, places, out) : -ENOMEM;
	free(places);
	return r;
}

static void mover_done(struct mover *mover)
{
	elf_file_close(&mover->file);
	free(mover->image);
	free(mover->functions);
	free(mover->targets);
	free(mover->labels);
	free(mover->entries);
	free(mover->decoded);
	free(mover->relocated);
	free(mover->todo.data);
	free(mover->bases.data);
	free(mover->guesses.data);
}

static int analyse(struct mover *mover, const struct elf_source *source, struct text *out)
{
	int r = elf_file_open_source(source, &mover->file);

	insn_init();
	if (!r && mover->file.head.e_machine != ARCH_ELF_MACHINE)
		r = -ENOEXEC;
	if (!r)
		r = mapped_read(mover);
	if (!r)
		r = find_unwind_table(mover);
	if (!r)
		r = alloc_bitmaps(mover);
	if (!r)
		r = starts_find(mover);
	if (!r)
		r = analyse_code(mover);
	if (!r)
		r = write_table(mover, out);
	mover_done(mover);
	return r;
}

int mover_analyse(const struct elf_source *source, const struct mover_limits *limits,
		  struct text *out)
{
	struct mover mover = { .limits = limits };

	return analyse(&mover, source, out);
}

int mover_analyse_places(const struct elf_source *source, const struct mover_limits *limits,
			 const uint64_t *vaddrs, uint32_t nr, struct text *out)
{
	struct mover mover = { .limits = limits, .places = vaddrs, .nr_places = nr };

	return analyse(&mover, source, out);
}

uint64_t mover_build(void)
{
	uint64_t id = own_id();

	return id ? id ^ insn_version() : 0;
}

const char *mover_reason_text(enum moved_reason reason)
{
#define REASON_TEXT(number, name, text) [MOVED_BY_##name] = text,
	static const char *const texts[] = { MOVED_REASONS(REASON_TEXT) };

	return reason < ARRAY_SIZE(texts) ? texts[reason] : "";
}
