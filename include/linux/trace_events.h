/* SPDX-License-Identifier: MIT */
/* What a header with TRACE_CUSTOM_EVENT()s includes. */
#include <linux/tracepoint.h>
