/* SPDX-License-Identifier: MIT */
/*
 * The processes of a root.  A process slot names a pid.  The server checks once that
 * the process with this pid is alive and belongs to this root.  From then on the server
 * holds a pidfd of the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "event/clock.h"
#include "server/core/budget.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/process.h"
#include "server/core/process_inspect.h"
#include "server/core/root.h"
#include "server/core/server_roots.h"
#include "server/core/shm.h"

#define FORK_LIMIT_NS	3000000000u	/* maximum time in which a forked child must claim
					 * a process slot, ns */

/* The fields of one line of /proc/PID/maps. */
struct map_line {
	uint64_t start, end, ino;
	dev_t dev;
};

static bool parse_line(const char *line, struct map_line *ret_map)
{
	unsigned int dev_major, dev_minor;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*x %x:%x %" SCNu64,
		   &ret_map->start, &ret_map->end, &dev_major, &dev_minor,
		   &ret_map->ino) != 5)
		return false;
	ret_map->dev = makedev(dev_major, dev_minor);
	return true;
}

/*
 * Find the device and inode numbers by which the root's memory is recognised in
 * /proc/PID/maps.  These numbers may differ from those of stat() (btrfs, overlayfs),
 * but they are equal in the maps of all processes.  So read the numbers of the
 * server's own mapping of the memory.
 */
void process_init(struct root *root)
{
	uint64_t addr = (uintptr_t)root->memory->addr;
	FILE *maps = fopen("/proc/self/maps", "re");
	struct map_line map;
	char line[512];

	root->map_dev = root->dev;
	root->map_ino = root->ino;
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!parse_line(line, &map) || addr < map.start || addr >= map.end)
			continue;
		root->map_dev = map.dev;
		root->map_ino = map.ino;
		break;
	}
	if (maps)
		fclose(maps);
}

/* Return the time when process slot @slot was claimed, CLOCK_BOOTTIME; 0 if it is
 * unknown. */
static uint64_t slot_claimed_ns(const struct root *root, uint32_t slot)
{
	return slot == PROCESS_CREATOR ? shm_load(&root->control->started_ns) :
					 shm_load(&root->processes[slot].claimed_ns);
}

FILE *process_maps_open(const struct process *process)
{
	char path[PROCESS_PATH_BYTES];

	process_maps_path(process, path);
	return fopen(path, "re");
}

/*
 * Return true if a process that cannot be inspected belongs to the root.
 *
 * There are two possible reasons why the process cannot be inspected.  Either the process is
 * of this root and has given up rights.  Or the process of this root is dead, and a process
 * of another user, started after the slot was claimed, has got its pid.  So compare the time
 * of the start with the time of the claim.  If the times cannot be compared (an older
 * runtime, another boot, a time namespace), assume that the process belongs to the root if
 * the server may send it signals.
 */
static bool is_hidden_of_root(const struct process *process, const struct inspection *inspection,
			      int pidfd)
{
	uint64_t claimed_ns = slot_claimed_ns(process->root, process->slot);
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t started = inspection->started;

	if (started && claimed_ns && claimed_ns <= clock_posix_ns(CLOCK_BOOTTIME))
		return started <= claimed_ns / tick_ns;
	return !syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) ||
	       (errno != EPERM && errno != ESRCH);
}

/* Return true if process @pid has a seccomp filter, which may have killed the process's
 * agent. */
static bool has_filter(uint32_t pid)
{
	char path[64], line[256];
	int mode = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	status = fopen(path, "re");
	while (status && !mode && fgets(line, sizeof(line), status))
		sscanf(line, "Seccomp: %d", &mode);
	if (status)
		fclose(status);
	return mode;
}

/*
 * Return true if @process is alive but cannot be inspected.  @error: the errno with
 * which opening /proc/PID/maps failed.  If /proc is mounted with hidepid=2, opening
 * the file fails as if there were no such process.
 */
static bool is_hiding(const struct process *process, int error)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32, process->pid);
	return error == EACCES || error == EPERM ||
	       (error == ENOENT && (access(path, F_OK) || has_filter(process->pid)));
}

/*
 * Return true if errno @error means that the server has run out of descriptors or memory,
 * so that it can inspect no process now.
 */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* Return true if the server has two free descriptors, which it needs at a time to inspect
 * a process. */
static bool can_inspect(const struct root *root)
{
	int one = fcntl(root->fd, F_DUPFD_CLOEXEC, 0);
	int two = fcntl(root->fd, F_DUPFD_CLOEXEC, 0);

	if (one >= 0)
		close(one);
	if (two >= 0)
		close(two);
	return one >= 0 && two >= 0;
}

/*
 * Return 1 if @process, which is alive, has mapped the memory of its root, else 0.  Returns
 * -EAGAIN if the budget is spent before this is known.
 */
static int is_of_root(const struct process *process, struct inspection *inspection, int pidfd)
{
	struct root *root = process->root;
	enum maps_result maps = inspect_maps(process, inspection, &root->budget);

	if (maps == MAPS_UNKNOWN)
		return -EAGAIN;
	if (maps != MAPS_REFUSED)
		return maps == MAPS_MAPPED;
	root->is_blind |= is_shortage(errno);
	return is_hiding(process, errno) && is_hidden_of_root(process, inspection, pidfd);
}

static bool is_dead(int pidfd)
{
	struct pollfd fd = { pidfd, POLLIN, 0 };

	return poll(&fd, 1, 0) > 0;
}

bool process_is_current(const struct process *process)
{
	return process->pidfd >= 0 && !is_dead(process->pidfd) &&
	       inspect_stack(process->pid) == process->stack;
}

/* ---- functions that check one process slot ---- */

/*
 * A copy of all process slots, which the server takes before it scans them.  The scan
 * uses the copy, because processes write to the slots meanwhile.
 */
struct claims {
	uint32_t pid[PROCESS_CREATOR + 1];	/* pid that each slot names; 0 if the slot
						 * is free or invalid */
	bool is_lost[PROCESS_CREATOR + 1];	/* true: another slot names the same pid
						 * and was claimed later, so this slot is
						 * out of date */
	struct claim {
		uint32_t pid, slot;
		uint64_t claimed_ns;
	} table[PROCESS_CREATOR + 1];		/* slots that name a pid, sorted by pid;
						 * of slots with equal pids the latest
						 * claim comes first */
	uint32_t nr;
};

static int compare_claims(const void *pa, const void *pb)
{
	const struct claim *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->claimed_ns < b->claimed_ns) - (a->claimed_ns > b->claimed_ns);
}

static void add_claim(const struct root *root, struct claims *claims, uint32_t slot,
		      uint32_t pid)
{
	claims->is_lost[slot] = false;
	claims->pid[slot] = pid <= INT_MAX ? pid : 0;
	if (claims->pid[slot])
		claims->table[claims->nr++] = (struct claim){
			pid, slot, slot_claimed_ns(root, slot),
		};
}

/*
 * Copy the process slots.  Add an entry for the process that made the root, because it
 * has no slot while it starts.  Slots keep the pids of dead processes.  If a child has
 * got such a pid again, two slots have this pid, and the one that was claimed last
 * belongs to the child.
 */
static void claims_take(const struct root *root, struct claims *claims)
{
	uint32_t creator = shm_load(&root->control->pid);

	claims->nr = 0;
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		uint32_t pid = shm_load(&root->processes[slot].pid);

		add_claim(root, claims, slot, pid);
		if (pid == creator)
			creator = 0;
	}
	add_claim(root, claims, PROCESS_CREATOR, creator);
	qsort(claims->table, claims->nr, sizeof(*claims->table), compare_claims);
	for (uint32_t i = 1; i < claims->nr; i++) {
		const struct claim *claim = &claims->table[i], *before = claim - 1;

		claims->is_lost[claim->slot] = claim->pid == before->pid &&
			(claim->claimed_ns < before->claimed_ns ||
			 claims->is_lost[before->slot]);
	}
}

/*
 * Return a pidfd if @process is alive and belongs to its root, else -1.  Returns
 * -EAGAIN if the budget is spent before this is known.
 */
static int process_open(const struct process *process, struct inspection *inspection)
{
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)process->pid, 0);
	int r;

	if (fd < 0) {
		process->root->is_blind |= is_shortage(errno);
		return -1;
	}
	r = is_dead(fd) ? 0 : is_of_root(process, inspection, fd);
	if (r > 0)
		return fd;
	close(fd);
	return r ? r : -1;
}

static void process_close(struct process *process)
{
	if (process->pidfd < 0)
		return;
	server_unwatch_process(process->root->server, process);
	close(process->pidfd);
	process->pidfd = -1;
	process->root->nr_live--;
}

/*
 * Return 1 if @process has not called exec() since it was checked, else 0.  The address
 * of its stack shows that, because exec() changes it.  If /proc does not show the address,
 * this function looks whether the process still maps the root's memory.  Returns -EAGAIN
 * if the budget is spent before the result is known.
 */
static int is_unchanged(const struct process *process, struct inspection *inspection)
{
	if (inspection->stack != process->stack)
		return 0;
	return inspection->stack ? 1 : is_of_root(process, inspection, process->pidfd);
}

static struct process *slot_process(struct root *root, uint32_t slot)
{
	struct process *process = root->process[slot];

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->root = root;
	process->slot = slot;
	process->pidfd = -1;
	root->process[slot] = process;
	return process;
}

/* Check the process in one process slot.  If the budget is spent before the result is
 * known, does not change the slot and returns -EAGAIN. */
static int slot_scan(struct root *root, uint32_t slot, const struct claims *claims)
{
	uint32_t pid = claims->pid[slot];
	struct process *process;
	struct inspection *inspection;
	int r;

	if (!pid && !root->process[slot])
		return 0;
	process = slot_process(root, slot);
	if (!process)
		return 0;
	if (process->pid != pid || claims->is_lost[slot])
		process_close(process);
	process->pid = pid;
	inspection = pid && !claims->is_lost[slot] ? inspection_get(root, pid) : NULL;
	if (!inspection)
		return 0;
	if (process->pidfd >= 0) {
		r = is_unchanged(process, inspection);
		if (r)
			return r < 0 ? r : 0;
		process_close(process);
	}
	process->stack = inspection->stack;
	r = process_open(process, inspection);
	if (r == -EAGAIN)
		return r;
	process->pidfd = r;
	if (r < 0)
		return 0;
	root->nr_live++;
	if (slot < ABI_PROCESSES)
		process->left_changes = shm_load(&root->processes[slot].left_changes);
	server_watch_process(root->server, process);
	return 0;
}

/* ---- functions that scan all process slots of a root ---- */

/*
 * Update root->fork_ns: the time since when the root has no process with a slot, but possibly
 * a forked child that has not claimed its slot yet.  The parent of this child may already be
 * dead.  If there is a process with a slot, or no such child, the value is 0.  No such child
 * exists if two numbers are equal: the number of children that had claimed slots before the
 * scan (forks_done), and the number of forks after the scan.
 */
static void note_forks(struct root *root)
{
	if (root->nr_live || shm_load(&root->control->forks) == root->scan.forks_done)
		root->fork_ns = 0;
	else if (!root->fork_ns)
		root->fork_ns = server_now_ns();
}

/*
 * Return the process slot to check next.  PROCESS_CREATOR, the process that made the
 * root, comes first.  If this process claims a slot in shared memory during the scan, the
 * scan finds it in that slot later.
 */
static uint32_t scan_slot(const struct root *root)
{
	return root->scan.left > ABI_PROCESSES ? PROCESS_CREATOR : root->scan.next;
}

static void scan_pass(struct root *root)
{
	struct claims claims;
	uint32_t slot;

	claims_take(root, &claims);
	while (root->scan.left) {
		slot = scan_slot(root);
		if ((claims.pid[slot] && budget_is_spent(&root->budget)) ||
		    slot_scan(root, slot, &claims))
			return;
		if (slot != PROCESS_CREATOR)
			root->scan.next = (slot + 1) % ABI_PROCESSES;
		root->scan.left--;
	}
}

bool process_scan_more(struct root *root)
{
	if (!root->scan.left)
		return true;
	root->is_blind = !can_inspect(root) || inspections_begin(root);
	if (root->is_blind)
		return false;
	budget_start(&root->budget);
	scan_pass(root);
	budget_stop(&root->budget);
	if (root->scan.left) {
		root->is_blind = true;
		server_continue_scan(root->server);
	} else {
		note_forks(root);
	}
	return !root->scan.left;
}

bool process_scan(struct root *root)
{
	root->scan.left = PROCESS_CREATOR + 1;
	root->scan.forks_done = shm_load(&root->control->forks_done);
	return process_scan_more(root);
}

/*
 * Return true if no process of the root is left.  While a forked child may still claim a
 * slot, returns false, but only for FORK_LIMIT_NS: the child was possibly killed, or
 * fork() has failed.
 */
bool process_all_gone(struct root *root)
{
	if (root->scan.left)
		process_scan_more(root);	/* continue the scan of the last call: if
						 * each call began a new scan, no scan
						 * might ever end */
	else
		process_scan(root);
	if (root->nr_live || root->is_blind)
		return false;
	return !root->fork_ns || server_now_ns() - root->fork_ns > FORK_LIMIT_NS;
}

void process_died(struct process *process)
{
	process_close(process);
}

void process_done(struct root *root)
{
	/* root->process is NULL while the root is asleep, so check it */
	for (uint32_t slot = 0; root->process && slot <= PROCESS_CREATOR; slot++) {
		if (root->process[slot])
			process_close(root->process[slot]);
		free(root->process[slot]);
		root->process[slot] = NULL;
	}
	root->nr_live = 0;
	root->scan.left = 0;
	inspections_free(root->inspections);
	root->inspections = NULL;
}
