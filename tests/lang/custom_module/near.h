/* SPDX-License-Identifier: MIT */
/* Tests of a module with a custom event on a tracepoint of the program.  The event is
 * unloaded with its module, and the tracepoint stays. */
#ifndef NEAR_H
#define NEAR_H

#include "lib/self.h"

extern const struct self_role near_roles[];
void test_near(void);

#endif
