/* SPDX-License-Identifier: MIT */
/* The options of a buffer, and whether it records. */
#ifndef ULF_SERVER_OPTIONS_H
#define ULF_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/core/options.h"

void instance_set_option(struct instance *instance, uint64_t bit, bool on);

/* tracing_cpumask: does this CPU record? */
static inline bool instance_has_cpu(const struct instance *instance,
				    uint32_t cpu)
{
	return !(shm_load(&instance->abi->cpus_off[cpu / 64]) >> cpu % 64 & 1);
}
void instance_set_cpus(struct instance *instance,
		       const uint64_t cpus[ABI_CPUS / 64]);

/* tracing_on, which a pause does not change; the program may switch it, too. */
static inline bool instance_is_on(const struct instance *instance)
{
	return !shm_load(&instance->abi->stopped);
}
/* Returns whether that is a change. */
bool instance_set_on(struct instance *instance, bool on);
/* Does a record of this CPU go to the buffer? */
bool instance_records(const struct instance *instance, uint32_t cpu);
/* Have the writers look at what was changed: see runtime/buffer/switch.c. */
void instance_ask_again(struct instance *instance);
/* Nothing is recorded until each pause has its resume, or the server dies. */
void instance_pause(struct instance *instance);
void instance_resume(struct instance *instance);

#endif
