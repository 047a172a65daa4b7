/* SPDX-License-Identifier: MIT */
/* Change settings while the rings are in use: options, tracing_on, tracing_cpumask,
 * pauses. */
#include "arch/arch.h"
#include "server/core/instance.h"
#include "server/core/option_bits.h"
#include "server/core/shm.h"
#include "server/rings/options.h"
#include "server/rings/rings.h"

void instance_set_option(struct instance *instance, uint64_t bit, bool on)
{
	uint64_t options = instance_options(instance);
	struct instance_ring *ring;

	options = on ? options | bit : options & ~bit;
	shm_store(&instance->abi->options, options ^ OPTION_DEFAULTS);
	if (bit != OPTION_OVERWRITE)
		return;
	for_each_ring(ring, instance, RINGS_ALL, CPU_ALL)
		shm_store(&ring->view.ring->overwrite, on);
}

void instance_ask_again(struct instance *instance)
{
	struct instance_ring *ring;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* [switch.off] */
	for_each_ring(ring, instance, RINGS_ALL, CPU_ALL)
		if (ring->kind == ABI_RING_FAST)
			ring_set_recording(ring->view.ring, false);
}

bool instance_set_on(struct instance *instance, bool on)
{
	bool was_on = !__atomic_exchange_n(&instance->abi->stopped,
					   on ? 0 : abi_late_stamp(arch_tsc()),
					   __ATOMIC_RELEASE);	/* [switch.off] */

	instance_ask_again(instance);
	return was_on != on;
}

void instance_set_cpus(struct instance *instance,
		       const uint64_t cpus[ABI_CPUS / 64])
{
	for (size_t i = 0; i < ABI_CPUS / 64; i++)
		shm_store(&instance->abi->cpus_off[i], ~cpus[i]);
	instance_ask_again(instance);
}

bool instance_records(const struct instance *instance, uint32_t cpu)
{
	return instance_is_on(instance) && !shm_load(&instance->abi->paused) &&
	       instance_has_cpu(instance, cpu);
}

void instance_pause(struct instance *instance)
{
	instance_rings(instance)->nr_pauses++;
	shm_store(&instance->abi->paused, 1);
	instance_ask_again(instance);
}

void instance_resume(struct instance *instance)
{
	if (!--instance_rings(instance)->nr_pauses)
		shm_store(&instance->abi->paused, 0);
}
