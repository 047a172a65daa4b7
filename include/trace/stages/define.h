/* SPDX-License-Identifier: MIT */
/* Stage 1: define the tracepoints. */
#include <trace/stages/undef.h>
#include <trace/stages/points.h>

#define __ULF_POINT(name, proto, args, cond, reg, unreg)		\
	DEFINE_TRACE_FN(name, reg, unreg, PARAMS(proto), PARAMS(args))	\
	__ULF_END
