/* SPDX-License-Identifier: MIT */
/* The tree of names.  Nothing is removed from it while tasks run. */
#include <errno.h>
#include <string.h>

#include <mini/fs.h>
#include <mini/sched.h>
#include <mini/slab.h>

static struct kmem_cache *dentry_cachep, *inode_cachep;
static struct dentry *root;
static struct mutex tree_lock;		/* protects every list of children */

static struct dentry *d_alloc(const char *name, size_t len, bool is_dir,
			      const struct file_operations *fops)
{
	struct dentry *dentry = kmem_cache_alloc(dentry_cachep, GFP_KERNEL | __GFP_ZERO);

	if (!dentry)
		return NULL;
	dentry->inode = kmem_cache_alloc(inode_cachep, GFP_KERNEL | __GFP_ZERO);
	if (!dentry->inode) {
		kmem_cache_free(dentry_cachep, dentry);
		return NULL;
	}
	memcpy(dentry->name, name, len);
	INIT_LIST_HEAD(&dentry->children);
	INIT_LIST_HEAD(&dentry->sibling);
	mutex_init(&dentry->inode->lock);
	dentry->inode->is_dir = is_dir;
	dentry->inode->fops = fops;
	return dentry;
}

static struct dentry *d_lookup(struct dentry *dir, const char *name, size_t len)
{
	struct dentry *child;

	list_for_each_entry(child, &dir->children, sibling)
		if (!strncmp(child->name, name, len) && !child->name[len])
			return child;
	return NULL;
}

/* Walk @path except for its last name.  *@ret_name is the last name, which is empty if the path
 * ends in /, *@ret_dir the directory that contains it.  tree_lock is held. */
static int link_path_walk(const char *path, struct dentry **ret_dir, const char **ret_name)
{
	struct dentry *dir = current->cwd ? current->cwd : root, *next;
	const char *end;

	if (*path == '/') {
		dir = root;
		path++;
	}
	while ((end = strchr(path, '/'))) {
		next = d_lookup(dir, path, (size_t)(end - path));
		if (!next)
			return -ENOENT;
		if (!next->inode->is_dir)
			return -ENOTDIR;
		dir = next;
		path = end + 1;
	}
	if (strlen(path) >= NAME_LEN)
		return -EINVAL;
	*ret_dir = dir;
	*ret_name = path;
	return 0;
}

int path_lookup(const char *path, struct dentry **ret_dentry)
{
	struct dentry *dir, *dentry;
	const char *name;
	int r;

	mutex_lock(&tree_lock);
	r = link_path_walk(path, &dir, &name);
	if (r == 0) {
		dentry = *name && strcmp(name, ".") ? d_lookup(dir, name, strlen(name)) : dir;
		if (dentry)
			*ret_dentry = dentry;
		else
			r = -ENOENT;
	}
	mutex_unlock(&tree_lock);
	return r;
}

static int add_name(const char *path, bool is_dir, const struct file_operations *fops,
		    struct dentry **ret_dentry)
{
	struct dentry *dir, *dentry;
	const char *name;
	int r;

	mutex_lock(&tree_lock);
	r = link_path_walk(path, &dir, &name);
	if (r < 0)
		goto unlock;
	r = -EINVAL;
	if (!*name || !strcmp(name, "."))
		goto unlock;
	r = -EEXIST;
	if (d_lookup(dir, name, strlen(name)))
		goto unlock;
	r = -ENOMEM;
	dentry = d_alloc(name, strlen(name), is_dir, fops);
	if (!dentry)
		goto unlock;
	list_add_tail(&dentry->sibling, &dir->children);
	if (ret_dentry)
		*ret_dentry = dentry;
	r = 0;
unlock:
	mutex_unlock(&tree_lock);
	return r;
}

/* Read the names in a directory, one a line: the bytes from @pos on. */
static ssize_t dir_read(struct file *file, char *buf, size_t len, size_t pos)
{
	struct dentry *child;
	size_t n = 0, end = 0, i;

	mutex_lock(&tree_lock);
	list_for_each_entry(child, &file->dentry->children, sibling) {
		for (i = 0; i <= strlen(child->name); i++, end++) {
			if (end >= pos && n < len)
				buf[n++] = child->name[i] ? child->name[i] : '\n';
		}
	}
	mutex_unlock(&tree_lock);
	return (ssize_t)n;
}

static const struct file_operations dir_fops = {
	.read = dir_read,
};

int vfs_mkdir(const char *path)
{
	return add_name(path, true, &dir_fops, NULL);
}

int vfs_create(const char *path, const struct file_operations *fops,
	       struct dentry **ret_dentry)
{
	return add_name(path, false, fops, ret_dentry);
}

static int for_each_inode(struct dentry *dir, int (*fn)(struct dentry *dentry, void *arg),
			  void *arg)
{
	struct dentry *child;
	int r = 0;

	list_for_each_entry(child, &dir->children, sibling) {
		r = fn(child, arg);
		if (!r)
			r = for_each_inode(child, fn, arg);
		if (r)
			break;
	}
	return r;
}

int vfs_for_each_inode(int (*fn)(struct dentry *dentry, void *arg), void *arg)
{
	int r;

	mutex_lock(&tree_lock);
	r = for_each_inode(root, fn, arg);
	mutex_unlock(&tree_lock);
	return r;
}

static void free_tree(struct dentry *dentry)
{
	struct dentry *child, *tmp;
	int i;

	list_for_each_entry_safe(child, tmp, &dentry->children, sibling)
		free_tree(child);
	for (i = 0; i < NR_BLOCKS; i++)
		if (dentry->inode->block[i])
			kfree(dentry->inode->block[i]);
	kmem_cache_free(inode_cachep, dentry->inode);
	kmem_cache_free(dentry_cachep, dentry);
}

int vfs_init(void)
{
	int r = vfs_file_init();

	if (r < 0)
		return r;
	mutex_init(&tree_lock);
	dentry_cachep = kmem_cache_create("dentry", sizeof(struct dentry));
	inode_cachep = kmem_cache_create("inode_cache", sizeof(struct inode));
	if (!dentry_cachep || !inode_cachep)
		return -ENOMEM;
	root = d_alloc("/", 1, true, &dir_fops);
	return root ? 0 : -ENOMEM;
}

void vfs_done(void)
{
	free_tree(root);
}
