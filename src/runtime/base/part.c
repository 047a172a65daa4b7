/* SPDX-License-Identifier: MIT */
/* The table of parts, as the core walks it. */
#include "runtime/base/part.h"

static const struct runtime_part none;

const struct runtime_part *runtime_parts = &none;
