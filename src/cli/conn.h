/* SPDX-License-Identifier: MIT */
/*
 * A connection to the server; see abi/socket.h.
 *
 * Functions that return int return 0 or -errno, unless stated otherwise.  All functions sleep
 * while they wait for the server.
 */
#ifndef ULF_CLI_CONN_H
#define ULF_CLI_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/socket.h"
#include "base/dir.h"
#include "base/text.h"
#include "cli/life.h"

struct conn {
	int fd;				/* socket of the connection; negative if there is
					 * no connection */
	char dir[DIR_PATH_BYTES];	/* the ulf directory */
	int server_pid;			/* process id of the server, as the server itself
					 * reports it */
	struct text data;		/* data of the last answer from the server */
	struct life life;		/* the server's signs of life, for waits for an answer */
	bool is_lost;			/* true: the server hangs, so this process sends it no
					 * more requests */
};

enum conn_flags {
	CONN_START	= 1,		/* start a server if no server runs */
	CONN_RESTORE	= 2,		/* flag for `ulf mount --restore`, which a new server
					 * has started */
};

/*
 * conn_open - find the ulf directory and connect to its server
 * @flags: bits of enum conn_flags
 *
 * Sets @conn->dir if the directory is found, even if the connection fails.  Prints errors,
 * except for -ENOTCONN, which means that no server runs and CONN_START is not set.
 */
int conn_open(struct conn *conn, int flags);
/* Check that the server serves roots of the ABI_VERSION of this build.  A server of another build
 * answers requests, but cannot read the roots of programs with the libulf of this build.  Returns
 * 0; or prints an error and returns -EPROTONOSUPPORT.  Does not sleep. */
int conn_check_version(const struct conn *conn);
/* Close the connection.  The caller must do this even after conn_open() has failed. */
void conn_close(struct conn *conn);
/* Return the server's process id in the pid namespace of this process, as the kernel reports
 * it.  Returns 0 if the server is in another pid namespace.  Does not sleep. */
int conn_peer_pid(const struct conn *conn);

/*
 * conn_call - send a request and wait for its answer
 * @text, @bytes: data of the request
 *
 * Returns the result that is in the answer.  The data of the answer is in @conn->data;
 * without an answer @conn->data is empty.  Returns -EPIPE if the connection is closed.
 * Returns -ETIMEDOUT if the server shows no sign of life; then the reason and a remedy were
 * printed (life.h).
 */
int conn_call(struct conn *conn, const struct abi_request *request, const void *text,
	      size_t bytes);
/*
 * conn_send() and conn_receive() are the two halves of conn_call(), for callers that also
 * wait for something else between the two calls.  @pass_fd: descriptor to send with the
 * request; -1: send no descriptor.
 */
int conn_send(struct conn *conn, const struct abi_request *request, const void *text,
	      size_t bytes, int pass_fd);
int conn_receive(struct conn *conn);
/* Check whether the server is alive.  A caller that waits between conn_send() and
 * conn_receive() must call this every LIFE_CHECK_MS.  Returns 0, or -ETIMEDOUT as
 * conn_call() does. */
int conn_check_server(struct conn *conn);

/* Open a file of the tree.  @flags: those of open(2).  Returns a file number or -errno. */
int conn_file_open(struct conn *conn, const char *path, int flags);
/* Open a file of the tree for reading, to show its contents to the user.  @is_terminal: see
 * OPEN in abi/socket.h. */
int conn_file_show(struct conn *conn, const char *path, bool is_terminal);
/* Read data of an open file of the tree, from @offset on, to @conn->data.  Returns the number
 * of bytes; 0 at the end of the file; or -errno. */
int conn_file_read(struct conn *conn, int file, uint64_t offset);
/* Write to an open file of the tree.  Returns the number of bytes that the server has
 * accepted, or -errno. */
int conn_file_write(struct conn *conn, int file, const void *data, size_t bytes);
/* Close a file of the tree.  Returns 0, or -errno if data that was written to the file
 * could not be applied. */
int conn_file_close(struct conn *conn, int file);
/* Send the request @op with @path as its data, and wait for the answer; see conn_call(). */
int conn_path(struct conn *conn, enum abi_socket_op op, const char *path);
/* Read a whole file of the tree to @ret_text.  This function initialises @ret_text even if it
 * fails, and the caller must call text_done().  Must not be used for streams, because they
 * have no end. */
int conn_file_text(struct conn *conn, const char *path, struct text *ret_text);

/* Start a server in the background (start_server.c).  Returns 0 when the server accepts
 * connections.  Prints errors. */
int start_server(const char *dir);

#endif
