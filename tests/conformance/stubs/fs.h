/* SPDX-License-Identifier: MIT */
/* Files, file locks, writeback, and the small file systems. */
#ifndef ULF_CONFORMANCE_FS_H
#define ULF_CONFORMANCE_FS_H

#include "base.h"
#include "mm.h"
#include "sched.h"

struct block_device;
struct file_lock_context;

typedef u32 errseq_t;
typedef void *fl_owner_t;

struct qstr {
	u32 len;
	const unsigned char *name;
};

struct super_block {
	dev_t s_dev;
	unsigned long s_blocksize;
	unsigned char s_blocksize_bits;
	struct block_device *s_bdev;
	struct { u8 b[16]; } s_uuid;
};

struct inode {
	umode_t i_mode;
	unsigned int i_nlink;
	unsigned long i_ino;
	dev_t i_rdev;
	loff_t i_size;
	blkcnt_t i_blocks;
	unsigned long i_state;
	unsigned long dirtied_when;
	atomic_t i_count, i_writecount, i_readcount;
	struct super_block *i_sb;
	struct address_space *i_mapping;
};

struct address_space {
	struct inode *host;
	pgoff_t writeback_index;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct super_block *d_sb;
	struct inode *d_inode;
	unsigned char d_iname[32];
};

struct path {
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct address_space *f_mapping;
	errseq_t f_wb_err;
};

struct kiocb {
	loff_t ki_pos;
	int ki_flags;
	u16 ki_ioprio;
};

struct iov_iter {
	size_t iov_offset;
	loff_t xarray_start;
};

struct msghdr {
	struct iov_iter msg_iter;
	unsigned int msg_flags;
};

size_t iov_iter_count(const struct iov_iter *iter);

struct inode *d_inode(const struct dentry *dentry);
struct inode *d_backing_inode(const struct dentry *dentry);
struct inode *file_inode(const struct file *file);
struct dentry *file_dentry(const struct file *file);
loff_t i_size_read(const struct inode *inode);
uid_t i_uid_read(const struct inode *inode);
gid_t i_gid_read(const struct inode *inode);
dev_t new_decode_dev(u32 dev);
char *strreplace(char *text, char from, char to);

#define READ		0
#define WRITE		1
#define S_IFMT		00170000
#define S_IFDIR		0040000
#define S_ISDIR(mode)	(((mode) & S_IFMT) == S_IFDIR)

#define I_DIRTY_SYNC		(1 << 0)
#define I_DIRTY_DATASYNC	(1 << 1)
#define I_DIRTY_PAGES		(1 << 2)
#define I_NEW			(1 << 3)
#define I_WILL_FREE		(1 << 4)
#define I_FREEING		(1 << 5)
#define I_CLEAR			(1 << 6)
#define I_SYNC			(1 << 7)
#define I_REFERENCED		(1 << 8)
#define I_DIRTY_TIME		(1 << 11)

#define FALLOC_FL_KEEP_SIZE		0x01
#define FALLOC_FL_PUNCH_HOLE		0x02
#define FALLOC_FL_NO_HIDE_STALE		0x04
#define FALLOC_FL_COLLAPSE_RANGE	0x08
#define FALLOC_FL_ZERO_RANGE		0x10

/* ---- file locks ---- */

struct file_lock {
	struct file_lock *fl_blocker;
	fl_owner_t fl_owner;
	unsigned int fl_flags;
	unsigned char fl_type;
	unsigned int fl_pid;
	loff_t fl_start, fl_end;
	unsigned long fl_break_time, fl_downgrade_time;
	union {
		struct { unsigned int debug_id; } afs;
	} fl_u;
};

#define FL_POSIX		1
#define FL_FLOCK		2
#define FL_DELEG		4
#define FL_ACCESS		8
#define FL_EXISTS		16
#define FL_LEASE		32
#define FL_CLOSE		64
#define FL_SLEEP		128
#define FL_DOWNGRADE_PENDING	256
#define FL_UNLOCK_PENDING	512
#define FL_OFDLCK		1024
#define FL_RECLAIM		4096
#define F_RDLCK			0
#define F_WRLCK			1
#define F_UNLCK			2

/* ---- writeback ---- */

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	int id;
};

struct mem_cgroup {
	struct cgroup_subsys_state css;
};

struct backing_dev_info {
	u64 id;
};

struct bdi_writeback {
	struct backing_dev_info *bdi;
	struct cgroup_subsys_state *memcg_css;
	unsigned long write_bandwidth, avg_write_bandwidth;
	unsigned long dirty_ratelimit, balanced_dirty_ratelimit;
};

enum writeback_sync_modes { WB_SYNC_NONE, WB_SYNC_ALL };

enum wb_reason {
	WB_REASON_BACKGROUND,
	WB_REASON_VMSCAN,
	WB_REASON_SYNC,
	WB_REASON_PERIODIC,
	WB_REASON_LAPTOP_TIMER,
	WB_REASON_FS_FREE_SPACE,
	WB_REASON_FORKER_THREAD,
	WB_REASON_FOREIGN_FLUSH,
};

struct writeback_control {
	long nr_to_write;
	long pages_skipped;
	loff_t range_start, range_end;
	enum writeback_sync_modes sync_mode;
	unsigned int for_kupdate:1;
	unsigned int for_background:1;
	unsigned int tagged_writepages:1;
	unsigned int for_reclaim:1;
	unsigned int range_cyclic:1;
	unsigned int for_sync:1;
	struct bdi_writeback *wb;
};

struct wb_writeback_work {
	long nr_pages;
	struct super_block *sb;
	enum writeback_sync_modes sync_mode;
	unsigned int for_kupdate:1;
	unsigned int range_cyclic:1;
	unsigned int for_background:1;
	enum wb_reason reason;
};

extern struct { unsigned long dirty_limit; } global_wb_domain;

const char *bdi_dev_name(struct backing_dev_info *bdi);
struct backing_dev_info *inode_to_bdi(struct inode *inode);
struct bdi_writeback *inode_to_wb(const struct inode *inode);
struct address_space *folio_mapping(struct folio *folio);
struct mem_cgroup *folio_memcg(struct folio *folio);
ino_t cgroup_ino(struct cgroup *cgroup);

/* ---- 9p ---- */

struct p9_client;

struct p9_fcall {
	u32 size;
	u8 id;
	u16 tag;
	size_t capacity;
	u8 *sdata;
};

struct p9_fid {
	u32 fid;
	refcount_t count;
};

/* a request and its answer */
#define STUB_9P(name, nr)	P9_T##name = (nr), P9_R##name = (nr) + 1
enum p9_msg_t {
	STUB_9P(LERROR, 6), STUB_9P(STATFS, 8), STUB_9P(LOPEN, 12),
	STUB_9P(LCREATE, 14), STUB_9P(SYMLINK, 16), STUB_9P(MKNOD, 18),
	STUB_9P(RENAME, 20), STUB_9P(READLINK, 22), STUB_9P(GETATTR, 24),
	STUB_9P(SETATTR, 26), STUB_9P(XATTRWALK, 30),
	STUB_9P(XATTRCREATE, 32), STUB_9P(READDIR, 40), STUB_9P(FSYNC, 50),
	STUB_9P(LOCK, 52), STUB_9P(GETLOCK, 54), STUB_9P(LINK, 70),
	STUB_9P(MKDIR, 72), STUB_9P(RENAMEAT, 74), STUB_9P(UNLINKAT, 76),
	STUB_9P(VERSION, 100), STUB_9P(AUTH, 102), STUB_9P(ATTACH, 104),
	STUB_9P(ERROR, 106), STUB_9P(FLUSH, 108), STUB_9P(WALK, 110),
	STUB_9P(OPEN, 112), STUB_9P(CREATE, 114), STUB_9P(READ, 116),
	STUB_9P(WRITE, 118), STUB_9P(CLUNK, 120), STUB_9P(REMOVE, 122),
	STUB_9P(STAT, 124), STUB_9P(WSTAT, 126),
};

#define P9_PROTO_DUMP_SZ 32

/* ---- erofs ---- */

typedef u64 erofs_nid_t;
typedef u64 erofs_off_t;
typedef u32 erofs_blk_t;

struct erofs_inode {
	erofs_nid_t nid;
};

struct erofs_map_blocks {
	erofs_off_t m_pa, m_la;
	u64 m_plen, m_llen;
	unsigned int m_flags;
};

#define EROFS_MAP_MAPPED	(1 << BH_Mapped)
#define EROFS_MAP_META		(1 << BH_Meta)
#define EROFS_MAP_ENCODED	(1 << BH_Encoded)
#define EROFS_GET_BLOCKS_RAW	0x0001

struct erofs_inode *EROFS_I(struct inode *inode);
erofs_off_t erofs_iloc(struct inode *inode);
#define erofs_blknr(sb, at)	((at) >> (sb)->s_blocksize_bits)
#define erofs_blkoff(sb, at)	((at) & ((sb)->s_blocksize - 1))

/* ---- nilfs2 ---- */

struct nilfs_transaction_info;

enum {
	NILFS_ST_INIT,
	NILFS_ST_GC,
	NILFS_ST_FILE,
	NILFS_ST_IFILE,
	NILFS_ST_CPFILE,
	NILFS_ST_SUFILE,
	NILFS_ST_DAT,
	NILFS_ST_SR,
	NILFS_ST_DSYNC,
	NILFS_ST_DONE,
};

struct nilfs_sc_info {
	struct { int scnt; } sc_stage;
};

#endif
