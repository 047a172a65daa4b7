/* SPDX-License-Identifier: MIT */
/* Take snapshots: swap the two sides of a buffer.  See runtime/buffer/switch.c. */
#include <errno.h>

#include "server/core/apply.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/shm.h"
#include "server/rings/options.h"
#include "server/rings/rings.h"

bool instance_has_spare(const struct instance *instance)
{
	return shm_load(&instance->abi->spare) & ABI_SPARE_THERE;
}

/* Swap the sides of @cpu (or CPU_ALL).  As in the kernel, no snapshot is taken while
 * recording is paused. */
void instance_swap(struct instance *instance, int cpu)
{
	struct abi_buffer *abi = instance->abi;

	if (shm_load(&abi->paused))
		return;
	if (cpu == CPU_ALL)
		__atomic_fetch_add(&abi->spare, ABI_SPARE_SWAP,
				   __ATOMIC_SEQ_CST);	/* [switch.off] */
	else
		__atomic_fetch_xor(&abi->cpus_swapped[cpu / 64],
				   1ull << cpu % 64, __ATOMIC_SEQ_CST);
	instance_ask_again(instance);
}

/* Answer a program that has asked for a spare side for snapshots.  The program gets its
 * answer only after every process has applied the new spare side. */
void instance_answer_spare(struct instance *instance)
{
	struct abi_buffer *abi = instance->abi;
	struct apply *apply = &instance_rings(instance)->spare_apply;
	int r = 0;

	if (!shm_load(&abi->spare_asked))
		return;
	if (!apply->root && !instance_has_spare(instance)) {
		r = instance_need_spare(instance);
		if (!r)
			apply_start(instance->root, apply);
	}
	if (!r)
		r = apply_wait(apply, APPLY_WAIT_NS);
	if (r == -EINPROGRESS)
		return;
	shm_store(&abi->spare_error, (uint32_t)-r);
	shm_store(&abi->spare_asked, 0);		/* [switch.spare] */
	shm_wake(&abi->spare_asked);
}

int instance_load_rings(struct instance *instance)
{
	instance_set_defaults(instance);
	/* Free the rest of a spare side, which exists if the previous server has died
	 * while it freed the spare side. */
	if (!instance_has_spare(instance))
		instance_free_spare(instance);
	return 0;
}

void instance_tick_rings(struct instance *instance)
{
	instance_retire(instance);
	if (instance->root->state == SERVER_ROOT_ALIVE)
		instance_answer_spare(instance);
}
