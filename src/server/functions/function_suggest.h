/* SPDX-License-Identifier: MIT */
/* Find the name of an existing function that is similar to a wrong name, as a suggestion
 * in error_log. */
#ifndef ULF_SERVER_FUNCTION_SUGGEST_H
#define ULF_SERVER_FUNCTION_SUGGEST_H

#include <stddef.h>

#include "base/nearest.h"

struct root;

/*
 * Return the name of a traceable function that is similar to the first @len bytes of
 * @word.  Parameters of a C++ function in @word, as in f(int), are ignored.  The text
 * of the result is stored in @near, which the caller provides.  Returns NULL if no
 * name is similar, or if the root's budget is spent.
 */
const char *suggest_function(struct root *root, const char *word, size_t len,
			     struct nearest *near);

#endif
