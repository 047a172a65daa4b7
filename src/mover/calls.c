/* SPDX-License-Identifier: MIT */
/*
 * Find the instructions that make system calls, and decide which of them can be traced.
 *
 * The instruction before the call must set the number of the call, and no jump may lead to any
 * byte after the first one of it, nor to the call itself: a thread that came to the call by such a
 * jump would not be seen.  The instruction after the call is moved, if it is as long as a jump and
 * can run anywhere.  No jump may lead there: a thread that came by it would have made no call.
 */
#include <string.h>

#include "arch/arch.h"
#include "base/text.h"
#include "mover/mover_impl.h"

/* Returns true if an instruction of @function starts at @vaddr when it is decoded from its
 * start on.  The instruction before @vaddr then ends there. */
static bool is_decoded(const struct mover *mover, const struct function *function, uint64_t vaddr)
{
	uint64_t at = function->start;
	struct insn insn;

	while (at < vaddr && insn_decode(mover->image + (at - mover->low), function->end - at, at,
					 &insn))
		at += insn.bytes;
	return at == vaddr;
}

/* Returns true if a jump may lead to one of the @nr bytes at @vaddr.  As in choose.c, a label
 * counts only where an instruction starts, which is at @insn. */
static bool is_entered(const struct mover *mover, uint64_t vaddr, uint64_t nr, uint64_t insn)
{
	return has_any(mover, mover->targets, vaddr, nr) || has_bit(mover, mover->labels, insn);
}

/* Returns why the call at @vaddr, in @function, cannot be traced.  Sets *@ret_nr, the number of the
 * call. */
static enum moved_syscall_reason find_reason(const struct mover *mover,
					     const struct function *function, uint64_t vaddr,
					     uint32_t *ret_nr)
{
	uint64_t before = vaddr - MOVED_SYSCALL_BEFORE;

	if (!function)
		return MOVED_SYSCALL_FUNCTION;
	if (vaddr - function->start < MOVED_SYSCALL_BEFORE ||
	    !insn_is_syscall_number(mover->image + (before - mover->low), ret_nr) ||
	    *ret_nr > UINT16_MAX || !has_bit(mover, mover->decoded, before) ||
	    !is_decoded(mover, function, before) || !is_decoded(mover, function, vaddr))
		return MOVED_SYSCALL_NUMBER;
	if (is_entered(mover, before + 1, MOVED_SYSCALL_BEFORE, vaddr))
		return MOVED_SYSCALL_ENTERED;
	return has_any(mover, mover->relocated, before,
		       MOVED_SYSCALL_BEFORE + MOVED_SYSCALL_BYTES) ?
	       MOVED_SYSCALL_CHANGED : MOVED_SYSCALL_NONE;
}

/* Returns how many bytes at @at, the instruction @insn and padding after it, a jump can replace;
 * 0 if it cannot. */
static uint64_t room_after(const struct mover *mover, const struct function *function, uint64_t at,
			   const struct insn *insn)
{
	uint64_t end = at + insn->bytes;

	if (insn->flow == INSN_END && !insn->has_address && end == function->end)
		end = padding_end(mover, end, next_start(mover, function));
	else if (insn->flow != INSN_NEXT || insn->has_address)
		return 0;
	if (end > at + MOVED_JUMP_BYTES)
		end = at + (insn->bytes > MOVED_JUMP_BYTES ? insn->bytes : MOVED_JUMP_BYTES);
	return end - at >= MOVED_JUMP_BYTES ? end - at : 0;
}

/* Set the members of @call for the instruction after the call, if it can be moved. */
static void read_after(const struct mover *mover, const struct function *function,
		       struct moved_syscall *call)
{
	uint64_t at = call->vaddr + MOVED_SYSCALL_BYTES, bytes;
	const uint8_t *code = mover->image + (at - mover->low);
	struct insn insn;

	if (at >= function->end || !insn_decode(code, function->end - at, at, &insn) ||
	    insn.move != INSN_PLAIN || insn_is_tracepoint(code, function->end - at) ||
	    insn_is_syscall_number(code, &(uint32_t){ 0 }))
		return;
	bytes = room_after(mover, function, at, &insn);
	if (!bytes || bytes > MOVED_AFTER_MAX || is_entered(mover, at, bytes, at) ||
	    has_any(mover, mover->relocated, at, bytes))
		return;
	call->after_insn = insn.bytes;
	call->after_bytes = (uint8_t)bytes;
	call->ends = insn.flow == INSN_END;
	memcpy(call->after, code, bytes);
}

static struct moved_syscall make_row(const struct mover *mover, uint64_t vaddr)
{
	struct moved_syscall call = { .vaddr = vaddr };
	const struct function *function = starts_at(mover, vaddr);
	uint32_t nr = 0;

	call.reason = (uint8_t)find_reason(mover, function, vaddr, &nr);
	if (call.reason)
		return call;
	call.nr = (uint16_t)nr;
	read_after(mover, function, &call);
	return call;
}

uint32_t syscalls_write(const struct mover *mover, struct text *out)
{
	uint32_t nr = 0;

	for (uint64_t at = mover->text; at < mover->text_end && !out->error; at++) {
		struct moved_syscall call;

		if (!has_bit(mover, mover->decoded, at) ||
		    !insn_is_syscall(mover->image + (at - mover->low), mover->text_end - at))
			continue;
		call = make_row(mover, at);
		text_write(out, &call, sizeof(call));
		nr++;
	}
	return nr;
}
