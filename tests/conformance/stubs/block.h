/* SPDX-License-Identifier: MIT */
/* Block devices and what drives them: bcache, SCSI, ATA, UFS, targets. */
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
};

#define bio_dev(bio)		((bio)->bi_bdev->bd_dev)
#define bio_sectors(bio)	((bio)->bi_iter.bi_size >> SECTOR_SHIFT)
enum req_op bio_op(const struct bio *bio);
dev_t disk_devt(struct gendisk *disk);
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

/* ---- SCSI ---- */

struct scsi_device {
	struct Scsi_Host *host;
	unsigned int id, channel;
	u64 lun;
};

struct Scsi_Host {
	unsigned int host_no;
};

struct scsi_cmnd {
	struct scsi_device *device;
	unsigned short cmd_len;
	unsigned char cmnd[32];
	unsigned char *sense_buffer;
	int result;
};

struct request *scsi_cmd_to_rq(struct scsi_cmnd *cmd);
unsigned int scsi_sg_count(struct scsi_cmnd *cmd);
unsigned int scsi_prot_sg_count(struct scsi_cmnd *cmd);
unsigned char scsi_get_prot_op(struct scsi_cmnd *cmd);
unsigned char scsi_command_control(const unsigned char *cdb);

struct se_node_acl {
	char initiatorname[224];
};

struct se_session {
	struct se_node_acl *se_node_acl;
};

struct se_cmd {
	struct se_session *se_sess;
	u64 orig_fe_lun, tag;
	unsigned char *t_task_cdb;
	u32 data_length;
	int sam_task_attr;
	u8 scsi_status;
	void *sense_buffer;
};

#define TCM_MAX_COMMAND_SIZE		32
#define SAM_STAT_CHECK_CONDITION	0x02
#define SPC_ADD_SENSE_LEN_OFFSET	7

/* ---- ATA ---- */

struct ata_port {
	unsigned int print_id;
	unsigned int hsm_task_state;
};

struct ata_link {
	struct ata_port *ap;
	int pmp;
};

struct ata_device {
	struct ata_link *link;
	unsigned int devno;
};

struct ata_taskfile {
	unsigned long flags;
	u8 protocol, command, device;
	u8 lbal, lbam, lbah, hob_lbal, hob_lbam, hob_lbah;
	u8 feature, hob_feature, nsect, hob_nsect;
};

struct ata_queued_cmd {
	struct ata_port *ap;
	struct ata_device *dev;
	struct ata_taskfile tf, result_tf;
	unsigned long flags;
	unsigned int tag;
	unsigned int err_mask;
};

/* ---- UFS ---- */

enum { UIC_LINK_OFF_STATE, UIC_LINK_ACTIVE_STATE, UIC_LINK_HIBERN8_STATE };
enum {
	UFS_ACTIVE_PWR_MODE = 1,
	UFS_SLEEP_PWR_MODE,
	UFS_POWERDOWN_PWR_MODE,
	UFS_DEEPSLEEP_PWR_MODE,
};
enum { CLKS_OFF, CLKS_ON, REQ_CLKS_OFF, REQ_CLKS_ON };
enum ufs_trace_str_t {
	UFS_CMD_SEND,
	UFS_CMD_COMP,
	UFS_DEV_COMP,
	UFS_QUERY_SEND,
	UFS_QUERY_COMP,
	UFS_QUERY_ERR,
	UFS_TM_SEND,
	UFS_TM_COMP,
	UFS_TM_ERR,
};
enum ufs_trace_tsf_t {
	UFS_TSF_CDB,
	UFS_TSF_OSF,
	UFS_TSF_TM_INPUT,
	UFS_TSF_TM_OUTPUT,
};

#endif
