/* SPDX-License-Identifier: MIT */
/*
 * How processes apply settings.  The server stores the settings, then raises
 * abi_control.generation and wakes the agents.  Each agent (runtime/agent.c) applies the
 * settings and stores the generation in abi_process.applied.
 *
 * The server does not wait for a process that is stopped.  Such a process applies the
 * newest generation when it continues.  Until its agent has run, its other threads may
 * still record events that were switched off meanwhile.  A process that has no slot yet
 * applies the settings before it continues.  A process that could not start its agent
 * keeps its old settings.  If no process has an agent, the server refuses to switch
 * anything on.
 *
 * If the root's budget is spent before all processes have been checked, the request
 * that changed the settings stays parked.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/core/apply.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/now.h"
#include "server/core/part.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/roots.h"
#include "server/core/server_roots.h"
#include "server/core/shm.h"
#include "server/core/stop_order.h"

#define APPLY_LIMIT_NS	2000000000u	/* maximum time that a write to a tracefs file
					 * waits until all processes have applied the
					 * settings, ns */

#define PAUSE_LIMIT_NS	50000000u	/* limit of the time after a write in which
					 * apply_pause() sleeps, ns; a process that takes
					 * longer is looked at only at ticks */

#define STOP_LIMIT_NS	12000000000u	/* time that is added to APPLY_LIMIT_NS while a
					 * process waits until its threads are stopped,
					 * ns: the process tries three times, for three
					 * seconds each */

static uint32_t raise_generation(struct root *root)
{
	uint32_t *generation = &root->control->generation;
	uint32_t next = shm_load(generation) + 1;

	__atomic_store_n(generation, next, __ATOMIC_RELEASE);	/* [agent.setting] */
	/*
	 * Scan the slots after the store of the generation: a process that claims a slot
	 * concurrently either reads the new generation or is found here.  Mate:
	 * process_claim() [process.claim]
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	shm_wake(generation);
	process_scan(root);
	return next;
}

void apply_start(struct root *root, struct apply *ret_apply)
{
	const struct root_part *part;

	for_each_root_part(part, root->parts, settings_changed)
		part->settings_changed(root);
	ret_apply->root = root;
	ret_apply->generation = raise_generation(root);
	ret_apply->deadline_ns = server_now_ns() + APPLY_LIMIT_NS;
}

/*
 * Return true if process @pid is stopped: its state in /proc/PID/stat is T or t.  In
 * this file the state follows the last ')', because the name of the process before it
 * may contain any byte.
 */
static bool is_stopped(uint32_t pid)
{
	char path[64], stat[512];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	stat[n > 0 ? n : 0] = '\0';
	end = strrchr(stat, ')');
	return end && end[1] == ' ' && (end[2] == 'T' || end[2] == 't');
}

static bool has_applied(const struct abi_process *shared, uint32_t generation)
{
	uint32_t applied = shm_load(&shared->applied);	/* [agent.ack] */

	return (int32_t)(applied - generation) >= 0;
}

/*
 * Return a process that the server must still wait for because it has not applied
 * @generation.  Returns NULL if there is no such process.
 */
static struct abi_process *find_late(const struct root *root,
				     uint32_t generation)
{
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		const struct process *process = root->process[slot];
		struct abi_process *shared = &root->processes[slot];

		if (!process || process->pidfd < 0 ||
		    !(shm_load(&shared->flags) & ABI_PROCESS_AGENT) ||
		    has_applied(shared, generation))
			continue;
		/* Also wait for a process whose threads the stopper has stopped: these
		 * threads continue soon. */
		if (stop_order_is_open(shared) || !is_stopped(process->pid))
			return shared;
	}
	return NULL;
}

/*
 * Return the error of the first process that failed to apply settings or to start its
 * agent.  If @has_agent is true, only processes with an agent count; otherwise only
 * processes without one.
 */
static int find_error(const struct root *root, bool has_agent)
{
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		const struct process *process = root->process[slot];
		const struct abi_process *shared = &root->processes[slot];
		uint32_t error;

		if (!process || process->pidfd < 0 ||
		    has_agent != !!(shm_load(&shared->flags) & ABI_PROCESS_AGENT))
			continue;
		error = shm_load(&shared->error);
		if (error && error < 4096)
			return -(int)error;
	}
	return 0;
}

static bool has_agents(const struct root *root)
{
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		const struct process *process = root->process[slot];

		if (process && process->pidfd >= 0 &&
		    shm_load(&root->processes[slot].flags) & ABI_PROCESS_AGENT)
			return true;
	}
	return false;
}

int apply_check(struct instance *instance, const char *file)
{
	int r;

	process_scan(instance->root);
	r = find_error(instance->root, false);
	if (r)
		error_log_add(instance, "agent",
			      "A process of the program could not start its agent thread",
			      file, 0);
	return has_agents(instance->root) ? 0 : r;
}

/* Return true if the request that changed the settings has waited long enough for the
 * processes.  @late: a process that has not applied the settings, or NULL. */
static bool is_overdue(const struct apply *apply, const struct abi_process *late, uint64_t now)
{
	bool is_stop = late && stop_order_is_open(late);

	return now >= apply->deadline_ns + (is_stop ? STOP_LIMIT_NS : 0);
}

void apply_tick(struct root *root)
{
	int r;

	stop_orders_send(root);
	stop_orders_log(root);
	if (!root->is_late || find_late(root, root->late_generation))
		return;
	root->is_late = false;
	r = find_error(root, true);
	if (r)
		error_log_add(&root->top, "agent", strerrordesc_np(-r),
			      "settings that were written before are not in force", 0);
}

static void report_refusal(struct root *root)
{
	const struct root_part *part;

	for_each_root_part(part, root->parts, refused)
		part->refused(root);
}

/* Remember for apply_pause() which process the caller waits for. */
static int park(struct apply *apply, struct abi_process *late)
{
	struct root *root = apply->root;

	root->awaited = late;
	root->awaited_applied = late ? shm_load(&late->applied) : 0;
	root->awaited_until_ns = apply->deadline_ns - APPLY_LIMIT_NS + PAUSE_LIMIT_NS;
	return -EINPROGRESS;
}

/* Sleep until the process for which @root waits (root.awaited) has applied more settings or
 * wants its threads stopped.  Returns false, without sleeping, if @root waits for no process. */
static bool pause_root(struct root *root, uint64_t now_ns, uint64_t wait_ns, bool *ret_has_news)
{
	struct abi_process *slot = root->awaited;

	if (!slot || now_ns >= root->awaited_until_ns || !root_is_usable(root))
		return false;
	shm_wait(&slot->applied, root->awaited_applied, wait_ns);
	*ret_has_news = shm_load(&slot->applied) != root->awaited_applied ||
			(shm_load(&slot->stop_wanted) && !shm_load(&slot->stop_given));
	return true;
}

bool apply_pause(struct server *server, uint64_t wait_ns, bool *ret_has_news)
{
	uint64_t now = server_now_ns();
	struct root *root;

	*ret_has_news = false;
	TAILQ_FOREACH(root, &server_roots(server)->awake, awake_link)
		if (pause_root(root, now, wait_ns, ret_has_news))
			return true;
	return false;
}

int apply_wait(struct apply *apply, uint64_t wait_ns)
{
	struct root *root = apply->root;
	uint64_t until = server_now_ns() + wait_ns;
	struct abi_process *late = NULL;
	int r;

	if (!root)
		return 0;
	while (root_is_usable(root)) {
		bool is_scanned = process_scan_more(root);
		uint64_t now = server_now_ns();
		uint32_t applied;

		late = find_late(root, apply->generation);
		stop_orders_send(root);
		if ((!late && is_scanned) || is_overdue(apply, late, now))
			break;
		if (!late || now >= until)
			return park(apply, late);
		applied = shm_load(&late->applied);
		if ((int32_t)(applied - apply->generation) < 0)
			shm_wait(&late->applied, applied, until - now);
	}
	apply->root = NULL;
	root->awaited = NULL;
	root->is_late = late;
	root->late_generation = apply->generation;
	r = root_is_usable(root) ? find_error(root, true) : 0;
	if (root_is_usable(root))
		stop_orders_log(root);
	/*
	 * A process has failed to switch an event on, and has stored the error in the
	 * event's row.  Raise the generation, so that all processes switch the event off.
	 */
	if (r) {
		report_refusal(root);
		raise_generation(root);
	}
	return r;
}

bool apply_is_settled(const struct root *root, uint32_t generation)
{
	if (root->is_blind)
		return false;
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		const struct process *process = root->process[slot];
		const struct abi_process *shared = &root->processes[slot];

		if (!process || process->pidfd < 0)
			continue;
		if (!has_applied(shared, generation) ||
		    (shm_load(&shared->flags) & ABI_PROCESS_UNSETTLED))
			return false;
	}
	return true;
}
