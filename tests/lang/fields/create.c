/* SPDX-License-Identifier: MIT */
/* The events; tests/lang/compilers.c has this compiled as C++, too. */
#define CREATE_TRACE_POINTS
#include "fields_trace.h"
