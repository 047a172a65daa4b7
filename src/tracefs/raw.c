/* SPDX-License-Identifier: MIT */
/*
 * The file trace_pipe_raw: the records of a CPU in sub-buffers (also called pages)
 * with the kernel's layout.  A CPU has more than one ring, so its records are merged
 * into new pages.  The records of a page stay in the rings until the reader has got
 * the page.  Then they are consumed.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "server/core/instance.h"
#include "server/core/now.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/shm.h"
#include "server/rings/merge.h"
#include "server/rings/options.h"
#include "server/rings/receipt.h"
#include "server/rings/rings.h"
#include "tracefs/files.h"
#include "tracefs/node_rings.h"

#define DELTA_MAX	(1ull << ABI_REC_DELTA_BITS)
#define SMALL_MAX	(ABI_REC_MAX_SMALL * 4u)	/* maximum number of bytes of data in a
							 * record with a short header; a larger
							 * record has its length in a second word
							 * of the header */
/* maximum time that poll() waits for buffer_percent if there are records, ns */
#define FLUSH_NS	500000000u

struct raw {
	LIST_ENTRY(raw) link;		/* link in the list all_raws of open files */
	const struct tracefs_file *file;
	struct merge *merge;
	uint8_t *page;			/* sub-buffer that is being filled, or that the
					 * reader is reading */
	uint32_t page_bytes;		/* size of @page, bytes */
	uint32_t bytes;			/* number of bytes of data that @page contains so
					 * far */
	uint64_t time;			/* time of the newest record in @page */
	uint64_t lost;			/* number of records that were lost directly
					 * before the first record in @page */
	bool is_closed;			/* true: @page is complete, and the reader can
					 * read it */
	uint32_t page_at;		/* number of bytes of @page that the reader has
					 * got */
	uint32_t read_end;		/* offset in @page of the end of the bytes that the
					 * current read returns; they begin at @page_at */
	uint32_t data_end;		/* offset in @page at which the data end; zeroes
					 * follow */
	bool is_split;			/* true: the reader has got only a part of the records
					 * that are being handed over, and needs another read
					 * for the rest; meanwhile no other reader may get
					 * these records */
	uint64_t flush_ns;		/* time until which poll() waits for more records,
					 * CLOCK_MONOTONIC; 0 if poll() has found no
					 * record yet */
	bool is_flushing;		/* true: poll() has stopped waiting for a full
					 * page, so the next splice gets a page that is
					 * not full */
};

/* List of every open trace_pipe_raw and snapshot_raw.  Only the server's thread uses the
 * list. */
static LIST_HEAD(, raw) all_raws = LIST_HEAD_INITIALIZER(all_raws);

static int raw_open(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	struct raw *raw = calloc(1, sizeof(*raw));
	int r;

	if (!raw)
		return -ENOMEM;
	raw->page_bytes = instance_page_bytes(instance);
	raw->page = calloc(1, raw->page_bytes);
	r = raw->page ? merge_new(instance, tracefs_rings(file->node),
				  tracefs_cpu(file->node), true,
				  &raw->merge) : -ENOMEM;
	if (r) {
		free(raw->page);
		free(raw);
		return r;
	}
	raw->file = file;
	LIST_INSERT_HEAD(&all_raws, raw, link);
	file->state = raw;
	return 0;
}

static void raw_close(struct tracefs_file *file)
{
	struct raw *raw = file->state;

	LIST_REMOVE(raw, link);
	if (raw->is_split)
		merge_give_up(raw->merge);
	merge_free(raw->merge);
	free(raw->page);
	free(raw);
}

static void page_reset(struct raw *raw)
{
	raw->is_split = raw->is_closed && raw->page_at < raw->data_end;
	memset(raw->page, 0, raw->page_bytes);
	raw->bytes = 0;
	raw->lost = 0;
	raw->is_closed = false;
	raw->page_at = raw->read_end = 0;
}

/* Append @word, a word of a record's header, to raw->page. */
static void page_word(struct raw *raw, uint32_t word)
{
	memcpy(raw->page + ABI_PAGE_HEADER + raw->bytes, &word, sizeof(word));
	raw->bytes += sizeof(word);
}

/* Append a record to raw->page.  Returns false, and appends nothing, if raw->page would
 * then contain more than @limit bytes of data. */
static bool page_add(struct raw *raw, const struct merge_record *record,
		     uint32_t limit)
{
	uint64_t delta = raw->bytes ? record->time - raw->time : 0;
	bool is_small = record->bytes && record->bytes <= SMALL_MAX;
	uint32_t need = (delta >= DELTA_MAX ? 8 : 0) + (is_small ? 4 : 8) +
			record->bytes;

	if (record->bytes % 4 || need > limit - raw->bytes)
		return false;
	if (!raw->bytes)
		memcpy(raw->page, &record->time, sizeof(record->time));
	if (delta >= DELTA_MAX) {
		page_word(raw, (uint32_t)(delta % DELTA_MAX) << ABI_REC_TYPE_BITS |
			  ABI_REC_TIME_EXTEND);
		page_word(raw, (uint32_t)(delta >> ABI_REC_DELTA_BITS));
		delta = 0;
	}
	page_word(raw, (uint32_t)delta << ABI_REC_TYPE_BITS |
		  (is_small ? record->bytes / 4 : 0));
	if (!is_small)
		page_word(raw, record->bytes + 4);
	memcpy(raw->page + ABI_PAGE_HEADER + raw->bytes, record->data,
	       record->bytes);
	raw->bytes += record->bytes;
	raw->time = record->time;
	return true;
}

/*
 * Complete raw->page.  Its commit word contains the number of bytes of data, and flags if
 * records were lost before the page.  The flags fill all high bits, because the kernel
 * sign-extends the commit word.  The number of lost records follows the data if the page has
 * space for this number.  If the page has no such space, because a record fills the page, the
 * page only reports that records were lost, as in the kernel.
 */
static void page_close(struct raw *raw)
{
	uint64_t commit = raw->bytes;

	raw->data_end = ABI_PAGE_HEADER + raw->bytes;
	if (raw->lost)
		commit |= ~0ull << 31;
	if (raw->lost && raw->data_end + sizeof(raw->lost) <= raw->page_bytes) {
		memcpy(raw->page + raw->data_end, &raw->lost, sizeof(raw->lost));
		raw->data_end += sizeof(raw->lost);
		commit |= ABI_COMMIT_STORED;
	}
	memcpy(raw->page + 8, &commit, sizeof(commit));
	merge_stage(raw->merge);
	raw->is_closed = true;
}

/*
 * Return the maximum number of bytes of data in raw->page after one more record is added:
 * @limit or less.  If records were lost, the number of lost records needs space at the end of
 * the page.  Only the first record of a page may use this space.
 */
static uint32_t data_limit(const struct raw *raw, uint32_t limit)
{
	uint32_t most = raw->page_bytes - ABI_PAGE_HEADER;

	if (raw->bytes && raw->lost)
		most -= sizeof(raw->lost);
	return limit < most ? limit : most;
}

/*
 * Add records to raw->page.  Returns 1 if the page is full, or if the next record must
 * begin a new page.  Returns 0 if there are no more records; -EMSGSIZE if even the first
 * record does not fit into @limit bytes; or another -errno.
 */
static int page_fill(struct raw *raw, uint32_t limit)
{
	struct merge_record record;
	int r = merge_start(raw->merge);

	if (r < 0)
		return r;
	if (r || raw->is_closed)
		page_reset(raw);
	if (raw->bytes >= limit)
		return 1;
	while (merge_peek(raw->merge, &record) > 0) {
		/* Records were lost before this record.  A page can report a loss only
		 * before its first record, so this record must begin a new page. */
		if (raw->bytes && record.lost)
			return 1;
		if (!page_add(raw, &record, data_limit(raw, limit))) {
			if (raw->bytes)
				return 1;
			if (limit < data_limit(raw, UINT32_MAX))
				return -EMSGSIZE;
			raw->lost++;	/* count a record that is larger than a page as
					 * lost */
		}
		raw->lost += record.lost;
		merge_advance(raw->merge);
	}
	return 0;
}

/* Copy the next bytes of raw->page, @size bytes at most, to @buf.  Returns the number of
 * bytes. */
static size_t page_read(struct raw *raw, char *buf, size_t size)
{
	if (size > raw->page_bytes - raw->read_end)
		size = raw->page_bytes - raw->read_end;
	memcpy(buf, raw->page + raw->read_end, size);
	raw->read_end += (uint32_t)size;
	return size;
}

static bool has_rest(const struct raw *raw)
{
	return raw->is_closed && raw->read_end < raw->page_bytes;
}

/* Drop raw->page if this reader has not got the page yet and another reader has consumed
 * its records. */
static void drop_stale_page(struct raw *raw)
{
	if (raw->is_closed && !raw->page_at && !raw->is_split &&
	    merge_is_stale(raw->merge)) {
		raw->page_at = raw->data_end;
		page_reset(raw);
	}
}

/* Return true if records were lost and no later record can report this loss.  In this
 * case an empty page must report it. */
static bool has_lost_only(struct raw *raw)
{
	uint32_t cpu;
	uint64_t lost;

	while ((lost = merge_next_lost(raw->merge, &cpu)))
		raw->lost += lost;
	return raw->lost;
}

/*
 * Method deliver: handle what happened to the bytes of a read.  A page gets a receipt
 * only if one read delivers the whole page.  If the reader has got only a part of the
 * page, no other reader may get the page's records, because it is not known whether this
 * reader has used its part.
 */
static void raw_deliver(struct tracefs_file *file, enum tracefs_delivery what)
{
	struct raw *raw = file->state;

	switch (what) {
	case TRACEFS_OFFERED:
		merge_offer(raw->merge, raw->read_end >= raw->data_end &&
			    !raw->page_at && !raw->is_split ?
			    receipt_ticket() : 0);
		break;
	case TRACEFS_TAKEN:
		raw->page_at = raw->read_end;
		raw->flush_ns = 0;
		raw->is_split = raw->page_at < raw->data_end;
		if (!raw->is_split && merge_is_staged(raw->merge))
			merge_consume(raw->merge);
		break;
	case TRACEFS_REFUSED:
		raw->read_end = raw->page_at;
		/* fall through */
	case TRACEFS_LATER:
		if (!raw->is_split)
			merge_withdraw(raw->merge);
		break;
	case TRACEFS_RETURNED:
		if (!raw->is_split)
			merge_return(raw->merge, raw->page_at < raw->page_bytes);
		break;
	}
}

/* Read a sub-buffer, or its rest.  As in the kernel, a read of fewer bytes than a
 * sub-buffer gets as many records as fit, and returns 0 if not even one record fits. */
static ssize_t raw_read(struct tracefs_file *file, char *buf, size_t size,
			off_t offset)
{
	struct raw *raw = file->state;
	uint32_t limit;
	int r;

	(void)offset;
	drop_stale_page(raw);
	if (has_rest(raw))
		return (ssize_t)page_read(raw, buf, size);
	limit = size < raw->page_bytes ? (uint32_t)size : raw->page_bytes;
	limit = limit > ABI_PAGE_HEADER ? limit - ABI_PAGE_HEADER : 0;
	r = page_fill(raw, limit);
	if (r == -EMSGSIZE || (r > 0 && !raw->bytes))
		return 0;
	if (r < 0)
		return r;
	if (!raw->bytes && file->node->root->state == SERVER_ROOT_ALIVE)
		return -EAGAIN;
	if (!raw->bytes && !has_lost_only(raw))
		return 0;
	page_close(raw);
	return (ssize_t)page_read(raw, buf, size);
}

/*
 * Fill raw->page for a splice.  Returns 1 only if no other record fits into the page, or if
 * poll() has stopped waiting for more records (raw->is_flushing).  So a splice usually gets
 * only full pages.  With other pages, the file of a slow trace would be many times larger.
 */
static int page_fill_whole(struct raw *raw)
{
	int r = page_fill(raw, raw->page_bytes - ABI_PAGE_HEADER);

	if (!r && raw->bytes && raw->is_flushing) {
		raw->is_flushing = false;
		return 1;
	}
	return r;
}

static ssize_t raw_read_whole(struct tracefs_file *file, char *buf, size_t size)
{
	struct raw *raw = file->state;
	size_t done = 0;
	int r;

	drop_stale_page(raw);
	while (done < size) {
		if (!has_rest(raw)) {
			r = page_fill_whole(raw);
			/* This read fails, so the reader does not get the rest of the
			 * previous page, which is already in @buf: give the records of that
			 * page up. */
			if (r <= 0 && raw->is_split)
				merge_give_up(raw->merge);
			if (r <= 0)
				return r ? r : -EAGAIN;
			page_close(raw);
		}
		done += page_read(raw, buf + done, size - done);
	}
	return (ssize_t)done;
}

/*
 * Return true if poll() has waited long enough for more records.  The kernel's poll()
 * waits until buffer_percent of the buffer is full, even if that takes very long.  With
 * such a poll(), a reader that prints records at once (`trace-cmd stream') would print
 * nothing of a program that records little.  This poll() waits for FLUSH_NS at most,
 * and not at all when tracing_on is 0, because no more records will come.  But if
 * buffer_percent is 100, it waits for a full buffer.
 */
static bool is_flush_due(struct raw *raw, struct instance *instance, int cpu)
{
	if (!instance_has_entries(instance, cpu)) {
		raw->flush_ns = 0;
		return false;
	}
	if (!instance_is_on(instance))
		return true;
	if (shm_load(&instance->abi->percent) >= 100)
		return false;
	if (!raw->flush_ns)
		raw->flush_ns = server_now_ns() + FLUSH_NS;
	return server_now_ns() >= raw->flush_ns;
}

/* Return POLLIN if buffer_percent of the buffer is full, or if poll() has waited long enough
 * for that (is_flush_due()). */
static unsigned int raw_poll(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	int cpu = tracefs_cpu(file->node);
	struct raw *raw = file->state;

	raw->is_flushing = false;
	if (has_rest(raw) || file->node->root->state != SERVER_ROOT_ALIVE ||
	    (instance_options(instance) & OPTION_BLOCK) ||
	    instance_is_filled(instance, cpu))
		return POLLIN | POLLRDNORM;
	raw->is_flushing = is_flush_due(raw, instance, cpu);
	return raw->is_flushing ? POLLIN | POLLRDNORM : 0;
}

bool raw_is_served(struct instance *instance, pid_t tid)
{
	const struct raw *raw;

	LIST_FOREACH(raw, &all_raws, link) {
		const struct tracefs_node *node = raw->file->node;

		/* Skip snapshot_raw files, because tracing_on does not change a
		 * snapshot. */
		if (raw->file->def->stream != &raw_stream ||
		    tracefs_instance(node) != instance || !raw->file->poll_tid ||
		    raw->file->poll_tid == tid)
			continue;
		if (raw->file->is_reading ||
		    instance_has_entries(instance, tracefs_cpu(node)))
			return false;
	}
	return true;
}

const struct tracefs_stream raw_stream = {
	.open = raw_open,
	.close = raw_close,
	.read = raw_read,
	.read_whole = raw_read_whole,
	.deliver = raw_deliver,
	.poll = raw_poll,
	.is_pipe = true,
	.size = (off_t)1 << 62,
};

/* The file snapshot_raw.  Without a method poll, poll(2) always reports that the file is
 * ready.  That does no harm, because programs do not wait for a snapshot by poll(2). */
const struct tracefs_stream snapshot_raw_stream = {
	.is_snapshot = true,
	.open = raw_open,
	.close = raw_close,
	.read = raw_read,
	.read_whole = raw_read_whole,
	.deliver = raw_deliver,
	.is_pipe = true,
	.size = (off_t)1 << 62,
};
