/* SPDX-License-Identifier: MIT */
/* What is changed in rings that are in use: whether they record, and how. */
#include "server/options.h"
#include "server/rings.h"

void instance_set_option(struct instance *instance, uint32_t bit, bool on)
{
	uint64_t options = instance_options(instance);

	options = on ? options | bit : options & ~(uint64_t)bit;
	shm_store(&instance->abi->options, options ^ OPTION_DEFAULTS);
	if (bit != OPTION_OVERWRITE || instance_sync(instance))
		return;
	for (uint32_t i = 0; i < instance->nr_rings; i++)
		if (instance->rings[i].map)
			shm_store(&instance->rings[i].view.ring->overwrite, on);
}

void instance_set_on(struct instance *instance, bool on)
{
	bool is_paused = instance->nr_pauses != 0;

	shm_store(&instance->abi->recording, on && !is_paused);
	shm_store(&instance->abi->paused, on && is_paused);
	if (instance_sync(instance))
		return;
	for (uint32_t i = 0; i < instance->nr_rings; i++) {
		struct instance_ring *ring = &instance->rings[i];

		if (ring->map)
			ring_set_recording(ring->view.ring,
					   ring->view.page_bytes,
					   on && !is_paused &&
					   instance_has_cpu(instance, ring->cpu));
	}
}

void instance_set_cpus(struct instance *instance,
		       const uint64_t cpus[ABI_CPUS / 64])
{
	for (size_t i = 0; i < ABI_CPUS / 64; i++)
		shm_store(&instance->abi->cpus_off[i], ~cpus[i]);
	instance_set_on(instance, instance_is_on(instance));
}

void instance_pause(struct instance *instance)
{
	instance->nr_pauses++;
	instance_set_on(instance, instance_is_on(instance));
}

void instance_resume(struct instance *instance)
{
	instance->nr_pauses--;
	instance_set_on(instance, instance_is_on(instance));
}
