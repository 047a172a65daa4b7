/* SPDX-License-Identifier: MIT */
/* The table of parts, over which the core walks. */
#include "runtime/base/part.h"

static const struct runtime_part none;

const struct runtime_part *runtime_parts = &none;
