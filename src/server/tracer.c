/* SPDX-License-Identifier: MIT */
/* The table of tracers. */
#include "server/root.h"
#include "server/shm.h"
#include "server/tracer.h"

const struct tracer tracers[ABI_TRACERS] = {
	[ABI_TRACER_NOP] = { "nop" },
	[ABI_TRACER_FUNCTION] = { "function" },
	[ABI_TRACER_GRAPH] = { "function_graph" },
};

const struct tracer *instance_tracer(const struct instance *instance)
{
	uint32_t row = shm_load(&instance->abi->tracer);

	return &tracers[row < ABI_TRACERS ? row : ABI_TRACER_NOP];
}
