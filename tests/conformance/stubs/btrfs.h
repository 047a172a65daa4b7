/* SPDX-License-Identifier: MIT */
/* btrfs and f2fs. */
#ifndef ULF_CONFORMANCE_BTRFS_H
#define ULF_CONFORMANCE_BTRFS_H

#include "block.h"
#include "fs.h"

#include <linux/btrfs_tree.h>
#include <linux/f2fs.h>

/* ---- btrfs ---- */

struct btrfs_qgroup_rsv { u64 values[3]; };
struct btrfs_block_rsv { u64 reserved; };
struct percpu_counter { s64 count; };

struct btrfs_fs_info {
	struct { u8 fsid[16]; } *fs_devices;
	struct btrfs_root *chunk_root;
	u64 generation;
	struct btrfs_block_rsv global_block_rsv, trans_block_rsv;
	struct btrfs_block_rsv delayed_block_rsv, delayed_refs_rsv;
	atomic64_t free_chunk_space;
	struct percpu_counter delalloc_bytes, ordered_bytes;
};

struct btrfs_root {
	struct btrfs_fs_info *fs_info;
	struct btrfs_key root_key;
	spinlock_t qgroup_meta_rsv_lock;
	u64 qgroup_meta_rsv_pertrans;
};

struct btrfs_inode {
	struct btrfs_root *root;
	u64 generation, last_trans, logged_trans, disk_i_size;
	struct inode vfs_inode;
};

struct extent_map {
	u64 start, len, orig_start, block_start, block_len;
	unsigned long flags;
	refcount_t refs;
	unsigned int compress_type;
};

struct btrfs_ordered_extent {
	u64 file_offset, num_bytes, disk_bytenr, disk_num_bytes;
	u64 bytes_left, truncated_len;
	unsigned long flags;
	int compress_type;
	refcount_t refs;
};

struct btrfs_block_group {
	struct btrfs_fs_info *fs_info;
	u64 start, length, used, bytes_super, flags;
};

struct btrfs_delayed_ref_node {
	u64 bytenr, num_bytes, seq;
	unsigned int action:8;
	unsigned int type:8;
};

struct btrfs_delayed_ref_head {
	u64 bytenr, num_bytes;
	unsigned int is_data:1;
};

struct btrfs_delayed_tree_ref {
	u64 root, parent;
	int level;
};

struct btrfs_delayed_data_ref {
	u64 root, parent, objectid, offset;
};

struct map_lookup {
	u64 type;
	int num_stripes, sub_stripes;
};

struct extent_buffer {
	struct btrfs_fs_info *fs_info;
	u64 start;
	atomic_t refs;
	s8 log_index;
};

struct btrfs_free_cluster {
	u64 max_size, window_start;
};

struct btrfs_work;
struct btrfs_workqueue;
typedef void (*btrfs_func_t)(struct btrfs_work *work);
struct btrfs_work {
	btrfs_func_t func, ordered_func, ordered_free;
	struct work_struct normal_work;
	struct btrfs_workqueue *wq;
};

struct btrfs_qgroup_extent_record {
	u64 bytenr, num_bytes;
};

struct btrfs_qgroup {
	u64 qgroupid, rfer, excl;
	struct btrfs_qgroup_rsv rsv;
};

struct prelim_ref {
	u64 root_id;
	struct btrfs_key key_for_search;
	int level, count;
	u64 parent, wanted_disk_byte;
};

struct extent_io_tree {
	struct btrfs_fs_info *fs_info;
	void *private_data;
	u8 owner;
};

struct btrfs_space_info {
	u64 flags, total_bytes, bytes_used, bytes_pinned, bytes_reserved;
	u64 bytes_may_use, bytes_readonly, reclaim_size;
	int clamp;
};

struct btrfs_io_context {
	struct btrfs_fs_info *fs_info;
	u64 *raid_map;
	u16 num_stripes;
};

struct btrfs_raid_bio {
	struct btrfs_io_context *bioc;
	u8 real_stripes, nr_data;
};

struct raid56_bio_trace_info {
	u64 devid;
	u32 offset;
	u8 stripe_nr;
};

enum btrfs_qgroup_rsv_type {
	BTRFS_QGROUP_RSV_DATA,
	BTRFS_QGROUP_RSV_META_PERTRANS,
	BTRFS_QGROUP_RSV_META_PREALLOC,
};

enum {
	IO_TREE_FS_PINNED_EXTENTS,
	IO_TREE_FS_EXCLUDED_EXTENTS,
	IO_TREE_BTREE_INODE_IO,
	IO_TREE_INODE_IO,
	IO_TREE_RELOC_BLOCKS,
	IO_TREE_TRANS_DIRTY_PAGES,
	IO_TREE_ROOT_DIRTY_LOG_PAGES,
	IO_TREE_INODE_FILE_EXTENT,
	IO_TREE_LOG_CSUM_RANGE,
	IO_TREE_SELFTEST,
};

enum btrfs_reserve_flush_enum {
	BTRFS_RESERVE_NO_FLUSH,
	BTRFS_RESERVE_FLUSH_LIMIT,
	BTRFS_RESERVE_FLUSH_EVICT,
	BTRFS_RESERVE_FLUSH_DATA,
	BTRFS_RESERVE_FLUSH_FREE_SPACE_INODE,
	BTRFS_RESERVE_FLUSH_ALL,
	BTRFS_RESERVE_FLUSH_ALL_STEAL,
};

enum btrfs_flush_state {
	FLUSH_DELAYED_ITEMS_NR = 1,
	FLUSH_DELAYED_ITEMS,
	FLUSH_DELAYED_REFS_NR,
	FLUSH_DELAYED_REFS,
	FLUSH_DELALLOC,
	FLUSH_DELALLOC_WAIT,
	FLUSH_DELALLOC_FULL,
	ALLOC_CHUNK,
	ALLOC_CHUNK_FORCE,
	RUN_DELAYED_IPUTS,
	COMMIT_TRANS,
};

/* Bits of an ordered extent and of an extent map. */
enum {
	BTRFS_ORDERED_REGULAR,
	BTRFS_ORDERED_NOCOW,
	BTRFS_ORDERED_PREALLOC,
	BTRFS_ORDERED_COMPRESSED,
	BTRFS_ORDERED_DIRECT,
	BTRFS_ORDERED_IO_DONE,
	BTRFS_ORDERED_COMPLETE,
	BTRFS_ORDERED_IOERR,
	BTRFS_ORDERED_TRUNCATED,
};

enum {
	EXTENT_FLAG_PINNED,
	EXTENT_FLAG_COMPRESSED,
	EXTENT_FLAG_PREALLOC,
	EXTENT_FLAG_LOGGING,
	EXTENT_FLAG_FILLING,
	EXTENT_FLAG_FS_MAPPING,
};

#define EXTENT_MAP_LAST_BYTE	((u64)-4)
#define EXTENT_MAP_HOLE		((u64)-3)
#define EXTENT_MAP_INLINE	((u64)-2)
#define EXTENT_MAP_DELALLOC	((u64)-1)

#define EXTENT_DIRTY		(1U << 0)
#define EXTENT_UPTODATE		(1U << 1)
#define EXTENT_LOCKED		(1U << 2)
#define EXTENT_NEW		(1U << 3)
#define EXTENT_DELALLOC		(1U << 4)
#define EXTENT_DEFRAG		(1U << 5)
#define EXTENT_BOUNDARY		(1U << 6)
#define EXTENT_NODATASUM	(1U << 7)
#define EXTENT_CLEAR_META_RESV	(1U << 8)
#define EXTENT_NEED_WAIT	(1U << 9)
#define EXTENT_NORESERVE	(1U << 11)
#define EXTENT_QGROUP_RESERVED	(1U << 12)
#define EXTENT_CLEAR_DATA_RESV	(1U << 13)
#define EXTENT_DELALLOC_NEW	(1U << 14)

#define BTRFS_ADD_DELAYED_REF		1
#define BTRFS_DROP_DELAYED_REF		2
#define BTRFS_ADD_DELAYED_EXTENT	3
#define BTRFS_UPDATE_DELAYED_HEAD	4

#define QGROUP_RESERVE		(1<<0)
#define QGROUP_RELEASE		(1<<1)
#define QGROUP_FREE		(1<<2)

struct btrfs_fs_info *btrfs_sb(struct super_block *sb);
struct btrfs_inode *BTRFS_I(const struct inode *inode);
u64 btrfs_ino(const struct btrfs_inode *inode);
struct btrfs_fs_info *btrfs_work_owner(const struct btrfs_work *work);
struct btrfs_fs_info *btrfs_workqueue_owner(const struct btrfs_workqueue *wq);
u64 btrfs_header_generation(const struct extent_buffer *eb);
u64 btrfs_header_owner(const struct extent_buffer *eb);
u8 btrfs_header_level(const struct extent_buffer *eb);
#define STUB_FILE_EXTENT(type, name)					\
	type btrfs_file_extent_##name(const struct extent_buffer *eb,	\
		const struct btrfs_file_extent_item *item)
STUB_FILE_EXTENT(u64, num_bytes);
STUB_FILE_EXTENT(u64, ram_bytes);
STUB_FILE_EXTENT(u64, disk_bytenr);
STUB_FILE_EXTENT(u64, disk_num_bytes);
STUB_FILE_EXTENT(u64, offset);
STUB_FILE_EXTENT(u8, type);
STUB_FILE_EXTENT(u8, compression);
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
s64 percpu_counter_sum_positive(struct percpu_counter *counter);

/* ---- f2fs ---- */

typedef u32 block_t;
typedef u32 nid_t;

struct f2fs_sb_info {
	struct super_block *sb;
};

struct f2fs_inode_info {
	nid_t i_xattr_nid;
	unsigned char i_advise;
	unsigned int i_pino;
};

struct f2fs_map_blocks {
	struct block_device *m_bdev;
	block_t m_pblk, m_lblk;
	unsigned int m_len, m_flags;
	int m_seg_type;
	bool m_may_create, m_multidev_dio;
};

struct victim_sel_policy {
	int alloc_mode, gc_mode;
	unsigned int ofs_unit, min_cost, min_segno;
};

enum page_type {
	DATA = 0,
	NODE = 1,
	META,
	NR_PAGE_TYPE,
	META_FLUSH,
	IPU,
	OPU,
};

enum temp_type { HOT, WARM, COLD };
enum extent_type { EX_READ };

struct f2fs_io_info {
	enum page_type type;
	enum temp_type temp;
	enum req_op op;
	blk_opf_t op_flags;
	block_t new_blkaddr, old_blkaddr;
};

struct extent_info {
	unsigned int fofs, len;
	block_t blk;
};

enum {
	CURSEG_HOT_DATA,
	CURSEG_WARM_DATA,
	CURSEG_COLD_DATA,
	CURSEG_HOT_NODE,
	CURSEG_WARM_NODE,
	CURSEG_COLD_NODE,
	NO_CHECK_TYPE = 8,
};

enum { GC_CB, GC_GREEDY, GC_AT };
enum { BG_GC, FG_GC };
enum { LFS, SSR, AT_SSR };
enum { SBI_IS_DIRTY };
enum { COMPRESS_LZO, COMPRESS_LZ4, COMPRESS_ZSTD, COMPRESS_LZORLE };

#define CP_UMOUNT	0x00000001
#define CP_FASTBOOT	0x00000002
#define CP_SYNC		0x00000004
#define CP_RECOVERY	0x00000008
#define CP_DISCARD	0x00000010
#define CP_TRIMMED	0x00000020
#define CP_PAUSE	0x00000040
#define CP_RESIZE	0x00000080

enum cp_reason_type {
	CP_NO_NEEDED,
	CP_NON_REGULAR,
	CP_COMPRESSED,
	CP_HARDLINK,
	CP_SB_NEED_CP,
	CP_WRONG_PINO,
	CP_NO_SPC_ROLL,
	CP_NODE_NEED_CP,
	CP_FASTBOOT_MODE,
	CP_SPEC_LOG_NUM,
	CP_RECOVER_DIR,
	CP_XATTR_DIR,
};

enum {
	APP_DIRECT_IO,
	APP_BUFFERED_IO,
	APP_WRITE_IO,
	APP_MAPPED_IO,
	APP_BUFFERED_CDATA_IO,
	APP_MAPPED_CDATA_IO,
	FS_DATA_IO,
	FS_CDATA_IO,
	FS_NODE_IO,
	FS_META_IO,
	FS_GC_DATA_IO,
	FS_GC_NODE_IO,
	FS_CP_DATA_IO,
	FS_CP_NODE_IO,
	FS_CP_META_IO,
	APP_DIRECT_READ_IO,
	APP_BUFFERED_READ_IO,
	APP_READ_IO,
	APP_MAPPED_READ_IO,
	APP_BUFFERED_CDATA_READ_IO,
	APP_MAPPED_CDATA_READ_IO,
	FS_DATA_READ_IO,
	FS_GDATA_READ_IO,
	FS_CDATA_READ_IO,
	FS_NODE_READ_IO,
	FS_META_READ_IO,
	FS_DISCARD,
};

struct f2fs_inode_info *F2FS_I(struct inode *inode);
struct f2fs_sb_info *F2FS_SB(struct super_block *sb);
bool is_sbi_flag_set(struct f2fs_sb_info *sbi, unsigned int type);

#endif
