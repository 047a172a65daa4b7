/* SPDX-License-Identifier: MIT */
/* A connection with the server; see abi/socket.h. */
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
	int fd;
	char dir[DIR_PATH_BYTES];	/* the ulf directory */
	int server_pid;
	struct text data;		/* what came with the last answer */
	struct life life;		/* of the server, while it is waited for */
	bool is_lost;			/* it was given up: nothing more is asked */
};

enum conn_flags {
	CONN_START	= 1,		/* start a server if none runs */
	CONN_RESTORE	= 2,		/* for `ulf mount --restore` */
};

/* Says what is wrong itself, but for -ENOTCONN: none runs, none was to be
 * started.  Sets @conn->dir in any case where it can be found. */
int conn_open(struct conn *conn, int flags);
void conn_close(struct conn *conn);

/*
 * conn_call - a request and its answer
 * @text, @bytes: what goes with it
 * Gives the answer's result; the data is in @conn->data, which is empty if there is no
 * answer.  -EPIPE: the
 * connection is gone.  -ETIMEDOUT: the server shows no sign of life; why, and what to do,
 * has been said (life.h).
 */
int conn_call(struct conn *conn, const struct abi_request *request, const void *text,
	      size_t bytes);
/* The two halves, for one who waits for something else meanwhile. */
int conn_send(struct conn *conn, const struct abi_request *request, const void *text,
	      size_t bytes, int pass_fd);
int conn_receive(struct conn *conn);
/* For one who waits by himself between the two: call it each LIFE_LOOK_MS.  -ETIMEDOUT as
 * above. */
int conn_look(struct conn *conn);

/* The usual ones.  Results as open(2), read(2) ... but -errno. */
int conn_file_open(struct conn *conn, const char *path, int flags);
/* Open for reading; @is_terminal: see OPEN in abi/socket.h. */
int conn_file_show(struct conn *conn, const char *path, bool is_terminal);
int conn_file_read(struct conn *conn, int file, uint64_t offset);
int conn_file_write(struct conn *conn, int file, const void *data, size_t bytes);
int conn_file_close(struct conn *conn, int file);
int conn_path(struct conn *conn, enum abi_socket_op op, const char *path);
/* All of a file that has an end, into @ret_text, which is not yet initialised
 * and is the caller's to text_done(). */
int conn_file_text(struct conn *conn, const char *path, struct text *ret_text);

/* start.c: fork a server; 0 when it can be connected to.  Says what is wrong. */
int start_server(const char *dir);

#endif
