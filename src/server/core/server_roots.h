/* SPDX-License-Identifier: MIT */
/*
 * The functions of the server (server.c) that roots, instances and the tree use.
 * core/server.h is for the programs that run a server.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_SERVER_ROOTS_H
#define ULF_SERVER_SERVER_ROOTS_H

#include <stdint.h>

struct process;
struct root;
struct roots;
struct server;

/* Have server_dispatch() call process_died() when the pidfd of @process is readable. */
void server_watch_process(struct server *server, struct process *process);
/*
 * Stop watching @process.  The caller must call this before it closes the pidfd.
 * Otherwise, if a child of the server has the pidfd open, too, the epoll entry remains
 * after close() and still points to @process.
 */
void server_unwatch_process(struct server *server, struct process *process);

/* Make the next tick come soon, and let it continue scans of process slots that have not
 * ended. */
void server_continue_scan(struct server *server);

/* Return the address of the pointer in which tracefs keeps its tree. server_free() calls
 * @free_tree for a tree that is not NULL. */
void **server_tree(struct server *server, void (*free_tree)(void *tree));
/* Return the roots of the server. */
struct roots *server_roots(struct server *server);
/* Open DIR/roots.  Returns a descriptor, which the caller closes, or -errno. */
int server_open_roots(const struct server *server);
/* Return the root with the name @name, or NULL if there is none.  Takes no reference. */
struct root *server_find_root(struct server *server, const char *name);
/* Return the root that follows @after in the list of all roots, newest first.  If @after
 * is NULL, return the first root.  Takes no reference. */
struct root *server_next_root(struct server *server, struct root *after);

/* Return a new serial number for a root or an instance.  A serial number is never used
 * again. */
uint64_t server_next_serial(struct server *server);

#endif
