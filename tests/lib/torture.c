/* SPDX-License-Identifier: MIT */
/* The common part of the torture's writers and readers, see torture.h. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "lib/torture.h"

#define MESSAGES_MAX	20
#define JUMP_NS		(1ull << (ABI_REC_DELTA_BITS + 1))
#define GIVEN_SPEED	4096

uint64_t torture_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static void calibrate(struct ring_config *config)
{
	uint64_t tsc = arch_tsc(), ns = torture_now_ns();

	usleep(20000);
	config->clock_tsc = tsc;
	config->clock_ns = ns;
	config->clock_mult = (uint64_t)
		(((unsigned __int128)(torture_now_ns() - ns) << 32) /
		 (arch_tsc() - tsc));
}

static struct ring_set *set_new(struct torture *t, bool has_rseq)
{
	struct ring_set *set = calloc(1, ring_set_alloc_bytes(t->nr_cpus));

	if (!set)
		return NULL;
	ring_set_init(set, t->nr_cpus);
	set->has_rseq = has_rseq;
	set->clock_given = t->config->clock == TORTURE_GIVEN;
	for (uint32_t i = 0; i < t->nr_cpus; i++) {
		set->side[0].fast[i] = t->views[2 * i];
		set->side[0].slow[i] = t->views[2 * i + 1];
		set->fast[i] = t->views[2 * i].ring;
	}
	ring_set_limit(set);
	return set;
}

/* Write as the server writes markers.  Only these records can fill a page. */
static int write_as_marker(struct torture *t, char *payload, uint32_t bytes,
			   uint64_t now_ns)
{
	int cpu = sched_getcpu();
	uint32_t i = cpu >= 0 && (uint32_t)cpu < t->nr_cpus ? (uint32_t)cpu : 0;
	struct arch_signals old;
	int r;

	arch_signals_block(&old);
	r = ring_view_write(&t->views[2 * i + 1], payload, bytes, now_ns,
			    (uint32_t)arch_syscall0(SYS_gettid));
	arch_signals_restore(&old);
	return r;
}

static int write_to_ring(struct torture *t, const struct ring_set *set,
			 struct record_id id)
{
	uint64_t buffer[(RECORD_BYTES_MAX_SLOW + 16) / 8];
	char *payload = (char *)(buffer + 1);
	uint32_t bytes = record_fill(payload, id, !set->has_rseq);
	uint64_t now = set->clock_given ? torture_now_ns() * GIVEN_SPEED : 0;
	uint64_t jump = id.seq / 64;

	if (t->config->clock == TORTURE_JUMPY_TSC && id.seq % 64 == 0)
		__atomic_fetch_add(&t->views[jump % t->nr_rings].ring->clock_ns,
				   jump / t->nr_rings % 4 ? JUMP_NS : -JUMP_NS,
				   __ATOMIC_RELAXED);
	if (bytes > RING_PAYLOAD_MAX)
		return write_as_marker(t, payload, bytes, now);
	return ring_write(set, payload, bytes, now);
}

static int check_from_ring(struct torture *t, const struct ring_record *record,
			   struct record_id *ret_id)
{
	(void)t;
	return record_check(record->data, record->bytes, ret_id);
}

static const struct torture_ops ring_ops = {
	.write = write_to_ring,
	.check = check_from_ring,
};

static int init_rings(struct torture *t, char *mem, uint64_t bytes)
{
	struct ring_config config = {
		.page_bytes = t->config->page_bytes,
		.nr_pages = t->config->nr_pages,
		.overwrite = t->config->overwrite,
	};
	int r;

	calibrate(&config);
	for (uint32_t i = 0; i < t->nr_rings; i++) {
		config.cpu = i / 2;
		config.flags = (i % 2 ? ABI_RING_LOCKED : 0) |
			       (t->config->clock == TORTURE_GIVEN ?
				ABI_RING_CLOCK_GIVEN : 0);
		r = ring_init(mem + i * bytes, &config);
		if (!r)
			r = ring_view_init(&t->views[i], mem + i * bytes, bytes);
		if (r)
			return r;
	}
	return 0;
}

static void *shared_memory(uint64_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

int torture_make_rings(struct torture *t)
{
	uint64_t bytes = ALIGN_UP(ring_bytes(t->config->page_bytes,
					     t->config->nr_pages), 65536);
	int r;

	t->mem_bytes = bytes * t->nr_rings;
	t->mem = shared_memory(t->mem_bytes);
	if (!t->mem)
		return -ENOMEM;
	t->ops = &ring_ops;
	r = init_rings(t, t->mem, bytes);
	if (r)
		return r;
	t->set = set_new(t, t->config->path != TORTURE_NO_RSEQ);
	t->slow_set = set_new(t, false);
	return t->set && t->slow_set ? 0 : -ENOMEM;
}

int torture_prepare(struct torture *t, const struct torture_config *config)
{
	*t = (struct torture){
		.config = config,
		.seed = torture_now_ns(),
		.nr_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
	};
	t->nr_rings = 2 * t->nr_cpus;
	t->views = calloc(t->nr_rings, sizeof(*t->views));
	t->shared = shared_memory(sizeof(*t->shared));
	return t->views && t->shared ? 0 : -ENOMEM;
}

void torture_done(struct torture *t)
{
	if (t->mem)
		munmap(t->mem, t->mem_bytes);
	if (t->shared)
		munmap(t->shared, sizeof(*t->shared));
	free(t->set);
	free(t->slow_set);
	free(t->views);
}

void torture_fail(struct torture *t, const char *format, ...)
{
	uint32_t nr = __atomic_add_fetch(&t->shared->failures, 1,
					 __ATOMIC_RELAXED);
	va_list args;

	if (nr > MESSAGES_MAX)
		return;
	va_start(args, format);
	fputs("WRONG: ", stdout);
	vprintf(format, args);
	fputs("\n", stdout);
	fflush(stdout);
	va_end(args);
}

void torture_delay(const char *testpoint)
{
	static __thread uint64_t state;
	uint32_t choice;

	(void)testpoint;
	choice = random_below(&state, 4096);
	if (choice < 4) {
		struct timespec pause = { 0, 100000 + (long)choice * 300000 };

		nanosleep(&pause, NULL);
	} else if (choice < 128) {
		sched_yield();
	}
}
