/* SPDX-License-Identifier: MIT */
/* The file system in memory: a file is an array of blocks. */
#include <errno.h>
#include <string.h>

#include <mini/fs.h>
#include <mini/sched.h>
#include <mini/slab.h>

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static ssize_t ramfs_read(struct file *file, char *buf, size_t len, size_t pos)
{
	struct inode *inode = file->dentry->inode;
	size_t done = 0, n;

	mutex_lock(&inode->lock);
	while (done < len && pos < inode->size) {
		cond_resched();
		n = min_size(len - done, BLOCK_SIZE - pos % BLOCK_SIZE);
		n = min_size(n, inode->size - pos);
		memcpy(buf + done, inode->block[pos / BLOCK_SIZE] + pos % BLOCK_SIZE, n);
		done += n;
		pos += n;
	}
	mutex_unlock(&inode->lock);
	return (ssize_t)done;
}

/* Write to a file.  Files grow only at their end: a position after the end means the end. */
static ssize_t ramfs_write(struct file *file, const char *buf, size_t len, size_t pos)
{
	struct inode *inode = file->dentry->inode;
	size_t done = 0, n;
	char **block;

	mutex_lock(&inode->lock);
	if (file->flags & FILE_APPEND || pos > inode->size)
		pos = inode->size;
	while (done < len && pos < (size_t)NR_BLOCKS * BLOCK_SIZE) {
		block = &inode->block[pos / BLOCK_SIZE];
		if (!*block)
			*block = kmalloc(BLOCK_SIZE, GFP_NOFS);
		if (!*block)
			break;
		n = min_size(len - done, BLOCK_SIZE - pos % BLOCK_SIZE);
		memcpy(*block + pos % BLOCK_SIZE, buf + done, n);
		done += n;
		pos += n;
		if (pos > inode->size)
			inode->size = pos;
	}
	inode->is_dirty = true;
	mutex_unlock(&inode->lock);
	return done || !len ? (ssize_t)done : -ENOSPC;
}

static void ramfs_truncate(struct inode *inode)
{
	size_t i;

	for (i = 0; i < NR_BLOCKS; i++) {
		if (!inode->block[i])
			continue;
		kfree(inode->block[i]);
		inode->block[i] = NULL;
	}
	inode->size = 0;
	inode->is_dirty = true;
}

const struct file_operations ramfs_fops = {
	.read = ramfs_read,
	.write = ramfs_write,
	.truncate = ramfs_truncate,
};
