/* SPDX-License-Identifier: MIT */
/*
 * Find code that stopped threads may still execute: docs/design/attach.md, "Which code is in
 * use".
 *
 * A stack is read from its stack pointer upwards to where writable memory ends.  A range
 * counts as in use if a word of the stack is an address in it.  Where four words look like
 * the end of a signal frame, a handler runs, and the code that it interrupted may have used
 * another stack.  That other stack is read, too.
 *
 * Example: a handler on a signal stack has interrupted a handler on the thread's stack:
 *
 *	signal stack	rsp -> ... [frame: rip, rsp of handler 1]
 *	thread's stack	       rsp of handler 1 -> ... [frame: rip, rsp of main()] ... main()
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/bits.h"
#include "ptrace/remote.h"
#include "ptrace/stop.h"
#include "ptrace/stopped.h"

#define STACKS_MAX	64u		/* maximum number of stacks of one thread that are read */
#define STACK_BYTES_MAX	(16ull << 20)	/* maximum number of bytes of a stack that are read.
					 * Only programs that ask for it have larger stacks.
					 * For a larger stack all ranges count as in use */
#define CHUNK_BYTES	65536u
#define CHUNK_WORDS	(CHUNK_BYTES / sizeof(uint64_t))

struct span {
	uint64_t start;
	uint64_t end;
};

struct search {
	pid_t pid;
	const struct code_range *ranges;
	size_t nr;
	uint64_t *inside;
	int nr_set;
	struct span spans[STACKS_MAX];	/* stacks of the thread that is being checked; @end is
					 * 0 if the stack was not read yet */
	size_t nr_spans;
	uint64_t control_block;		/* address of libc's control block of the thread that
					 * is being checked; 0: unknown */
	size_t nr_frames;		/* number of signal frames that were found on the
					 * thread's stacks */
	bool is_too_much;		/* true: a limit was reached or memory could not be
					 * read, so all code ranges count as in use */
	bool has_maps;			/* true: remote_maps_read() was called for @maps */
	struct remote_maps maps;
	uint64_t *words;		/* buffer for CHUNK_WORDS words of a stack; the last
					 * words of the previous chunk stand before them */
};

static void set_inside(struct search *search, size_t range)
{
	uint64_t bit = 1ull << range % 64;

	search->nr_set += !(search->inside[range / 64] & bit);
	search->inside[range / 64] |= bit;
}

/* Mark the code range that contains @address as in use, if there is such a range. */
static void check_address(struct search *search, uint64_t address)
{
	size_t low = 0, high = search->nr;

	if (!high || address < search->ranges[0].start || address >= search->ranges[high - 1].end)
		return;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (address >= search->ranges[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < search->nr && address >= search->ranges[low].start)
		set_inside(search, low);
}

/* Add the stack that starts at the stack pointer @sp to the list of stacks to read, unless a
 * listed stack contains @sp. */
static void add_stack(struct search *search, uint64_t sp)
{
	uint64_t start = (sp - ARCH_RED_ZONE_BYTES) & ~(uint64_t)7;

	for (size_t i = 0; i < search->nr_spans; i++) {
		const struct span *span = &search->spans[i];

		if (start == span->start || (start > span->start && start < span->end))
			return;
	}
	if (search->nr_spans == STACKS_MAX) {
		search->is_too_much = true;
		return;
	}
	search->spans[search->nr_spans++] = (struct span){ .start = start };
}

/* Read up to CHUNK_BYTES of a stack.  Returns the number of whole words that were read; 0: the
 * memory at @address cannot be read. */
static size_t read_chunk(struct search *search, uint64_t address)
{
	struct iovec local = { search->words + ARCH_CONTEXT_WORDS, CHUNK_BYTES };
	/* The kernel copies memory page by page, and returns what it has copied before an
	 * address that cannot be read. */
	struct iovec remote = { (void *)(uintptr_t)address, CHUNK_BYTES };
	ssize_t n = process_vm_readv(search->pid, &local, 1, &remote, 1, 0);

	return n < 0 ? 0 : (size_t)n / sizeof(uint64_t);
}

/* Check whether @nr words of a stack are addresses in a code range.  The last
 * ARCH_CONTEXT_WORDS words of the previous chunk stand before these words. */
static void check_words(struct search *search, size_t nr)
{
	const uint64_t *words = search->words + ARCH_CONTEXT_WORDS;
	uint64_t sp;

	for (size_t i = 0; i < nr; i++) {
		check_address(search, words[i]);
		if (arch_context_sp(&words[i] - (ARCH_CONTEXT_WORDS - 1), &sp)) {
			search->nr_frames++;
			add_stack(search, sp);
		}
	}
	memmove(search->words, search->words + nr, ARCH_CONTEXT_WORDS * sizeof(uint64_t));
}

/* Return the mapping that contains @address, or NULL. */
static const struct remote_map *find_map(const struct search *search, uint64_t address)
{
	for (size_t i = 0; i < search->maps.nr; i++)
		if (address < search->maps.rows[i].end)
			return address >= search->maps.rows[i].start ? &search->maps.rows[i] : NULL;
	return NULL;
}

/*
 * Return the highest address at which the stack that contains @start can end; UINT64_MAX if it
 * is not known.
 *
 * The stack ends where writable memory ends.  But other writable memory may be mapped
 * directly above the stack of a thread: a library, such as libulf if it was loaded after the
 * thread was made.  The program's heap may follow, too.  libc keeps the control block of a
 * thread at the top of its stack, above all frames, and on no other stack.  So a stack that
 * is below the control block ends at the control block.
 */
static uint64_t end_of_stack(struct search *search, uint64_t start)
{
	const struct remote_map *map, *last;
	uint64_t end;

	if (!search->has_maps && remote_maps_read(search->pid, &search->maps))
		remote_maps_done(&search->maps);
	search->has_maps = true;
	last = search->maps.rows + search->maps.nr;
	map = find_map(search, start);
	if (!map || !map->is_writable)
		return UINT64_MAX;
	while (map + 1 < last && map[1].start == map->end && map[1].is_writable)
		map++;
	end = map->end;
	if (search->control_block > start && search->control_block < end)
		end = search->control_block;
	return end;
}

static void read_stack(struct search *search, size_t number)
{
	uint64_t start = search->spans[number].start, at = start, end = UINT64_MAX;
	size_t nr;

	memset(search->words, 0, ARCH_CONTEXT_WORDS * sizeof(uint64_t));
	do {
		nr = read_chunk(search, at);
		/* Store the end of this stack first, so that add_stack() knows that its
		 * addresses are being read. */
		at += nr * sizeof(uint64_t);
		search->spans[number].end = at;
		check_words(search, nr);
		/* Read the mappings only if the stack is longer than one chunk, which is rare. */
		if (nr == CHUNK_WORDS && end == UINT64_MAX)
			end = end_of_stack(search, start);
	} while (nr == CHUNK_WORDS && at < end && at - start < STACK_BYTES_MAX);
	if (nr == CHUNK_WORDS && at < end)
		search->is_too_much = true;
}

static void check_thread(struct search *search, const struct stopped_thread *thread)
{
	uint64_t ips[ARCH_TRACEE_IPS];

	arch_tracee_ips(&thread->tracee, ips);
	for (size_t i = 0; i < ARCH_TRACEE_IPS; i++)
		check_address(search, ips[i]);
	search->nr_spans = 0;
	search->control_block = arch_tracee_control_block(&thread->tracee);
	add_stack(search, arch_tracee_sp(&thread->tracee));
	for (size_t i = 0; i < search->nr_spans; i++)
		read_stack(search, i);
}

int threads_inside(const struct stopped *stopped, const struct code_range *ranges, size_t nr,
		   uint64_t *inside)
{
	struct search search = {
		.pid = stopped->pid, .ranges = ranges, .nr = nr, .inside = inside,
	};

	search.words = calloc(CHUNK_WORDS + ARCH_CONTEXT_WORDS, sizeof(uint64_t));
	if (!search.words)
		return -ENOMEM;
	for (size_t i = 0; i < stopped->nr; i++)
		if (stopped->threads[i].state == STOPPED_HELD)
			check_thread(&search, &stopped->threads[i]);
	for (size_t i = 0; search.is_too_much && i < nr; i++)
		set_inside(&search, i);
	remote_maps_done(&search.maps);
	free(search.words);
	return search.nr_set;
}

bool stack_has_frame(pid_t pid, uint64_t sp)
{
	struct search search = { .pid = pid };

	search.words = calloc(CHUNK_WORDS + ARCH_CONTEXT_WORDS, sizeof(uint64_t));
	if (!search.words)
		return true;
	add_stack(&search, sp);
	read_stack(&search, 0);
	remote_maps_done(&search.maps);
	free(search.words);
	return search.nr_frames || search.is_too_much;
}
