/* SPDX-License-Identifier: MIT */
#include "cli/record_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bits.h"

#define PACKERS_MAX	8
#define PACKER_NICE	10	/* nice value that is added to that of the process in packers,
				 * until record_packs_hurry() */
/* Compression levels of zstd: LEVEL is the usual one; LEVEL_FAST is for a queue that is more
 * than a quarter full, LEVEL_FASTEST for a queue that is more than half full. */
#define LEVEL		(-1)
#define LEVEL_FAST	(-5)
#define LEVEL_FASTEST	(-50)

#define RESERVE		256	/* number of free chunks that packers make while they have nothing
				 * else to do: the reader fills one of these in half of the time
				 * that a new one takes */
#define RATIO		8	/* assumed ratio of the sizes before and after compression */

STAILQ_HEAD(chunks, record_chunk);

struct record_packs {
	pthread_mutex_t lock;		/* lock that protects all members below, and the
					 * members of each struct record_temp */
	pthread_cond_t has_work;	/* signalled when a chunk was put into the queue, and
					 * when the packers must end */
	pthread_cond_t has_space;	/* a chunk is free */
	pthread_cond_t is_done;		/* a chunk was written */
	struct chunks queue, free;
	uint64_t nr_chunks, limit;	/* @nr_chunks: number of chunks in memory; @limit: its
					 * maximum */
	uint64_t nr_queued, nr_free;	/* numbers of chunks in @queue and @free */
	uint64_t nr_pending;		/* number of chunks that were put into the queue and
					 * are not written yet */
	bool is_ending, is_hurried;
	int error;			/* -errno of the first write that has failed; 0: none */
	uint64_t bytes;			/* total number of bytes that were written to all
					 * files */
	uint64_t plain, pending;	/* sizes before compression: @plain of the chunks that
					 * were written, @pending of the chunks that still
					 * wait */
	pthread_t threads[2 * PACKERS_MAX];
	uint32_t nr_threads;		/* number of packers, also of those that have ended */
};

/* ---- functions that the reader thread calls ---- */

/* Allocate a chunk.  The kernel makes all of its pages at once, because a page fault for each of
 * them would take the reader's time. */
static struct record_chunk *alloc_chunk(void)
{
	struct record_chunk *chunk = aligned_alloc(ARCH_PAGE_BYTES, sizeof(*chunk));

#ifdef MADV_POPULATE_WRITE
	/* An error is ignored: Linux before 5.14 makes the pages at page faults. */
	if (chunk)
		madvise(chunk->data, RECORD_CHUNK_BYTES, MADV_POPULATE_WRITE);
#endif
	return chunk;
}

/* Take a free chunk.  Sleeps while the limit is reached.  Returns NULL if the caller must
 * allocate a chunk, which is counted already. */
static struct record_chunk *take_free_chunk(struct record_packs *packs)
{
	struct record_chunk *chunk;

	pthread_mutex_lock(&packs->lock);
	/* Ignore the limit if no chunk is pending: the reader fills a chunk for each CPU, and
	 * only a pending chunk can become free. */
	while (!(chunk = STAILQ_FIRST(&packs->free)) && packs->nr_chunks >= packs->limit &&
	       packs->nr_pending)
		pthread_cond_wait(&packs->has_space, &packs->lock);
	if (chunk) {
		STAILQ_REMOVE_HEAD(&packs->free, link);
		packs->nr_free--;
	} else {
		packs->nr_chunks++;
	}
	pthread_mutex_unlock(&packs->lock);
	return chunk;
}

/* Called if a chunk cannot be allocated: lower the limit to the chunks that there are.  Returns
 * false if none of them can become free. */
static bool stop_growing(struct record_packs *packs)
{
	bool has_more;

	pthread_mutex_lock(&packs->lock);
	packs->limit = --packs->nr_chunks;
	has_more = packs->nr_pending || !STAILQ_EMPTY(&packs->free);
	pthread_mutex_unlock(&packs->lock);
	return has_more;
}

struct record_chunk *record_chunk_new(struct record_packs *packs)
{
	struct record_chunk *chunk;

	do {
		chunk = take_free_chunk(packs);
		/* Packers must not wait for the kernel, so allocate without the lock. */
		if (!chunk)
			chunk = alloc_chunk();
	} while (!chunk && stop_growing(packs));
	if (chunk)
		chunk->bytes = chunk->records = 0;
	return chunk;
}

void record_chunk_put(struct record_packs *packs, struct record_chunk *chunk)
{
	pthread_mutex_lock(&packs->lock);
	chunk->number = chunk->temp->nr_put++;
	STAILQ_INSERT_TAIL(&packs->queue, chunk, link);
	packs->nr_queued++;
	packs->nr_pending++;
	packs->pending += chunk->bytes;
	pthread_cond_signal(&packs->has_work);
	pthread_mutex_unlock(&packs->lock);
}

void record_packs_flush(struct record_packs *packs, const struct record_temp *temp)
{
	pthread_mutex_lock(&packs->lock);
	while (temp->nr_done < temp->nr_put)
		pthread_cond_wait(&packs->is_done, &packs->lock);
	pthread_mutex_unlock(&packs->lock);
}

uint64_t record_packs_bytes(struct record_packs *packs, int *ret_error)
{
	uint64_t bytes;

	pthread_mutex_lock(&packs->lock);
	/* For the chunks that still wait, assume the compression ratio of the chunks that
	 * were written. */
	bytes = packs->bytes;
	if (packs->plain)
		bytes += (uint64_t)((double)packs->pending * (double)bytes / (double)packs->plain);
	else
		bytes += packs->pending / RATIO;
	*ret_error = packs->error;
	pthread_mutex_unlock(&packs->lock);
	return bytes;
}

int record_temp_init(struct record_temp *temp, const char *path, uint32_t cpu,
		     int (*prepare)(void *arg), void *arg)
{
	static uint32_t nr;	/* number of temporary files so far; only the reader uses it */

	*temp = (struct record_temp){
		.pages = { .fd = -1, .cpu = cpu }, .prepare = prepare, .arg = arg,
	};
	return asprintf(&temp->path, "%s.%d.%u", path, getpid(), nr++) < 0 ? -ENOMEM : 0;
}

void record_temp_close(struct record_temp *temp)
{
	if (temp->pages.fd >= 0)
		close(temp->pages.fd);
	temp->pages.fd = -1;
	free(temp->path);
	temp->path = NULL;
}

/* ---- packers ---- */

/* Create the file, if this has not been done.  Returns 0 or -errno. */
static int need_file(struct record_temp *temp)
{
	int r = temp->pages.fd < 0 && temp->prepare ? temp->prepare(temp->arg) : 0;

	if (r || temp->pages.fd >= 0)
		return r;
	temp->pages.fd = open(temp->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (temp->pages.fd < 0)
		return -errno;
	unlink(temp->path);
	return 0;
}

/* Append the @bytes bytes at @data to the file of a CPU, or send them to the listener.
 * Returns 0 or -errno.  After an error a part of the bytes may be in the file, but
 * pages.bytes does not count them. */
static int append(const struct record_temp *temp, const uint8_t *data, size_t bytes)
{
	uint64_t at = temp->pages.bytes;
	int fd = temp->pages.fd;

	while (bytes) {
		ssize_t n = temp->is_sent ? send(fd, data, bytes, MSG_NOSIGNAL) :
					    pwrite(fd, data, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int level_of(const struct record_packs *packs)
{
	if (packs->nr_queued > packs->limit / 2)
		return LEVEL_FASTEST;
	return packs->nr_queued > packs->limit / 4 ? LEVEL_FAST : LEVEL;
}

/* Wait for the chunk's turn, and append the compressed chunk to its file.  The caller holds
 * the lock.  The lock is released during the write: no other packer uses the file then,
 * because it is not its turn. */
static void write_chunk(struct record_packs *packs, const struct record_chunk *chunk,
			const uint8_t *packed, size_t bytes)
{
	struct record_temp *temp = chunk->temp;
	int r = packs->error;

	while (temp->nr_done != chunk->number)
		pthread_cond_wait(&packs->is_done, &packs->lock);
	if (!r) {
		pthread_mutex_unlock(&packs->lock);
		r = bytes ? need_file(temp) : -ENOMEM;
		if (!r)
			r = append(temp, packed, bytes);
		pthread_mutex_lock(&packs->lock);
	}
	if (!r) {
		temp->pages.bytes += bytes;
		temp->pages.nr_chunks++;
		temp->saved += chunk->records;
		packs->bytes += bytes;
		packs->plain += chunk->bytes;
	} else if (!packs->error) {
		packs->error = r;
	}
	temp->nr_done++;
	pthread_cond_broadcast(&packs->is_done);
}

static void pack_chunk(struct record_packs *packs, struct datfile_packer *packer,
		       struct record_chunk *chunk, uint8_t *packed, size_t room)
{
	int level = level_of(packs);
	size_t bytes = 0;

	if (chunk->temp->is_sent) {
		write_chunk(packs, chunk, chunk->data, chunk->bytes);
		return;
	}
	pthread_mutex_unlock(&packs->lock);
	if (packer && packed)
		bytes = datfile_chunk_pack(packer, level, chunk->data, chunk->bytes, packed,
					   room);
	pthread_mutex_lock(&packs->lock);
	write_chunk(packs, chunk, packed, bytes);
}

static void add_free(struct record_packs *packs, struct record_chunk *chunk)
{
	STAILQ_INSERT_HEAD(&packs->free, chunk, link);
	packs->nr_free++;
	pthread_cond_signal(&packs->has_space);
}

/* Called when a chunk was written.  At the end chunks are freed by the packers, because one thread
 * alone would take long for all of them.  The caller holds the lock. */
static void release_chunk(struct record_packs *packs, struct record_chunk *chunk)
{
	if (!packs->is_hurried || !packs->nr_free) {
		add_free(packs, chunk);
		return;
	}
	packs->nr_chunks--;
	pthread_mutex_unlock(&packs->lock);
	free(chunk);
	pthread_mutex_lock(&packs->lock);
}

/* Add a chunk to the reserve.  The caller holds the lock, which is released meanwhile.  Returns
 * false if the reserve is complete. */
static bool fill_reserve(struct record_packs *packs)
{
	struct record_chunk *chunk;

	if (packs->nr_free >= RESERVE || packs->nr_chunks >= packs->limit / 4)
		return false;
	packs->nr_chunks++;
	pthread_mutex_unlock(&packs->lock);
	chunk = alloc_chunk();
	pthread_mutex_lock(&packs->lock);
	if (chunk)
		add_free(packs, chunk);
	else
		packs->nr_chunks--;
	return chunk;
}

/* Pack chunks until the end.  @is_slow: end when the others hurry.  The caller holds the lock. */
static void pack_chunks(struct record_packs *packs, struct datfile_packer *packer,
			uint8_t *packed, size_t room, bool is_slow)
{
	while ((!packs->is_ending || !STAILQ_EMPTY(&packs->queue)) &&
	       !(is_slow && packs->is_hurried)) {
		struct record_chunk *chunk = STAILQ_FIRST(&packs->queue);

		if (!chunk) {
			if (!is_slow || !fill_reserve(packs))
				pthread_cond_wait(&packs->has_work, &packs->lock);
			continue;
		}
		STAILQ_REMOVE_HEAD(&packs->queue, link);
		packs->nr_queued--;
		pack_chunk(packs, packer, chunk, packed, room);
		packs->nr_pending--;
		packs->pending -= chunk->bytes;
		release_chunk(packs, chunk);
	}
}

static void run_packer(struct record_packs *packs, bool is_slow)
{
	struct datfile_packer *packer = datfile_packer_new();
	size_t room = datfile_chunk_room(RECORD_CHUNK_BYTES);
	uint8_t *packed = malloc(room);

	pthread_mutex_lock(&packs->lock);
	pack_chunks(packs, packer, packed, room, is_slow);
	pthread_mutex_unlock(&packs->lock);
	free(packed);
	datfile_packer_free(packer);
}

/* A packer while the program runs.  It has a higher nice value, so that the program and the
 * reader get the CPU first: chunks can wait, but records in a ring cannot. */
static void *run_slow_packer(void *arg)
{
	setpriority(PRIO_PROCESS, (id_t)gettid(), getpriority(PRIO_PROCESS, 0) + PACKER_NICE);
	run_packer(arg, true);
	return NULL;
}

/* A packer when the user waits for it. */
static void *run_fast_packer(void *arg)
{
	run_packer(arg, false);
	return NULL;
}

/* ---- start and stop ---- */

static uint32_t cpus_online(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cpus < 1 ? 1 : (uint32_t)cpus;
}

/* Start @nr packers, at most PACKERS_MAX.  Returns the number of those that were started. */
static uint32_t start_packers(struct record_packs *packs, uint32_t nr, void *(*run)(void *))
{
	uint32_t i;

	for (i = 0; i < nr && i < PACKERS_MAX; i++, packs->nr_threads++)
		if (pthread_create(&packs->threads[packs->nr_threads], NULL, run, packs))
			break;
	return i;
}

void record_packs_hurry(struct record_packs *packs)
{
	uint32_t nr = start_packers(packs, cpus_online(), run_fast_packer);

	pthread_mutex_lock(&packs->lock);
	packs->is_hurried = nr;
	pthread_cond_broadcast(&packs->has_work);
	pthread_mutex_unlock(&packs->lock);
}

int record_packs_start(uint64_t limit, struct record_packs **ret_packs)
{
	struct record_packs *packs = calloc(1, sizeof(*packs));
	uint32_t cpus = cpus_online();

	if (!packs)
		return -ENOMEM;
	pthread_mutex_init(&packs->lock, NULL);
	pthread_cond_init(&packs->has_work, NULL);
	pthread_cond_init(&packs->has_space, NULL);
	pthread_cond_init(&packs->is_done, NULL);
	STAILQ_INIT(&packs->queue);
	STAILQ_INIT(&packs->free);
	packs->limit = limit / sizeof(struct record_chunk) + 1;
	if (!start_packers(packs, cpus > 1 ? cpus - 1 : 1, run_slow_packer)) {
		record_packs_stop(packs);
		return -EAGAIN;
	}
	*ret_packs = packs;
	return 0;
}

void record_packs_stop(struct record_packs *packs)
{
	struct record_chunk *chunk;

	if (!packs)
		return;
	pthread_mutex_lock(&packs->lock);
	packs->is_ending = true;
	pthread_cond_broadcast(&packs->has_work);
	pthread_mutex_unlock(&packs->lock);
	for (uint32_t i = 0; i < packs->nr_threads; i++)
		pthread_join(packs->threads[i], NULL);
	while ((chunk = STAILQ_FIRST(&packs->free))) {
		STAILQ_REMOVE_HEAD(&packs->free, link);
		free(chunk);
	}
	pthread_mutex_destroy(&packs->lock);
	pthread_cond_destroy(&packs->has_work);
	pthread_cond_destroy(&packs->has_space);
	pthread_cond_destroy(&packs->is_done);
	free(packs);
}
