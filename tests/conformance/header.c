/* SPDX-License-Identifier: MIT */
/* One trace header, as a .c file of the kernel would use it: -DHEADER='<...>'.
 * A few use macros of another, which their .c files include first: -DBEFORE. */
#include "kernel.h"

#include <linux/tracepoint.h>
#ifdef BEFORE
#include BEFORE
#endif

#define CREATE_TRACE_POINTS
#include HEADER
