/* SPDX-License-Identifier: MIT */
/* Write the table of moved functions. */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "base/text.h"
#include "mover/mover_impl.h"

bool row_copy(const struct mover *mover, const struct function *function,
	      struct insn_copy *ret_copy)
{
	uint64_t vaddr = function->start + function->lead;
	struct insn insn;

	*ret_copy = (struct insn_copy){ .nr = 0 };
	for (uint32_t i = 0; i < function->nr_insns; i++, vaddr += insn.bytes) {
		const uint8_t *code = mover->image + (vaddr - mover->low);

		if (!insn_decode(code, function->end - vaddr, vaddr, &insn) ||
		    !insn_copy_add(ret_copy, &insn, code, vaddr))
			return false;
	}
	if (!ret_copy->ends)
		ret_copy->bounds[ret_copy->nr_bounds++] = (struct insn_bound){
			(uint8_t)ret_copy->nr, (uint8_t)ret_copy->nr_original, 0,
		};
	return true;
}

void row_write_block(const struct mover *mover, uint64_t site, uint32_t original_bytes,
		     const struct insn_copy *copy, const struct moved_frame *frames,
		     struct text *out)
{
	text_write(out, copy->fixups, copy->nr_fixups * sizeof(*copy->fixups));
	text_write(out, frames, copy->nr_bounds * sizeof(*frames));
	text_write(out, mover->image + (site - mover->low), original_bytes);
	text_write(out, copy->bytes, copy->nr);
	while (out->len % MOVED_POOL_ALIGN && !out->error)
		text_putc(out, 0);
}

/*
 * Describe the stack frames of a copy.  Unwinders need this description for a tracer that
 * replaces return addresses, and such a tracer is used at the starts of functions only.
 */
static bool make_frames(const struct mover *mover, const struct function *function,
			const struct insn_copy *copy, struct moved_frame *ret_frames)
{
	if (!mover->places)
		return frames_make(mover, function, copy, ret_frames);
	frames_plain(copy, ret_frames);
	return true;
}

/* Make the row of a function in the table, and write the block of this row.  @pool_at: offset
 * of the pool in @out. */
static void write_row(const struct mover *mover, const struct function *function,
		      uint64_t pool_at, struct text *out, struct moved_row *ret_row)
{
	uint64_t site = function->start + function->lead;
	struct moved_frame frames[INSN_BOUNDS];
	struct insn_copy copy;
	struct moved_row row = {
		.vaddr = site, .lead = function->lead, .reason = function->reason,
		.bytes = (uint32_t)min_u64(function->end - function->start, UINT32_MAX),
	};

	if (!row.reason && (!row_copy(mover, function, &copy) ||
			    !make_frames(mover, function, &copy, frames)))
		row.reason = MOVED_BY_UNWIND;
	if (!row.reason) {
		row.class = function->class;
		row.original_bytes = function->original_bytes;
		row.copy_bytes = (uint8_t)copy.nr;
		row.nr_fixups = (uint8_t)copy.nr_fixups;
		row.nr_frames = (uint8_t)copy.nr_bounds;
		row.ends = copy.ends;
		row.moved_bytes = function->moved_bytes;
		row.pool = (uint32_t)(out->len - pool_at);
		row_write_block(mover, site, function->original_bytes, &copy, frames, out);
	}
	*ret_row = row;
}

static void write_head(const struct mover *mover, struct moved_head *head, struct text *out)
{
	*head = (struct moved_head){
		.magic = MOVED_MAGIC, .head_bytes = sizeof(*head),
		.row_bytes = sizeof(struct moved_row), .nr_rows = head->nr_rows,
		.nr_refused = head->nr_refused, .pool_at = head->pool_at,
		.pool_bytes = head->syscalls_at - head->pool_at,
		.syscalls_at = head->syscalls_at, .nr_syscalls = head->nr_syscalls,
		.build_id_bytes = mover->file.id.bytes,
		.text = mover->text, .text_end = mover->text_end,
		.text_hash = moved_hash(mover->image + (mover->text - mover->low),
					mover->text_end - mover->text),
	};
	memcpy(head->build_id, mover->file.id.id, sizeof(head->build_id));
	memcpy(out->data, head, sizeof(*head));
}

/* Write the rows of those of @functions that are functions, and their blocks. */
static void write_rows(const struct mover *mover, const struct function *functions, uint32_t nr,
		       struct moved_head *head, struct text *out)
{
	struct moved_row row = { .vaddr = 0 };
	uint64_t at = sizeof(*head);

	for (uint32_t i = 0; i < nr; i++)
		head->nr_rows += functions[i].is_function;
	text_write(out, (const char *)head, sizeof(*head));
	for (uint32_t i = 0; i < head->nr_rows; i++)
		text_write(out, (const char *)&row, sizeof(row));
	head->pool_at = (uint32_t)out->len;
	for (uint32_t i = 0; i < nr && !out->error; i++) {
		if (!functions[i].is_function)
			continue;
		write_row(mover, &functions[i], head->pool_at, out, &row);
		head->nr_refused += row.class == MOVED_REFUSED;
		memcpy(out->data + at, &row, sizeof(row));
		at += sizeof(row);
	}
	head->syscalls_at = (uint32_t)out->len;
}

static int end_table(const struct mover *mover, struct moved_head *head, struct text *out)
{
	if (out->error)
		return out->error;
	if (out->len > MOVED_BYTES_MAX)
		return -E2BIG;
	write_head(mover, head, out);
	return 0;
}

int rows_write(struct mover *mover, struct text *out)
{
	struct moved_head head = { .magic = 0 };
	struct text calls;

	write_rows(mover, mover->functions, mover->nr, &head, out);
	text_init(&calls, MOVED_BYTES_MAX);
	syscalls_make(mover, head.pool_at, out, &calls);
	head.syscalls_at = (uint32_t)out->len;
	head.nr_syscalls = (uint32_t)(calls.len / sizeof(struct moved_syscall));
	text_write(out, calls.data, calls.len);
	if (calls.error)
		out->error = calls.error;
	text_done(&calls);
	return end_table(mover, &head, out);
}

int rows_write_places(struct mover *mover, const struct function *places, struct text *out)
{
	struct moved_head head = { .magic = 0 };

	write_rows(mover, places, mover->nr_places, &head, out);
	return end_table(mover, &head, out);
}
