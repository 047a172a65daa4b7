/* SPDX-License-Identifier: MIT */
/*
 * Records that can be checked: the length and every byte follow from the writer's number and
 * the sequence number, which are in the first 8 bytes.
 */
#ifndef ULF_TESTS_RECORD_H
#define ULF_TESTS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define RECORD_WRITERS		65536u
#define RECORD_BYTES_MIN	8u
#define RECORD_BYTES_MAX	4060u
#define RECORD_BYTES_MAX_SLOW	4072u	/* a record of this size fills a page of a slow ring */

struct record_id {
	uint32_t writer;		/* less than RECORD_WRITERS */
	uint32_t seq;
};

uint32_t record_bytes(struct record_id id);
/* Write record_bytes() bytes of payload.  Returns their number.  With @is_slow some records
 * are longer than RECORD_BYTES_MAX. */
uint32_t record_fill(void *payload, struct record_id id, bool is_slow);
/* Check a payload that consists of whole words.  Returns 0 if record_fill() wrote it, with or
 * without @is_slow, or -EBADMSG. */
int record_check(const void *payload, uint32_t bytes, struct record_id *ret_id);

/* The first 8 bytes alone, and the bytes after them. */
uint64_t record_head(struct record_id id);
int record_head_check(uint64_t head, struct record_id *ret_id);
void record_fill_tail(void *to, uint32_t bytes, struct record_id id);
int record_check_tail(const void *from, uint32_t bytes, struct record_id id);

/* ---- the records that were read ---- */

struct tally {
	struct tally_writer {
		uint64_t *bits;
		uint32_t nr_bits;
		uint32_t count;
	} *writers;
	uint64_t count;
};

int tally_init(struct tally *tally);
void tally_done(struct tally *tally);
/* Mark a record as read.  Returns 0, -EEXIST if it is marked already, or -ENOMEM. */
int tally_mark(struct tally *tally, struct record_id id);
bool tally_has(const struct tally *tally, struct record_id id);
/* Returns how many of the writer's records [0, end) are marked. */
uint32_t tally_count(const struct tally *tally, uint32_t writer, uint32_t end);

/* ---- random numbers of sufficient quality, without a lock ---- */

static inline uint32_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)(((uint64_t)random_next(state) * limit) >> 31);
}

#endif
