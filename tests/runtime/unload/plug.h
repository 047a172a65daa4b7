/* SPDX-License-Identifier: MIT */
/* What the libraries of this test have; the sizes of their functions differ, so that
 * one does not fit into the place of the other. */
#ifndef PLUG_H
#define PLUG_H

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))

long plug_adds(long x);
long plug_calls(long x, long (*back)(long));

#endif
