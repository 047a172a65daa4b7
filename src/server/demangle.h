/* SPDX-License-Identifier: MIT */
/* Names of C++ functions as they are written. */
#ifndef ULF_SERVER_DEMANGLE_H
#define ULF_SERVER_DEMANGLE_H

struct text;

/* Any other name is written as it is. */
void demangle_print(const char *name, struct text *out);

#endif
