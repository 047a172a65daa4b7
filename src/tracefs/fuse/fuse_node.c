/* SPDX-License-Identifier: MIT */
/* FUSE nodes: make, find and free them, and handle the requests lookup, forget, getattr
 * and setattr. */
#include "tracefs/fuse/fuse_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct fuse_node_list *node_bucket(struct tracefs_fuse *fuse, uint64_t ino)
{
	return &fuse->nodes[(ino * 0x9e3779b97f4a7c15ull) >> 52];
}

struct fuse_node *fuse_node_of(struct tracefs_fuse *fuse, fuse_ino_t id)
{
	return id == FUSE_ROOT_ID ? &fuse->top : (struct fuse_node *)(uintptr_t)id;
}

static fuse_ino_t node_id(struct tracefs_fuse *fuse, struct fuse_node *node)
{
	return node == &fuse->top ? FUSE_ROOT_ID : (fuse_ino_t)(uintptr_t)node;
}

void fuse_node_put(struct fuse_node *node)
{
	if (node->nlookup || node->nr_users)
		return;
	LIST_REMOVE(node, link);
	tracefs_node_put(node->node);
	free(node);
}

static struct fuse_node *find_shared(struct tracefs_fuse *fuse, uint64_t ino)
{
	struct fuse_node *node;

	LIST_FOREACH(node, node_bucket(fuse, ino), link) {
		if (node->ino == ino && node->is_shared)
			return node;
	}
	return NULL;
}

/* Find or make the FUSE node (struct fuse_node) for the tree's node @place, and count a
 * lookup.  The caller gives away its reference of @place.  Returns NULL if there is no
 * memory. */
static struct fuse_node *node_get(struct tracefs_fuse *fuse,
				  struct tracefs_node *place, const struct stat *st)
{
	bool is_shared = !(S_ISREG(st->st_mode) && st->st_size > 0);
	struct fuse_node *node;

	node = is_shared ? find_shared(fuse, st->st_ino) : NULL;
	if (node) {
		tracefs_node_put(place);
		node->nlookup++;
		return node;
	}
	node = calloc(1, sizeof(*node));
	if (!node) {
		tracefs_node_put(place);
		return NULL;
	}
	node->node = place;
	node->ino = st->st_ino;
	node->nlookup = 1;
	node->is_shared = is_shared;
	LIST_INSERT_HEAD(node_bucket(fuse, node->ino), node, link);
	return node;
}

static void forget_lookups(struct tracefs_fuse *fuse, struct fuse_node *node, uint64_t nlookup)
{
	if (node == &fuse->top)
		return;
	node->nlookup -= nlookup < node->nlookup ? nlookup : node->nlookup;
	fuse_node_put(node);
}

/*
 * Return how long the kernel may cache a name, in seconds.  Names of directories are not
 * cached, because directories appear and disappear (roots, events of modules, instances).
 * Names of files are cached, because a file exists as long as its directory.  Exception:
 * names of files with a size, because each lookup of such a file must make a new node.
 */
static double entry_seconds(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size == 0 ? FUSE_FILE_SECONDS : 0.0;
}

void fuse_node_reply_entry(fuse_req_t req, struct tracefs_node *place)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct fuse_entry_param entry;
	struct fuse_node *node;

	memset(&entry, 0, sizeof(entry));
	tracefs_stat(place, &entry.attr);
	node = node_get(fuse, place, &entry.attr);
	if (!node) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	entry.ino = node_id(fuse, node);
	entry.entry_timeout = entry_seconds(&entry.attr);
	entry.attr_timeout = FUSE_ATTR_SECONDS;
	/* If the kernel does not take the reply, it does not know the node and will not
	 * forget the lookup, so undo the count of this lookup. */
	if (fuse_reply_entry(req, &entry) < 0)
		forget_lookups(fuse, node, 1);
}

void fuse_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct tracefs_node *place;
	int ret;

	ret = tracefs_lookup(fuse_node_of(fuse, parent)->node, name, &place);
	if (ret < 0)
		fuse_reply_err(req, -ret);
	else
		fuse_node_reply_entry(req, place);
}

void fuse_op_forget(fuse_req_t req, fuse_ino_t id, uint64_t nlookup)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);

	forget_lookups(fuse, fuse_node_of(fuse, id), nlookup);
	fuse_reply_none(req);
}

void fuse_op_forget_multi(fuse_req_t req, size_t count,
			  struct fuse_forget_data *forgets)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	size_t i;

	for (i = 0; i < count; i++)
		forget_lookups(fuse, fuse_node_of(fuse, forgets[i].ino), forgets[i].nlookup);
	fuse_reply_none(req);
}

void fuse_op_getattr(fuse_req_t req, fuse_ino_t id, struct fuse_file_info *fi)
{
	struct tracefs_fuse *fuse = fuse_req_userdata(req);
	struct stat st;

	(void)fi;
	memset(&st, 0, sizeof(st));
	tracefs_stat(fuse_node_of(fuse, id)->node, &st);
	fuse_reply_attr(req, &st, FUSE_ATTR_SECONDS);
}

/*
 * Handle changes of attributes.  truncate(2) and touch(1) succeed without effect,
 * because only an open with O_TRUNC truncates a file of tracefs.  A change of owner or
 * mode is refused.
 */
void fuse_op_setattr(fuse_req_t req, fuse_ino_t id, struct stat *attr, int to_set,
		     struct fuse_file_info *fi)
{
	(void)attr;
	if (to_set & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		fuse_reply_err(req, EPERM);
	else
		fuse_op_getattr(req, id, fi);
}

void fuse_node_free_all(struct tracefs_fuse *fuse)
{
	struct fuse_node *node;
	size_t i;

	for (i = 0; i < FUSE_NODE_BUCKETS; i++) {
		while ((node = LIST_FIRST(&fuse->nodes[i]))) {
			node->nlookup = 0;
			node->nr_users = 0;
			fuse_node_put(node);
		}
	}
}
