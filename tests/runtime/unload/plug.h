/* SPDX-License-Identifier: MIT */
/* The functions of the libraries.  Their sizes differ, so that a library does not fit into
 * the place of another. */
#ifndef PLUG_H
#define PLUG_H

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))

long plug_adds(long x);
long plug_calls(long x, long (*back)(long));

/* Returns the address of _dl_find_object() that the library has; NULL if libc has none. */
const void *plug_unwinder(void);

#endif
