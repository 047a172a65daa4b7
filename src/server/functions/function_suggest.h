/* SPDX-License-Identifier: MIT */
#ifndef ULF_SERVER_FUNCTION_SUGGEST_H
#define ULF_SERVER_FUNCTION_SUGGEST_H

#include <stddef.h>

#include "base/nearest.h"

struct root;

/* Returns the traceable function whose name is near to the first @len bytes of @word, in
 * @near, or NULL. */
const char *suggest_function(struct root *root, const char *word, size_t len,
			     struct nearest *near);

#endif
