/* SPDX-License-Identifier: MIT */
/* Make the top directory of the server's tree, and find nodes by their path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/server_roots.h"
#include "tracefs/files.h"

struct tracefs_node *tracefs_top(struct server *server)
{
	void **tree = server_tree(server, free);
	struct tracefs_node *top = *tree;

	if (top)
		return top;
	top = calloc(1, sizeof(*top));
	if (!top)
		return NULL;
	top->refs = 1;
	top->server = server;
	top->dir = &top_dir;
	top->ino = 1;
	*tree = top;
	return top;
}

int tracefs_walk(struct server *server, const char *path,
		 struct tracefs_node **ret_node)
{
	struct tracefs_node *node = tracefs_top(server), *next;
	char name[256];
	int r;

	if (!node)
		return -ENOMEM;
	tracefs_node_get(node);
	for (;;) {
		size_t len;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			break;
		r = len < sizeof(name) ? 0 : -ENAMETOOLONG;
		if (!r) {
			memcpy(name, path, len);
			name[len] = '\0';
			r = strcmp(name, ".") ? tracefs_lookup(node, name, &next) :
			    -ENOENT;
		}
		tracefs_node_put(node);
		if (r)
			return r;
		node = next;
		path += len;
	}
	*ret_node = node;
	return 0;
}
