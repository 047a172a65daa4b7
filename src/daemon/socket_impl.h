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
	struct tracefs_file *file;	/* open file with this number; NULL if the number
					 * is free */
	bool is_nonblocking;
};

struct client {
	LIST_ENTRY(client) link;
	struct sockets *sockets;
	struct loop_source source;
	pid_t pid;			/* pid of the client, which the kernel reports
					 * (SO_PEERCRED) */

	/* The client's request that is being received or answered. */
	struct abi_request request;
	char *payload;			/* payload of the request, followed by a NUL; NULL
					 * if there was no request yet */
	size_t nr_in;			/* number of bytes of @request and @payload that
					 * were received so far */
	int passed_fd;			/* descriptor that came with the request; -1 if
					 * none came */

	/* The answer to the client that is being sent. */
	char *answer;			/* header and data of the answer; NULL if there is
					 * no answer */
	size_t nr_answer, nr_sent;
	struct tracefs_file *reading;	/* file in @files whose data the answer contains;
					 * NULL if there is none */
	struct tracefs_file *has_read;	/* file whose data the last complete answer
					 * contained; NULL if there was none, or if the
					 * client has sent another request since */
	bool is_reset;			/* true: the client closed its end of the socket
					 * before it had read all of the last answer */

	/* The parked request, which cannot be answered yet.  @parked is a copy of
	 * @request, because a cancel request may be received into @request meanwhile. */
	bool is_parked;
	struct abi_request parked;
	struct tracefs_call call;	/* state of the current request, if it reads,
					 * writes or closes a file of the tree */
	struct text errors;		/* entries of error_log that the current request
					 * has caused */
	bool is_warning;		/* true: @errors are sent to the client although
					 * the request succeeds */

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
	bool is_full;			/* true: the server accepts no more clients for
					 * now */
	bool is_stopping;		/* true: a client has asked to stop the server */
	char *io;			/* buffer for reads of files, ABI_SOCKET_READ_MAX
					 * bytes */
	struct no_roots no_roots;
};

/* Prepare the answer to the client's request (socket.c).  @result: see abi_answer.
 * The answer is sent afterwards, by the caller or at the next event. */
void client_answer(struct client *client, int result, const void *data, size_t bytes);

/* request.c */
/* Return true if the header of client->request is valid.  Must be called before memory is
 * allocated for the payload, whose size the header contains. */
bool client_request_is_valid(const struct client *client);
/* Answer or park client->request.  The whole request must have been received. */
void client_request_run(struct client *client);
/* Try again the request of the client that is parked. */
void client_request_retry(struct client *client);
/* Close all files that the client has opened. */
void client_files_close(struct client *client);

#endif
