/* SPDX-License-Identifier: MIT */
/*
 * The server's side of the parser.  What a program names and we parse (ELF, DWARF, BTF,
 * xz, names of C++) is parsed by a process without rights, one for each file: see
 * docs/design/symbols.md, "The parser".  Here jobs are started and their results fetched.
 *
 * The server never waits for a parser: parse_poll() returns -EINPROGRESS, and the caller
 * tries again later.  In a process without an event loop (`ulf dump`, unit tests)
 * parse_start() waits.
 */
#ifndef ULF_SERVER_PARSE_H
#define ULF_SERVER_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/parse_wire.h"

struct parse_job;
struct parsed;

struct parse_want {
	void *owner;			/* the root; each may have a few jobs at once */
	struct parse_request request;
	int fd;				/* what is parsed; belongs to the job, at once */
	const char *path;		/* debug information is looked for beside it;
					 * NULL: by its build id alone */
};

/*
 * parse_start - have a file parsed
 *
 * -EBUSY: the owner has as many jobs as it may have, try again later; -ENOMEM, -EMFILE
 * and the like.  Closes @want->fd then, too.
 */
int parse_start(const struct parse_want *want, struct parse_job **ret_job);
/* May the owner start another one? */
bool parse_has_room(const void *owner);
/* Free the job; kills a parser that is still at work.  NULL is allowed. */
void parse_free(struct parse_job *job);

/*
 * parse_poll - how far the job is
 *
 * 0: done; a session may be asked.  -EINPROGRESS: at work.  -ECANCELED: the session was
 * idle and has ended, start another one if it is needed.  Other errors: the file cannot
 * be read, or the parser has failed (parse_why()).
 */
int parse_poll(const struct parse_job *job);
/* For error_log, a constant: the parser died or was too slow.  NULL: it did its work. */
const char *parse_why(const struct parse_job *job);
/* How much of the request's bytes_left was read, as the parser says. */
uint64_t parse_bytes_read(const struct parse_job *job);
/* Take the result, once.  It is not checked: see parse_take.h.  NULL: there is none, or
 * no memory. */
struct parsed *parse_take(struct parse_job *job);

/* Ask a session about a function.  One question at a time: -EBUSY; -EPIPE: it is gone. */
int parse_query(struct parse_job *job, uint64_t addr);
/* The answer to the last question, once; @ret_bytes of it.  NULL: not yet. */
const struct parse_answer *parse_answer(struct parse_job *job, uint32_t *ret_bytes);

/* Wait up to @ms for a job.  For callers that cannot try again later. */
void parse_wait(struct parse_job *job, uint32_t ms);

/*
 * parse_init - start the process that starts parsers, while this one is still small
 * @is_async: there is an event loop; parse_start() does not wait
 *
 * Done by the first parse_start() otherwise.
 */
int parse_init(bool is_async);
/* A descriptor that is readable when parse_dispatch() has work; -1. */
int parse_poll_fd(void);
/* Take in what has come; end what takes too long.  Is any job further than before, or has
 * parse_next_ended() something? */
bool parse_dispatch(void);
/* Is a file being parsed?  Programs may wait for it, and must see that the server lives. */
bool parse_is_running(void);
/* The owner of a job that has ended, each job once; NULL: no more.  Its result takes
 * memory until the owner has taken it. */
void *parse_next_ended(void);
/* Another number whenever a job is further: until then there is no need to try again. */
uint64_t parse_serial(void);

#endif
