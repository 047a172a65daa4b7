/* SPDX-License-Identifier: MIT */
/*
 * Explain errors to users: what an errno means for the ulf directory, and what to do.  @error
 * is -errno.  The functions return a text that the caller must not free: a constant, or the
 * text of strerror().
 */
#ifndef ULF_CLI_REASON_H
#define ULF_CLI_REASON_H

#include <stdint.h>

/* Return a text that says why a server cannot work in its ulf directory. */
const char *reason_server(int error);
/* Return a text that says why libulf could not make a root for its program. */
const char *reason_no_root(int error);
/* Return a text that says why a program could not be followed.  @reason: enum abi_unfollowed. */
const char *reason_unfollowed(uint32_t reason);

#endif
