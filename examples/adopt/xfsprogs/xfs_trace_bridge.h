/* SPDX-License-Identifier: MIT */
/*
 * Only for xfs_trace.c: everything that the events of the kernel's xfs_trace.h read from
 * the kernel's structures, expressed with libxfs.
 *
 * This file has three parts:
 * - names that libxfs spells differently (one macro each);
 * - structures of subsystems that libxfs does not have (the log, quotas, the page cache):
 *   libxfs never calls their events, but these must compile;
 * - tables of flags.
 */
#ifndef XFS_TRACE_BRIDGE_H
#define XFS_TRACE_BRIDGE_H

/* The device, which libxfs keeps in the buffer target. */
#define m_super		m_ddev_targp
#define s_dev		bt_bdev
#define bt_dev		bt_bdev
#define b_hold		b_node.cn_count
/* Mount flags, which no event that libxfs calls reads. */
#define s_flags		flags

/*
 * VFS inodes.  These are the members that the events read, copied from libxfs's inode for
 * each hit.
 */
struct xfs_trace_inode {
	struct xfs_buftarg	*i_sb;
	xfs_ino_t		i_ino;
	xfs_fsize_t		i_size, i_disk_size;
	mode_t			i_mode;
	unsigned int		i_count;
	uint64_t		i_version;
};

#define inode		xfs_trace_inode
#define i_size_read(i)	((i)->i_size)
#define VFS_I(ip) (&(struct xfs_trace_inode) {				\
	.i_sb = (ip)->i_mount->m_ddev_targp,				\
	.i_ino = (ip)->i_ino,						\
	.i_size = (ip)->i_size,						\
	.i_disk_size = (ip)->i_disk_size,				\
	.i_mode = (ip)->i_vnode.i_mode,					\
	.i_count = (ip)->i_vnode.i_count,				\
	.i_version = (ip)->i_vnode.i_version,				\
})

/* The page cache and the shrinker. */
struct kiocb {
	struct xfs_inode	*ki_filp;	/* the inode stands for the open file */
	loff_t			ki_pos;
};

struct iov_iter {
	size_t			count;
};

struct shrink_control {
	unsigned long		nr_to_scan;
};

#define file_inode(ip)		VFS_I(ip)
#define XFS_I(vfs_inode)	(vfs_inode)
#define iov_iter_count(iter)	((iter)->count)

/* Quotas. */
struct xfs_trace_dquot_res {
	uint64_t		reserved, count, hardlimit, softlimit;
};

struct xfs_trace_dquot {
	struct xfs_mount	*q_mount;
	uint32_t		q_id;
	int			q_type, q_flags;
	unsigned int		q_nrefs;
	struct xfs_trace_dquot_res q_blk, q_rtb, q_ino;
};

#define xfs_dquot	xfs_trace_dquot

struct xfs_dqtrx {
	struct xfs_dquot	*qt_dquot;
	uint64_t		qt_blk_res, qt_ino_res, qt_ino_res_used, qt_rtblk_res;
	uint64_t		qt_rtblk_res_used;
	int64_t			qt_bcount_delta, qt_delbcnt_delta, qt_icount_delta;
	int64_t			qt_rtbcount_delta, qt_delrtb_delta;
};

/* Walks of the inode cache. */
struct xfs_icwalk {
	uint32_t		icw_flags, icw_uid, icw_gid, icw_prid;
	uint64_t		icw_min_file_size;
	long			icw_scan_limit;
};

#define from_kuid(ns, uid)	(uid)
#define from_kgid(ns, gid)	(gid)
#define s_user_ns		flags

#define xfs_filestream_peek_ag(mp, agno)	0

/* GETFSMAP. */
struct xfs_fsmap {
	dev_t			fmr_device;
	uint32_t		fmr_flags;
	uint64_t		fmr_physical, fmr_owner, fmr_length;
	xfs_fileoff_t		fmr_offset;
};

#define new_decode_dev(dev)	(dev)

/* The log and its recovery. */
struct xfs_trace_grant_head {
	struct list_head	waiters;
	atomic64_t		grant;
};

struct xlog {
	struct xfs_mount	*l_mp;
	struct xfs_trace_grant_head l_reserve_head, l_write_head;
	int			l_curr_cycle, l_curr_block;
	atomic64_t		l_tail_lsn, l_last_sync_lsn;
};

struct xlog_ticket {
	char			t_ocnt, t_cnt;
	int			t_curr_res, t_unit_res;
	uint8_t			t_flags;
	uint32_t		t_tid;
};

enum {
	XLOG_STATE_ACTIVE, XLOG_STATE_WANT_SYNC, XLOG_STATE_SYNCING,
	XLOG_STATE_DONE_SYNC, XLOG_STATE_CALLBACK, XLOG_STATE_DIRTY,
};

struct xlog_in_core {
	struct xlog		*ic_log;
	int			ic_state;
	unsigned int		ic_flags, ic_offset;
	atomic_t		ic_refcnt;
	struct { __be64 h_lsn; } ic_header;
};

struct xlog_recover {
	uint32_t		r_log_tid;
	xfs_lsn_t		r_lsn;
};

struct xlog_recover_item {
	int			ri_type, ri_cnt, ri_total;
};

struct xfs_ail {
	struct xlog		*ail_log;
};

#define ITEM_TYPE(item)		((item)->ri_type)
#define xlog_crack_grant_head(head, cycle, space)		\
	(*(cycle) = atomic64_read(head) >> 32,			\
	 *(space) = (int)atomic64_read(head))

/* Flags of libxfs, with the names that the kernel prints. */
#define XFS_BUF_FLAGS						\
	{ LIBXFS_B_DIRTY,	"DIRTY" },			\
	{ LIBXFS_B_STALE,	"STALE" },			\
	{ LIBXFS_B_UPTODATE,	"DONE" },			\
	{ LIBXFS_B_DISCONTIG,	"DISCONTIG" },			\
	{ LIBXFS_B_UNCHECKED,	"UNCHECKED" }
#define XFS_BLI_FLAGS						\
	{ XFS_BLI_DIRTY,	"DIRTY" },			\
	{ XFS_BLI_HOLD,		"HOLD" },			\
	{ XFS_BLI_STALE,	"STALE" },			\
	{ XFS_BLI_ORDERED,	"ORDERED" }
#define XFS_LI_FLAGS		{ 1u << XFS_LI_DIRTY, "DIRTY" }

/* Flags that only the kernel sets; libxfs has no values for them. */
#define XFS_TRACE_NO_FLAGS	{ 0, "" }
#define XFS_LOCK_FLAGS		XFS_TRACE_NO_FLAGS
#define XFS_OPSTATE_STRINGS	XFS_TRACE_NO_FLAGS
#define XFS_PTAG_STRINGS	XFS_TRACE_NO_FLAGS
#define XFS_SHUTDOWN_STRINGS	XFS_TRACE_NO_FLAGS
#define XLOG_ICL_STRINGS	XFS_TRACE_NO_FLAGS
#define XLOG_STATE_STRINGS	XFS_TRACE_NO_FLAGS
#define XLOG_TIC_FLAGS		XFS_TRACE_NO_FLAGS

#endif
