/* SPDX-License-Identifier: MIT */
/* The events; tests/lang/compilers.c has this compiled as C++, too. */
#define CONFIG_KERNEL_WORDS 1
#include <ulf/kernel.h>

#define CREATE_TRACE_POINTS
#include "kernel_trace.h"
