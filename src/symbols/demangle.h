/* SPDX-License-Identifier: MIT */
/*
 * Demangle names of C++ functions.  This code runs in a parser (parse_jobs.c), never in the
 * server.
 */
#ifndef ULF_SYMBOLS_DEMANGLE_H
#define ULF_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

struct text;

/*
 * Prepare this process for demangle_name(); call it once, before the first name.  Starts a
 * timer of the process and installs a handler for SIGPROF.  The handler aborts a name that
 * takes too long.
 */
void demangle_prepare(void);

/*
 * demangle_name - append the demangled name to @out
 *
 * Returns false and writes nothing in three cases: @name is no C++ name; demangling takes too
 * long (100 ms of CPU time at most); the result is longer than 4 KiB. While libstdc++ works,
 * it allocates without limit, so the caller must limit the memory of the process.  Not
 * thread-safe.
 */
bool demangle_name(const char *name, struct text *out);

#endif
