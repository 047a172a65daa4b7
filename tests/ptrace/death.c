/* SPDX-License-Identifier: MIT */
/*
 * A process that has stopped a program is killed by SIGKILL, at each testpoint and at random
 * moments.  No thread of the program stays stopped or traced, each continues with its own
 * registers, no signal is lost, and a SIGSTOPped program stays stopped.
 *
 * One thing can be lost, at one step only.  Between the moment when a thread is asked to stop and
 * the moment when the stopping process has looked at it, a death lets a call return EINTR if
 * the kernel ends this call with EINTR at each stop (epoll_wait).  The test counts these.
 */
#include <sys/epoll.h>

#include "child.h"

#define ROUNDS		5
#define ROUNDS_LONG	100
#define RANDOM		200
#define RANDOM_LONG	5000
#define THREADS		4

static struct shared {
	_Atomic uint64_t turns[THREADS];
	_Atomic uint64_t interrupted[THREADS];	/* calls that returned EINTR */
	_Atomic uint64_t wrong;
	_Atomic uint64_t handled;
	_Atomic uint64_t passed;		/* number of testpoints at which a process was
						 * killed */
} *shared;

static const char *deadly;			/* name of the testpoint that kills */
static uint64_t passes_left;

static void die_at(const char *name)
{
	if (strcmp(name, deadly) || passes_left--)
		return;
	atomic_fetch_add(&shared->passed, 1);
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* ---- the target ---- */

static void note(int number, long r)
{
	if (r)
		atomic_fetch_add(errno == EINTR ? &shared->interrupted[number] : &shared->wrong, 1);
	atomic_fetch_add(&shared->turns[number], 1);
}

static void *wait_epoll(void *arg)
{
	int fd = epoll_create1(0);
	struct epoll_event event;

	for (;;)
		note(0, epoll_wait(fd, &event, 1, 2));
	return arg;
}

static void *wait_nanosleep(void *arg)
{
	const struct timespec time = { 0, 2000000 };

	for (;;)
		note(1, nanosleep(&time, NULL));
	return arg;
}

/* Compute with many registers; a register of another thread would change the result. */
static void *compute(void *arg)
{
	for (;;) {
		uint64_t a = 1, b = 2, c = 3, d = 4;
		double x = 0;

		for (int i = 0; i < 100000; i++) {
			a = a * 6364136223846793005ull + b;
			b ^= a >> 7;
			c += b * 31;
			d = (d << 3 | d >> 61) ^ c;
			x += (double)(d & 1);
		}
		if (x < 1 || (a ^ b ^ c ^ d) != *(uint64_t *)arg)
			atomic_fetch_add(&shared->wrong, 1);
		note(2, 0);
	}
	return NULL;
}

static uint64_t computed(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;

	for (int i = 0; i < 100000; i++) {
		a = a * 6364136223846793005ull + b;
		b ^= a >> 7;
		c += b * 31;
		d = (d << 3 | d >> 61) ^ c;
	}
	return a ^ b ^ c ^ d;
}

static void count_signal(int signal)
{
	(void)signal;
	atomic_fetch_add(&shared->handled, 1);
}

static void run_target(void *arg)
{
	static uint64_t expected;
	sigset_t set;
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
	pthread_t thread;

	(void)arg;
	expected = computed();
	CHECK_EQ(sigaction(SIGRTMIN, &action, NULL), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	CHECK_EQ(pthread_create(&thread, NULL, wait_epoll, NULL), 0);
	CHECK_EQ(pthread_create(&thread, NULL, wait_nanosleep, NULL), 0);
	CHECK_EQ(pthread_create(&thread, NULL, compute, &expected), 0);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	for (;;) {
		usleep(500);
		atomic_fetch_add(&shared->turns[3], 1);
	}
}

/* ---- the process that dies ---- */

static void stop_and_die(pid_t pid, const char *name, uint64_t pass)
{
	deadly = name;
	passes_left = pass;
	testpoint_hook = die_at;
	for (;;)
		threads_continue(stop_or_fail(pid));
}

static pid_t start_stopper(pid_t target, const char *name, uint64_t pass)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stop_and_die(target, name, pass);
	_exit(0);
}

/* ---- checks ---- */

static void check_released(pid_t pid)
{
	struct task_list list = { 0 };

	for (int i = 0; i < THREADS; i++)
		wait_for(&shared->turns[i], atomic_load(&shared->turns[i]) + 2);
	CHECK_EQ(tasks_read(pid, &list), 0);
	CHECK_EQ(list.nr, THREADS);
	for (size_t i = 0; i < list.nr; i++)
		CHECK_EQ(task_tracer(pid, list.tids[i]), 0);
	tasks_done(&list);
	CHECK_EQ(atomic_load(&shared->wrong), 0);
	for (int i = 1; i < THREADS; i++)
		CHECK_EQ(atomic_load(&shared->interrupted[i]), 0);
}

static uint64_t sent;

static void send_signals(pid_t pid)
{
	const union sigval value = { 0 };

	for (int i = 0; i < 3; i++, sent++)
		CHECK_EQ(sigqueue(pid, SIGRTMIN, value), 0);
}

static void check_testpoint(pid_t pid, const char *name, uint64_t pass)
{
	uint64_t passed = atomic_load(&shared->passed);
	uint64_t interrupted = atomic_load(&shared->interrupted[0]);
	pid_t stopper;

	send_signals(pid);
	stopper = start_stopper(pid, name, pass);
	send_signals(pid);
	CHECK_EQ(waitpid(stopper, NULL, 0), stopper);
	CHECK_EQ(atomic_load(&shared->passed), passed + 1);
	check_released(pid);
	wait_for(&shared->handled, sent);
	CHECK_EQ(atomic_load(&shared->handled), sent);
	/* At these three points a thread may have stopped that was not looked at yet. */
	if (strcmp(name, "stop.interrupted") && strcmp(name, "stop.stopped") &&
	    strcmp(name, "stop.held"))
		CHECK_EQ(atomic_load(&shared->interrupted[0]), interrupted);
}

static void check_random(pid_t pid)
{
	pid_t stopper = start_stopper(pid, "none", 0);

	send_signals(pid);
	usleep((useconds_t)rand() % 5000);
	send_signals(pid);
	CHECK_EQ(kill(stopper, SIGKILL), 0);
	CHECK_EQ(waitpid(stopper, NULL, 0), stopper);
	check_released(pid);
	wait_for(&shared->handled, sent);
	CHECK_EQ(atomic_load(&shared->handled), sent);
}

/* A process that SIGSTOP has stopped, and whose tracer dies, stays stopped. */
static void check_group_stop(pid_t pid)
{
	siginfo_t info;
	pid_t stopper;

	CHECK_EQ(kill(pid, SIGSTOP), 0);
	CHECK_EQ(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
	stopper = start_stopper(pid, "stop.continue", 0);
	CHECK_EQ(waitpid(stopper, NULL, 0), stopper);
	wait_for_state(pid, pid, "T");
	CHECK_EQ(kill(pid, SIGCONT), 0);
	check_released(pid);
}

int main(void)
{
	static const char *const points[] = { "stop.seized", "stop.interrupted", "stop.stopped",
					      "stop.held", "stop.continue", "stop.released" };
	bool is_long = getenv("ULF_TORTURE");
	int rounds = is_long ? ROUNDS_LONG : ROUNDS, random = is_long ? RANDOM_LONG : RANDOM;
	uint64_t at_points;
	pid_t pid;

	shared = map_shared(sizeof(*shared));
	srand((unsigned int)getpid());
	pid = target_start(run_target, NULL);
	check_released(pid);
	for (int i = 0; i < rounds; i++)
		for (size_t k = 0; k < sizeof(points) / sizeof(points[0]); k++)
			for (uint64_t pass = 0; pass < 6; pass++)
				check_testpoint(pid, points[k], pass);
	at_points = atomic_load(&shared->interrupted[0]);
	for (int i = 0; i < random; i++)
		check_random(pid);
	for (int i = 0; i < 10; i++)
		check_group_stop(pid);
	printf("score: %llu deaths at testpoints with %llu EINTR, %d at random with %llu EINTR\n",
	       (unsigned long long)atomic_load(&shared->passed), (unsigned long long)at_points,
	       random, (unsigned long long)(atomic_load(&shared->interrupted[0]) - at_points));
	target_kill(pid);
	return 0;
}
