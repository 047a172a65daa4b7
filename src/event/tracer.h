/* SPDX-License-Identifier: MIT */
/* The names of tracers, as in current_tracer. */
#ifndef EVENT_TRACER_H
#define EVENT_TRACER_H

#include "abi/control.h"

extern const char *const tracer_names[ABI_TRACERS];

/* Find a tracer by its name.  Returns its number (enum abi_tracer), or -EINVAL. */
int tracer_find(const char *name);

#endif
