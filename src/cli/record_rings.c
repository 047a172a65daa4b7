/* SPDX-License-Identifier: MIT */
/*
 * Read the rings of a buffer.  A lane is a CPU with all its rings: the fast and the slow ring
 * of both sides, and rings that were replaced during the recording.  A pass reads each lane
 * in these steps:
 *
 *	1. horizon = time of the newest record of the lane
 *	2. find new rings
 *	3. end of each ring = its number of records
 *	4. merge the records before these ends by time, up to the horizon
 *
 * A record that is committed after step 3 was committed after the record of step 1.  The
 * writer of a fast ring reads the clock in the section that commits, so such a record is not
 * older than the horizon.  A writer of a slow ring can be preempted between reading the clock
 * and the commit, while it has the lock.  Then its record comes late, and is stored in a page
 * of its own (record_page.h).
 *
 * An agent writes a record to a late ring some ms after its time.  So if there are late rings,
 * step 4 uses the horizon of an earlier pass: the last one up to which all agents have written
 * their late records (record_late.h).  If a ring of the lane is half full of records that are not
 * stored yet, the lane does not wait: a record out of order is better than records that are
 * overwritten.
 */
#include "cli/record_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "cli/record_late.h"
#include "cli/record_net.h"
#include "cli/record_page.h"
#include "ring/ring.h"
#include "server/core/mapping.h"
#include "server/core/root_peek.h"

#define READERS_MAX	64u		/* maximum number of rings of a lane; only a program
					 * that keeps changing its references to rings reaches
					 * it */

struct reader {
	struct abi_ring_ref ref;
	struct mapping *map;
	struct ring_cursor cursor;
	uint64_t end, end_page;		/* state of the ring at the start of the pass: @end:
					 * number of records in it; @end_page: number of its
					 * newest page */
	uint64_t dropped;		/* number of records that were dropped because the
					 * ring was full (mode without overwrite) */
	uint64_t first;			/* number of records in the ring before the first
					 * record that is read */
	struct ring_record record;	/* the next record of the ring in this pass, if
					 * @has_record is true */
	bool has_record;
};

struct lane {
	struct reader *readers[READERS_MAX];
	uint32_t nr_readers;
	struct record_pages pages;
	struct record_marks marks;
	struct record_mark newest;	/* the newest record of the lane at the start of the
					 * pass */
	bool is_pressed;		/* true: a ring of the lane is half full of records that
					 * are not stored yet */
	uint64_t unreported;		/* number of lost records that no page has reported
					 * yet; the next page reports them */
};

struct record_rings {
	int fd;				/* the root's memory */
	struct abi_control control;	/* checked copy */
	uint64_t buffer_off;		/* offset of the abi_buffer */
	bool is_archive;		/* true: read the records of all rings that no reader
					 * has read */
	struct record_output output;
	struct record_late late;	/* is open if the buffer has a late ring, or had one */
	bool has_begun;			/* true: output.begin() was called */
	uint32_t page_bytes;		/* size of a page in the trace.dat; 0 until the first
					 * ring was found */
	uint64_t read, lost;		/* see struct record_count */
	struct lane *lanes;		/* array of control.nr_cpus lanes, which are the CPUs
					 * with their rings */
};

/* ---- open and close ---- */

static int open_memory(int roots, const char *name)
{
	int dir = openat(roots, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd;
	struct stat st;

	if (dir < 0)
		return -errno;
	fd = openat(dir, "memory", O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	close(dir);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		return fd;
	close(fd);
	return -EBADMSG;
}

/* Find the row of an instance in the root's table of buffers.  Returns 0 or -ENOENT. */
static int find_buffer(struct record_rings *rings, const char *instance)
{
	char name[sizeof(((struct abi_buffer *)NULL)->name)];

	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		uint64_t off = rings->control.buffers_off + i * sizeof(struct abi_buffer);

		rings->buffer_off = off;
		if (!i && !*instance)
			return 0;
		if (pread(rings->fd, name, sizeof(name),
			  (off_t)(off + offsetof(struct abi_buffer, name))) == sizeof(name) &&
		    i && strnlen(name, sizeof(name)) == strlen(instance) &&
		    !memcmp(name, instance, strlen(instance)))
			return 0;
	}
	return -ENOENT;
}

int record_rings_open(int roots, const char *name, const char *instance, bool is_archive,
		      const struct record_output *output, struct record_rings **ret_rings)
{
	struct record_rings *rings = calloc(1, sizeof(*rings));
	struct root_peek peek;
	int r;

	if (!rings)
		return -ENOMEM;
	rings->fd = open_memory(roots, name);
	r = rings->fd < 0 ? rings->fd : root_peek(rings->fd, &peek);
	if (!r) {
		rings->control = peek.control;
		rings->output = *output;
		rings->is_archive = is_archive;
		rings->lanes = calloc(peek.control.nr_cpus, sizeof(*rings->lanes));
		r = rings->lanes ? find_buffer(rings, instance) : -ENOMEM;
	}
	if (r) {
		record_rings_close(rings);
		return r;
	}
	*ret_rings = rings;
	return 0;
}

static void reader_free(struct reader *reader)
{
	ring_cursor_done(&reader->cursor);
	mapping_put(reader->map);
	free(reader);
}

void record_rings_close(struct record_rings *rings)
{
	if (!rings)
		return;
	for (uint32_t i = 0; rings->lanes && i < rings->control.nr_cpus; i++) {
		struct lane *lane = &rings->lanes[i];

		for (uint32_t j = 0; j < lane->nr_readers; j++)
			reader_free(lane->readers[j]);
		if (lane->pages.temp)
			record_temp_close(lane->pages.temp);
		free(lane->pages.temp);
	}
	record_late_close(&rings->late);
	if (rings->fd >= 0)
		close(rings->fd);
	free(rings->lanes);
	free(rings);
}

uint32_t record_rings_run_id(const struct record_rings *rings)
{
	return rings->control.run_id;
}

bool record_rings_is_dead(const struct record_rings *rings)
{
	struct root_peek peek;

	return root_peek(rings->fd, &peek) || peek.is_dead;
}

bool record_rings_has_any(const struct record_rings *rings)
{
	return rings->page_bytes;
}

/* ---- find rings ---- */

static bool is_in_arena(const struct abi_control *control, const struct abi_ring_ref *ref)
{
	return ref->off >= control->arena_off && ref->off % ABI_ALIGN == 0 &&
	       ref->off <= control->map_bytes && ref->bytes >= ABI_PAGE_BYTES_MIN &&
	       ref->bytes <= control->map_bytes - ref->off;
}

static bool has_reader(const struct lane *lane, const struct abi_ring_ref *ref)
{
	for (uint32_t i = 0; i < lane->nr_readers; i++)
		if (lane->readers[i]->ref.off == ref->off &&
		    lane->readers[i]->ref.bytes == ref->bytes)
			return true;
	return false;
}

/* Map a ring, and begin to read it.  If it cannot be mapped, do nothing: the next pass tries
 * again. */
static int add_reader(struct record_rings *rings, struct lane *lane,
		      const struct abi_ring_ref *ref)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	struct ring_view view;
	int r;

	if (!reader)
		return -ENOMEM;
	reader->ref = *ref;
	r = mapping_new(rings->fd, ref->off, ref->bytes, &reader->map);
	if (!r)
		r = ring_view_init(&view, reader->map->addr, ref->bytes);
	if (!r)
		r = ring_cursor_init(&reader->cursor, &view);
	if (r) {
		reader_free(reader);
		return r == -ENOMEM ? r : 0;
	}
	reader->cursor.lost = 0;
	if (rings->is_archive) {
		reader->first = reader->end = reader->cursor.entries;
	} else {
		reader->cursor.seq = reader->cursor.entries = 0;
		reader->cursor.offset = 0;
	}
	lane->readers[lane->nr_readers++] = reader;
	if (!rings->page_bytes)
		rings->page_bytes = view.page_bytes;
	return 0;
}

/* Return true if @side is the main side of @cpu, whose records `trace` prints. */
static bool is_main_side(const struct record_rings *rings, uint32_t cpu, uint32_t side)
{
	uint64_t swapped_off = offsetof(struct abi_buffer, cpus_swapped) + cpu / 64 * 8;
	uint64_t swapped;
	uint32_t spare;

	if (pread(rings->fd, &spare, sizeof(spare), (off_t)(rings->buffer_off +
		  offsetof(struct abi_buffer, spare))) != sizeof(spare) ||
	    pread(rings->fd, &swapped, sizeof(swapped),
		  (off_t)(rings->buffer_off + swapped_off)) != sizeof(swapped))
		return false;
	return ((spare / ABI_SPARE_SWAP ^ (uint32_t)(swapped >> cpu % 64)) & 1) == side;
}

/* Get ready to wait for late records.  If the process slots cannot be mapped, do nothing: the next
 * pass tries again. */
static int need_late(struct record_rings *rings)
{
	int r = record_late_open(&rings->late, rings->fd, &rings->control);

	return r == -ENOMEM ? r : 0;
}

/* Find the rings of a side of the buffer.  @table: offset in struct abi_side of a table with
 * references to rings. */
static int find_rings_of_side(struct record_rings *rings, uint32_t side, size_t table)
{
	/* this array is static, because it is too large for the stack */
	static struct abi_ring_ref refs[ABI_CPUS][ABI_RING_KINDS];
	size_t bytes = rings->control.nr_cpus * sizeof(refs[0]);
	uint64_t off = rings->buffer_off + offsetof(struct abi_buffer, side) +
		       side * sizeof(struct abi_side) + table;

	if (pread(rings->fd, refs, bytes, (off_t)off) != (ssize_t)bytes)
		return 0;
	for (uint32_t cpu = 0; cpu < rings->control.nr_cpus; cpu++)
		for (uint32_t kind = 0; kind < ABI_RING_KINDS; kind++) {
			const struct abi_ring_ref *ref = &refs[cpu][kind];
			struct lane *lane = &rings->lanes[cpu];
			int r = 0;

			if (ref->off && lane->nr_readers < READERS_MAX &&
			    is_in_arena(&rings->control, ref) && !has_reader(lane, ref) &&
			    (!rings->is_archive || is_main_side(rings, cpu, side)))
				r = add_reader(rings, lane, ref);
			if (!r && ref->off && kind == ABI_RING_LATE)
				r = need_late(rings);
			if (r)
				return r;
		}
	return 0;
}

/* ---- read ---- */

/* Return true if the next record was in the ring when the pass began.  The numbers of records
 * come from the program and can be wrong.  So the number of the page is compared, too, which
 * ends the pass in any case. */
static bool is_before_end(const struct reader *reader)
{
	return reader->cursor.entries < reader->end && reader->cursor.seq <= reader->end_page;
}

/* Find the next record of a ring that belongs to this pass. */
static void peek(struct reader *reader)
{
	reader->has_record = is_before_end(reader) &&
			     ring_cursor_peek(&reader->cursor, &reader->record) > 0 &&
			     is_before_end(reader);
}

/* Do step 1 of a pass over a lane. */
static void note_newest(struct lane *lane)
{
	struct ring_head head;
	uint64_t time = 0;

	lane->is_pressed = false;
	for (uint32_t i = 0; i < lane->nr_readers; i++) {
		const struct ring_cursor *cursor = &lane->readers[i]->cursor;

		if (ring_head(&cursor->view, &head) || !head.entries)
			continue;
		time = max_u64(time, head.time_ns);
		if (head.page > cursor->seq && head.page - cursor->seq > cursor->view.nr_pages / 2)
			lane->is_pressed = true;
	}
	/* Read the TSC last, so that the record is not younger. */
	lane->newest = (struct record_mark){ .time = time, .tsc = arch_tsc() };
}

/* Do step 3 of a pass over a lane. */
static void move_ends(struct lane *lane)
{
	struct ring_head head;

	for (uint32_t i = 0; i < lane->nr_readers; i++) {
		struct reader *reader = lane->readers[i];

		if (!ring_head(&reader->cursor.view, &head) && head.entries >= reader->end) {
			reader->end = head.entries;
			reader->end_page = head.page;
			reader->dropped = head.dropped;
		}
		if (!reader->has_record)
			peek(reader);
	}
}

static struct reader *oldest(const struct lane *lane)
{
	struct reader *oldest = NULL;

	for (uint32_t i = 0; i < lane->nr_readers; i++) {
		struct reader *reader = lane->readers[i];

		if (reader->has_record &&
		    (!oldest || reader->record.time_ns < oldest->record.time_ns))
			oldest = reader;
	}
	return oldest;
}

static int open_temp(struct record_rings *rings, struct record_temp *temp, uint32_t cpu)
{
	const struct record_output *output = &rings->output;
	int r = rings->has_begun ? 0 : output->begin(output->arg);

	if (r)
		return r;
	rings->has_begun = true;
	if (output->net)
		return record_net_temp(output->net, temp, cpu, rings->control.nr_cpus,
				       rings->page_bytes);
	return record_temp_init(temp, output->path, cpu, output->prepare, output->arg);
}

static int need_temp(struct record_rings *rings, struct lane *lane)
{
	struct record_temp *temp;
	int r;

	if (lane->pages.temp)
		return 0;
	temp = malloc(sizeof(*temp));
	r = temp ? open_temp(rings, temp, (uint32_t)(lane - rings->lanes)) : -ENOMEM;
	if (r) {
		free(temp);
		return r;
	}
	lane->pages.temp = temp;
	lane->pages.packs = rings->output.packs;
	lane->pages.page_bytes = rings->page_bytes;
	return 0;
}

/* Store the next record of @reader, and go to the record after it.  A record that is larger
 * than a page of the file counts as lost.  This is possible if the size of sub-buffers was
 * raised after the recording began. */
static int take_record(struct record_rings *rings, struct lane *lane, struct reader *reader)
{
	const struct ring_record *record = &reader->record;
	uint64_t lost = reader->cursor.lost + lane->unreported;
	int r = record_pages_add(&lane->pages, record->time_ns, record->data, record->bytes, lost);

	if (r && r != -EMSGSIZE)
		return r;
	lane->unreported = r ? lost + 1 : 0;
	rings->lost += reader->cursor.lost + (r != 0);
	rings->read += !r;
	ring_cursor_advance(&reader->cursor, record);
	peek(reader);
	return 0;
}

/* Store the whole page of @reader at once.  This is possible under three conditions: no other
 * ring has a record within the page's time, the page ends before the end of the pass, and no
 * record was lost before the page.  Returns the number of records in the page; 0 if the
 * records must be stored one by one; or -ENOMEM. */
static int take_page(struct record_rings *rings, struct lane *lane, struct reader *reader,
		     uint64_t horizon)
{
	struct ring_cursor *cursor = &reader->cursor;
	uint64_t last_ns;
	uint32_t nr;

	if (cursor->lost || lane->unreported || cursor->view.page_bytes != lane->pages.page_bytes)
		return 0;
	nr = ring_cursor_peek_page(cursor, &last_ns);
	if (!nr || last_ns > horizon || nr > reader->end - cursor->entries)
		return 0;
	for (uint32_t i = 0; i < lane->nr_readers; i++)
		if (lane->readers[i] != reader && lane->readers[i]->has_record &&
		    lane->readers[i]->record.time_ns <= last_ns)
			return 0;
	if (record_pages_add_page(&lane->pages, cursor->page.data, nr))
		return -ENOMEM;
	rings->read += nr;
	ring_cursor_advance_page(cursor, nr, last_ns);
	peek(reader);
	return (int)nr;
}

/* Do steps 3 and 4 of a pass over a lane.  @until: TSC up to which all late records are in the
 * rings.  Returns the number of bytes that were read, or -errno. */
static int64_t read_lane(struct record_rings *rings, struct lane *lane, uint64_t until,
			 bool is_end)
{
	uint64_t horizon = record_marks_horizon(&lane->marks, lane->newest,
						lane->is_pressed ? UINT64_MAX : until);
	struct reader *reader;
	int64_t bytes = 0;

	if (is_end)
		horizon = UINT64_MAX;
	move_ends(lane);
	while ((reader = oldest(lane)) && reader->record.time_ns <= horizon) {
		int r = need_temp(rings, lane);

		if (!r)
			r = take_page(rings, lane, reader, horizon);
		bytes += r > 0 ? rings->page_bytes : reader->record.bytes;
		if (!r)
			r = take_record(rings, lane, reader);
		if (r < 0)
			return r;
	}
	if (is_end && lane->pages.temp)
		record_pages_flush(&lane->pages);
	return bytes;
}

/* Do step 2 of a pass. */
static int find_rings(struct record_rings *rings)
{
	int r = 0;

	for (uint32_t side = 0; !r && side < ABI_SIDES; side++) {
		/* First take the rings that were in use before a change of size, because
		 * their records are older. */
		if (rings->is_archive)
			r = find_rings_of_side(rings, side, offsetof(struct abi_side, prev));
		if (!r)
			r = find_rings_of_side(rings, side, offsetof(struct abi_side, ring));
	}
	return r;
}

int64_t record_rings_read(struct record_rings *rings, bool is_end)
{
	int64_t sum = 0;
	uint64_t until;
	int r;

	if (is_end)
		record_late_wait(&rings->late);
	for (uint32_t i = 0; i < rings->control.nr_cpus; i++)
		note_newest(&rings->lanes[i]);
	r = find_rings(rings);
	if (r)
		return r;
	until = record_late_until(&rings->late);
	for (uint32_t i = 0; i < rings->control.nr_cpus; i++) {
		int64_t bytes = read_lane(rings, &rings->lanes[i], until, is_end);

		if (bytes < 0)
			return bytes;
		sum += bytes;
	}
	return sum;
}

/* ---- numbers ---- */

/* Return the number of records that were lost because the program had no ring for them. */
static uint64_t count_refused(const struct record_rings *rings)
{
	static const size_t members[] = {
		offsetof(struct abi_buffer, too_big), offsetof(struct abi_buffer, lock_lost),
		offsetof(struct abi_buffer, no_ring),
	};
	uint64_t sum = 0, value;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (pread(rings->fd, &value, sizeof(value),
			  (off_t)(rings->buffer_off + members[i])) == sizeof(value))
			sum += value;
	return sum;
}

struct record_count record_rings_count(const struct record_rings *rings)
{
	struct record_count count = {
		.read = rings->read, .lost = rings->lost, .written = count_refused(rings),
	};

	for (uint32_t i = 0; i < rings->control.nr_cpus; i++)
		for (uint32_t j = 0; j < rings->lanes[i].nr_readers; j++) {
			const struct reader *reader = rings->lanes[i].readers[j];

			count.written += reader->end - reader->first + reader->dropped;
		}
	return count;
}

int record_rings_take(struct record_rings *rings, struct record_temp ***ret_temps,
		      uint32_t *ret_nr, uint32_t *ret_page_bytes)
{
	uint32_t nr = rings->control.nr_cpus;
	struct record_temp **temps = calloc(nr, sizeof(*temps));

	if (!temps)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		struct record_pages *pages = &rings->lanes[i].pages;

		if (!pages->temp)
			continue;
		record_pages_flush(pages);
		temps[i] = pages->temp;
		pages->temp = NULL;
	}
	*ret_temps = temps;
	*ret_nr = nr;
	*ret_page_bytes = rings->page_bytes ? rings->page_bytes : ABI_PAGE_BYTES_MIN;
	return 0;
}
