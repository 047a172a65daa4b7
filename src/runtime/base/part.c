/* SPDX-License-Identifier: MIT */
/* Pointer to the table of parts (base/part.h); the table is empty before
 * runtime_init(). */
#include "runtime/base/part.h"

static const struct runtime_part none;

const struct runtime_part *runtime_parts = &none;
