/* SPDX-License-Identifier: MIT */
/* LTTng-UST's <lttng/tracef.h>, for ulf.  lttng_ust_tracef() records its text as
 * trace_printk() does, so each text is one line of the trace. */
#ifndef ULF_LTTNG_TRACEF_H
#define ULF_LTTNG_TRACEF_H

#include <lttng/tracepoint.h>
#include <ulf/tracing.h>

/* Format a text and record it as __trace_puts() does, which adds the newline that
 * LTTng-UST's texts lack.  @ip: the address of the call.  errno is kept. */
ULF_NOTRACE
static inline __attribute__((__format__(__printf__, 2, 0), __unused__)) void
ulf_ust_vtracef(unsigned long ip, const char *fmt, va_list ap)
{
	int saved_errno = errno;
	char text[1024];
	int len;

	if (!tracing_is_on())
		return;
	len = vsnprintf(text, sizeof(text), fmt, ap);
	if (len > 0)
		__trace_puts(ip, text, len < (int)sizeof(text) ? len : (int)sizeof(text) - 1);
	errno = saved_errno;
}

/* @fmt must be a string literal. */
#define lttng_ust_tracef(fmt, args...)	trace_printk(fmt "\n", ##args)
#define lttng_ust_vtracef(fmt, ap)	ulf_ust_vtracef(__ULF_THIS_IP, fmt, ap)

#if LTTNG_UST_COMPAT_API(0)
#define tracef		lttng_ust_tracef
#define vtracef		lttng_ust_vtracef
#endif

#endif
