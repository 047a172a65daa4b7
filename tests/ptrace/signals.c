/* SPDX-License-Identifier: MIT */
/*
 * Signals that arrive before, while and after a process is stopped are all delivered, with
 * their values and in their order.  A program that SIGSTOP has stopped stays stopped, and a
 * SIGSTOP or SIGCONT that arrives meanwhile has its effect.  SIGKILL ends a stopped program.
 */
#include "child.h"

#define THREADS		4
#define STOPS		300
#define STOPS_LONG	10000
#define PER_STOP	10

static struct shared {
	_Atomic uint64_t handled;
	_Atomic uint64_t wrong;		/* signals out of order */
	_Atomic uint64_t turns;
} *shared;

/* The signal is blocked in all threads but one, so its instances stay in order. */
static void check_order(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if ((uint64_t)info->si_value.sival_int != atomic_load(&shared->handled))
		atomic_fetch_add(&shared->wrong, 1);
	atomic_fetch_add(&shared->handled, 1);
}

static void *turn(void *arg)
{
	for (;;) {
		atomic_fetch_add(&shared->turns, 1);
		usleep(50);
	}
	return arg;
}

static void run_target(void *arg)
{
	struct sigaction action = { .sa_sigaction = check_order, .sa_flags = SA_SIGINFO };
	pthread_t thread;
	sigset_t set;

	(void)arg;
	CHECK_EQ(sigaction(SIGRTMIN, &action, NULL), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread, NULL, turn, NULL), 0);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	turn(NULL);
}

static void send(pid_t pid, int number)
{
	union sigval value = { .sival_int = number };

	while (sigqueue(pid, SIGRTMIN, value)) {
		CHECK_EQ(errno, EAGAIN);	/* the queue is full */
		sleep_ms(1);
	}
}

static int check_signals(pid_t pid, int stops)
{
	int sent = 0;

	for (int i = 0; i < stops; i++) {
		struct stopped *stopped;

		for (int k = 0; k < PER_STOP; k++)
			send(pid, sent++);
		stopped = stop_or_fail(pid);
		for (int k = 0; k < PER_STOP; k++)
			send(pid, sent++);
		threads_continue(stopped);
		if (i % 16 == 0)
			wait_for(&shared->handled, (uint64_t)sent);
	}
	wait_for(&shared->handled, (uint64_t)sent);
	CHECK_EQ(atomic_load(&shared->handled), sent);
	CHECK_EQ(atomic_load(&shared->wrong), 0);
	return sent;
}

/* The program stands still, and its parent sees it stopped. */
static void check_is_stopped(pid_t pid)
{
	siginfo_t info;
	uint64_t turns;

	CHECK_EQ(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
	CHECK_EQ(info.si_code, CLD_STOPPED);
	wait_for_state(pid, pid, "T");
	turns = atomic_load(&shared->turns);
	for (int i = 0; i < 10; i++)
		sleep_ms(1);
	CHECK_EQ(atomic_load(&shared->turns), turns);
}

static void check_moves(pid_t pid)
{
	siginfo_t info;

	CHECK_EQ(waitid(P_PID, (id_t)pid, &info, WCONTINUED), 0);
	wait_for(&shared->turns, atomic_load(&shared->turns) + 2 * THREADS);
}

static void check_group_stop(pid_t pid)
{
	struct stopped *stopped;

	/* stopped before */
	CHECK_EQ(kill(pid, SIGSTOP), 0);
	check_is_stopped(pid);
	threads_continue(stop_or_fail(pid));
	wait_for_state(pid, pid, "T");
	CHECK_EQ(kill(pid, SIGCONT), 0);
	check_moves(pid);

	/* stopped meanwhile */
	stopped = stop_or_fail(pid);
	CHECK_EQ(kill(pid, SIGSTOP), 0);
	threads_continue(stopped);
	check_is_stopped(pid);
	CHECK_EQ(kill(pid, SIGCONT), 0);
	check_moves(pid);

	/* stopped before, continued meanwhile */
	CHECK_EQ(kill(pid, SIGSTOP), 0);
	check_is_stopped(pid);
	stopped = stop_or_fail(pid);
	CHECK_EQ(kill(pid, SIGCONT), 0);
	threads_continue(stopped);
	check_moves(pid);
}

/* A killed program ends, and its parent gets the status, also before threads_continue(). */
static void check_kill(pid_t pid)
{
	struct stopped *stopped = stop_or_fail(pid);
	siginfo_t info;

	CHECK_EQ(kill(pid, SIGKILL), 0);
	threads_continue(stopped);
	CHECK_EQ(waitid(P_PID, (id_t)pid, &info, WEXITED), 0);
	CHECK_EQ(info.si_code, CLD_KILLED);
	CHECK_EQ(info.si_status, SIGKILL);
}

static void check_failures(void)
{
	struct stop_failure failure;
	struct stopped *stopped;
	struct text text;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid)
		_exit(0);
	wait_for_state(pid, pid, "Z");
	CHECK_EQ(threads_stop(pid, NULL, &stopped, &failure), -ESRCH);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_EQ(threads_stop(pid, NULL, &stopped, &failure), -ESRCH);
	text_init(&text, 1024);
	stop_failure_print(&failure, &text);
	CHECK_STR(text_str(&text), "the process has ended");
	text_done(&text);
	threads_continue(NULL);
}

int main(void)
{
	int sent, stops = getenv("ULF_TORTURE") ? STOPS_LONG : STOPS;
	pid_t pid;

	shared = map_shared(sizeof(*shared));
	pid = target_start(run_target, NULL);
	wait_for(&shared->turns, 2 * THREADS);
	sent = check_signals(pid, stops);
	for (int i = 0; i < 20; i++)
		check_group_stop(pid);
	check_kill(pid);
	check_failures();
	printf("score: %d stops, %d signals\n", stops, sent);
	return 0;
}
