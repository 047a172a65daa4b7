/* SPDX-License-Identifier: MIT */
/* What the parse*.c share among themselves. */
#ifndef ULF_SERVER_PARSE_IMPL_H
#define ULF_SERVER_PARSE_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "server/parse_sandbox.h"
#include "server/parse_wire.h"

/* ---- parse_jobs.c ---- */

/*
 * What a parser can do; the job's number is its row.  A new job is a row, a function and
 * a check of its result in parse_take.c.
 *
 * All run in a process of their own, once, with the descriptors of enum parse_fd.
 */
struct parse_job_type {
	const char *name;
	/* optional: before the sandbox is closed, with nothing read yet; may lower the
	 * limits */
	void (*prepare)(struct parse_limits *limits);
	/* In the sandbox.  0, and the result is written; or -errno.  @bytes_left: of
	 * the request's. */
	int (*run)(const struct parse_request *request, uint64_t *bytes_left);
	/* optional: a session.  Called if run() has returned 0 and the server knows;
	 * returns when the server has left. */
	void (*serve)(void);
	struct parse_limits limits;
};

extern const struct parse_job_type parse_job_types[PARSE_JOBS];

/* ---- parse_zygote.c ---- */

/* Exit status of a parser without a sandbox. */
#define PARSE_NO_SANDBOX	97

/*
 * parse_zygote_start - fork the process that forks parsers
 * @ret_socket: requests go there, each with PARSE_FDS descriptors in the order of enum
 *	parse_fd.  It ends when that is closed.
 */
int parse_zygote_start(int *ret_socket);

/* One message with up to @room descriptors.  The length, or -errno; 0: the end.  Further
 * descriptors are closed; *@ret_nr of them came. */
ssize_t parse_receive(int socket, void *to, size_t bytes, int *fds, int room, int *ret_nr);
/* The same the other way.  -errno; a message is sent whole or not at all. */
int parse_send(int socket, const void *from, size_t bytes, const int *fds, int nr);

#endif
