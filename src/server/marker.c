/* SPDX-License-Identifier: MIT */
/*
 * A marker goes into the slow ring of the CPU that the writer runs on, under
 * the writer's name: tools compare both.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/clock.h"
#include "server/comm.h"
#include "server/marker.h"
#include "server/rings.h"
#include "server/root.h"
#include "server/shm.h"

/* The kernel's limit, which is what fits into a page there. */
#define TEXT_MAX	4054u

struct marker {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;
	uint64_t ip;			/* 0: prints as tracing_mark_write */
	char text[TEXT_MAX + 2];	/* with newline and NUL */
};
static_assert(offsetof(struct marker, text) == 16, "the kernel's layout");

/* Field 39 of /proc/TID/stat, counted from the end of the name. */
static uint32_t cpu_of(pid_t tid, uint32_t nr_cpus)
{
	char path[64], stat[1024];
	unsigned long cpu = 0;
	char *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	stat[n > 0 ? n : 0] = '\0';
	at = strrchr(stat, ')');
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	if (at)
		cpu = strtoul(at + 1, NULL, 10);
	return cpu < nr_cpus ? (uint32_t)cpu : 0;
}

static void remember_writer(struct root *root, pid_t tid)
{
	char path[64], name[ABI_COMM_LEN];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, name, sizeof(name));
	close(fd);
	if (n <= 0)
		return;
	name[n - 1] = '\0';
	comms_add(root, (uint32_t)tid, (uint32_t)tid, name);
}

/* One that ends in a newline, which is added if it is missing. */
static uint32_t marker_fill(struct marker *marker, const char *text, size_t len)
{
	memcpy(marker->text, text, len);
	if (!len || text[len - 1] != '\n')
		marker->text[len++] = '\n';
	marker->text[len++] = '\0';
	return (uint32_t)(offsetof(struct marker, text) + len);
}

ssize_t marker_write(struct instance *instance, const char *text, size_t len,
		     pid_t tid)
{
	struct {
		uint64_t headroom;	/* RING_HEADROOM of it */
		struct marker marker;
		uint64_t tail;
	} m = {
		.marker.type = ABI_EVENT_ID_PRINT,
		.marker.pid = tid,
	};
	struct root *root = instance->root;
	struct instance_ring *ring;
	sigset_t all, before;
	uint32_t bytes;
	int r;

	if (!shm_load(&instance->abi->recording))
		return -EBADF;
	r = instance_need_rings(instance);
	if (r)
		return r;
	ring = instance_ring(instance, cpu_of(tid, root->nr_cpus), ABI_RING_SLOW);
	if (!ring)
		return -EBADF;
	if (len > TEXT_MAX)
		len = TEXT_MAX;
	if (len > RING_PAYLOAD_MAX - offsetof(struct marker, text) - 2)
		len = RING_PAYLOAD_MAX - offsetof(struct marker, text) - 2;
	bytes = marker_fill(&m.marker, text, len);
	remember_writer(root, tid);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	r = ring_view_write(&ring->view, &m.marker, bytes,
			    clock_posix_ns(clock_get(
				shm_load(&instance->abi->clock))->id),
			    (uint32_t)syscall(SYS_gettid));
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r ? -EBADF : (ssize_t)len;
}
