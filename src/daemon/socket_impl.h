/* SPDX-License-Identifier: MIT */
/*
 * What socket.c (connections: bytes in, bytes out) and request.c (what is
 * asked) share.
 */
#ifndef ULF_SERVER_SOCKET_IMPL_H
#define ULF_SERVER_SOCKET_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "abi/socket.h"
#include "base/text.h"
#include "daemon/loop.h"
#include "daemon/no_root.h"

struct tracefs_file;

struct client_file {
	struct tracefs_file *file;	/* NULL: not open */
	bool is_nonblocking;
};

struct client {
	LIST_ENTRY(client) link;
	struct sockets *sockets;
	struct loop_source source;
	pid_t pid;			/* as the kernel says */

	/* the request that is coming in, or is being answered */
	struct abi_request request;
	char *payload;			/* a NUL follows it; NULL until needed */
	size_t nr_in;			/* bytes of both that are here */
	int passed_fd;			/* came with it, or -1 */

	/* the answer that is going out */
	char *answer;			/* NULL: none */
	size_t nr_answer, nr_sent;
	struct tracefs_file *reading;	/* one of files, of which the answer
					 * has what was read; or NULL */
	struct tracefs_file *has_read;	/* as reading, for the last answer that
					 * was sent; until the next request */
	bool is_reset;			/* the client ended, and has not read
					 * all of the last answer */

	/* A request that cannot be answered yet (a copy: a cancel may come). */
	bool is_parked;
	bool is_restart;		/* not begun: -ERESTART of tracefs/tracefs.h */
	struct abi_request parked;
	size_t taken;			/* write: bytes taken */
	struct text errors;		/* entries of error_log that it has caused */
	bool is_warning;		/* they are sent though the request succeeds */

	struct client_file files[ABI_SOCKET_FILES];
};

struct sockets {
	struct loop_source listener;
	struct loop *loop;
	struct server *server;
	struct mounts *mounts;
	char path[108];			/* of the socket */
	LIST_HEAD(, client) clients;
	unsigned int nr_clients;
	bool is_full;			/* no more are accepted for now */
	bool is_stopping;
	char *io;			/* ABI_SOCKET_READ_MAX */
	struct no_roots no_roots;
};

/* socket.c: hand an answer to the connection; @result as in abi_answer. */
void client_answer(struct client *client, int result, const void *data, size_t bytes);

/* request.c */
/* Does the header obey the rules?  Asked before any memory is spent on it. */
bool client_request_is_valid(const struct client *client);
/* Answer or park client->request, which is complete. */
void client_request_run(struct client *client);
void client_request_retry(struct client *client);
void client_files_close(struct client *client);

#endif
