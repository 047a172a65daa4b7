/* SPDX-License-Identifier: MIT */
/* Names of C++ functions as they are written.  Runs in a parser (parse_jobs.c). */
#ifndef ULF_SERVER_DEMANGLE_H
#define ULF_SERVER_DEMANGLE_H

#include <stdbool.h>

struct text;

/* Once in a process, before the first name: a timer of the process, and a handler for
 * SIGPROF, that end names which take too long. */
void demangle_prepare(void);

/*
 * demangle_name - write the name as it is written, of up to 4 KiB
 *
 * False, and nothing written: it is no name of C++, is longer, or takes more than 100 ms.
 * The library that does it allocates what it likes meanwhile: the caller has a limit of
 * memory.
 */
bool demangle_name(const char *name, struct text *out);

#endif
