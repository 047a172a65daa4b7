/* SPDX-License-Identifier: MIT */
/*
 * The part of bcachefs's types that its trace header reads, for a compile without the
 * rest of libbcachefs.  Offsets and sizes are of no interest: nothing calls the events.
 */
#ifndef BCACHEFS_TYPES_H
#define BCACHEFS_TYPES_H

#include <stdio.h>

#include <ulf/kernel.h>

typedef u16 btree_path_idx_t;

enum btree_id { BTREE_ID_extents };
enum btree_node_type { BKEY_TYPE_btree };
enum { SIX_LOCK_read, SIX_LOCK_intent, SIX_LOCK_write };

struct bpos {
	u64			inode, offset;
	u32			snapshot;
};

struct six_lock {
	u32			seq;
};

struct six_lock_count {
	u32			n[3];
};

struct btree_bkey_cached_common {
	struct six_lock		lock;
	u8			level, btree_id;
};

struct btree {
	struct btree_bkey_cached_common c;
	struct { struct { struct bpos p; } k; } key;
	u16			written;
};

struct btree_path {
	btree_path_idx_t	idx;
	struct bpos		pos;
	u8			btree_id, level, locks_want, ref, preserve, nodes_locked;
	bool			should_be_locked;
	struct { struct btree *b; u32 lock_seq; } l[4];
};

struct btree_insert_entry {
	btree_path_idx_t	path;
};

struct bch_fs {
	dev_t			dev;
	struct { atomic_long_t nr_keys, nr_dirty; } btree_key_cache;
};

struct btree_trans {
	struct bch_fs		*c;
	const char		*fn;
	struct btree_path	*paths;
	struct btree_insert_entry *updates;
	u16			nr_updates;
};

struct bch_move_stats {
	atomic64_t		keys_moved, keys_raced;
	atomic64_t		sectors_seen, sectors_moved, sectors_raced;
};

struct get_locks_fail {
	unsigned int		l;
	struct btree		*b;
};

/* types of the kernel */
struct bio {
	void			*bi_bdev;
	unsigned int		bi_opf;
	struct { sector_t bi_sector; unsigned int bi_size; } bi_iter;
};

struct super_block {
	dev_t			s_dev;
};

struct inode {
	unsigned long		i_ino;
};

struct dentry {
	struct super_block	*d_sb;
	struct dentry		*d_parent;
	struct inode		*d_inode;
};

struct file {
	struct { struct dentry *dentry; } f_path;
};

#define scnprintf	snprintf
#define d_inode(dentry)	((dentry)->d_inode)

dev_t bio_dev(const struct bio *bio);
void blk_fill_rwbs(char *rwbs, unsigned int opf);
const char *bch2_err_str(int error);
const char *bch2_btree_id_str(enum btree_id id);
unsigned int btree_blocks(const struct bch_fs *c);
bool btree_node_locked(const struct btree_path *path, unsigned int level);
struct btree *btree_path_node(struct btree_path *path, unsigned int level);
bool is_btree_node(const struct btree_path *path, unsigned int level);
enum btree_node_type btree_node_type(const struct btree *b);
u32 six_lock_seq(const struct six_lock *lock);
struct six_lock_count six_lock_counts(const struct six_lock *lock);
struct six_lock_count bch2_btree_node_lock_counts(struct btree_trans *trans,
	struct btree_path *skip, struct btree_bkey_cached_common *b, unsigned int level);
size_t bch2_btree_keys_u64s_remaining(struct btree *b);
bool __bch2_btree_key_cache_must_wait(struct bch_fs *c);

#endif
