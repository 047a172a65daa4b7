/* SPDX-License-Identifier: MIT */
/* The sandbox of a parser: resource limits, and a list of allowed system calls. */
#ifndef ULF_SYMBOLS_PARSE_SANDBOX_H
#define ULF_SYMBOLS_PARSE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

struct parse_limits {
	uint64_t memory_bytes;		/* maximum address space of the parser in bytes, in
					 * addition to the memory that is already mapped */
	uint64_t file_bytes;		/* maximum size of the parser's result, bytes */
	uint32_t cpu_seconds;
	uint32_t wall_seconds;		/* maximum wall-clock time, s; 0: the sandbox has no
					 * such limit, and only the server ends the parser */
};

/*
 * parse_sandbox_enter - give up all rights except to compute, to use open descriptors,
 *	and to exit
 *
 * The restrictions of this process are permanent: no new privileges, the limits, and a
 * seccomp filter with a list of allowed system calls.  Opening a file fails with EACCES; any
 * other system call kills the process.  Returns 0, or -errno: then the process must exit.
 *
 * Sanitizers need more memory and system calls than any parser.  In a build with a
 * sanitizer there is no seccomp filter and no limit of address space: see
 * parse_sandbox_is_whole().
 */
int parse_sandbox_enter(const struct parse_limits *limits);
/* Return false in a build with a sanitizer, in which the sandbox is incomplete. */
bool parse_sandbox_is_whole(void);

#endif
