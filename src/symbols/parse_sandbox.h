/* SPDX-License-Identifier: MIT */
/* The sandbox of a parser: limits, and the few system calls that it may use. */
#ifndef ULF_SERVER_PARSE_SANDBOX_H
#define ULF_SERVER_PARSE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

struct parse_limits {
	uint64_t memory_bytes;		/* of address space, beside what it has already */
	uint64_t file_bytes;		/* of its result */
	uint32_t cpu_seconds;
	uint32_t wall_seconds;		/* 0: the server ends it */
};

/*
 * parse_sandbox_enter - give up all rights but those to compute, to use the descriptors
 *	that are open, and to end
 *
 * For this process, for ever: no new privileges, the limits, and a seccomp filter that
 * is an allow list.  Another system call kills the process; opening a file fails with
 * EACCES.  -errno: the process must not go on.
 *
 * Sanitizers need more memory and system calls than any parser: in a build with one
 * there is only the limit of CPU time (parse_sandbox_is_whole()).
 */
int parse_sandbox_enter(const struct parse_limits *limits);
bool parse_sandbox_is_whole(void);

#endif
