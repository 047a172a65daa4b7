/* SPDX-License-Identifier: MIT */
#include "cli/record_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bits.h"

#define PACKERS_MAX	8
#define PACKER_NICE	5	/* number that is added to the nice value in the threads that
				 * compress chunks */
#define PATH_BYTES	4096
/* Compression levels of zstd: LEVEL is the usual one; LEVEL_FAST is for a queue that is more
 * than a quarter full, LEVEL_FASTEST for a queue that is more than half full. */
#define LEVEL		1
#define LEVEL_FAST	(-5)
#define LEVEL_FASTEST	(-50)

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
	uint64_t nr_queued;
	uint64_t nr_pending;		/* number of chunks that were put into the queue and
					 * are not written yet */
	bool is_ending;
	int error;			/* -errno of the first write that has failed; 0: none */
	uint64_t bytes;			/* total number of bytes that were written to all
					 * files */
	uint64_t plain, pending;	/* sizes before compression: @plain of the chunks that
					 * were written, @pending of the chunks that still
					 * wait */
	pthread_t threads[PACKERS_MAX];
	uint32_t nr_threads;
};

/* ---- functions that the reader thread calls ---- */

struct record_chunk *record_chunk_new(struct record_packs *packs)
{
	struct record_chunk *chunk;

	pthread_mutex_lock(&packs->lock);
	while (!(chunk = STAILQ_FIRST(&packs->free))) {
		/* Exceed the limit if no chunk is pending.  The reader fills a chunk for each
		 * CPU at the same time, and only a pending chunk can become free, so waiting
		 * would never end. */
		if (packs->nr_chunks < packs->limit || !packs->nr_pending) {
			chunk = malloc(sizeof(*chunk));
			packs->nr_chunks += chunk != NULL;
		}
		if (chunk || !packs->nr_pending)
			break;
		pthread_cond_wait(&packs->has_space, &packs->lock);
	}
	if (chunk && chunk == STAILQ_FIRST(&packs->free))
		STAILQ_REMOVE_HEAD(&packs->free, link);
	pthread_mutex_unlock(&packs->lock);
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

int record_temp_open(struct record_temp *temp, const char *path, uint32_t cpu)
{
	char name[PATH_BYTES];

	if (snprintf(name, sizeof(name), "%s.cpu%u", path, cpu) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	*temp = (struct record_temp){ .pages.cpu = cpu };
	temp->pages.fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (temp->pages.fd < 0)
		return -errno;
	unlink(name);
	return 0;
}

void record_temp_close(struct record_temp *temp)
{
	if (temp->pages.fd >= 0)
		close(temp->pages.fd);
	temp->pages.fd = -1;
}

/* ---- packers ---- */

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
		r = bytes ? append(temp, packed, bytes) : -ENOMEM;
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

/* A packer thread: compresses and writes chunks.  It has a higher nice value, so that the
 * traced program and the reader get the CPU first: chunks can wait, but records in a ring
 * cannot. */
static void *run_packer(void *arg)
{
	struct datfile_packer *packer = datfile_packer_new();
	size_t room = datfile_chunk_room(RECORD_CHUNK_BYTES);
	struct record_packs *packs = arg;
	uint8_t *packed = malloc(room);

	setpriority(PRIO_PROCESS, (id_t)gettid(), getpriority(PRIO_PROCESS, 0) + PACKER_NICE);
	pthread_mutex_lock(&packs->lock);
	while (!packs->is_ending || !STAILQ_EMPTY(&packs->queue)) {
		struct record_chunk *chunk = STAILQ_FIRST(&packs->queue);

		if (!chunk) {
			pthread_cond_wait(&packs->has_work, &packs->lock);
			continue;
		}
		STAILQ_REMOVE_HEAD(&packs->queue, link);
		packs->nr_queued--;
		pack_chunk(packs, packer, chunk, packed, room);
		STAILQ_INSERT_HEAD(&packs->free, chunk, link);
		packs->nr_pending--;
		packs->pending -= chunk->bytes;
		pthread_cond_signal(&packs->has_space);
	}
	pthread_mutex_unlock(&packs->lock);
	free(packed);
	datfile_packer_free(packer);
	return NULL;
}

/* ---- start and stop ---- */

static uint32_t packers_wanted(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cpus < 3 ? 1 : cpus > PACKERS_MAX ? PACKERS_MAX : (uint32_t)cpus - 1;
}

int record_packs_start(uint64_t limit, struct record_packs **ret_packs)
{
	struct record_packs *packs = calloc(1, sizeof(*packs));
	uint32_t nr = packers_wanted();

	if (!packs)
		return -ENOMEM;
	pthread_mutex_init(&packs->lock, NULL);
	pthread_cond_init(&packs->has_work, NULL);
	pthread_cond_init(&packs->has_space, NULL);
	pthread_cond_init(&packs->is_done, NULL);
	STAILQ_INIT(&packs->queue);
	STAILQ_INIT(&packs->free);
	packs->limit = limit / sizeof(struct record_chunk) + 1;
	while (packs->nr_threads < nr &&
	       !pthread_create(&packs->threads[packs->nr_threads], NULL, run_packer, packs))
		packs->nr_threads++;
	if (!packs->nr_threads) {
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
