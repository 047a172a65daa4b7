/* SPDX-License-Identifier: MIT */
/* libxfs/xfs_trace.c, which defines the events of the kernel's xfs_trace.h. */
#include "libxfs_priv.h"
#include "libxfs.h"
#include "xfs_ag_resv.h"
#include "xfs_trace_types.h"
#include "xfs_trace_bridge.h"

#define CREATE_TRACE_POINTS
#include "xfs_trace.h"
