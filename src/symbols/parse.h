/* SPDX-License-Identifier: MIT */
/*
 * The server's functions for parsers.  Data that a program provides (ELF, DWARF, xz, C++
 * names) is parsed by a process without rights, one process for each file:
 * docs/design/symbols.md, "The parser".  The functions here start jobs and fetch their
 * results.
 *
 * The server never waits for a parser: parse_poll() returns -EINPROGRESS, and the
 * caller tries again later.  In a process without an event loop (`ulf dump`, unit
 * tests) parse_start() waits.
 *
 * All functions must be called by the main thread.
 */
#ifndef ULF_SYMBOLS_PARSE_H
#define ULF_SYMBOLS_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/parse_wire.h"

struct parse_job;
struct parsed;

/* A file to parse. */
struct parse_want {
	void *owner;			/* the root for which the job runs; each owner may
					 * have only a few jobs at the same time */
	struct parse_request request;
	int fd;				/* descriptor of the file; parse_start() closes
					 * it, even if parse_start() fails */
	struct parse_cache {		/* Cache files for the table of moved functions.
					 * request.cache says which of them exist.
					 * parse_start() closes both descriptors. */
		int old_fd, new_fd;
	} cache;
	const char *path;		/* path of the file; the separate debug file may
					 * be next to it.  NULL: the debug file is found
					 * only by the build id */
};

/*
 * parse_start - start to parse a file
 *
 * Returns 0; -EBUSY if the owner already has the maximum number of jobs (try again later);
 * -ENOMEM, -EMFILE or another error.  Closes @want->fd in any case.  The caller frees the
 * job with parse_free().
 */
int parse_start(const struct parse_want *want, struct parse_job **ret_job);
/* Return true if @owner may start another job. */
bool parse_has_room(const void *owner);
/* Free the job.  If its parser still runs, kill the parser.  NULL is allowed. */
void parse_free(struct parse_job *job);

/*
 * parse_poll - return the state of a job
 *
 * 0: done; a session can be queried.  -EINPROGRESS: the parser is working.  -ECANCELED: the
 * session was idle and has ended; start a new one if needed.  Another -errno: the file cannot
 * be read, or the parser has failed (see parse_why()).
 */
int parse_poll(const struct parse_job *job);
/*
 * Return a constant text for error_log if the parser died or was too slow.  Returns NULL if
 * the parser itself did not fail.
 */
const char *parse_why(const struct parse_job *job);
/*
 * Return how many of the bytes that the request allowed (bytes_left) the parser has
 * read.  This number is the parser's own report.
 */
uint64_t parse_bytes_read(const struct parse_job *job);
/*
 * Take the result of a job, which is possible only once per job.  The result is not checked
 * yet: see parse_result.h.  Returns NULL if there is no result, or no memory.  The caller
 * frees the result with parsed_free().
 */
struct parsed *parse_map_result(struct parse_job *job);

/*
 * Ask a session for the parameters of the function at @addr.  Returns 0; -EBUSY if the
 * last query has no answer yet; -EPIPE if the session has ended.
 */
int parse_query(struct parse_job *job, uint64_t addr);
/*
 * Return a session's answer to the last query, and its length in *@ret_bytes.  Each
 * answer is returned only once.  Returns NULL if there is no new answer.  The answer is
 * valid until the next parse_query() or parse_free().
 */
const struct parse_answer *parse_answer(struct parse_job *job, uint32_t *ret_bytes);

/*
 * Wait up to @ms milliseconds for the end of a job, or for the answer of a session.  For
 * callers that cannot try again later.
 */
void parse_wait(struct parse_job *job, uint32_t ms);

/*
 * parse_init - start the zygote, the process that starts parsers
 * @is_async: true if there is an event loop, so that parse_start() must not wait
 *
 * Call it early, while this process is still small.  If it is not called, the first
 * parse_start() starts the zygote.  Returns 0 or -errno.
 */
int parse_init(bool is_async);
/* Return a descriptor that becomes readable when parse_dispatch() has work, or -1. */
int parse_poll_fd(void);
/*
 * Receive the messages of all parsers, and end parsers that take too long.  Returns true if a
 * job has made progress, or if parse_next_ended() has a job to return.
 */
bool parse_dispatch(void);
/*
 * Return true if a parser is running.  Programs may be waiting for its result, so the
 * server's beat must show them that the server is alive.
 */
bool parse_is_running(void);
/*
 * Return the owner of a job that has ended.  Each job is reported once.  NULL: there
 * are no more jobs.  A result takes memory until its owner has called
 * parse_map_result().
 */
void *parse_next_ended(void);
/*
 * Return a number that rises whenever a job makes progress.  If it has not changed,
 * parse_poll() has nothing new to return.
 */
uint64_t parse_serial(void);

#endif
