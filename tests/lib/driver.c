/* SPDX-License-Identifier: MIT */
/* A stand-in for the server, see driver.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "driver.h"

#define MAP_BYTES	(8ull << 30)

const char *driver_make_dir(void)
{
	static char dir[] = "/dev/shm/ulf-test-XXXXXX";

	if (!mkdtemp(dir))
		return NULL;
	setenv("ULF_DIR", dir, 1);
	return dir;
}

/* Find the directory of the root that process @pid has made. */
static int find_root(pid_t pid, char *path, size_t size)
{
	const char *dir = getenv("ULF_DIR");
	char roots[PATH_MAX], end[32];
	struct dirent *entry;
	int r = -ENOENT;
	DIR *d;

	snprintf(roots, sizeof(roots), "%s/roots", dir ? dir : "");
	snprintf(end, sizeof(end), ".%d", pid);
	d = opendir(roots);
	while (d && r && (entry = readdir(d))) {
		char *dot = strrchr(entry->d_name, '.');

		if (entry->d_name[0] == '.' || !dot || strcmp(dot, end))
			continue;
		snprintf(path, size, "%s/%s", roots, entry->d_name);
		r = 0;
	}
	if (d)
		closedir(d);
	return r;
}

static int open_memory(pid_t pid)
{
	char root[PATH_MAX + 300], path[PATH_MAX + 310];

	if (find_root(pid, root, sizeof(root)))
		return -1;
	snprintf(path, sizeof(path), "%s/memory", root);
	return open(path, O_RDWR | O_CLOEXEC);
}

void driver_remove(pid_t pid)
{
	char root[PATH_MAX + 300], path[PATH_MAX + 310];

	if (find_root(pid, root, sizeof(root)))
		return;
	snprintf(path, sizeof(path), "%s/memory", root);
	unlink(path);
	rmdir(root);
}

int driver_open(struct driver *d, pid_t pid)
{
	memset(d, 0, sizeof(*d));
	for (int i = 0; i < 5000; i++) {
		d->fd = open_memory(pid);
		if (d->fd >= 0)
			break;
		usleep(1000);
	}
	if (d->fd < 0)
		return -ENOENT;
	d->bytes = MAP_BYTES;
	d->mem = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_NORESERVE, d->fd, 0);
	if (d->mem == MAP_FAILED)
		return -errno;
	d->control = (struct abi_control *)d->mem;
	return 0;
}

void driver_close(struct driver *d)
{
	if (d->mem)
		munmap(d->mem, d->bytes);
	if (d->fd >= 0)
		close(d->fd);
}

static void calibrate(struct abi_clock *clock)
{
	struct timespec a, b, pause = { 0, 20000000 };
	uint64_t tsc0, tsc1, ns;

	if (clock->mult)
		return;
	clock_gettime(CLOCK_MONOTONIC, &a);
	tsc0 = arch_tsc();
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	tsc1 = arch_tsc();
	ns = (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000ull +
	     (uint64_t)(b.tv_nsec - a.tv_nsec);
	clock->tsc0 = tsc0;
	clock->ns0 = (uint64_t)a.tv_sec * 1000000000ull + (uint64_t)a.tv_nsec;
	clock->mult = (uint64_t)(((unsigned __int128)ns << 32) / (tsc1 - tsc0));
}

static int place(struct driver *d, struct abi_ring_ref *ref,
		 const struct ring_config *config)
{
	uint64_t bytes = ring_bytes(config->page_bytes, config->nr_pages);
	uint64_t off = d->control->arena_off + d->arena_used;

	bytes = ALIGN_UP(bytes, 65536);
	if (off + bytes > d->bytes || posix_fallocate(d->fd, (off_t)off,
						      (off_t)bytes))
		return -ENOSPC;
	d->arena_used += bytes;
	ref->off = off;
	ref->bytes = bytes;
	return ring_init(d->mem + off, config);
}

static int place_side(struct driver *d, const struct driver_config *config,
		      struct abi_side *side)
{
	int r = 0;

	for (uint32_t cpu = 0; cpu < d->control->nr_cpus && !r; cpu++) {
		struct ring_config ring = {
			.page_bytes = config->page_bytes,
			.nr_pages = config->fast_pages,
			.cpu = cpu,
			.overwrite = config->overwrite,
			.clock_mult = d->control->clock.mult,
			.clock_tsc = d->control->clock.tsc0,
			.clock_ns = d->control->clock.ns0,
		};

		r = place(d, &side->ring[cpu][ABI_RING_FAST], &ring);
		if (r)
			break;
		ring.nr_pages = config->slow_pages;
		ring.flags = ABI_RING_LOCKED;
		r = place(d, &side->ring[cpu][ABI_RING_SLOW], &ring);
	}
	return r;
}

int driver_rings(struct driver *d, const struct driver_config *config)
{
	struct abi_buffer *buffer = (void *)(d->mem + d->control->buffers_off);
	int r;

	calibrate(&d->control->clock);
	r = place_side(d, config, &buffer->side[0]);
	buffer->page_bytes = config->page_bytes;
	__atomic_store_n(&buffer->used, 1, __ATOMIC_RELEASE);
	return r ? r : driver_apply(d);
}

int driver_spare(struct driver *d, const struct driver_config *config)
{
	struct abi_buffer *buffer = (void *)(d->mem + d->control->buffers_off);
	int r = place_side(d, config, &buffer->side[1]);

	if (r)
		return r;
	__atomic_or_fetch(&buffer->spare, ABI_SPARE_THERE, __ATOMIC_RELEASE);
	return driver_apply(d);
}

struct abi_ring *driver_ring(struct driver *d, uint32_t cpu, int kind)
{
	struct abi_buffer *buffer = (void *)(d->mem + d->control->buffers_off);

	return (struct abi_ring *)(d->mem + buffer->side[0].ring[cpu][kind].off);
}

uint64_t driver_nr_records(struct driver *d)
{
	uint64_t nr = 0;

	for (uint32_t cpu = 0; cpu < d->control->nr_cpus; cpu++) {
		for (int kind = 0; kind <= ABI_RING_SLOW; kind++) {
			const struct abi_ring *ring = driver_ring(d, cpu, kind);

			nr += ring->entries[ring->position & ABI_POS_FLAGS];
		}
	}
	return nr;
}

bool driver_is_event(struct driver *d, uint32_t row, const char *system,
		     const char *name)
{
	struct abi_event *rows = (void *)(d->mem + d->control->events_off);
	const struct abi_format *format;
	const char *blob;

	if (row >= d->control->nr_events || !rows[row].blob)
		return false;		/* a stack, or an event that was removed */
	blob = d->mem + rows[row].blob;
	format = (const void *)blob;
	return !strcmp(blob + format->system, system) &&
	       !strcmp(blob + format->name, name);
}

int driver_find_event(struct driver *d, const char *system, const char *name)
{
	uint32_t nr = __atomic_load_n(&d->control->nr_events, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++) {
		if (driver_is_event(d, i, system, name))
			return (int)i;
	}
	return -1;
}

int driver_enable(struct driver *d, const char *system, const char *name, bool on)
{
	struct abi_event *rows = (void *)(d->mem + d->control->events_off);
	int row = driver_find_event(d, system, name);
	uint32_t nr = __atomic_load_n(&d->control->nr_events, __ATOMIC_ACQUIRE);

	if (row < 0)
		return -ENOENT;
	for (uint32_t i = (uint32_t)row; i < nr; i++) {
		if (!driver_is_event(d, i, system, name))
			continue;
		rows[i].failed = 0;
		__atomic_store_n(&rows[i].wanted, on, __ATOMIC_RELEASE);
	}
	return driver_apply(d);
}

int driver_apply(struct driver *d)
{
	struct abi_process *slots = (void *)(d->mem + d->control->processes_off);
	uint32_t generation = __atomic_add_fetch(&d->control->generation, 1,
						 __ATOMIC_RELEASE);

	syscall(SYS_futex, &d->control->generation, FUTEX_WAKE, INT_MAX, NULL,
		NULL, 0);
	for (uint32_t i = 0; i < ABI_PROCESSES; i++) {
		struct timespec pause = { 0, 1000000 };
		uint32_t applied;

		while (slots[i].pid && !kill((pid_t)slots[i].pid, 0) &&
		       (slots[i].flags & ABI_PROCESS_AGENT)) {
			applied = __atomic_load_n(&slots[i].applied,
						  __ATOMIC_ACQUIRE);
			if ((int32_t)(applied - generation) >= 0)
				break;
			syscall(SYS_futex, &slots[i].applied, FUTEX_WAIT,
				applied, &pause, NULL, 0);
		}
		if (slots[i].pid && slots[i].error &&
		    !kill((pid_t)slots[i].pid, 0))
			return -(int)slots[i].error;
	}
	return 0;
}
