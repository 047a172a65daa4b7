/* SPDX-License-Identifier: MIT */
/* The options of a buffer, and the setting whether it records. */
#ifndef ULF_SERVER_OPTIONS_H
#define ULF_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/core/option_bits.h"

/* Turn one option on or off. */
void instance_set_option(struct instance *instance, uint64_t bit, bool on);

/* Return true if @cpu records, according to tracing_cpumask. */
static inline bool instance_has_cpu(const struct instance *instance,
				    uint32_t cpu)
{
	return !(shm_load(&instance->abi->cpus_off[cpu / 64]) >> cpu % 64 & 1);
}
/* Set tracing_cpumask.  @cpus is a bitmap of the CPUs that record. */
void instance_set_cpus(struct instance *instance,
		       const uint64_t cpus[ABI_CPUS / 64]);

/* Return the value of tracing_on.  A pause does not change it.  The program may change it,
 * too. */
static inline bool instance_is_on(const struct instance *instance)
{
	return !shm_load(&instance->abi->stopped);
}
/* Set tracing_on.  Returns true if the value has changed. */
bool instance_set_on(struct instance *instance, bool on);
/* Return true if records of @cpu are written to the buffer now. */
bool instance_records(const struct instance *instance, uint32_t cpu);
/* Make writers read the settings again, after they were changed: see runtime/buffer/switch.c. */
void instance_ask_again(struct instance *instance);
/*
 * Pause recording until each instance_pause() had its instance_resume(), or until the
 * server dies.
 */
void instance_pause(struct instance *instance);
void instance_resume(struct instance *instance);

#endif
