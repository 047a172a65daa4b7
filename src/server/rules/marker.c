/* SPDX-License-Identifier: MIT */
/*
 * Record what users write to trace_marker and trace_marker_raw.  The record goes to
 * the slow ring of the CPU on which the writing thread runs, and contains this
 * thread's id.  Tools compare this CPU and this thread with those of other records.
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
#include "ring/shmlock.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/names/comm.h"
#include "server/rings/options.h"
#include "server/rings/rings.h"
#include "server/rules/marker.h"
#include "server/rules/print_triggers.h"

#define HEADER_BYTES	8u		/* size of the common fields at the start of every
					 * record, bytes */
#define IP_BYTES	8u		/* size of the field `ip` in the record of a text,
					 * bytes; the value of the field is one of
					 * ABI_IP_... */
#define DATA_MAX	(RING_PAYLOAD_MAX_SLOW - HEADER_BYTES)
/*
 * Limits of the length of a marker, equal to those of the kernel: what fits into a
 * sub-buffer of 4096 bytes, whatever size the sub-buffers have.  TEXT_MAX is the limit
 * of a text, without the newline and the NUL that are added.  RAW_MAX is the limit of
 * raw data.  The kernel's record of raw data has 4 bytes more than its data needs.
 */
#define TEXT_MAX	(DATA_MAX - IP_BYTES - 2)
#define RAW_MAX		(DATA_MAX - 4)
static_assert(TEXT_MAX == 4054 && RAW_MAX == 4060, "the kernel's limits");

struct marker {
	uint64_t headroom;		/* RING_HEADROOM bytes of free space, which must
					 * precede a record */
	struct marker_head head;
	char data[DATA_MAX];
	uint64_t tail;
};
static_assert(offsetof(struct marker, data) - offsetof(struct marker, head) ==
	      HEADER_BYTES, "the kernel's layout");

/*
 * Return the CPU on which thread @tid runs: field 39 of /proc/TID/stat.  Fields are
 * counted from the end of field 2, because this field, the thread's name in
 * parentheses, may contain blanks.
 */
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

/*
 * Write @marker to @ring, under the ring's lock.  If the thread that owns the lock is
 * stopped, the server waits for the lock only once, and then stores the owner in
 * ring->stuck.  As long as the lock has this owner, the function returns -EBUSY at
 * once.
 */
static int write_once(struct instance_ring *ring, struct marker *marker, size_t bytes,
		      uint64_t now)
{
	uint32_t *lock = &ring->view.ring->lock;
	sigset_t all, before;
	int r;

	if (ring->stuck && shm_load(lock) == ring->stuck &&
	    !shmlock_is_dead(ring->stuck, lock))
		return -EBUSY;
	/* Block all signals except SIGBUS and SIGSEGV, which report that the mapped file
	 * was cut short (mapping.h). */
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	sigprocmask(SIG_BLOCK, &all, &before);
	r = ring_view_write(&ring->view, &marker->head,
			    (uint32_t)(HEADER_BYTES + bytes), now,
			    (uint32_t)syscall(SYS_gettid));
	sigprocmask(SIG_SETMASK, &before, NULL);
	ring->stuck = r == -EBUSY ? shm_load(lock) : 0;
	return r;
}

/* Record @marker, with @bytes bytes of data, in the slow ring of @cpu.  *@ret_time is set
 * to the time of the record. */
static int marker_record(struct instance *instance, struct marker *marker,
			 size_t bytes, uint32_t cpu, uint64_t *ret_time)
{
	uint32_t clock = shm_load(&instance->abi->clock);
	struct root *root = instance->root;
	struct instance_ring *ring;
	int r;

	if (!instance_records(instance, cpu))
		return -EBADF;
	r = instance_need_rings(instance);
	if (r)
		return r;
	ring = instance_ring(instance, cpu, ABI_RING_SLOW);
	if (!ring)
		return -EBADF;
	comms_meet(root, (uint32_t)marker->head.pid);
	*ret_time = clock_read(clock_get(clock), root->control);
	r = write_once(ring, marker, bytes, *ret_time);
	return r ? -EBADF : 0;
}

/* Store @ip and @text in @marker, then a newline if @text does not end in one, and a NUL.
 * Returns the number of bytes that were stored. */
static size_t fill_text(struct marker *marker, uint64_t ip, const char *text,
			size_t len)
{
	char *end = mempcpy(marker->data, &ip, IP_BYTES);

	end = mempcpy(end, text, len);
	if (!len || text[len - 1] != '\n')
		*end++ = '\n';
	*end++ = '\0';
	return (size_t)(end - marker->data);
}

ssize_t marker_write(struct instance *instance, const char *text, size_t len,
		     pid_t tid)
{
	struct marker marker = { .head = { .type = ABI_EVENT_ID_PRINT, .pid = tid } };
	uint32_t cpu = cpu_of(tid, instance->root->nr_cpus);
	uint64_t time;
	size_t bytes;
	int r;

	if (len > TEXT_MAX)
		len = TEXT_MAX;
	bytes = fill_text(&marker, ABI_IP_MARKER, text, len);
	r = marker_record(instance, &marker, bytes, cpu, &time);
	if (r)
		return r;
	/* Remove the newline that was added: triggers get the text as it was written, as
	 * in the kernel. */
	marker.data[IP_BYTES + len] = '\0';
	print_triggers_run(instance, &marker.head,
			   HEADER_BYTES + IP_BYTES + len + 1, tid, cpu, time);
	return (ssize_t)len;
}

void marker_say(struct instance *instance, uint64_t ip, const char *text,
		pid_t tid)
{
	struct marker marker = { .head = { .type = ABI_EVENT_ID_PRINT, .pid = tid } };
	uint64_t time;

	marker_record(instance, &marker,
		      fill_text(&marker, ip, text, strlen(text)),
		      cpu_of(tid, instance->root->nr_cpus), &time);
}

ssize_t marker_write_raw(struct instance *instance, const char *data, size_t len,
			 pid_t tid)
{
	struct marker marker = { .head = { .type = ABI_EVENT_ID_RAW_DATA, .pid = tid } };
	uint64_t time;
	int r;

	if (len < sizeof(uint32_t) || len > RAW_MAX)
		return -EINVAL;
	memcpy(marker.data, data, len);
	r = marker_record(instance, &marker, len,
			  cpu_of(tid, instance->root->nr_cpus), &time);
	return r ? r : (ssize_t)len;
}

uint32_t marker_cpu(const struct instance *instance, pid_t tid)
{
	return cpu_of(tid, instance->root->nr_cpus);
}

uint64_t marker_time(const struct instance *instance)
{
	return clock_read(clock_get(shm_load(&instance->abi->clock)), instance->root->control);
}

int marker_write_record(struct instance *instance, const void *rec, size_t bytes, uint32_t cpu,
			uint64_t *ret_time)
{
	struct marker marker = { .headroom = 0 };

	if (bytes < HEADER_BYTES || bytes > HEADER_BYTES + DATA_MAX)
		return -E2BIG;
	memcpy(&marker.head, rec, bytes);
	return marker_record(instance, &marker, bytes - HEADER_BYTES, cpu, ret_time);
}
