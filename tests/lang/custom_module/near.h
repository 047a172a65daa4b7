/* SPDX-License-Identifier: MIT */
/* The other way round: the event goes with its module, the tracepoint stays. */
#ifndef NEAR_H
#define NEAR_H

#include "lib/self.h"

extern const struct self_role near_roles[];
void test_near(void);

#endif
