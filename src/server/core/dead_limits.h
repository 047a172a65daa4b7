/* SPDX-License-Identifier: MIT */
/*
 * How much dead roots may take, from the section [ulf server] of ulf.conf (base/config.h):
 *
 *	dead_roots=NUMBER	so many of them
 *	dead_bytes=SIZE		so much memory, with K, M or G; or a part of the
 *				file system that they are in, with %
 *	dead_days=NUMBER	for so long
 *
 * The oldest are removed first.
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
 * dead_limits_load - the settings, or the defaults where there are none
 * @dir: in the file system of the roots
 * @ret_bad: the first word that is not understood, cut if it is long; "" if there is none.
 * NULL: nobody asks.
 */
void dead_limits_load(const char *dir, struct dead_limits *ret_limits, char *ret_bad);

#endif
