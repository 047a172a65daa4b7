/* SPDX-License-Identifier: MIT */
/* Find the tracer of an instance; and define the tracer nop. */
#include "server/core/instance.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/print/tracer.h"

const struct tracer tracer_nop = { .has_functions = false };

uint32_t instance_tracer_number(const struct instance *instance)
{
	uint32_t number = shm_load(&instance->abi->tracer);

	return number < NR_TRACERS ? number : TRACER_NOP;
}

const struct tracer *instance_tracer(const struct instance *instance)
{
	return instance->root->parts->tracers[instance_tracer_number(instance)];
}

const char *instance_tracer_name(const struct instance *instance)
{
	return tracer_table[instance_tracer_number(instance)].name;
}
