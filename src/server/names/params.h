/* SPDX-License-Identifier: MIT */
/* The parameters of the functions of a file.  A session of the parser finds the parameters. */
#ifndef ULF_SERVER_PARAMS_H
#define ULF_SERVER_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/parse.h"

struct elf_params;
struct params;

/* Allocate an empty cache of parameters.  Returns NULL if there is no memory. */
struct params *params_new(void);
/* End the session of the parser and free the cache.  @params may be NULL. */
void params_free(struct params *params);

/* Start a session of the parser for the file.  Returns 0; -EBUSY if there are too many jobs,
 * so that the caller must try again later; or another -errno. */
int params_start(struct params *params, const struct parse_want *want);
/* End the session of the parser.  Another session can be started later.  Cached answers
 * stay. */
void params_stop(struct params *params);
/* Return true if a session of the parser is running. */
bool params_has_session(const struct params *params);
/* Return how many bytes of debug information the parser's session has read. */
uint64_t params_bytes(const struct params *params);
/* Return the time when params_find() last needed the parser's session, CLOCK_MONOTONIC,
 * ns.  A call that finds its answer in the cache does not count. */
uint64_t params_used_ns(const struct params *params);

/*
 * params_find - find the parameters of the function that contains @addr
 *
 * Returns 0 and the parameters, which are valid until the next call; they are NULL if
 * they are unknown.  Returns -EINPROGRESS if the parser is working, so that the caller
 * must call again later.  Returns -ENOENT if there is no session, so that the caller
 * must call params_start().
 */
int params_find(struct params *params, uint64_t addr, const struct elf_params **ret_params);
/* Return the reason why the parser's session has failed, for error_log; NULL if it has
 * not failed.  Each failure is returned only once. */
const char *params_why(struct params *params);

#endif
