/* SPDX-License-Identifier: MIT */
/* Defines the events.  tests/lang/compilers.c compiles this file as C++, too. */
#define CREATE_TRACE_POINTS
#include "fields_trace.h"
