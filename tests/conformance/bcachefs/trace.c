/* SPDX-License-Identifier: MIT */
/* Defines the events of bcachefs's trace header, found as docs/ADOPT.md says. */
#include "types.h"

#define CREATE_TRACE_POINTS
#include <../../fs/bcachefs/trace.h>
