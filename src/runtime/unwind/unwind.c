/* SPDX-License-Identifier: MIT */
/*
 * Unwind the stack of the current thread, one frame at a time, by the unwind tables of
 * the objects (.eh_frame).  Code outside of all objects, or in an object without such a
 * table, is assumed to use frame pointers.
 *
 * The stack may be a thread's stack, a signal stack, the stack of a coroutine, or
 * corrupt.  So this code checks each page with arch_is_readable() before it first reads
 * from it.  A caller's stack pointer must not be lower than that of its callee.  The
 * exception is a signal frame, because the interrupted function may have another stack.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "cfi/cfi.h"
#include "runtime/unwind/unwind.h"

#define ADDRESS_MAX	(1ull << 47)	/* end of the addresses of user space */

/* Only glibc 2.35 and later has _dl_find_object(). */
#ifdef DLFO_EH_SEGMENT_TYPE
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

/* Find the object that contains @pc.  Takes no lock; signal handlers may call it. */
static bool find_object(uint64_t pc, struct image *ret_image,
			struct cfi_object *ret_tables)
{
	struct dl_find_object found;

	if (!_dl_find_object || _dl_find_object((void *)pc, &found))
		return false;
	ret_image->start = (uint64_t)found.dlfo_map_start;
	ret_image->end = (uint64_t)found.dlfo_map_end;
	ret_image->bias = found.dlfo_link_map->l_addr;
	ret_image->name = found.dlfo_link_map->l_name;
	ret_image->dynamic = found.dlfo_link_map->l_ld;
	ret_tables->start = found.dlfo_map_start;
	ret_tables->end = found.dlfo_map_end;
	ret_tables->header = found.dlfo_eh_frame;
	return true;
}

bool unwind_can_find(void)
{
	return _dl_find_object;
}
#else
bool unwind_can_find(void)
{
	return false;
}

static bool find_object(uint64_t pc, struct image *ret_image,
			struct cfi_object *ret_tables)
{
	(void)pc;
	(void)ret_image;
	(void)ret_tables;
	return false;
}
#endif

bool unwind_find(uint64_t addr, struct image *ret_image)
{
	struct cfi_object tables;

	return find_object(addr, ret_image, &tables);
}

bool unwind_find_header(uint64_t addr, struct image *ret_image, uint64_t *ret_header)
{
	struct cfi_object tables;

	if (!find_object(addr, ret_image, &tables))
		return false;
	*ret_header = (uint64_t)tables.header;
	return true;
}

/* ---- read the stack ---- */

/* Read a word of the stack.  AddressSanitizer must not check this load, because the word
 * may be in one of its red zones between two variables. */
static __attribute__((no_sanitize_address)) bool
read_word(void *arg, uint64_t addr, uint64_t *ret_word)
{
	struct unwind *unwind = arg;
	uint64_t page = addr & ~(UNWIND_PAGE - 1);

	if (addr % sizeof(*ret_word) || addr < UNWIND_PAGE || addr >= ADDRESS_MAX)
		return false;
	if (addr < unwind->low || addr >= unwind->high) {
		if (!arch_is_readable((const void *)addr))
			return false;
		if (page != unwind->high)
			unwind->low = page;
		unwind->high = page + UNWIND_PAGE;
	}
	*ret_word = *(const volatile uint64_t *)addr;
	return true;
}

/* ---- step from a frame to its caller ---- */

static int get_cfa(struct unwind *unwind, const struct cfi_object *object,
		   const struct cfi_row *row, uint64_t *ret_cfa)
{
	if (row->is_cfa_expression)
		return cfi_evaluate(object, row->cfa_value, unwind->regs, NULL,
				    read_word, unwind, ret_cfa);
	*ret_cfa = unwind->regs[row->cfa_register] +
		   (uint64_t)(int64_t)row->cfa_value;
	return 0;
}

static int get_register(struct unwind *unwind, const struct cfi_object *object,
			const struct cfi_row *row, unsigned int reg,
			uint64_t cfa, uint64_t *ret_value)
{
	int32_t value = row->value[reg];
	uint64_t at = cfa + (uint64_t)(int64_t)value;
	int r = 0;

	switch (row->how[reg]) {
	case CFI_SAME:
		*ret_value = unwind->regs[reg];
		return 0;
	case CFI_UNDEFINED:
		*ret_value = 0;
		return 0;
	case CFI_REGISTER:
		if (value < 0 || value >= ARCH_UNWIND_REGS)
			return -EINVAL;
		*ret_value = unwind->regs[value];
		return 0;
	case CFI_OFFSET:
		*ret_value = at;
		return 0;
	case CFI_AT_OFFSET:
		return read_word(unwind, at, ret_value) ? 0 : -EFAULT;
	}
	r = cfi_evaluate(object, value, unwind->regs, &cfa, read_word, unwind, &at);
	if (!r && row->how[reg] == CFI_AT_EXPRESSION)
		return read_word(unwind, at, ret_value) ? 0 : -EFAULT;
	*ret_value = at;
	return r;
}

static int step_by_table(struct unwind *unwind, const struct cfi_object *object,
			 const struct cfi_function *function)
{
	const struct cfi_row *row = &function->row;
	uint64_t regs[ARCH_UNWIND_REGS], cfa;
	int r = get_cfa(unwind, object, row, &cfa);

	if (r || row->how[ARCH_UNWIND_PC] == CFI_UNDEFINED)
		return -ENODATA;
	for (unsigned int i = 0; i < ARCH_UNWIND_REGS && !r; i++)
		r = get_register(unwind, object, row, i, cfa, &regs[i]);
	/* The caller's stack pointer is the CFA, unless the unwind table has another
	 * rule for it. */
	if (row->how[ARCH_UNWIND_SP] == CFI_SAME)
		regs[ARCH_UNWIND_SP] = cfa;
	if (r || (!function->is_signal_frame &&
		  regs[ARCH_UNWIND_SP] < unwind->regs[ARCH_UNWIND_SP]))
		return -ENODATA;
	for (unsigned int i = 0; i < ARCH_UNWIND_REGS; i++)
		unwind->regs[i] = regs[i];
	unwind->is_interrupted = function->is_signal_frame;
	return 0;
}

/* Step to the caller by the frame pointer.  The frame pointer points to the saved frame
 * pointer of the caller; the return address is in the next higher word. */
static int step_by_pointer(struct unwind *unwind)
{
	uint64_t frame = unwind->regs[ARCH_UNWIND_FRAME], next, pc;

	if (frame < unwind->regs[ARCH_UNWIND_SP] ||
	    !read_word(unwind, frame, &next) ||
	    !read_word(unwind, frame + sizeof(next), &pc))
		return -ENODATA;
	unwind->regs[ARCH_UNWIND_FRAME] = next;
	unwind->regs[ARCH_UNWIND_SP] = frame + 2 * sizeof(next);
	unwind->regs[ARCH_UNWIND_PC] = pc;
	unwind->is_interrupted = false;
	return 0;
}

/* If the frame was interrupted in a slot or in a copy, continue at the instruction of the
 * traced function for which the interrupted instruction stands. */
static void leave_slot(struct unwind *unwind)
{
	uint64_t *pc = &unwind->regs[ARCH_UNWIND_PC];
	struct image image;
	enum fcode_kind kind = fcode_kind(*pc, unwind_find(*pc, &image));

	if (kind != FCODE_NONE)
		fcode_original(kind, pc, &unwind->regs[ARCH_UNWIND_SP]);
}

int unwind_step(struct unwind *unwind, uint64_t *ret_function)
{
	/* Look up the byte before the return address: if the call is the last
	 * instruction of its function, the return address itself belongs to the
	 * next function. */
	uint64_t pc = unwind_pc(unwind) - !unwind->is_interrupted;
	struct cfi_function function;
	struct cfi_object tables = { 0 };
	int r;

	*ret_function = unwind->image.start = 0;
	if (!find_object(pc, &unwind->image, &tables) || !tables.header) {
		r = step_by_pointer(unwind);
	} else if (cfi_find(&tables, pc, &function)) {
		r = -ENODATA;		/* the unwind table does not describe pc, for
					 * example at the end of a coroutine's stack */
	} else {
		*ret_function = function.start;
		r = step_by_table(unwind, &tables, &function);
	}
	if (!r && unwind->is_interrupted)
		leave_slot(unwind);
	if (!r && (unwind_pc(unwind) < UNWIND_PAGE || unwind_pc(unwind) >= ADDRESS_MAX))
		r = -ENODATA;
	return r;
}
