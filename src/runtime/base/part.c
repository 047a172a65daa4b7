/* SPDX-License-Identifier: MIT */
/* Pointer to the table of parts (base/part.h); before runtime_init() this table
 * is empty. */
#include "runtime/base/part.h"

static const struct runtime_part none;

const struct runtime_part *runtime_parts = &none;
