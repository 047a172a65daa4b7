/* SPDX-License-Identifier: MIT */
/* Rules that a test program sets for itself, see rules.h. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/record.h"
#include "lib/rules.h"
#include "lib/trace.h"

#define PAGE_BYTES	4096
#define NR_THREADS	4

/* The pages are at a large distance after the rings. */
uint64_t rules_page_off(const struct driver *d, enum rules_page page)
{
	return d->control->arena_off + (1u << 30) + page * PAGE_BYTES;
}

struct abi_buffer *rules_open(struct driver *d)
{
	const struct driver_config config = { 4096, 64, 16, true };

	CHECK_EQ(driver_open(d, getpid()), 0);
	CHECK_EQ(ftruncate(d->fd, (off_t)rules_page_off(d, RULES_PAGES)), 0);
	CHECK_EQ(driver_rings(d, &config), 0);
	return trace_buffer(d);
}

int rules_use(struct driver *d, const void *block, size_t bytes)
{
	static enum rules_page in_force = RULES_PAGE;
	enum rules_page page = in_force == RULES_PAGE ? RULES_OTHER_PAGE : RULES_PAGE;
	int r;

	memcpy(d->mem + rules_page_off(d, page), block, bytes);
	__atomic_store_n(&trace_buffer(d)->rules, rules_page_off(d, page),
			 __ATOMIC_RELEASE);
	r = driver_apply(d);
	if (!r)
		in_force = page;
	return r;
}

void rules_damage(void *block, size_t bytes, uint64_t *random)
{
	for (uint32_t nr = random_below(random, 4) + 1; nr; nr--)
		((uint8_t *)block)[random_below(random, (uint32_t)bytes)] =
			(uint8_t)random_next(random);
}

/* ---- counts ---- */

static const struct rules_counted *counting;
static int nr_thread_hits;
static bool is_changing;
static uint64_t nr_found;		/* how often the target was found off and switched on
					 * again */

static void hit_and_look(void)
{
	counting->hit();
	if (__atomic_exchange_n(counting->target, 0, __ATOMIC_RELAXED))
		__atomic_add_fetch(&nr_found, 1, __ATOMIC_RELAXED);
}

static void in_handler(int sig)
{
	(void)sig;
	hit_and_look();
}

/* Hit, also from a signal handler, until @nr_thread_hits hits have followed the last
 * change. */
static void *hit_often(void *arg)
{
	(void)arg;
	for (int i = 0; i < nr_thread_hits; ) {
		hit_and_look();
		if (i % 16 == 0)
			raise(SIGUSR1);
		i += !__atomic_load_n(&is_changing, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void use(const struct rules_counted *counted)
{
	CHECK_EQ(counted->use(COMMAND_DISABLE_EVENT, counted->count_slot), 0);
}

/* No other thread decrements the counter, so the number found must equal the number
 * counted. */
void rules_count_hits(const struct rules_counted *counted, uint64_t count, int nr_hits,
		      int nr_changes)
{
	pthread_t threads[NR_THREADS];

	counting = counted;
	nr_thread_hits = nr_hits;
	is_changing = true;
	signal(SIGUSR1, in_handler);
	*counted->count = count;
	*counted->target = nr_found = 0;
	use(counted);
	for (int i = 0; i < NR_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hit_often, NULL), 0);
	for (int i = 0; i < nr_changes; i++) {
		CHECK_EQ(counted->use(COMMAND_TRACEON, 0), 0);
		use(counted);
	}
	__atomic_store_n(&is_changing, false, __ATOMIC_RELAXED);
	for (int i = 0; i < NR_THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	CHECK(nr_found > 0);
	CHECK_EQ(nr_found, count - *counted->count);
}

void rules_count_children(const struct rules_counted *counted)
{
	int status;

	use(counted);
	*counted->count = 3;
	for (int i = 0; i < 5; i++) {
		pid_t pid;

		*counted->target = 0;
		pid = fork();
		if (!pid) {
			counted->hit();
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
		CHECK_EQ(*counted->target, i < 3);
	}
	CHECK_EQ(*counted->count, 0);
}
