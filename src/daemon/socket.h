/* SPDX-License-Identifier: MIT */
/* The server's socket for the CLI, and its clients; see abi/socket.h. */
#ifndef ULF_SERVER_SOCKET_H
#define ULF_SERVER_SOCKET_H

#include <stdbool.h>

struct loop;
struct mounts;
struct server;
struct sockets;

/* Listen on @dir/server.sock; whoever calls this holds the server's lock. */
int sockets_new(struct loop *loop, struct server *server, struct mounts *mounts,
		const char *dir, struct sockets **ret_sockets);
void sockets_free(struct sockets *sockets);

void sockets_tick(struct sockets *sockets);
/* Does a request wait, so that ticks should come soon? */
bool sockets_is_waiting(const struct sockets *sockets);

#endif
