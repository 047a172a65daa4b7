/* SPDX-License-Identifier: MIT */
/* Writeback: from time to time a kworker writes dirty files to a slow disk.  The kworker
 * holds a file's lock meanwhile, so other tasks must sleep for the mutex. */
#include <mini/fs.h>
#include <mini/sched.h>
#include <mini/slab.h>
#include <mini/workqueue.h>

#define WRITEBACK_JIFFIES	msecs_to_jiffies(300)
#define SHRINK_JIFFIES		msecs_to_jiffies(1000)
#define DISK_NS_A_BLOCK		(150 * NSEC_PER_USEC)
#define BATCH			32

static struct workqueue_struct writeback_wq;
static struct delayed_work writeback_work, shrink_work;
static atomic_ullong blocks_written;

struct dirty_batch {
	struct inode *inode[BATCH];
	int nr;
};

static int collect_dirty(struct dentry *dentry, void *arg)
{
	struct dirty_batch *batch = arg;
	struct inode *inode = dentry->inode;
	bool is_dirty;

	if (inode->is_dir)
		return 0;
	mutex_lock(&inode->lock);
	is_dirty = inode->is_dirty;
	mutex_unlock(&inode->lock);
	if (is_dirty)
		batch->inode[batch->nr++] = inode;
	return batch->nr == BATCH;
}

/* Wait as long as the disk needs for @nr blocks. */
static void submit_blocks(size_t nr)
{
	hrtimer_nanosleep((ktime_t)nr * DISK_NS_A_BLOCK);
	atomic_fetch_add(&blocks_written, nr);
}

static void write_inode(struct inode *inode)
{
	mutex_lock(&inode->lock);
	submit_blocks((inode->size + BLOCK_SIZE - 1) / BLOCK_SIZE + 1);
	inode->is_dirty = false;
	mutex_unlock(&inode->lock);
}

static void wb_workfn(struct work_struct *work)
{
	struct dirty_batch batch = { .nr = 0 };
	int i;

	(void)work;
	vfs_for_each_inode(collect_dirty, &batch);
	for (i = 0; i < batch.nr; i++)
		write_inode(batch.inode[i]);
	queue_delayed_work(&writeback_wq, &writeback_work, WRITEBACK_JIFFIES);
}

/* Give pages that the allocator does not need back to the arena. */
static void cache_reap(struct work_struct *work)
{
	(void)work;
	kmem_cache_shrink_all();
	queue_delayed_work(&system_wq, &shrink_work, SHRINK_JIFFIES);
}

u64 writeback_blocks(void)
{
	return atomic_load(&blocks_written);
}

void writeback_init(void)
{
	alloc_workqueue(&writeback_wq, "writeback");
	INIT_DELAYED_WORK(&writeback_work, wb_workfn);
	INIT_DELAYED_WORK(&shrink_work, cache_reap);
	queue_delayed_work(&writeback_wq, &writeback_work, WRITEBACK_JIFFIES);
	queue_delayed_work(&system_wq, &shrink_work, SHRINK_JIFFIES);
}

void writeback_done(void)
{
	cancel_delayed_work_sync(&writeback_work);
	cancel_delayed_work_sync(&shrink_work);
}
