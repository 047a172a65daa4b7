/* SPDX-License-Identifier: MIT */
/* Include this file in headers that contain TRACE_CUSTOM_EVENT(). */
#include <linux/tracepoint.h>
