/* SPDX-License-Identifier: MIT */
/* The parameters of the functions of a file, as a session of the parser finds them. */
#ifndef ULF_SERVER_PARAMS_H
#define ULF_SERVER_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/parse.h"

struct elf_params;
struct params;

/* NULL: no memory. */
struct params *params_new(void);
void params_free(struct params *params);

/* Start the session; returns as parse_start() does. */
int params_start(struct params *params, const struct parse_want *want);
/* End the session; another one may be started later.  Answers stay in the cache. */
void params_stop(struct params *params);
bool params_has_session(const struct params *params);
/* How much debug information its session has. */
uint64_t params_bytes(const struct params *params);
/* CLOCK_MONOTONIC, of the last question. */
uint64_t params_used_ns(const struct params *params);

/*
 * params_find - those of the function that @addr is in
 *
 * 0 and the parameters, good until the next call, NULL: not known; -EINPROGRESS: the
 * parser is at work, try again; -ENOENT: there is no session, start one.
 */
int params_find(struct params *params, uint64_t addr, const struct elf_params **ret_params);
/* Why the session failed, for error_log; returned once.  NULL: it did not. */
const char *params_why(struct params *params);

#endif
