/* SPDX-License-Identifier: MIT */
/* ext4 and its journal. */
#ifndef ULF_CONFORMANCE_EXT4_H
#define ULF_CONFORMANCE_EXT4_H

#include "block.h"
#include "fs.h"

typedef unsigned int tid_t;
typedef struct jbd2_journal_handle handle_t;
typedef struct transaction_s transaction_t;

struct journal_s {
	struct block_device *j_fs_dev;
	tid_t j_tail_sequence;
	unsigned long j_fc_off;
	void *j_private;
};
typedef struct journal_s journal_t;

struct jbd2_journal_handle {
	transaction_t *h_transaction;
};

struct transaction_s {
	tid_t t_tid;
	int t_synchronous_commit;
};

struct transaction_run_stats_s {
	unsigned long rs_wait, rs_request_delay, rs_running, rs_locked;
	unsigned long rs_flushing, rs_logging;
	u32 rs_handle_count, rs_blocks, rs_blocks_logged;
};

struct transaction_chp_stats_s {
	unsigned long cs_chp_time;
	u32 cs_forced_to_close, cs_written, cs_dropped;
};

typedef unsigned int ext4_group_t;
typedef int ext4_grpblk_t;
typedef u32 ext4_lblk_t;
typedef unsigned long long ext4_fsblk_t;

struct ext4_map_blocks {
	ext4_fsblk_t m_pblk;
	ext4_lblk_t m_lblk;
	unsigned int m_len, m_flags;
};

struct ext4_free_extent {
	ext4_lblk_t fe_logical;
	ext4_grpblk_t fe_start;
	ext4_group_t fe_group;
	ext4_grpblk_t fe_len;
};

struct ext4_allocation_context {
	struct inode *ac_inode;
	struct super_block *ac_sb;
	struct ext4_free_extent ac_o_ex, ac_g_ex, ac_b_ex, ac_f_ex;
	u32 ac_flags;
	u16 ac_groups_scanned, ac_found, ac_tail, ac_buddy;
	u8 ac_criteria;
};

struct ext4_prealloc_space {
	ext4_fsblk_t pa_pstart;
	ext4_lblk_t pa_lstart;
	ext4_grpblk_t pa_len;
	struct inode *pa_inode;
};

struct ext4_allocation_request {
	struct inode *inode;
	unsigned int len, flags;
	ext4_lblk_t logical, lleft, lright;
	ext4_fsblk_t goal, pleft, pright;
};

struct ext4_inode_info {
	struct inode vfs_inode;
	tid_t i_sync_tid;
	unsigned int i_reserved_data_blocks;
};

struct ext4_extent {
	__le32 ee_block;
};

struct extent_status {
	ext4_lblk_t es_lblk, es_len;
};

struct ext4_fsmap {
	dev_t fmr_device;
	u32 fmr_flags;
	u64 fmr_physical, fmr_owner, fmr_length;
};

struct partial_cluster {
	ext4_fsblk_t pclu;
	ext4_lblk_t lblk;
	enum { initial, tofree, nofree } state;
};

enum {
	EXT4_FC_REASON_XATTR,
	EXT4_FC_REASON_CROSS_RENAME,
	EXT4_FC_REASON_JOURNAL_FLAG_CHANGE,
	EXT4_FC_REASON_NOMEM,
	EXT4_FC_REASON_SWAP_BOOT,
	EXT4_FC_REASON_RESIZE,
	EXT4_FC_REASON_RENAME_DIR,
	EXT4_FC_REASON_FALLOC_RANGE,
	EXT4_FC_REASON_INODE_JOURNAL_DATA,
	EXT4_FC_REASON_ENCRYPTED_FILENAME,
	EXT4_FC_REASON_MAX,
};

struct ext4_sb_info {
	struct {
		unsigned int fc_ineligible_reason_count[EXT4_FC_REASON_MAX];
		unsigned long fc_num_commits;
		unsigned long fc_ineligible_commits;
		unsigned long fc_numblks;
	} s_fc_stats;
};

enum {
	ES_WRITTEN_B,
	ES_UNWRITTEN_B,
	ES_DELAYED_B,
	ES_HOLE_B,
	ES_REFERENCED_B,
};
#define EXTENT_STATUS_WRITTEN		(1 << ES_WRITTEN_B)
#define EXTENT_STATUS_UNWRITTEN		(1 << ES_UNWRITTEN_B)
#define EXTENT_STATUS_DELAYED		(1 << ES_DELAYED_B)
#define EXTENT_STATUS_HOLE		(1 << ES_HOLE_B)
#define EXTENT_STATUS_REFERENCED	(1 << ES_REFERENCED_B)

#define EXT4_MAP_NEW		BIT(BH_New)
#define EXT4_MAP_MAPPED		BIT(BH_Mapped)
#define EXT4_MAP_UNWRITTEN	BIT(BH_Unwritten)
#define EXT4_MAP_BOUNDARY	BIT(BH_Boundary)

#define EXT4_MB_HINT_MERGE		0x0001
#define EXT4_MB_HINT_RESERVED		0x0002
#define EXT4_MB_HINT_METADATA		0x0004
#define EXT4_MB_HINT_FIRST		0x0008
#define EXT4_MB_HINT_BEST		0x0010
#define EXT4_MB_HINT_DATA		0x0020
#define EXT4_MB_HINT_NOPREALLOC		0x0040
#define EXT4_MB_HINT_GROUP_ALLOC	0x0080
#define EXT4_MB_HINT_GOAL_ONLY		0x0100
#define EXT4_MB_HINT_TRY_GOAL		0x0200
#define EXT4_MB_DELALLOC_RESERVED	0x0400
#define EXT4_MB_STREAM_ALLOC		0x0800
#define EXT4_MB_USE_ROOT_BLOCKS		0x1000
#define EXT4_MB_USE_RESERVED		0x2000
#define EXT4_MB_STRICT_CHECK		0x4000

#define EXT4_GET_BLOCKS_CREATE			0x0001
#define EXT4_GET_BLOCKS_UNWRIT_EXT		0x0002
#define EXT4_GET_BLOCKS_DELALLOC_RESERVE	0x0004
#define EXT4_GET_BLOCKS_PRE_IO			0x0008
#define EXT4_GET_BLOCKS_CONVERT			0x0010
#define EXT4_GET_BLOCKS_METADATA_NOFAIL		0x0020
#define EXT4_GET_BLOCKS_NO_NORMALIZE		0x0040
#define EXT4_GET_BLOCKS_CONVERT_UNWRITTEN	0x0100
#define EXT4_GET_BLOCKS_ZERO			0x0200
#define EXT4_GET_BLOCKS_IO_SUBMIT		0x0400
#define EXT4_EX_NOCACHE				0x40000000

#define EXT4_FREE_BLOCKS_METADATA		0x0001
#define EXT4_FREE_BLOCKS_FORGET			0x0002
#define EXT4_FREE_BLOCKS_VALIDATED		0x0004
#define EXT4_FREE_BLOCKS_NO_QUOT_UPDATE		0x0008
#define EXT4_FREE_BLOCKS_NOFREE_FIRST_CLUSTER	0x0010
#define EXT4_FREE_BLOCKS_NOFREE_LAST_CLUSTER	0x0020

struct ext4_sb_info *EXT4_SB(struct super_block *sb);
struct ext4_inode_info *EXT4_I(struct inode *inode);
int ext4_ext_get_actual_len(struct ext4_extent *extent);
ext4_fsblk_t ext4_ext_pblock(struct ext4_extent *extent);
ext4_fsblk_t ext4_es_show_pblock(struct extent_status *es);
unsigned int ext4_es_status(struct extent_status *es);

#endif
