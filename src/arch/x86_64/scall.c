/* SPDX-License-Identifier: MIT */
/* The code around instructions that make system calls; see scall.h. */
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "arch/x86_64/patch.h"

#define REACH		0x70000000ull	/* maximum distance from any byte of the text to any
					 * cell (the code to which a site jumps), bytes */
#define STEP		0x1000000ull	/* distance between two addresses at which the
					 * code tries to map memory, bytes */

static_assert(SCALL_CALL_BYTES + MOVED_SYSCALL_COPY_MAX + MOVED_JUMP_BYTES <= SCALL_HOOK &&
	      MOVED_AFTER_MAX <= MOVED_SYSCALL_COPY_MAX, "the instructions and a jump fit");
static_assert(SCALL_NEXT == SCALL_NR + 4 && SCALL_NEXT + 4 <= MOVED_COPY_MAX,
	      "scall.S loads both as one word of fcode_cell.code");
static_assert(sizeof(struct scall_record) == 64 && sizeof(struct scall_steps) == 32 &&
	      offsetof(struct scall_steps, named) == 16 && offsetof(struct scall_step, bytes) == 8,
	      "known to scall.S");

struct scall_steps scall_enter_steps[SCALL_NUMBERS + 1], scall_exit_steps[SCALL_NUMBERS + 1];
void (*scall_slowly)(const struct ulf_event *event, struct scall_record *record, uint32_t bytes);

bool scall_has_site(const struct scall_site *site)
{
	return !site->call->reason && (!site->is_exit || site->call->after_insn);
}

uint64_t scall_vaddr(const struct scall_site *site)
{
	return site->is_exit ? site->call->vaddr + MOVED_SYSCALL_BYTES : site->call->before.vaddr;
}

const uint8_t *scall_original(const struct scall_site *site, uint32_t *ret_bytes)
{
	*ret_bytes = site->is_exit ? site->call->after_bytes : site->call->before.original_bytes;
	return site->is_exit ? site->call->after : moved_original(site->head, &site->call->before);
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

/* ---- write a cell ---- */

/* Append to a cell the instructions that jump to its hook.  Returns the number of bytes
 * that the cell has then. */
static uint32_t add_call(struct fcode_cell *cell, uint32_t at, void (*hook)(void))
{
	static const uint8_t call[] = {
		0x4c, 0x8d, 0x1d, 6, 0, 0, 0,		/* lea 6(%rip),%r11 */
		0xff, 0x25, 0, 0, 0, 0,			/* jmp *hook(%rip) */
	};
	uint32_t end = at + SCALL_CALL_BYTES;

	static_assert(sizeof(call) == SCALL_CALL_BYTES, "known to others");
	memcpy(cell->code + at, call, sizeof(call));
	cell->code[end - 4] = (uint8_t)(SCALL_HOOK - end);
	memcpy(cell->code + SCALL_HOOK, &hook, sizeof(hook));
	return end;
}

/*
 * Store in a cell that its bytes from @at on stand for the instruction at byte @original of the
 * site.
 */
static void note_original(struct fcode_cell *cell, uint32_t at, uint8_t original)
{
	memset(cell->original + at, original, sizeof(cell->original) - at);
}

/*
 * Make the cell for the site before a system call: a copy of the moved instructions, then the
 * jump to the hook, then a jump to the system call.
 */
static int make_enter(const struct fcode_cell *to, const struct scall_site *site, uint64_t bias,
		      struct fcode_cell *cell)
{
	const struct moved_row *row = &site->call->before;
	const struct moved_frame *frames = moved_frames(site->head, row);
	int nr = moved_copy(site->head, row, bias, (uint64_t)to, cell->code);
	uint32_t end;

	if (nr < 0)
		return nr;
	for (uint32_t i = 0; i < row->nr_frames; i++)
		note_original(cell, frames[i].copy, frames[i].original);
	note_original(cell, (uint32_t)nr, row->moved_bytes);
	end = add_call(cell, (uint32_t)nr, scall_enter_hook);
	patch_encode_jump(cell->code + end, to->code + end,
			  (const uint8_t *)(bias + site->call->vaddr));
	return 0;
}

/*
 * Make the cell for the site after a system call: the jump to the hook, then a copy of the
 * moved instruction, then a jump to the next instruction.
 */
static void make_exit(const struct fcode_cell *to, const struct scall_site *site, uint64_t bias,
		      struct fcode_cell *cell)
{
	const struct moved_syscall *call = site->call;
	uint32_t end = add_call(cell, 0, scall_exit_hook), nr = call->nr;

	memcpy(cell->code + end, call->after, call->after_insn);
	end += call->after_insn;
	note_original(cell, end, call->after_insn);
	if (!call->ends)
		patch_encode_jump(cell->code + end, to->code + end,
				  (const uint8_t *)(bias + scall_vaddr(site) + call->after_insn));
	memcpy(cell->code + SCALL_NR, &nr, sizeof(nr));
}

int scall_write(struct fcode_cell *to, const struct scall_site *site, uint64_t bias)
{
	struct fcode_cell cell = { .site = (int32_t)(bias + scall_vaddr(site) - (uint64_t)to) };
	int32_t next = (int32_t)(bias + site->call->vaddr + MOVED_SYSCALL_BYTES - (uint64_t)to);
	int r = 0;

	memcpy(cell.code + SCALL_NEXT, &next, sizeof(next));
	if (site->is_exit)
		make_exit(to, site, bias, &cell);
	else
		r = make_enter(to, site, bias, &cell);
	if (!r)
		patch_put(PATCH_STUBS, (uint8_t *)to, (const uint8_t *)&cell, sizeof(cell));
	return r;
}

void scall_encode(const struct fcode_cell *cell, const struct scall_site *site, uint64_t bias,
		  uint8_t ret_bytes[MOVED_JUMP_BYTES])
{
	patch_encode_jump(ret_bytes, (const uint8_t *)(bias + scall_vaddr(site)), cell->code);
}
