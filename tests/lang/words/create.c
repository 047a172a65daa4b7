/* SPDX-License-Identifier: MIT */
/* Defines the events of three headers in one file. */
#define CREATE_TRACE_POINTS
#include <trace/events/words.h>
#include "rel/rel.h"
#include "sub/sub_trace.h"
