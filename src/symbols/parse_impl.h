/* SPDX-License-Identifier: MIT */
/* Shared by the files parse*.c alone. */
#ifndef ULF_SERVER_PARSE_IMPL_H
#define ULF_SERVER_PARSE_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "symbols/parse_sandbox.h"
#include "symbols/parse_wire.h"

/* ---- parse_jobs.c ---- */

/*
 * The jobs that a parser can do, by enum parse_job_id.  A new job is a row, a function,
 * and a check of its result in parse_take.c.
 *
 * Each job runs once, in a process of its own, with the descriptors of enum parse_fd.
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

/* Exit status of a parser without a sandbox; and of one for which fork() failed. */
#define PARSE_NO_SANDBOX	97
#define PARSE_NO_PROCESS	98

/*
 * parse_zygote_start - fork the process that forks parsers
 * @ret_socket: requests go there, each with PARSE_FDS descriptors in the order of enum
 *	parse_fd.  It ends when that is closed.
 */
int parse_zygote_start(int *ret_socket);

/* Receive one message and up to @room descriptors; further ones are closed.  Returns the
 * length, 0 at the end, or -errno.  @ret_nr: how many descriptors came. */
ssize_t parse_receive(int socket, void *to, size_t bytes, int *fds, int room, int *ret_nr);
/* Send one message with @nr descriptors, whole or not at all.  -errno */
int parse_send(int socket, const void *from, size_t bytes, const int *fds, int nr);

#endif
