/* SPDX-License-Identifier: MIT */
/* Open files: the layer between a task's descriptors and a file system's operations. */
#include <errno.h>

#include <mini/fs.h>
#include <mini/net.h>
#include <mini/slab.h>

static struct kmem_cache *filp_cachep, *files_cachep;

int vfs_file_init(void)
{
	filp_cachep = kmem_cache_create("filp", sizeof(struct file));
	files_cachep = kmem_cache_create("files_cache", sizeof(struct files_struct));
	return filp_cachep && files_cachep ? 0 : -ENOMEM;
}

/* Allocate an open file without an inode. */
struct file *alloc_file(unsigned int flags)
{
	struct file *file = kmem_cache_alloc(filp_cachep, GFP_KERNEL | __GFP_ZERO);

	if (file)
		file->flags = flags;
	return file;
}

static int lookup_or_create(const char *path, unsigned int flags, struct dentry **ret_dentry)
{
	int r = path_lookup(path, ret_dentry);

	if (r != -ENOENT || !(flags & FILE_CREATE))
		return r;
	r = vfs_create(path, &ramfs_fops, ret_dentry);
	/* the error -EEXIST means that another task was faster, so the file exists */
	return r == -EEXIST ? path_lookup(path, ret_dentry) : r;
}

int vfs_open(const char *path, unsigned int flags, struct file **ret_file)
{
	struct dentry *dentry;
	struct inode *inode;
	struct file *file;
	int r;

	r = lookup_or_create(path, flags, &dentry);
	if (r < 0)
		return r;
	inode = dentry->inode;
	if (inode->is_dir && flags != FILE_READ)
		return -EISDIR;
	if (flags & FILE_WRITE && !inode->fops->write)
		return -EACCES;
	file = alloc_file(flags);
	if (!file)
		return -ENOMEM;
	file->dentry = dentry;
	if (flags & FILE_TRUNC && inode->fops->truncate) {
		mutex_lock(&inode->lock);
		inode->fops->truncate(inode);
		mutex_unlock(&inode->lock);
	}
	*ret_file = file;
	return 0;
}

ssize_t vfs_read(struct file *file, char *buf, size_t len)
{
	ssize_t r;

	if (!(file->flags & FILE_READ) || !file->dentry)
		return -EBADF;
	r = file->dentry->inode->fops->read(file, buf, len, file->pos);
	if (r > 0)
		file->pos += (size_t)r;
	return r;
}

ssize_t vfs_write(struct file *file, const char *buf, size_t len)
{
	ssize_t r;

	if (!(file->flags & FILE_WRITE) || !file->dentry)
		return -EBADF;
	r = file->dentry->inode->fops->write(file, buf, len, file->pos);
	if (r > 0)
		file->pos += (size_t)r;
	return r;
}

void filp_close(struct file *file)
{
	if (!file)
		return;
	sock_release(file->socket);
	kmem_cache_free(filp_cachep, file);
}

struct files_struct *files_alloc(void)
{
	return kmem_cache_alloc(files_cachep, GFP_KERNEL | __GFP_ZERO);
}

void exit_files(struct files_struct *files)
{
	int fd;

	if (!files)
		return;
	for (fd = 0; fd < NR_OPEN; fd++)
		filp_close(files->fd[fd]);
	kmem_cache_free(files_cachep, files);
}
