/* SPDX-License-Identifier: MIT */
/* LTTng-UST's <lttng/tracelog.h>, for ulf: records texts as <lttng/tracef.h> does.  The log
 * level must be a level that LTTng-UST defines, but it is not recorded. */
#ifndef ULF_LTTNG_TRACELOG_H
#define ULF_LTTNG_TRACELOG_H

#include <lttng/tracef.h>

/* The recorded text begins with the file name and line number of the call. */
#define lttng_ust_tracelog(level, fmt, args...)				\
	do {								\
		(void)(enum lttng_ust_tracepoint_loglevel)(level);	\
		trace_printk("%s:%d: " fmt "\n", __FILE__, __LINE__, ##args); \
	} while (0)
#define lttng_ust_vtracelog(level, fmt, ap)				\
	do {								\
		(void)(enum lttng_ust_tracepoint_loglevel)(level);	\
		lttng_ust_vtracef(fmt, ap);				\
	} while (0)

#if LTTNG_UST_COMPAT_API(0)
#define tracelog	lttng_ust_tracelog
#define vtracelog	lttng_ust_vtracelog
#endif

#endif
