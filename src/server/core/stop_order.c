/* SPDX-License-Identifier: MIT */
/* Send orders to the stopper. */
#include "server/core/stop_order.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "abi/control.h"
#include "abi/stop.h"
#include "server/core/error_log.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "symbols/parse_impl.h"

static int stopper = -1;		/* the socket to the stopper */

void stop_orders_init(int socket)
{
	stopper = socket;
}

/* Send the order of a process.  A process that wants its threads stopped waits for an answer,
 * so if the order cannot be sent the answer is the error. */
static void send_order(const struct root *root, const struct process *process, uint32_t tid)
{
	struct abi_process *slot = &root->processes[process->slot];
	const struct stop_order order = {
		.pid = process->pid, .tid = tid,
		.off = (uint64_t)((char *)slot - (char *)root->control),
	};
	int r = stopper < 0 ? -EPERM : 0;

	shm_store(&slot->stop_given, ABI_STOP_COMING);
	if (!r)
		r = parse_send(stopper, &order, sizeof(order), &root->fd, 1);
	if (!r)
		return;
	shm_store(&slot->stop_given, (uint32_t)r);
	shm_wake(&slot->stop_given);
}

/* Why a stop has failed, and the remedy. */
static const char *reason_of(int error)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		return "The threads of this process cannot be stopped to switch functions that no "
		       "compiler has prepared: it may not be traced (a debugger, "
		       "/proc/sys/kernel/yama/ptrace_scope, PR_SET_DUMPABLE); ulf run can switch "
		       "them at its start";
	case -EBUSY:
		return "A thread of this process did not stop in time, so functions that no "
		       "compiler has prepared were not switched; try again";
	}
	return "The threads of this process could not be stopped to switch functions that no "
	       "compiler has prepared";
}

void stop_orders_log(struct root *root, int error)
{
	char command[32];

	for (uint32_t i = 0; i < ABI_PROCESSES; i++) {
		const struct process *process = root->process[i];

		if (!process || process->pidfd < 0 ||
		    (int)shm_load(&root->processes[i].stop_given) != error)
			continue;
		snprintf(command, sizeof(command), "process %" PRIu32, process->pid);
		error_log_add(&root->top, "stop", reason_of(error), command, 0);
		return;
	}
}

bool stop_order_is_open(const struct abi_process *slot)
{
	uint32_t given = shm_load(&slot->stop_given);

	/* A negative number is the error of a stop that has failed. */
	return shm_load(&slot->stop_wanted) || (given && (given == ABI_STOP_COMING ||
						(int)given > 0));
}

void stop_orders_send(const struct root *root)
{
	for (uint32_t i = 0; i < ABI_PROCESSES; i++) {
		const struct process *process = root->process[i];
		const struct abi_process *slot = &root->processes[i];
		uint32_t tid;

		if (!process || process->pidfd < 0)
			continue;
		tid = shm_load(&slot->stop_wanted);
		if (tid && !shm_load(&slot->stop_given))
			send_order(root, process, tid);
	}
}
