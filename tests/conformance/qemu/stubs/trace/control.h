/* SPDX-License-Identifier: MIT */
#ifndef STUB_TRACE_CONTROL_H
#define STUB_TRACE_CONTROL_H

#include "qemu/osdep.h"

typedef struct TraceEvent {
	uint32_t id;
	uint32_t vcpu_id;
	const char *name;
	const bool sstate;
	uint16_t *dstate;
} TraceEvent;

#define TRACE_VCPU_EVENT_NONE ((uint32_t)-1)
#define trace_event_get_vcpu_state(vcpu, id)	(id##_ENABLED)

static inline void trace_event_register_group(TraceEvent **events)
{
	(void)events;
}

#endif
