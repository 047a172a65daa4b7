/* SPDX-License-Identifier: MIT */
/* The table of tracers. */
#include "event/tracer.h"
#include "server/core/instance.h"
#include "server/core/shm.h"
#include "server/print/graph.h"
#include "server/print/tracer.h"

const struct tracer tracers[ABI_TRACERS] = {
	[ABI_TRACER_GRAPH] = {
		.print_header = graph_print_header,
		.print_line = graph_print_line,
	},
};

const struct tracer *instance_tracer(const struct instance *instance)
{
	uint32_t row = shm_load(&instance->abi->tracer);

	return &tracers[row < ABI_TRACERS ? row : ABI_TRACER_NOP];
}

const char *instance_tracer_name(const struct instance *instance)
{
	return tracer_names[instance_tracer(instance) - tracers];
}
