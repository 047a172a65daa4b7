/* SPDX-License-Identifier: MIT */
/*
 * Replacement for include/xfs_trace.h of xfsprogs: the kernel's header, unchanged, in place
 * of macros that do nothing.  There is no include guard, because <trace/define_trace.h>
 * reads this file once for each stage.
 */
#include "xfs_trace_types.h"

/*
 * libxfs_api_defs.h renames functions of the kernel (xfs_trans_commit becomes
 * libxfs_trans_commit), and with them the events of these names.  adopt.sh writes two files
 * that undo the renaming while the events are defined.
 */
#include "xfs_trace_push.h"
#include "kernel/xfs_trace.h"
#include "xfs_trace_pop.h"

/* xfsprogs 6.1.0 passes two more arguments than Linux 6.1 stable takes. */
#ifndef CREATE_TRACE_POINTS
#define trace_xfs_refcount_finish_one_leftover(mp, agno, type, bno, len, new_bno, new_len) \
	trace_xfs_refcount_finish_one_leftover(mp, agno, type, bno, len)
#endif
