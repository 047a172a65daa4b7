/* SPDX-License-Identifier: MIT */
/*
 * The nodes of the tree.  Each lookup makes a new node.  Two nodes are the same file or
 * directory if their inode numbers are equal.  The server computes inode numbers, so it need
 * not store them.  tree.h has the layout of inode numbers.  In the number of a directory that
 * is not in a table, the part "row + 1" is 0.  Example: events/enable of the instance with
 * serial 5 is 5 << 42 | TRACEFS_EVENTS << 34 | 1 << 24 | 0, because `enable` is row 0 of the
 * table.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/server_roots.h"
#include "server/rules/events.h"
#include "tracefs/files.h"

static uint64_t make_ino(const struct instance *instance,
			 const struct tracefs_dir *in,
			 const struct tracefs_def *def, uint32_t number)
{
	uint64_t row = def ? (uint64_t)(def - in->defs) + 1 : 0;

	return (instance ? instance->serial << TRACEFS_SERIAL_SHIFT : 0) |
	       (uint64_t)in->kind << TRACEFS_KIND_SHIFT |
	       row << TRACEFS_ROW_SHIFT | number;
}

/* Allocate a copy of the node @what.  The copy has a reference count of 1. */
static int node_make(const struct tracefs_node *what, struct tracefs_node **ret_node)
{
	struct tracefs_node *node = malloc(sizeof(*node));

	if (!node)
		return -ENOMEM;
	*node = *what;
	node->refs = 1;
	if (node->root) {
		root_get(node->root);
		instance_get(node->instance);
	}
	*ret_node = node;
	return 0;
}

/*
 * Fill the node of a directory that is not in @parent's table.  The inode number of such
 * a directory contains its own kind, @dir.  (The inode number of an entry in a table
 * contains the kind of the parent.)
 */
static void dir_fill(const struct tracefs_node *parent,
		     const struct tracefs_dir *dir, struct instance *instance,
		     uint32_t number, struct tracefs_node *ret_node)
{
	*ret_node = (struct tracefs_node){
		.server = parent->server,
		.root = instance->root,
		.instance = instance,
		.dir = dir,
		.in = parent->dir,
		.ino = make_ino(instance, dir, NULL, number),
		.number = number,
	};
}

/* Fill the node of @def, an entry in the table of @parent.  @nth: number of the CPU, if
 * the row makes one entry per CPU. */
static void def_fill(const struct tracefs_node *parent,
		     const struct tracefs_def *def, uint32_t nth,
		     struct tracefs_node *ret_node)
{
	uint32_t number = def->is_per_cpu ? nth : parent->number;

	*ret_node = (struct tracefs_node){
		.server = parent->server,
		.root = parent->root,
		.instance = parent->instance,
		.dir = def->dir,
		.in = parent->dir,
		.def = def,
		.ino = make_ino(parent->instance, parent->dir, def, number),
		.number = number,
	};
}

static struct instance *instance_in(const struct tracefs_node *parent,
				    struct root *root)
{
	return parent->instance ? parent->instance : &root->top;
}

int tracefs_node_new(struct tracefs_node *parent, const struct tracefs_dir *dir,
		     struct root *root, uint32_t number,
		     struct tracefs_node **ret_node)
{
	struct tracefs_node node;

	dir_fill(parent, dir, instance_in(parent, root), number, &node);
	return node_make(&node, ret_node);
}

static int emit_node(struct tracefs_node *node, const char *name,
		     tracefs_emit emit, void *arg)
{
	struct stat st;

	tracefs_stat(node, &st);
	return emit(arg, name, &st);
}

int tracefs_emit_dir(struct tracefs_node *parent, const struct tracefs_dir *dir,
		     const struct root *root, uint32_t number, const char *name,
		     tracefs_emit emit, void *arg)
{
	struct tracefs_node node;

	dir_fill(parent, dir, instance_in(parent, (struct root *)root), number,
		 &node);
	return emit_node(&node, name, emit, arg);
}

void tracefs_node_get(struct tracefs_node *node)
{
	node->refs++;
}

void tracefs_node_put(struct tracefs_node *node)
{
	if (!node || --node->refs)
		return;
	instance_put(node->instance);
	root_put(node->root);
	free(node);
}

/* Return true if the root and the instance of @dir still exist.  If they do, also updates the
 * events of the root. */
static bool is_there(const struct tracefs_node *dir)
{
	return !dir->root ||
	       (root_is_usable(dir->root) && !dir->instance->is_gone &&
		!events_refresh(dir->root));
}

/* Return true if @dir has the file or directory of the row @def.  Some files exist only
 * in the top instance. */
static bool has_row(const struct tracefs_node *dir, const struct tracefs_def *def)
{
	return !def->is_top_only || !dir->instance->name;
}

/* Return the number of entries that the row @def makes in @dir. */
static uint32_t nr_entries(const struct tracefs_node *dir,
			   const struct tracefs_def *def)
{
	return !has_row(dir, def) ? 0 : def->is_per_cpu ? dir->root->nr_cpus : 1;
}

/*
 * Return the name of an entry that the row @def makes in its directory.  If the row
 * makes one entry per CPU, @nth is the number of the CPU, and the name, such as cpu3,
 * is stored in @buf.
 */
static const char *entry_name(const struct tracefs_def *def, uint32_t nth,
			      char buf[NAME_MAX + 1])
{
	if (!def->is_per_cpu)
		return def->name;
	snprintf(buf, NAME_MAX + 1, "%s%" PRIu32, def->name, nth);
	return buf;
}

int tracefs_lookup(struct tracefs_node *dir, const char *name,
		   struct tracefs_node **ret_node)
{
	char buf[NAME_MAX + 1];
	struct tracefs_node node;

	if (!dir->dir)
		return -ENOTDIR;
	if (!is_there(dir))
		return -ENOENT;
	for (size_t i = 0; i < dir->dir->nr_defs; i++) {
		const struct tracefs_def *def = &dir->dir->defs[i];

		for (uint32_t nth = 0; nth < nr_entries(dir, def); nth++) {
			if (strcmp(entry_name(def, nth, buf), name))
				continue;
			def_fill(dir, def, nth, &node);
			return node_make(&node, ret_node);
		}
	}
	if (!dir->dir->lookup)
		return -ENOENT;
	return dir->dir->lookup(dir, name, ret_node);
}

static mode_t node_mode(const struct tracefs_node *node)
{
	mode_t mode = node->def ? node->def->mode : node->dir->mode;

	return mode | (node->dir ? S_IFDIR : S_IFREG);
}

/* Set the owner in @st.  The kernel is asked for the server's user only once, because
 * asking for each entry of a large directory would take long. */
static void put_owner(struct stat *st)
{
	static bool is_known;
	static uid_t uid;
	static gid_t gid;

	if (!is_known) {
		uid = geteuid();
		gid = getegid();
		is_known = true;
	}
	st->st_uid = uid;
	st->st_gid = gid;
}

void tracefs_stat(struct tracefs_node *node, struct stat *ret_stat)
{
	*ret_stat = (struct stat){
		.st_ino = node->ino,
		.st_mode = node_mode(node),
		.st_nlink = node->dir ? 2 : 1,
		.st_blksize = ARCH_PAGE_BYTES,
	};
	put_owner(ret_stat);
	if (node->def && node->def->stream)
		ret_stat->st_size = node->def->stream->size;
	if (node->root) {
		ret_stat->st_atim = node->root->found;
		ret_stat->st_mtim = node->root->found;
		ret_stat->st_ctim = node->root->found;
	}
}

int tracefs_readdir(struct tracefs_node *dir, tracefs_emit emit, void *arg)
{
	int r = 0;

	if (!dir->dir)
		return -ENOTDIR;
	if (!is_there(dir))
		return 0;
	for (size_t i = 0; !r && i < dir->dir->nr_defs; i++) {
		const struct tracefs_def *def = &dir->dir->defs[i];

		for (uint32_t nth = 0; !r && nth < nr_entries(dir, def); nth++) {
			char buf[NAME_MAX + 1];
			struct tracefs_node node;

			def_fill(dir, def, nth, &node);
			r = emit_node(&node, entry_name(def, nth, buf), emit, arg);
		}
	}
	if (!r && dir->dir->list)
		r = dir->dir->list(dir, emit, arg);
	return r;
}

int tracefs_mkdir(struct tracefs_node *dir, const char *name)
{
	struct tracefs_node *node;
	int r = tracefs_lookup(dir, name, &node);

	if (!r) {
		tracefs_node_put(node);
		return -EEXIST;
	}
	if (!dir->dir || !dir->dir->mkdir || !is_there(dir))
		return -EPERM;
	return dir->dir->mkdir(dir, name);
}

int tracefs_rmdir(struct tracefs_node *dir, const char *name)
{
	struct tracefs_node *node;
	int r = tracefs_lookup(dir, name, &node);

	if (r)
		return r;
	tracefs_node_put(node);
	return dir->dir->rmdir ? dir->dir->rmdir(dir, name) : -EPERM;
}

/* ---- methods of the top directory ---- */

int top_lookup(struct tracefs_node *dir, const char *name,
	       struct tracefs_node **ret_node)
{
	struct root *root = server_find_root(dir->server, name);

	if (!root)
		return -ENOENT;
	return tracefs_node_new(dir, dir->dir->child[0], root, 0, ret_node);
}

int top_list(struct tracefs_node *dir, tracefs_emit emit, void *arg)
{
	struct root *root = NULL;
	int r = 0;

	while (!r && (root = server_next_root(dir->server, root)))
		r = tracefs_emit_dir(dir, dir->dir->child[0], root, 0, root->name, emit, arg);
	return r;
}

/* ---- methods of the directory instances/ ---- */

int instances_lookup(struct tracefs_node *dir, const char *name,
		     struct tracefs_node **ret_node)
{
	struct instance *instance = instance_find(dir->root, name);
	struct tracefs_node node;

	if (!instance)
		return -ENOENT;
	dir_fill(dir, dir->dir->child[0], instance, 0, &node);
	return node_make(&node, ret_node);
}

int instances_list(struct tracefs_node *dir, tracefs_emit emit, void *arg)
{
	struct instance *instance;
	int r = 0;

	for_each_instance(instance, dir->root) {
		struct tracefs_node node;

		if (r || !instance->name)
			continue;
		dir_fill(dir, dir->dir->child[0], instance, 0, &node);
		r = emit_node(&node, instance->name, emit, arg);
	}
	return r;
}

int instances_mkdir(struct tracefs_node *dir, const char *name)
{
	return instance_make(dir->root, name);
}

int instances_rmdir(struct tracefs_node *dir, const char *name)
{
	return instance_remove(dir->root, name);
}
