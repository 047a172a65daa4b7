/* SPDX-License-Identifier: MIT */
/*
 * Tables of moved functions.  A process reads such a table from a file, so nothing in it is
 * trusted before moved_check().  Each offset in a row is checked against the length of the
 * table, each address against the object's text.
 *
 * A jump must replace neither bytes that another jump replaces, nor bytes that are the
 * distance of another jump.  Rows are sorted, so it suffices to compare neighbours.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "arch/x86_64/moved.h"
#include "arch/x86_64/patch.h"
#include "arch/x86_64/unwind.h"

static_assert(MOVED_JUMP_BYTES == PATCH_JUMP_BYTES, "jumps");

/* ---- check a table ---- */

/* Returns true if the @bytes bytes at @vaddr are in the object's text. */
static bool is_in_text(const struct moved_head *head, uint64_t vaddr, uint64_t bytes)
{
	uint64_t size = head->text_end - head->text, at = vaddr - head->text;

	return at < size && bytes <= size - at;
}

static bool check_head(const struct moved_head *head, uint64_t bytes)
{
	uint64_t pool_at;

	if (bytes < sizeof(*head) || bytes > MOVED_BYTES_MAX || head->magic != MOVED_MAGIC ||
	    head->head_bytes != sizeof(*head) || head->row_bytes != sizeof(struct moved_row))
		return false;
	pool_at = sizeof(*head) + (uint64_t)head->nr_rows * sizeof(struct moved_row);
	return head->pool_at == pool_at && pool_at <= head->syscalls_at &&
	       head->syscalls_at <= bytes && head->syscalls_at % MOVED_POOL_ALIGN == 0 &&
	       head->pool_bytes == head->syscalls_at - pool_at &&
	       (uint64_t)head->nr_syscalls * sizeof(struct moved_syscall) ==
	       bytes - head->syscalls_at && head->nr_refused <= head->nr_rows &&
	       head->build_id_bytes <= sizeof(head->build_id) && head->text <= head->text_end;
}

static bool check_fixups(const struct moved_head *head, const struct moved_row *row)
{
	const struct moved_fixup *fixup = moved_fixups(head, row);

	for (uint32_t i = 0; i < row->nr_fixups; i++, fixup++)
		if (fixup->at + 4 > row->copy_bytes || fixup->end > row->copy_bytes ||
		    fixup->kind >= MOVED_FIXUP_KINDS)
			return false;
	return true;
}

static bool check_frames(const struct moved_head *head, const struct moved_row *row)
{
	const struct moved_frame *frame = moved_frames(head, row);

	if (!row->nr_frames || frame->copy)
		return false;
	for (uint32_t i = 0; i < row->nr_frames; i++, frame++)
		if (frame->copy > row->copy_bytes || frame->original > row->moved_bytes ||
		    frame->cfa_register >= ARCH_UNWIND_PC ||
		    (i && frame->copy <= frame[-1].copy))
			return false;
	return true;
}

/*
 * Check the row of a function that can be moved: its numbers, and its block in the pool of the
 * table.
 */
static bool check_moved(const struct moved_head *head, const struct moved_row *row)
{
	uint64_t block = row->nr_fixups * sizeof(struct moved_fixup) +
			 row->nr_frames * sizeof(struct moved_frame) + row->original_bytes +
			 row->copy_bytes;

	if (row->class >= MOVED_CLASSES || row->reason || row->ends > 1 || !row->moved_bytes ||
	    row->moved_bytes > row->original_bytes || row->original_bytes < MOVED_JUMP_BYTES ||
	    row->original_bytes > MOVED_ORIGINAL_MAX || !row->copy_bytes ||
	    row->copy_bytes > MOVED_COPY_MAX - MOVED_JUMP_BYTES ||
	    row->nr_fixups > MOVED_FIXUPS_MAX || row->nr_frames > MOVED_FRAMES_MAX)
		return false;
	if (row->pool % MOVED_POOL_ALIGN || row->pool > head->pool_bytes ||
	    block > head->pool_bytes - row->pool)
		return false;
	return check_fixups(head, row) && check_frames(head, row);
}

static bool check_refused(const struct moved_row *row)
{
	const struct moved_row expected = {
		.vaddr = row->vaddr, .bytes = row->bytes, .lead = row->lead,
		.reason = row->reason,
	};

	return row->reason && row->reason < MOVED_NR_REASONS &&
	       !memcmp(row, &expected, sizeof(expected));
}

static bool check_row(const struct moved_head *head, const struct moved_row *row)
{
	if (row->lead > MOVED_LEAD_MAX ||
	    !is_in_text(head, row->vaddr - row->lead,
			(uint64_t)row->lead + row->original_bytes))
		return false;
	return row->class == MOVED_REFUSED ? check_refused(row) : check_moved(head, row);
}

/*
 * Check the row of the moved instructions before a system call.  These instructions must end
 * where the call begins.
 */
static bool check_before(const struct moved_head *head, const struct moved_syscall *call)
{
	const struct moved_row *row = &call->before;

	return row->class == MOVED_ONE && !row->lead && row->ends &&
	       row->vaddr + row->moved_bytes == call->vaddr &&
	       row->original_bytes == row->moved_bytes &&
	       row->copy_bytes <= MOVED_SYSCALL_COPY_MAX &&
	       is_in_text(head, row->vaddr, row->original_bytes) && check_moved(head, row);
}

static bool check_after(const struct moved_head *head, const struct moved_syscall *call)
{
	if (call->ends > 1 || call->after_bytes > MOVED_AFTER_MAX ||
	    call->after_insn > call->after_bytes ||
	    (call->after_insn ? call->after_bytes < MOVED_JUMP_BYTES : call->after_bytes))
		return false;
	return is_in_text(head, call->vaddr,
			  (uint64_t)MOVED_SYSCALL_BYTES + call->after_bytes);
}

static uint64_t syscall_end(const struct moved_syscall *call)
{
	return call->vaddr + MOVED_SYSCALL_BYTES + call->after_bytes;
}

/* Check the row of a system call.  @last: the previous row, or NULL.  The bytes that jumps
 * may replace at two calls must not overlap. */
static bool check_syscall(const struct moved_head *head, const struct moved_syscall *call,
			  const struct moved_syscall *last)
{
	const struct moved_syscall refused = { .vaddr = call->vaddr, .reason = call->reason };

	if (last && last->vaddr >= call->vaddr)
		return false;
	if (call->reason)
		return call->reason < MOVED_NR_SYSCALL_REASONS &&
		       is_in_text(head, call->vaddr, MOVED_SYSCALL_BYTES) &&
		       !memcmp(call, &refused, sizeof(refused));
	return check_before(head, call) && check_after(head, call) &&
	       (!last || syscall_end(last) <= call->before.vaddr);
}

static bool check_syscalls(const struct moved_head *head)
{
	const struct moved_syscall *calls = moved_syscalls(head);

	for (uint32_t i = 0; i < head->nr_syscalls; i++)
		if (!check_syscall(head, &calls[i], i ? &calls[i - 1] : NULL))
			return false;
	return true;
}

bool moved_check(const void *table, uint64_t bytes)
{
	const struct moved_head *head = table;
	const struct moved_row *rows;
	uint32_t nr_refused = 0;

	if (!check_head(head, bytes))
		return false;
	rows = moved_rows(head);
	for (uint32_t i = 0; i < head->nr_rows; i++) {
		const struct moved_row *last = i ? &rows[i - 1] : NULL;

		if (!check_row(head, &rows[i]))
			return false;
		if (last && (last->vaddr >= rows[i].vaddr ||
			     rows[i].vaddr - rows[i].lead < last->vaddr + last->original_bytes))
			return false;
		nr_refused += rows[i].class == MOVED_REFUSED;
	}
	return nr_refused == head->nr_refused && check_syscalls(head);
}

/* ---- use a table ---- */

/* Store the distance from @from to @to in the 4 bytes at @field.  Returns false if the
 * distance does not fit into 32 bits. */
static bool put_distance(uint8_t *field, uint64_t from, uint64_t to)
{
	int64_t distance = (int64_t)(to - from);
	int32_t value = (int32_t)distance;

	memcpy(field, &value, sizeof(value));
	return value == distance;
}

static bool put_fixup(uint8_t *to, const struct moved_fixup *fixup, uint64_t bias, uint64_t copy)
{
	uint64_t target = bias + fixup->target;
	uint32_t half = (uint32_t)(fixup->kind == MOVED_HIGH32 ? target >> 32 : target);

	if (fixup->kind == MOVED_REL32)
		return put_distance(to + fixup->at, copy + fixup->end, target);
	memcpy(to + fixup->at, &half, sizeof(half));
	return true;
}

int moved_copy(const struct moved_head *head, const struct moved_row *row, uint64_t bias,
	       uint64_t copy, uint8_t to[MOVED_COPY_MAX])
{
	const struct moved_fixup *fixups = moved_fixups(head, row);
	uint32_t bytes = row->copy_bytes;

	memcpy(to, moved_copy_bytes(head, row), bytes);
	for (uint32_t i = 0; i < row->nr_fixups; i++)
		if (!put_fixup(to, &fixups[i], bias, copy))
			return -ERANGE;
	if (row->ends)
		return (int)bytes;
	to[bytes] = PATCH_JUMP;
	if (!put_distance(to + bytes + 1, copy + bytes + MOVED_JUMP_BYTES,
			  bias + row->vaddr + row->moved_bytes))
		return -ERANGE;
	return (int)(bytes + MOVED_JUMP_BYTES);
}

const struct moved_row *moved_find(const struct moved_head *head, uint64_t vaddr)
{
	const struct moved_row *rows = moved_rows(head);
	uint32_t low = 0, high = head->nr_rows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (rows[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < head->nr_rows && rows[low].vaddr == vaddr ? &rows[low] : NULL;
}

uint64_t moved_hash(const uint8_t *data, uint64_t bytes)
{
	uint64_t hash = bytes, word;

	for (; bytes; data += sizeof(word), bytes -= bytes < sizeof(word) ? bytes : sizeof(word)) {
		word = 0;
		memcpy(&word, data, bytes < sizeof(word) ? bytes : sizeof(word));
		/*
		 * multiply by an odd number, because different words then give different
		 * products
		 */
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return hash;
}
