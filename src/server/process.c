/* SPDX-License-Identifier: MIT */
/*
 * The processes of a root.  A slot names a pid; that the pid is alive and really
 * is of this root is checked once, and a pidfd holds on to it from then on.
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
#include "server/mapping.h"
#include "server/root.h"
#include "server/shm.h"

#define FORK_LIMIT_NS	3000000000u	/* then nobody is on the way to his slot */

/* What /proc/PID/maps says of a mapping. */
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

/* Some file systems (btrfs, overlayfs) show other numbers in /proc/PID/maps than in
 * stat(), but all processes the same: what they show for our own mapping. */
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

/* Field @nr of /proc/PID/stat, one of those behind the name; 0: not known. */
static uint64_t stat_field(uint32_t pid, int nr)
{
	char path[64], stat[1024];
	char *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	stat[n > 0 ? n : 0] = '\0';
	at = strrchr(stat, ')');
	for (int field = 2; at && field < nr; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* Where its stack starts: another number after exec(), which leaves the root without a
 * word.  0: nobody may look, or its main thread has ended. */
static uint64_t process_stack(uint32_t pid)
{
	return stat_field(pid, 28);
}

/* When the process that has this slot was there, CLOCK_BOOTTIME; 0: not known. */
static uint64_t slot_claimed_ns(const struct root *root, uint32_t slot)
{
	return slot == PROCESS_CREATOR ? shm_load(&root->control->started_ns) :
					 shm_load(&root->processes[slot].claimed_ns);
}

/* Who shows no stack shows no maps: its main thread has ended, or it hides them.  But its
 * agent is there, unless it has called exec(), or its sandbox has killed that. */
FILE *process_maps_open(const struct process *process)
{
	uint32_t slot = process->slot, tid = 0;
	char path[64];

	if (!process->stack && slot != PROCESS_CREATOR)
		tid = shm_load(&process->root->processes[slot].agent);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/maps",
		 process->pid, tid ? tid : process->pid);
	return fopen(path, "re");
}

/*
 * Whoever gave up rights lets nobody look at its memory, nor does another user's
 * process that has got the pid of a dead one; but that has started later than the slot
 * was taken.  Where the times say nothing (of an older runtime; of another boot, or a
 * time namespace), it is another's if it is not ours to be sent signals.
 */
static bool is_hidden_of_root(const struct process *process, int pidfd)
{
	uint64_t claimed_ns = slot_claimed_ns(process->root, process->slot);
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t started = stat_field(process->pid, 22);

	if (started && claimed_ns && claimed_ns <= clock_posix_ns(CLOCK_BOOTTIME))
		return started <= claimed_ns / tick_ns;
	return !syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) ||
	       (errno != EPERM && errno != ESRCH);
}

/* Has it a sandbox, which may have killed its agent? */
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

/* Nobody may look at @process, which is alive: @error is what comes of it.  With
 * hidepid=2 it seems not to be there. */
static bool is_hiding(const struct process *process, int error)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32, process->pid);
	return error == EACCES || error == EPERM ||
	       (error == ENOENT && (access(path, F_OK) || has_filter(process->pid)));
}

/* Neither descriptors nor memory are left to look at anybody with. */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* Two are needed at a time. */
static bool can_look(const struct root *root)
{
	int one = fcntl(root->fd, F_DUPFD_CLOEXEC, 0);
	int two = fcntl(root->fd, F_DUPFD_CLOEXEC, 0);

	if (one >= 0)
		close(one);
	if (two >= 0)
		close(two);
	return one >= 0 && two >= 0;
}

/* Does @process, a live one, have its root's memory mapped? */
static bool is_of_root(const struct process *process, int pidfd)
{
	struct root *root = process->root;
	FILE *maps = process_maps_open(process);
	bool is_found = false, is_hidden;
	struct map_line map;
	char line[512];

	root->is_blind |= !maps && is_shortage(errno);
	while (maps && !is_found && fgets(line, sizeof(line), maps))
		is_found = parse_line(line, &map) && map.ino == root->map_ino &&
			   map.dev == root->map_dev;
	/* some say it when it is opened, some at the first read */
	is_hidden = (!maps || (!is_found && ferror(maps))) &&
		    is_hiding(process, errno);
	if (maps)
		fclose(maps);
	return is_found || (is_hidden && is_hidden_of_root(process, pidfd));
}

static bool is_dead(int pidfd)
{
	struct pollfd fd = { pidfd, POLLIN, 0 };

	return poll(&fd, 1, 0) > 0;
}

bool process_is_current(const struct process *process)
{
	return process->pidfd >= 0 && !is_dead(process->pidfd) &&
	       process_stack(process->pid) == process->stack;
}

/*
 * Slots keep the pids of the dead.  If a child has got such a pid, the slot that was
 * taken last is its own.
 */
static bool is_older(const struct process *process, uint32_t slot)
{
	const struct root *root = process->root;

	return slot != process->slot && slot_claimed_ns(root, process->slot) <
					slot_claimed_ns(root, slot);
}

static bool has_lost_pid(const struct process *process)
{
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++)
		if (shm_load(&process->root->processes[slot].pid) == process->pid &&
		    is_older(process, slot))
			return true;
	return false;
}

/* A descriptor for it if it is alive and of its root, else -1. */
static int process_open(const struct process *process)
{
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)process->pid, 0);

	if (fd < 0) {
		process->root->is_blind |= is_shortage(errno);
		return -1;
	}
	if (is_dead(fd) || has_lost_pid(process) || !is_of_root(process, fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Has it called exec()?  Who hides it from us is asked anew. */
static bool has_left(const struct process *process)
{
	uint64_t stack = process_stack(process->pid);

	return stack != process->stack || (!stack && !is_of_root(process, process->pidfd));
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

/* @process was not there yet when an older slot seemed to be its own. */
static void close_older(struct process *process)
{
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		struct process *other = process->root->process[slot];

		if (other && other->pid == process->pid && is_older(other, process->slot))
			process_close(other);
	}
}

static void slot_scan(struct root *root, uint32_t slot, uint32_t pid)
{
	struct process *process = root->process[slot];

	if (!process) {
		process = calloc(1, sizeof(*process));
		if (!process)
			return;
		process->root = root;
		process->slot = slot;
		process->pidfd = -1;
		root->process[slot] = process;
	}
	if (process->pid != pid || (process->pidfd >= 0 && has_left(process)))
		process_close(process);
	process->pid = pid;
	if (process->pidfd >= 0 || pid == 0 || pid > INT_MAX)
		return;
	process->stack = process_stack(pid);
	process->pidfd = process_open(process);
	if (process->pidfd < 0)
		return;
	close_older(process);
	root->nr_live++;
	server_watch_process(root->server, process);
}

/* The process that made the root has no slot while it starts. */
static uint32_t creator_without_slot(const struct root *root)
{
	uint32_t creator = shm_load(&root->control->pid);

	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++)
		if (shm_load(&root->processes[slot].pid) == creator)
			return 0;
	return creator;
}

/*
 * A child has no slot at first, and its parent may be dead by then.  There is none if
 * as many had theirs before the look, @done, as have been forked after it.
 */
static void note_forks(struct root *root, uint32_t done)
{
	if (root->nr_live || shm_load(&root->control->forks) == done)
		root->fork_ns = 0;
	else if (!root->fork_ns)
		root->fork_ns = server_now_ns();
}

/* It may take its slot right now: so the slots are looked at last. */
void process_scan(struct root *root)
{
	uint32_t done = shm_load(&root->control->forks_done);

	root->is_blind = !can_look(root);
	if (root->is_blind)
		return;
	slot_scan(root, PROCESS_CREATOR, creator_without_slot(root));
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		uint32_t pid = shm_load(&root->processes[slot].pid);

		if (pid || root->process[slot])
			slot_scan(root, slot, pid);
	}
	note_forks(root, done);
}

/* A child that was killed on its way never comes, nor one that fork() had no room for. */
bool process_all_gone(struct root *root)
{
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
	for (uint32_t slot = 0; slot <= PROCESS_CREATOR; slot++) {
		if (root->process[slot])
			process_close(root->process[slot]);
		free(root->process[slot]);
		root->process[slot] = NULL;
	}
	root->nr_live = 0;
}
