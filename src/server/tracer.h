/* SPDX-License-Identifier: MIT */
/* Tracers: what records besides the events, and how a buffer with it is printed. */
#ifndef ULF_SERVER_TRACER_H
#define ULF_SERVER_TRACER_H

#include <stdint.h>

#include "abi/control.h"

struct instance;

/* A row for each enum abi_tracer. */
struct tracer {
	const char *name;
};

extern const struct tracer tracers[ABI_TRACERS];

/* The buffer's; nop if its memory says nonsense. */
const struct tracer *instance_tracer(const struct instance *instance);

#endif
