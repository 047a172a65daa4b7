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

#include "server/mapping.h"
#include "server/root.h"
#include "server/shm.h"

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

/* Does @pid, a live process, have @root's memory mapped? */
static bool process_is_of_root(const struct root *root, uint32_t pid)
{
	char path[64], line[512];
	bool is_found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		/* One that gave up its rights lets nobody look. */
		return errno == EACCES || errno == EPERM;
	while (!is_found && fgets(line, sizeof(line), maps)) {
		struct map_line map;

		is_found = parse_line(line, &map) && map.ino == root->map_ino &&
			   map.dev == root->map_dev;
	}
	/* A process with no rights to look at says so at the first read. */
	if (!is_found && ferror(maps) && (errno == EACCES || errno == EPERM))
		is_found = true;
	fclose(maps);
	return is_found;
}

/*
 * Where its stack starts: field 28 of /proc/PID/stat.  Another number after
 * exec(), which leaves the root without a word.  0: not known.
 */
static uint64_t process_stack(uint32_t pid)
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
	for (int field = 2; at && field < 28; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
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

/* A descriptor for @pid if it is alive and of this root, else -1. */
static int process_open(const struct root *root, uint32_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);

	if (fd < 0)
		return -1;
	if (is_dead(fd) || !process_is_of_root(root, pid)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void process_close(struct process *process)
{
	if (process->pidfd < 0)
		return;
	close(process->pidfd);
	process->pidfd = -1;
	process->root->nr_live--;
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
	if (process->pid != pid ||
	    (process->pidfd >= 0 && process_stack(pid) != process->stack))
		process_close(process);
	process->pid = pid;
	if (process->pidfd >= 0 || pid == 0 || pid > INT_MAX)
		return;
	process->stack = process_stack(pid);
	process->pidfd = process_open(root, pid);
	if (process->pidfd < 0)
		return;
	root->nr_live++;
	server_watch_process(root->server, process);
}

/* The process that made the root has no slot while it starts. */
void process_scan(struct root *root)
{
	uint32_t creator = shm_load(&root->control->pid);

	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		uint32_t pid = shm_load(&root->processes[slot].pid);

		if (pid || root->process[slot])
			slot_scan(root, slot, pid);
		if (pid && pid == creator)
			creator = 0;
	}
	slot_scan(root, PROCESS_CREATOR, creator);
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
