/* SPDX-License-Identifier: MIT */
/*
 * How much space dead roots may take, from the section [ulf server] of ulf.conf
 * (base/config.h):
 *
 *	dead_roots=NUMBER	maximum number of dead roots
 *	dead_bytes=SIZE		maximum of their memory, with K, M or G; or a part of
 *				their file system, with %
 *	dead_days=NUMBER	maximum age
 *
 * The oldest dead roots are removed first.
 */
#ifndef ULF_SERVER_DEAD_LIMITS_H
#define ULF_SERVER_DEAD_LIMITS_H

#include <stddef.h>
#include <stdint.h>

struct dead_limits {
	uint32_t roots;
	uint64_t bytes;
	uint32_t days;
};

#define DEAD_LIMITS_BAD_BYTES	128u

/*
 * dead_limits_load - read the limits of dead roots from ulf.conf, or use defaults
 * @dir: a directory in the file system of the roots
 * @ret_bad: the first token that is not understood, cut to DEAD_LIMITS_BAD_BYTES; ""
 *   if there is none.  May be NULL.
 */
void dead_limits_load(const char *dir, struct dead_limits *ret_limits, char *ret_bad);

#endif
