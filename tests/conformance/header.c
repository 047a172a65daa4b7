/* SPDX-License-Identifier: MIT */
/* Compiles one trace header, -DHEADER='<...>', as a .c file of the kernel uses it.  A few
 * trace headers use macros of another one, which their .c files include first: -DBEFORE. */
#include "kernel.h"

#include <linux/tracepoint.h>
#ifdef BEFORE
#include BEFORE
#endif

#define CREATE_TRACE_POINTS
#include HEADER
