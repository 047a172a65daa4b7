/* SPDX-License-Identifier: MIT */
/* What writers and readers of the torture have in common, see torture.h. */
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
	struct ring_set *set = calloc(1, sizeof(*set) + 2ul * t->nr_cpus *
				      sizeof(struct abi_ring *));

	if (!set)
		return NULL;
	set->nr_cpus = t->nr_cpus;
	set->has_rseq = has_rseq;
	set->clock_given = t->config->clock == TORTURE_GIVEN;
	set->slow = set->fast + t->nr_cpus;
	for (uint32_t i = 0; i < t->nr_cpus; i++) {
		set->fast[i] = t->views[2 * i].ring;
		set->slow[i] = t->views[2 * i + 1].ring;
	}
	return set;
}

static int make_rings(struct torture *t, char *mem, uint64_t bytes)
{
	struct ring_config config = {
		.page_bytes = t->config->page_bytes,
		.nr_pages = t->config->nr_pages,
		.overwrite = t->config->overwrite,
	};
	int r;

	calibrate(&config);
	if (t->config->clock == TORTURE_FAST_TSC)
		config.clock_mult *= TORTURE_FAST;
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

int torture_init(struct torture *t, const struct torture_config *config,
		 uint64_t seed)
{
	uint64_t ring = ALIGN_UP(ring_bytes(config->page_bytes,
					    config->nr_pages), 65536);
	uint64_t head = ALIGN_UP(sizeof(struct torture_shared), 65536);
	char *mem;
	int r;

	*t = (struct torture){
		.config = config,
		.seed = seed,
		.nr_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
	};
	t->nr_rings = 2 * t->nr_cpus;
	t->views = calloc(t->nr_rings, sizeof(*t->views));
	mem = mmap(NULL, head + ring * t->nr_rings, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED || !t->views)
		return -ENOMEM;
	t->shared = (struct torture_shared *)mem;
	r = make_rings(t, mem + head, ring);
	if (r)
		return r;
	t->set = set_new(t, config->path != TORTURE_NO_RSEQ);
	t->slow_set = set_new(t, false);
	return t->set && t->slow_set ? 0 : -ENOMEM;
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
