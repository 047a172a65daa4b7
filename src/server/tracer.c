/* SPDX-License-Identifier: MIT */
/* The table of tracers. */
#include "server/graph.h"
#include "server/root.h"
#include "server/shm.h"
#include "server/tracer.h"

const struct tracer tracers[ABI_TRACERS] = {
	[ABI_TRACER_NOP] = { .name = "nop" },
	[ABI_TRACER_FUNCTION] = { .name = "function" },
	[ABI_TRACER_GRAPH] = {
		.name = "function_graph",
		.print_header = graph_print_header,
		.print_line = graph_print_line,
	},
};

const struct tracer *instance_tracer(const struct instance *instance)
{
	uint32_t row = shm_load(&instance->abi->tracer);

	return &tracers[row < ABI_TRACERS ? row : ABI_TRACER_NOP];
}
