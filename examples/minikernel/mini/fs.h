/* SPDX-License-Identifier: MIT */
/* Files: paths, open files, and a file system that lives in the arena. */
#ifndef MINI_FS_H
#define MINI_FS_H

#include <mini/list.h>
#include <mini/mutex.h>

#define NAME_LEN	32
#define PATH_LEN	128
#define NR_OPEN		16
#define BLOCK_SIZE	1024	/* size of a block of a file's data; blocks are allocated
				 * with kmalloc() */
#define NR_BLOCKS	64	/* number of blocks per file, so a file has up to 64 KiB */

/* flags of an open file; only this kernel uses these numbers */
#define FILE_READ	0x1
#define FILE_WRITE	0x2
#define FILE_CREATE	0x4
#define FILE_APPEND	0x8
#define FILE_TRUNC	0x10

struct file;
struct inode;
struct socket;

#define AT_FDCWD	-100	/* directory of sys_openat(): that of the task */

struct file_operations {
	/* Read or write at the position @pos.  The file position does not move.  Both
	 * return the number of bytes, or -errno. */
	ssize_t (*read)(struct file *file, char *buf, size_t len, size_t pos);
	ssize_t (*write)(struct file *file, const char *buf, size_t len, size_t pos);
	/* Optional method: drop the content.  The inode is locked. */
	void (*truncate)(struct inode *inode);
};

struct inode {
	const struct file_operations *fops;
	struct mutex lock;		/* protects size, block and is_dirty */
	size_t size;
	char *block[NR_BLOCKS];
	bool is_dir;
	bool is_dirty;			/* must be written back */
	int (*show)(char *buf, size_t size);	/* for files of /proc: prints the text of
						 * the file */
};

struct dentry {
	char name[NAME_LEN];
	struct inode *inode;
	struct list_head children, sibling;
};

/* A file of the tree or a socket. */
struct file {
	struct dentry *dentry;
	struct socket *socket;
	size_t pos;
	unsigned int flags;
};

struct files_struct {
	struct file *fd[NR_OPEN];
};

/* namei.c */
int vfs_init(void);
void vfs_done(void);
int vfs_mkdir(const char *path);
int vfs_create(const char *path, const struct file_operations *fops,
	       struct dentry **ret_dentry);
/* A @path that does not begin with / begins in the directory of the running task. */
int path_lookup(const char *path, struct dentry **ret_dentry);
/* Calls @fn on every inode until it returns non-zero. */
int vfs_for_each_inode(int (*fn)(struct dentry *dentry, void *arg), void *arg);

/* vfs.c */
struct file *alloc_file(unsigned int flags);
int vfs_open(const char *path, unsigned int flags, struct file **ret_file);
ssize_t vfs_read(struct file *file, char *buf, size_t len);
ssize_t vfs_write(struct file *file, const char *buf, size_t len);
void filp_close(struct file *file);
struct files_struct *files_alloc(void);
void exit_files(struct files_struct *files);	/* closes all files and frees @files,
						 * which may be NULL */
int vfs_file_init(void);

/* ramfs.c */
extern const struct file_operations ramfs_fops;

/* proc.c */
int proc_init(void);

/* writeback.c */
void writeback_init(void);
void writeback_done(void);
u64 writeback_blocks(void);

#endif
