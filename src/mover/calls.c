/* SPDX-License-Identifier: MIT */
/*
 * Find the instructions that make system calls, and decide which of them can be traced.
 *
 * A jump must replace bytes of one instruction before the system call.  The nearest
 * instruction that is long enough is chosen.  All instructions from that one to the system
 * call are moved.  No jump of the program may lead to a byte from the second byte of the
 * first moved instruction up to the system call: a thread that came by such a jump would not
 * be seen.
 *
 * The instruction after the system call is moved, too, if it is as long as a jump and can run
 * anywhere.  No jump of the program may lead to that instruction: a thread that came by it
 * would have made no system call.
 */
#include <string.h>
#include <sys/syscall.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/text.h"
#include "mover/mover_impl.h"

#define INSNS_MAX	8u		/* maximum number of instructions that are moved */

/* The last instructions before a system call. */
struct before {
	struct insn insns[INSNS_MAX];
	uint64_t at[INSNS_MAX];		/* addresses of the instructions in @insns */
	uint32_t nr;
};

static const uint8_t *code_at(const struct mover *mover, uint64_t vaddr)
{
	return mover->image + (vaddr - mover->low);
}

/* Decode @function from its start to the system call at @vaddr, and store the last
 * instructions before the call.  Returns false if no instruction ends at @vaddr. */
static bool read_before(const struct mover *mover, const struct function *function, uint64_t vaddr,
			struct before *ret)
{
	struct insn insn;

	ret->nr = 0;
	for (uint64_t at = function->start; at < vaddr; at += insn.bytes) {
		if (!insn_decode(code_at(mover, at), function->end - at, at, &insn) ||
		    at + insn.bytes > vaddr)
			return false;
		if (ret->nr == INSNS_MAX) {
			memmove(ret->insns, ret->insns + 1, (INSNS_MAX - 1) * sizeof(insn));
			memmove(ret->at, ret->at + 1, (INSNS_MAX - 1) * sizeof(*ret->at));
			ret->nr--;
		}
		ret->insns[ret->nr] = insn;
		ret->at[ret->nr++] = at;
	}
	return ret->nr;
}

/*
 * Returns true if a jump of the program may lead to one of the @nr bytes at @vaddr: one of them
 * is a target, or @insn is a label.  @insn: address of the instruction among these bytes; a
 * label matters only where an instruction starts.
 */
static bool is_entered(const struct mover *mover, uint64_t vaddr, uint64_t nr, uint64_t insn)
{
	return has_any(mover, mover->targets, vaddr, nr) || has_bit(mover, mover->labels, insn);
}

/* Returns the reason why instruction number @i of @before cannot be moved; MOVED_SYSCALL_NONE:
 * the instruction can be moved.
 * @next: address of the next instruction. */
static enum moved_syscall_reason cannot_move(const struct mover *mover,
					     const struct before *before, uint32_t i,
					     uint64_t next)
{
	const struct insn *insn = &before->insns[i];
	uint64_t at = before->at[i];

	if (insn->move == INSN_FIXED || (insn->flow != INSN_NEXT && insn->flow != INSN_BRANCH) ||
	    insn_is_tracepoint(code_at(mover, at), insn->bytes))
		return MOVED_SYSCALL_SHORT;
	if (is_entered(mover, at + 1, insn->bytes, next))
		return MOVED_SYSCALL_ENTERED;
	return has_any(mover, mover->relocated, at, insn->bytes) ?
	       MOVED_SYSCALL_CHANGED : MOVED_SYSCALL_NONE;
}

/* Find the nearest instruction before the system call that a jump can replace.  *@ret_first:
 * index of the instruction.  @from: no byte below this address may be replaced. */
static enum moved_syscall_reason find_first(const struct mover *mover, const struct before *before,
					    uint64_t vaddr, uint64_t from, uint32_t *ret_first)
{
	uint64_t next = vaddr;

	for (uint32_t i = before->nr; i-- > 0 && before->at[i] >= from; next = before->at[i]) {
		enum moved_syscall_reason reason = cannot_move(mover, before, i, next);

		if (reason)
			return reason;
		*ret_first = i;
		if (before->insns[i].bytes >= MOVED_JUMP_BYTES)
			return MOVED_SYSCALL_NONE;
	}
	return MOVED_SYSCALL_SHORT;
}

/* Make a copy of the instructions before a system call: those of @before, from number @first
 * on.  Returns false if the copy is too long. */
static bool copy_before(const struct mover *mover, const struct before *before, uint32_t first,
			struct insn_copy *ret)
{
	*ret = (struct insn_copy){ .nr = 0 };
	for (uint32_t i = first; i < before->nr; i++)
		if (!insn_copy_add(ret, &before->insns[i], code_at(mover, before->at[i]),
				   before->at[i]))
			return false;
	return ret->nr <= MOVED_SYSCALL_COPY_MAX && ret->nr_original <= MOVED_ORIGINAL_MAX;
}

/*
 * Write the block of data about the moved instructions before a system call, and fill in the
 * row to which this block belongs.
 */
static void write_before(const struct mover *mover, uint64_t site, const struct insn_copy *copy,
			 uint64_t pool_at, struct text *out, struct moved_row *ret)
{
	struct moved_frame frames[INSN_BOUNDS];

	*ret = (struct moved_row){
		.vaddr = site, .bytes = copy->nr_original, .pool = (uint32_t)(out->len - pool_at),
		.class = MOVED_ONE, .original_bytes = (uint8_t)copy->nr_original,
		.copy_bytes = (uint8_t)copy->nr, .nr_fixups = (uint8_t)copy->nr_fixups,
		.nr_frames = (uint8_t)copy->nr_bounds, .ends = 1,
		.moved_bytes = (uint8_t)copy->nr_original,
	};
	frames_plain(copy, frames);
	row_write_block(mover, site, copy->nr_original, copy, frames, out);
}

/* Returns how many bytes a jump at @at can replace: those of the instruction @insn and of the
 * padding after it.  Returns 0 if a jump cannot replace them. */
static uint64_t room_after(const struct mover *mover, const struct function *function, uint64_t at,
			   const struct insn *insn)
{
	uint64_t end = at + insn->bytes;

	if (insn->flow == INSN_END && !insn->has_address && end == function->end)
		end = padding_end(mover, end, next_start(mover, function));
	else if (insn->flow != INSN_NEXT || insn->has_address)
		return 0;
	end = min_u64(end, at + max_u64(insn->bytes, MOVED_JUMP_BYTES));
	return end - at >= MOVED_JUMP_BYTES ? end - at : 0;
}

/* Set the members of @call that describe the instruction after the system call, if this
 * instruction can be moved. */
static void read_after(const struct mover *mover, const struct function *function,
		       struct moved_syscall *call)
{
	uint64_t at = call->vaddr + MOVED_SYSCALL_BYTES, bytes;
	const uint8_t *code = code_at(mover, at);
	struct insn insn;
	uint32_t nr;

	if (call->nr == MOVED_SYSCALL_UNKNOWN || at >= function->end ||
	    !insn_decode(code, function->end - at, at, &insn) || insn.move != INSN_PLAIN ||
	    insn_is_tracepoint(code, function->end - at) ||
	    insn_is_syscall_number(code, insn.bytes, &nr))
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

/*
 * Returns the number of the system call that the instruction at @vaddr makes;
 * MOVED_SYSCALL_UNKNOWN: it is not known.  The number is known if the last instruction of
 * @before that changes its register loads a constant, and no jump can lead between this
 * instruction and the call.
 */
static uint16_t number_of(const struct mover *mover, const struct before *before, uint64_t vaddr)
{
	uint64_t next = vaddr;

	for (uint32_t i = before->nr; i-- > 0; next = before->at[i]) {
		const uint8_t *code = code_at(mover, before->at[i]);
		uint32_t bytes = before->insns[i].bytes, nr;

		if (is_entered(mover, before->at[i] + 1, bytes, next))
			break;
		if (insn_is_syscall_number(code, bytes, &nr))
			return nr < MOVED_SYSCALL_UNKNOWN ? (uint16_t)nr : MOVED_SYSCALL_UNKNOWN;
		if (!insn_keeps_syscall_number(code, bytes))
			break;
	}
	return MOVED_SYSCALL_UNKNOWN;
}

/* Make the row of the system call at @call->vaddr.  @from: end of the bytes that jumps
 * replace for the previous system call. */
static void make_row(const struct mover *mover, uint64_t from, uint64_t pool_at, struct text *out,
		     struct moved_syscall *call)
{
	const struct function *function = starts_at(mover, call->vaddr);
	struct insn_copy copy;
	struct before before;
	uint32_t first = 0;

	call->reason = MOVED_SYSCALL_FUNCTION;
	if (!function || !read_before(mover, function, call->vaddr, &before))
		return;
	if (number_of(mover, &before, call->vaddr) == SYS_rt_sigreturn)
		call->reason = MOVED_SYSCALL_HANDLER;
	else
		call->reason = (uint8_t)find_first(mover, &before, call->vaddr, from, &first);
	if (!call->reason && !copy_before(mover, &before, first, &copy))
		call->reason = MOVED_SYSCALL_SHORT;
	if (call->reason)
		return;
	call->nr = number_of(mover, &before, call->vaddr);
	write_before(mover, before.at[first], &copy, pool_at, out, &call->before);
	read_after(mover, function, call);
}

void syscalls_make(const struct mover *mover, uint64_t pool_at, struct text *out,
		   struct text *rows)
{
	uint64_t from = 0;

	for (uint64_t at = mover->text; at < mover->text_end && !out->error; at++) {
		struct moved_syscall call = { .vaddr = at };

		if (!has_bit(mover, mover->decoded, at) ||
		    !insn_is_syscall(code_at(mover, at), mover->text_end - at))
			continue;
		make_row(mover, from, pool_at, out, &call);
		text_write(rows, &call, sizeof(call));
		from = at + MOVED_SYSCALL_BYTES + call.after_bytes;
	}
}
