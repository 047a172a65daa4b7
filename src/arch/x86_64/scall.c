/* SPDX-License-Identifier: MIT */
/* The code around system calls; see scall.h. */
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/patch.h"

#define REACH		0x70000000ull	/* greatest distance from any byte of the text to any
					 * cell, bytes */
#define STEP		0x1000000ull	/* distance between two addresses at which a mapping is
					 * tried, bytes */

static_assert(SCALL_BACK + MOVED_AFTER_MAX - 1 + MOVED_JUMP_BYTES <= SCALL_HOOK,
	      "an instruction of 15 bytes and a jump fit");
static_assert(SCALL_NR + 4 <= MOVED_COPY_MAX, "all of it is in fcode_cell.code");

static_assert(offsetof(struct scall_handlers, enter) == SCALL_ENTER &&
	      offsetof(struct scall_handlers, exit) == SCALL_EXIT, "known to scall.S");

struct scall_handlers scall_handlers;

extern const uint8_t scall_enter_hook[], scall_exit_hook[]
	__attribute__((visibility("hidden")));

struct scall_site scall_site(const struct moved_syscall *call, bool is_exit)
{
	struct scall_site site = { .is_exit = is_exit };
	uint32_t nr = call->nr;

	if (is_exit) {
		site.vaddr = call->vaddr + MOVED_SYSCALL_BYTES;
		site.insn = call->after_insn;
		site.bytes = call->after_bytes;
		site.ends = call->ends;
		memcpy(site.original, call->after, sizeof(call->after));
		return site;
	}
	site.vaddr = call->vaddr - MOVED_SYSCALL_BEFORE;
	site.insn = site.bytes = MOVED_SYSCALL_BEFORE;
	site.original[0] = 0xb8;			/* mov $nr,%eax */
	memcpy(site.original + 1, &nr, sizeof(nr));
	return site;
}

static struct fcode_cell *map_at(uint64_t base, uint64_t bytes)
{
	if (base < ARCH_PAGE_BYTES || (base + bytes) >> ARCH_USER_BITS ||
	    !patch_map(base, bytes, PROT_READ | PROT_EXEC))
		return NULL;
	fcode_add(base, base, base + bytes);
	return (struct fcode_cell *)base;
}

static uint64_t map_bytes(uint32_t nr)
{
	return arch_page_end((uint64_t)nr * sizeof(struct fcode_cell));
}

struct fcode_cell *scall_map(uint64_t low, uint64_t high, uint32_t nr)
{
	uint64_t bytes = map_bytes(nr);
	struct fcode_cell *cells = NULL;

	low = arch_page_start(low);
	high = arch_page_end(high);
	for (uint64_t step = STEP; !cells && step + bytes + (high - low) < REACH; step += STEP) {
		cells = map_at(high + step, bytes);
		if (!cells && low > step + bytes)
			cells = map_at(low - step - bytes, bytes);
	}
	return cells;
}

void scall_unmap(struct fcode_cell *cells, uint32_t nr)
{
	if (!cells)
		return;
	fcode_remove((uint64_t)cells);
	arch_syscall2(SYS_munmap, cells, map_bytes(nr));
}

void scall_write(struct fcode_cell *to, const struct scall_site *site, uint32_t nr,
		 uint64_t bias)
{
	static const uint8_t start[] = {
		0x4c, 0x8d, 0x1d, SCALL_BACK - 7, 0, 0, 0,		/* lea 6(%rip),%r11 */
		0xff, 0x25, SCALL_HOOK - SCALL_BACK, 0, 0, 0,		/* jmp *hook(%rip) */
	};
	const uint8_t *hook = site->is_exit ? scall_exit_hook : scall_enter_hook;
	const uint8_t *next = (const uint8_t *)(bias + site->vaddr + site->insn);
	uint32_t end = SCALL_BACK + site->insn;
	struct fcode_cell cell = { .site = (int32_t)(bias + site->vaddr - (uint64_t)to) };

	static_assert(sizeof(start) == SCALL_BACK, "the hook returns after it");
	memcpy(cell.code, start, sizeof(start));
	memcpy(cell.code + SCALL_BACK, site->original, site->insn);
	if (!site->ends)
		patch_encode_jump(cell.code + end, to->code + end, next);
	memcpy(cell.code + SCALL_HOOK, &hook, sizeof(hook));
	memcpy(cell.code + SCALL_NR, &nr, sizeof(nr));
	for (uint32_t i = end; i < sizeof(cell.original); i++)
		cell.original[i] = site->insn;
	patch_put(PATCH_STUBS, (uint8_t *)to, (const uint8_t *)&cell, sizeof(cell));
}

void scall_encode(const struct fcode_cell *cell, const struct scall_site *site, uint64_t bias,
		  uint8_t ret_bytes[SCALL_SITE_MAX])
{
	memcpy(ret_bytes, site->original, SCALL_SITE_MAX);
	patch_encode_jump(ret_bytes, (const uint8_t *)(bias + site->vaddr), cell->code);
}
