/* SPDX-License-Identifier: MIT */
/* Snapshots: the two sides of a buffer change places; see runtime/switch.c. */
#include <errno.h>

#include "server/options.h"
#include "server/rings.h"
#include "server/root.h"
#include "server/shm.h"

bool instance_has_spare(const struct instance *instance)
{
	return shm_load(&instance->abi->spare) & ABI_SPARE_THERE;
}

/* The kernel takes none while it is paused, either. */
void instance_swap(struct instance *instance, int cpu)
{
	struct abi_buffer *abi = instance->abi;

	if (shm_load(&abi->paused))
		return;
	if (cpu == CPU_ALL)
		__atomic_fetch_add(&abi->spare, ABI_SPARE_SWAP, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_xor(&abi->cpus_swapped[cpu / 64],
				   1ull << cpu % 64, __ATOMIC_SEQ_CST);
	instance_ask_again(instance);
}

void instance_answer_spare(struct instance *instance)
{
	struct abi_buffer *abi = instance->abi;
	bool had_spare = instance_has_spare(instance);
	struct apply apply;
	int r;

	if (!shm_load(&abi->spare_asked))
		return;
	r = instance_need_spare(instance);
	if (!r && !had_spare) {
		apply_start(instance->root, &apply);
		r = apply_wait(&apply, APPLY_WAIT_NS);
	}
	shm_store(&abi->spare_error, r && r != -EINPROGRESS ? (uint32_t)-r : 0);
	shm_store(&abi->spare_asked, 0);
	shm_wake(&abi->spare_asked);
}
