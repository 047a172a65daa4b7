/* SPDX-License-Identifier: MIT */
/*
 * Declarations that socket.c (which receives and sends bytes) and request.c (which handles
 * requests) share.
 */
#ifndef ULF_DAEMON_SOCKET_IMPL_H
#define ULF_DAEMON_SOCKET_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "abi/socket.h"
#include "base/text.h"
#include "daemon/loop.h"
#include "daemon/no_root.h"
#include "tracefs/call.h"

struct tracefs_file;

struct client_file {
	struct tracefs_file *file;	/* the open file; NULL: the number of the file is free */
	bool is_nonblocking;
};

struct client {
	LIST_ENTRY(client) link;
	struct sockets *sockets;
	struct loop_source source;
	pid_t pid;			/* pid of the client, from SO_PEERCRED */

	/* The request that is being received or answered. */
	struct abi_request request;
	char *payload;			/* payload of the request, followed by a NUL;
					 * NULL before the first request */
	size_t nr_in;			/* number of bytes of @request and @payload that have
					 * been received */
	int passed_fd;			/* descriptor that came with the request, or -1 */

	/* The answer that is being sent. */
	char *answer;			/* the answer with its data; NULL: there is no answer */
	size_t nr_answer, nr_sent;
	struct tracefs_file *reading;	/* the file in @files from which the data in the
					 * answer was read, or NULL */
	struct tracefs_file *has_read;	/* the file from which the data in the last complete
					 * answer was read; NULL: none, or the client has sent
					 * another request since */
	bool is_reset;			/* true: the client closed its end of the socket
					 * before it had read all of the last answer */

	/*
	 * The parked request, which cannot be answered yet.  @parked is a copy of
	 * @request, because a cancel may be received into @request.
	 */
	bool is_parked;
	struct abi_request parked;
	struct tracefs_call call;	/* state of a request that reads, writes or
					 * closes a file of the tree */
	struct text errors;		/* entries of error_log that the current request
					 * has caused */
	bool is_warning;		/* true: @errors are sent although the request succeeds */

	struct client_file files[ABI_SOCKET_FILES];
};

struct sockets {
	struct loop_source listener;
	struct loop *loop;
	struct server *server;
	struct mounts *mounts;
	char path[108];			/* path of the socket */
	LIST_HEAD(, client) clients;
	unsigned int nr_clients;
	bool is_full;			/* true: no more clients are accepted for now */
	bool is_stopping;		/* true: a client has asked to stop the server */
	char *io;			/* buffer of ABI_SOCKET_READ_MAX bytes, for
					 * reads of files */
	struct no_roots no_roots;
};

/*
 * Prepare the answer to the client's request (socket.c).  @result: see abi_answer.  The
 * caller, or the next event, sends the answer.
 */
void client_answer(struct client *client, int result, const void *data, size_t bytes);

/* request.c */
/*
 * Return true if the header of client->request is valid.  This is checked before memory is
 * allocated for the payload.
 */
bool client_request_is_valid(const struct client *client);
/* Answer or park client->request, which was received completely. */
void client_request_run(struct client *client);
/* Try the parked request again. */
void client_request_retry(struct client *client);
/* Close all files that the client has opened. */
void client_files_close(struct client *client);

#endif
