/* SPDX-License-Identifier: MIT */
/* The lock of a slow ring, and what happens when its holder dies. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "ring/shmlock.h"
#include "unit/ring_memory.h"

static void *take_and_wait(void *arg)
{
	struct abi_ring *ring = arg;

	if (shmlock_take_for(&ring->lock, (uint32_t)gettid(), SHMLOCK_YIELDS))
		_exit(1);
	for (;;)
		pause();
	return NULL;
}

/* Start a process that holds the lock, by its first thread or by another. */
static pid_t start_holder(struct abi_ring *ring, bool is_first_thread)
{
	pid_t pid = fork();
	pthread_t thread;

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(60);
		if (is_first_thread)
			take_and_wait(ring);
		if (pthread_create(&thread, NULL, take_and_wait, ring))
			_exit(1);
		pthread_join(thread, NULL);
		_exit(1);
	}
	while (!__atomic_load_n(&ring->lock, __ATOMIC_ACQUIRE))
		usleep(100);
	return pid;
}

static void wait_dead(pid_t pid, int options)
{
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | options), 0);
	assert_int_equal(info.si_code, CLD_KILLED);
}

static void take_over(bool is_first_thread, bool is_reaped)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_memory m;
	struct ring_head head;
	pid_t pid;

	config.flags |= ABI_RING_LOCKED;
	ring_memory_init(&m, &config);
	assert_int_equal(ring_memory_write(&m, 1, 8), 0);
	assert_int_equal(m.ring->lock, 0);
	pid = start_holder(m.ring, is_first_thread);
	kill(pid, SIGKILL);
	wait_dead(pid, is_reaped ? 0 : WNOWAIT);
	assert_int_equal(ring_memory_write(&m, 2, 8), 0);
	assert_int_equal(m.ring->lock, 0);
	assert_int_equal(ring_head(&m.view, &head), 0);
	assert_int_equal(head.entries, 2);
	if (!is_reaped)
		wait_dead(pid, 0);
	ring_memory_done(&m);
}

static void a_dead_process_loses_the_lock(void **state)
{
	(void)state;
	take_over(true, true);
	take_over(false, true);
}

/* A zombie loses the lock, because its parent may wait for it late or never. */
static void a_zombie_loses_the_lock(void **state)
{
	(void)state;
	take_over(false, false);
	take_over(true, false);
}

static void a_live_holder_keeps_the_lock(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_memory m;
	struct ring_head head;
	uint32_t holder;
	pid_t pid;

	(void)state;
	config.flags |= ABI_RING_LOCKED;
	ring_memory_init(&m, &config);
	pid = start_holder(m.ring, true);
	holder = m.ring->lock;
	assert_int_equal(ring_memory_write(&m, 1, 8), -EBUSY);
	assert_int_equal(m.ring->lock, holder);
	assert_int_equal(ring_head(&m.view, &head), 0);
	assert_int_equal(head.entries, 0);
	kill(pid, SIGKILL);
	wait_dead(pid, 0);
	assert_int_equal(ring_memory_write(&m, 1, 8), 0);
	ring_memory_done(&m);
}

/* Start a process that keeps this CPU busy. */
static pid_t start_busy(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		arch_relax();
}

static long count_switches(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* A yield next to busy processes takes as long as their time slices.  A waiter that counts
 * only its yields would be switched as often as it yields, which takes a minute. */
static void a_busy_cpu_does_not_prolong_the_wait(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_memory m;
	cpu_set_t all, one;
	pid_t busy[2], pid;
	long switches;

	(void)state;
	config.flags |= ABI_RING_LOCKED;
	ring_memory_init(&m, &config);
	pid = start_holder(m.ring, true);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (int i = 0; i < 2; i++)
		busy[i] = start_busy();
	switches = count_switches();
	assert_int_equal(ring_memory_write(&m, 1, 8), -EBUSY);
	switches = count_switches() - switches;
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	for (int i = 0; i < 2; i++) {
		kill(busy[i], SIGKILL);
		wait_dead(busy[i], 0);
	}
	kill(pid, SIGKILL);
	wait_dead(pid, 0);
	ring_memory_done(&m);
	if (switches > SHMLOCK_YIELDS / 4)
		fail_msg("%ld switches", switches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dead_process_loses_the_lock),
		cmocka_unit_test(a_zombie_loses_the_lock),
		cmocka_unit_test(a_live_holder_keeps_the_lock),
		cmocka_unit_test(a_busy_cpu_does_not_prolong_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
