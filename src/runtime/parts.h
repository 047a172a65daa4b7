/* SPDX-License-Identifier: MIT */
/* The table of parts (base/part.h). */
#ifndef ULF_RUNTIME_PARTS_H
#define ULF_RUNTIME_PARTS_H

#include "runtime/base/part.h"

/* All parts; a row without a name ends the table. */
extern const struct runtime_part runtime_part_table[];

#endif
