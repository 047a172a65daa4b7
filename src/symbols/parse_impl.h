/* SPDX-License-Identifier: MIT */
/* Declarations that only the files parse*.c share. */
#ifndef ULF_SYMBOLS_PARSE_IMPL_H
#define ULF_SYMBOLS_PARSE_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "symbols/parse_sandbox.h"
#include "symbols/parse_wire.h"

/* ---- parse_jobs.c: the jobs of a parser ---- */

/*
 * A job that a parser can do.  The table parse_job_types is indexed by enum
 * parse_job_id.  To add a job, add a row, a function, and a check of its result in
 * parse_result.c.
 *
 * Each job runs once, in its own process, with the descriptors of enum parse_fd.
 */
struct parse_job_type {
	const char *name;
	/*
	 * Optional method that may lower *@limits.  Called before the process enters the
	 * sandbox, when it has not read anything yet.
	 */
	void (*prepare)(struct parse_limits *limits);
	/*
	 * Method that does the job, inside of the sandbox.  Returns 0 after it has written
	 * the result, or -errno. *@bytes_left: how many bytes may be read; the method
	 * subtracts what it has read.
	 */
	int (*run)(const struct parse_request *request, uint64_t *bytes_left);
	/*
	 * Optional method that answers queries; with it the job is a session.  Called after
	 * run() has returned 0 and the server was notified.  Returns when the server has
	 * closed the channel.
	 */
	void (*serve)(void);
	struct parse_limits limits;
};

extern const struct parse_job_type parse_job_types[PARSE_JOBS];

/* ---- parse_zygote.c: fork parsers, and send messages ---- */

/*
 * Exit statuses that the server gets if there was no parser to do the job.  PARSE_NO_SANDBOX:
 * the process could not enter its sandbox.  PARSE_NO_PROCESS: the zygote could not fork a
 * process.
 */
#define PARSE_NO_SANDBOX	97
#define PARSE_NO_PROCESS	98

/*
 * parse_zygote_start - fork the zygote, the process that forks parsers
 * @ret_socket: the socket for requests; each request carries PARSE_FDS descriptors in the
 *	order of enum parse_fd.  The zygote exits when the socket is closed.
 *
 * Returns 0 or -errno.
 */
int parse_zygote_start(int *ret_socket);

/*
 * Receive one message, and up to @room descriptors with it.  Further descriptors are closed.
 * Returns the length of the message, 0 at the end of the stream, or -errno.  @ret_nr: number
 * of descriptors in @fds.
 */
ssize_t parse_receive(int socket, void *to, size_t bytes, int *fds, int room, int *ret_nr);
/*
 * Send one message with @nr descriptors, without blocking.  Sends the whole message or
 * nothing.
 * Returns 0 or -errno.
 */
int parse_send(int socket, const void *from, size_t bytes, const int *fds, int nr);

#endif
