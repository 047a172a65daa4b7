/* SPDX-License-Identifier: MIT */
/* A number that differs from build to build of this program. */
#ifndef BASE_OWN_ID_H
#define BASE_OWN_ID_H

#include <stdint.h>

/* Returns a number that is made of the program's build id, or 0 if the program has no
 * build id. */
uint64_t own_id(void);

#endif
