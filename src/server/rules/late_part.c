/* SPDX-License-Identifier: MIT */
/*
 * Late events.  An agent records them by perf_event_open(2), which the system may
 * refuse.  Then the process stores the errno in abi_process.late.  The functions below
 * find out which setting of the system is the reason.
 */
#include "server/rules/late_part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi/control.h"
#include "abi/own_systems.h"
#include "server/core/apply.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"

#define PARANOID_MAX	2	/* highest value of kernel.perf_event_paranoid with which
				 * a process may record its own threads by
				 * perf_event_open(2) */

static long read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	long number = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%ld", &number) != 1)
		number = 0;
	fclose(file);
	return number;
}

/* Return true if process @pid has a seccomp filter, which may refuse perf_event_open(2). */
static bool has_filter(uint32_t pid)
{
	char path[64], line[128];
	int mode = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file) && sscanf(line, "Seccomp: %d", &mode) != 1)
		;
	fclose(file);
	return mode;
}

/* Return a text that says why process @pid got @error when it tried to record late
 * events. */
static const char *reason_of(uint32_t pid, int error)
{
	if (error == EMFILE || error == ENFILE)
		return "Too few descriptors for an event for each thread and CPU: raise "
		       "RLIMIT_NOFILE (ulimit -n), or enable the event before threads start";
	if (error == EOPNOTSUPP)
		return "The agent has no descriptor table of its own: the program runs under a "
		       "sanitizer, or Linux is older than 5.9";
	if (error == ENODATA)
		return "The program sees no /proc, where its threads are listed";
	if (error == ENOENT)
		return "The kernel does not report how long threads wait for a CPU "
		       "(/proc/PID/schedstat): it was built without CONFIG_SCHED_INFO";
	if (error == ENOMEM)
		return "There is no memory for the reports of the kernel";
	if (read_number("/proc/sys/kernel/perf_event_paranoid") > PARANOID_MAX)
		return "The setting kernel.perf_event_paranoid forbids perf_event_open(): it must "
		       "be 2 or less";
	if (has_filter(pid))
		return "A seccomp filter, of the program or of its container, forbids "
		       "perf_event_open()";
	if (error == EPERM)
		return "The user may lock no more memory: raise kernel.perf_event_mlock_kb or "
		       "RLIMIT_MEMLOCK (ulimit -l)";
	if (error == ENOSYS)
		return "This kernel has no perf_event_open()";
	return "The kernel refuses perf_event_open() to the program";
}

/* Report in error_log the processes that cannot record late events.  @is_again: true to
 * report also processes that were reported before. */
static void log_refusals(struct root *root, bool is_again)
{
	char command[64];

	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		struct process *process = root->process[slot];
		uint32_t error;

		if (!process || process->pidfd < 0)
			continue;
		error = shm_load(&root->processes[slot].late);
		if (error >= ABI_LATE_FIRST || (error == process->late_logged && !is_again))
			continue;
		process->late_logged = error;
		if (!error)
			continue;
		snprintf(command, sizeof(command), ABI_LATE_SYSTEM " in process %" PRIu32 ": %s",
			 process->pid, strerrorname_np((int)error));
		error_log_add(&root->top, "late events", reason_of(process->pid, (int)error),
			      command, 0);
	}
}

void late_tick(struct root *root)
{
	log_refusals(root, false);
}

void late_refused(struct root *root)
{
	log_refusals(root, true);
}

static bool is_late_wanted(const struct instance *instance)
{
	const struct events *events = root_events(instance->root);

	for (uint32_t i = 0; i < events->nr_visible; i++)
		if (events->visible[i]->is_late &&
		    event_is_enabled(instance, events->visible[i]))
			return true;
	return false;
}

bool late_answer(struct root *root)
{
	struct instance *instance;
	bool is_change = false;
	struct apply apply;

	if (events_refresh(root))
		return true;
	for_each_instance(instance, root)
		if (is_late_wanted(instance) && !instance_has_late(instance))
			is_change |= !instance_need_late(instance);
	if (is_change)
		apply_start(root, &apply);
	return true;
}
