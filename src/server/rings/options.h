/* SPDX-License-Identifier: MIT */
/* The options of an instance, and the settings that decide whether it records. */
#ifndef ULF_SERVER_OPTIONS_H
#define ULF_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/core/option_bits.h"

/* Turn the option @bit (a bit of enum option_bit) of @instance on or off. */
void instance_set_option(struct instance *instance, uint64_t bit, bool on);

/* Return true if tracing_cpumask contains @cpu, so that @cpu may record. */
static inline bool instance_has_cpu(const struct instance *instance,
				    uint32_t cpu)
{
	return !(shm_load(&instance->abi->cpus_off[cpu / 64]) >> cpu % 64 & 1);
}
/* Set tracing_cpumask.  @cpus is a bitmap of the CPUs that record. */
void instance_set_cpus(struct instance *instance,
		       const uint64_t cpus[ABI_CPUS / 64]);

/* Return the value of tracing_on.  Pauses (instance_pause()) do not change this value.
 * The program may change it by tracing_on() and tracing_off(). */
static inline bool instance_is_on(const struct instance *instance)
{
	return !shm_load(&instance->abi->stopped);
}
/* Set tracing_on of @instance to @on.  Returns true if this has changed the value. */
bool instance_set_on(struct instance *instance, bool on);
/* Return true if hits on @cpu are recorded now. */
bool instance_records(const struct instance *instance, uint32_t cpu);
/* Make writers check again whether they must record, and to which side.  Must be called
 * after a setting was changed that decides this.  See runtime/buffer/switch.c. */
void instance_ask_again(struct instance *instance);
/*
 * Pause recording.  Recording continues when instance_resume() has been called once for
 * each instance_pause(), or when the server dies.
 */
void instance_pause(struct instance *instance);
void instance_resume(struct instance *instance);

#endif
