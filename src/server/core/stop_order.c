/* SPDX-License-Identifier: MIT */
/* Send orders to the stopper, the process that stops threads; see stop_order.h. */
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

static int stopper = -1;		/* socket by which orders are sent to the stopper;
					 * -1 if there is no stopper */

void stop_orders_init(int socket)
{
	stopper = socket;
}

/* Send the order to stop the threads of @process, except thread @tid.  The process waits
 * for an answer.  If the order cannot be sent, the server stores the error as the answer. */
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

/* Return a text that says why functions were not switched, and what the user can do. */
static const char *reason_of(uint32_t error)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return "These functions, which no compiler has prepared, can be switched only "
		       "while the threads are stopped.  They cannot be stopped, because the "
		       "process cannot be traced (a debugger, /proc/sys/kernel/yama/ptrace_scope, "
		       "PR_SET_DUMPABLE); ulf run can switch them at its start";
	case EBUSY:
		return "A thread of this process did not stop in time, so these functions were not "
		       "switched; try again";
	case EINPROGRESS:
		return "A thread may be in the first instructions of these functions; the next "
		       "change tries them again";
	case ENOMEM:
		return "Only one byte of these functions may be replaced, and where the jump would "
		       "lead are other addresses of the program";
	case EILSEQ:
		return "These functions do not have the bytes that were analysed: a debugger or "
		       "another tool may have changed them";
	}
	return "The threads of this process could not be stopped to switch these functions";
}

/* Log how many functions @process could not switch.  @slot is shared memory, which the
 * process may change at any time, so each word is read only once. */
static void log_left(struct root *root, struct process *process, const struct abi_process *slot)
{
	uint32_t changes = shm_load(&slot->left_changes), nr = shm_load(&slot->left);
	char command[64];

	if (changes == process->left_changes)
		return;
	process->left_changes = changes;
	if (!nr)
		return;
	snprintf(command, sizeof(command), "process %" PRIu32 ": %" PRIu32 " function%s left",
		 process->pid, nr, nr == 1 ? "" : "s");
	error_log_add(&root->top, "stop", reason_of(shm_load(&slot->left_error)), command, 0);
	error_log_warn();
}

void stop_orders_log(struct root *root)
{
	for (uint32_t i = 0; i < ABI_PROCESSES; i++) {
		struct process *process = root->process[i];

		if (process && process->pidfd >= 0)
			log_left(root, process, &root->processes[i]);
	}
}

bool stop_order_is_open(const struct abi_process *slot)
{
	uint32_t given = shm_load(&slot->stop_given);

	/* A negative number in @given is the error of a stop that has failed, so no thread is
	 * kept stopped. */
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
