/* SPDX-License-Identifier: MIT */
/* Defines the events of bcachefs's trace header, which is found as docs/ADOPT.md describes. */
#include "types.h"

#define CREATE_TRACE_POINTS
#include <../../fs/bcachefs/trace.h>
