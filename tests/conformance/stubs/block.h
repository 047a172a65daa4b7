/* SPDX-License-Identifier: MIT */
/* Block devices, their requests, and bcache. */
#ifndef ULF_CONFORMANCE_BLOCK_H
#define ULF_CONFORMANCE_BLOCK_H

#include "base.h"
#include "fs.h"

struct nbd_request;
struct request_queue;
struct trace_seq;

typedef u8 blk_status_t;
typedef u32 blk_opf_t;

enum req_op {
	REQ_OP_READ = 0,
	REQ_OP_WRITE = 1,
	REQ_OP_FLUSH = 2,
	REQ_OP_DISCARD = 3,
	REQ_OP_SECURE_ERASE = 5,
	REQ_OP_ZONE_APPEND = 7,
	REQ_OP_WRITE_ZEROES = 9,
	REQ_OP_ZONE_OPEN = 11,
	REQ_OP_ZONE_CLOSE = 13,
	REQ_OP_ZONE_FINISH = 15,
	REQ_OP_ZONE_RESET = 17,
	REQ_OP_ZONE_RESET_ALL = 19,
	REQ_OP_DRV_IN = 34,
	REQ_OP_DRV_OUT = 35,
};

enum req_flag_bits {
	__REQ_SYNC = 11,
	__REQ_META = 12,
	__REQ_PRIO = 13,
	__REQ_IDLE = 15,
	__REQ_FUA = 17,
	__REQ_PREFLUSH = 18,
	__REQ_RAHEAD = 19,
};
#define REQ_SYNC	(1ULL << __REQ_SYNC)
#define REQ_META	(1ULL << __REQ_META)
#define REQ_PRIO	(1ULL << __REQ_PRIO)
#define REQ_FUA		(1ULL << __REQ_FUA)
#define REQ_PREFLUSH	(1ULL << __REQ_PREFLUSH)
#define REQ_RAHEAD	(1ULL << __REQ_RAHEAD)

#define SECTOR_SHIFT	9

struct gendisk {
	int major, first_minor;
};

struct block_device {
	dev_t bd_dev;
};

struct bvec_iter {
	sector_t bi_sector;
	unsigned int bi_size;
};

struct bio {
	struct block_device *bi_bdev;
	blk_opf_t bi_opf;
	blk_status_t bi_status;
	struct bvec_iter bi_iter;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	blk_opf_t cmd_flags;
	int tag, internal_tag;
};

struct buffer_head {
	struct block_device *b_bdev;
	sector_t b_blocknr;
	size_t b_size;
};

enum bh_state_bits {
	BH_Mapped = 4,
	BH_New = 5,
	BH_Boundary = 9,
	BH_Unwritten = 11,
	BH_Meta = 13,
	BH_Encoded = 16,	/* from erofs: the first bit that a driver may use */
};

#define bio_dev(bio)		((bio)->bi_bdev->bd_dev)
#define bio_sectors(bio)	((bio)->bi_iter.bi_size >> SECTOR_SHIFT)
enum req_op bio_op(const struct bio *bio);
dev_t disk_devt(struct gendisk *disk);
const char *blk_op_str(enum req_op op);
void blk_fill_rwbs(char *rwbs, blk_opf_t opf);
int blk_status_to_errno(blk_status_t status);
unsigned int blk_rq_bytes(const struct request *rq);
unsigned int blk_rq_count_bios(struct request *rq);
sector_t blk_rq_pos(const struct request *rq);
unsigned int blk_rq_sectors(const struct request *rq);
sector_t blk_rq_trace_sector(struct request *rq);
unsigned int blk_rq_trace_nr_sectors(struct request *rq);

/* ---- control of I/O ---- */

struct ioc {
	atomic64_t vtime_rate;
	int busy_level;
};

struct ioc_gq {
	struct ioc *ioc;
	u32 weight, inuse;
	u32 hweight_active, hweight_inuse;
};

struct ioc_now {
	u64 now, vnow, vrate;
};

const char *ioc_name(struct ioc *ioc);

struct blk_rq_stat {
	u64 mean, min, max;
	u32 nr_samples;
};

/* ---- bcache ---- */

struct bkey {
	u64 high, low;
};

struct bcache_device {
	struct gendisk *disk;
	unsigned int id;
};

struct cache_set {
	u8 set_uuid[16];
	unsigned short bucket_bits;
	atomic_t prio_blocked;
};

struct bcache_fifo {
	size_t front, back, mask;
};

struct bucket {
	u16 gc_mark;
};

struct cache {
	struct block_device *bdev;
	struct cache_set *set;
	struct bucket *buckets;
	struct { size_t bucket_size; } sb;
	struct bcache_fifo free[4];
	struct bcache_fifo free_inc;
};

struct btree {
	struct cache_set *c;
	struct bkey key;
	u16 written;
	u8 level;
	struct { u8 nsets; struct { struct { u32 keys; } *data; } set[4]; } keys;
};

#define fifo_used(fifo)	(((fifo)->back - (fifo)->front) & (fifo)->mask)
u64 KEY_INODE(const struct bkey *k);
u64 KEY_OFFSET(const struct bkey *k);
u64 KEY_SIZE(const struct bkey *k);
u64 KEY_DIRTY(const struct bkey *k);
u64 GC_SECTORS_USED(struct bucket *b);
size_t PTR_BUCKET_NR(struct cache_set *c, const struct bkey *k,
		     unsigned int ptr);

#endif
