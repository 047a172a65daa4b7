/* SPDX-License-Identifier: MIT */
/* Defines the events.  tests/lang/compilers.c compiles this file as C++, too. */
#define CONFIG_KERNEL_WORDS 1
#include <ulf/kernel.h>

#define CREATE_TRACE_POINTS
#include "kernel_trace.h"
