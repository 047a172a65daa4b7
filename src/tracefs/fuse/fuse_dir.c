/* SPDX-License-Identifier: MIT */
/*
 * FUSE handlers for directories.  When a reader starts at offset 0, the list of the
 * directory's entries is made and kept for the next reads.  So if the directory changes
 * meanwhile, the reader gets no entry twice and misses none.
 */
#include "tracefs/fuse/fuse_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define DIR_TEXT_BYTES	(64u << 20)	/* maximum size of the list of a directory's
					 * entries (fuse_listing.entries), bytes */

/* An open directory, to which fuse_file_info.fh points. */
struct fuse_listing {
	LIST_ENTRY(fuse_listing) link;	/* link in the list tracefs_fuse.listings */
	struct fuse_node *node;
	/* Entries of the directory.  Each is a uint64_t ino, a uint32_t mode, and the
	 * name with a NUL, without alignment. */
	struct text entries;
	struct {
		size_t *at;		/* array of @nr offsets: where each entry begins in
					 * @entries, bytes */
		size_t nr, capacity;	/* number of elements of @at, and number for which @at
					 * has space */
	} index;
};

static struct fuse_listing *listing_of(const struct fuse_file_info *fi)
{
	return (struct fuse_listing *)(uintptr_t)fi->fh;
}

static void listing_free(struct tracefs_fuse *fuse, struct fuse_listing *dir)
{
	LIST_REMOVE(dir, link);
	dir->node->nr_users--;
	if (dir->node != &fuse->top)
		fuse_node_put(dir->node);
	text_done(&dir->entries);
	free(dir->index.at);
	free(dir);
}

void fuse_dir_free_all(struct tracefs_fuse *fuse)
{
	while (!LIST_EMPTY(&fuse->listings))
		listing_free(fuse, LIST_FIRST(&fuse->listings));
}

void fuse_op_opendir(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct fuse_listing *dir = calloc(1, sizeof(*dir));

	if (!dir) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	text_init(&dir->entries, DIR_TEXT_BYTES);
	dir->node = fuse_node_of(fuse, id);
	dir->node->nr_users++;
	LIST_INSERT_HEAD(&fuse->listings, dir, link);
	fi->fh = (uintptr_t)dir;
	/* If the kernel does not take the reply, it does not know @dir and will send no
	 * releasedir request, so free @dir. */
	if (fuse_reply_open(req, fi) < 0)
		listing_free(fuse, dir);
}

/* Callback of type tracefs_emit: append an entry of the directory to dir->entries. */
static int add_dir_entry(void *arg, const char *name, const struct stat *st)
{
	struct fuse_listing *dir = arg;
	uint64_t ino = st->st_ino;
	uint32_t mode = st->st_mode;

	if (dir->index.nr == dir->index.capacity) {
		size_t capacity = dir->index.capacity ? 2 * dir->index.capacity : 64;
		size_t *at = realloc(dir->index.at, capacity * sizeof(*at));

		if (!at)
			return -ENOMEM;
		dir->index.at = at;
		dir->index.capacity = capacity;
	}
	dir->index.at[dir->index.nr] = dir->entries.len;
	text_write(&dir->entries, &ino, sizeof(ino));
	text_write(&dir->entries, &mode, sizeof(mode));
	text_write(&dir->entries, name, strlen(name) + 1);
	if (dir->entries.error)
		return dir->entries.error;
	dir->index.nr++;
	return 0;
}

/* Make the list of all entries of the directory, including . and .., in dir->entries. */
static int take_down(struct fuse_listing *dir)
{
	struct stat st;
	int ret;

	text_reset(&dir->entries);
	dir->index.nr = 0;
	memset(&st, 0, sizeof(st));
	tracefs_stat(dir->node->node, &st);
	ret = add_dir_entry(dir, ".", &st);
	if (!ret)
		ret = add_dir_entry(dir, "..", &st);
	if (!ret)
		ret = tracefs_readdir(dir->node->node, add_dir_entry, dir);
	return ret;
}

void fuse_op_readdir(fuse_req_t req, fuse_ino_t id, size_t size, off_t offset,
		     struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct fuse_listing *dir = listing_of(fi);
	size_t used = 0, next, bytes;
	int ret;

	(void)id;
	if (offset == 0) {
		ret = take_down(dir);
		if (ret < 0) {
			fuse_reply_err(req, -ret);
			return;
		}
	}
	if (size > FUSE_IO_BYTES)
		size = FUSE_IO_BYTES;
	for (next = (size_t)offset; next < dir->index.nr; next++) {
		const char *entry = dir->entries.data + dir->index.at[next];
		struct stat st = { 0 };
		uint64_t ino;
		uint32_t mode;

		memcpy(&ino, entry, sizeof(ino));
		memcpy(&mode, entry + sizeof(ino), sizeof(mode));
		st.st_ino = ino;
		st.st_mode = mode;
		bytes = fuse_add_direntry(req, fuse->io + used, size - used,
					  entry + sizeof(ino) + sizeof(mode), &st,
					  (off_t)next + 1);
		if (bytes > size - used)
			break;
		used += bytes;
	}
	fuse_reply_buf(req, fuse->io, used);
}

void fuse_op_releasedir(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);

	(void)id;
	listing_free(fuse, listing_of(fi));
	fuse_reply_err(req, 0);
}

void fuse_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct tracefs_node *dir = fuse_node_of(fuse, parent)->node, *made;
	int ret;

	(void)mode;
	ret = tracefs_mkdir(dir, name);
	if (ret >= 0)
		ret = tracefs_lookup(dir, name, &made);
	if (ret < 0)
		fuse_reply_err(req, -ret);
	else
		fuse_node_reply_entry(req, made);
}

void fuse_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);

	fuse_reply_err(req, -tracefs_rmdir(fuse_node_of(fuse, parent)->node, name));
}
