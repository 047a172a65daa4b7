/* SPDX-License-Identifier: MIT */
/* The server's socket for the CLI, and its clients.  abi/socket.h describes the protocol. */
#ifndef ULF_DAEMON_SOCKET_H
#define ULF_DAEMON_SOCKET_H

#include <stdbool.h>

struct loop;
struct mounts;
struct server;
struct sockets;

/*
 * Listen on @dir/server.sock.  The caller must hold the lock of the directory.  Returns 0
 * or -errno.
 */
int sockets_new(struct loop *loop, struct server *server, struct mounts *mounts,
		const char *dir, struct sockets **ret_sockets);
/* Drop all clients and remove the socket.  @sockets may be NULL. */
void sockets_free(struct sockets *sockets);

/* Try again the requests that are parked, of all clients. */
void sockets_tick(struct sockets *sockets);
/* Return true if a request of any client is parked, so that ticks should come soon. */
bool sockets_is_waiting(const struct sockets *sockets);

#endif
