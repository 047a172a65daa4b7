/* SPDX-License-Identifier: MIT */
/* The only source file that defines events; it defines all of them.  Other files include a
 * trace header and call trace_<event>(). */
#define CREATE_TRACE_POINTS

#include "trace/events/irq.h"
#include "trace/events/kmem.h"
#include "trace/events/net.h"
#include "trace/events/raw_syscalls.h"
#include "trace/events/sched.h"
#include "trace/events/signal.h"
#include "trace/events/syscalls.h"
#include "trace/events/timer.h"
#include "trace/events/workqueue.h"
