/* SPDX-License-Identifier: MIT */
/* Headers that contain TRACE_CUSTOM_EVENT() include this file. */
#include <linux/tracepoint.h>
