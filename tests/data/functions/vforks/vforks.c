/* SPDX-License-Identifier: MIT */
/*
 * Threads on one CPU call functions all the time.  Other threads on this CPU make children
 * with vfork(), which call functions on another CPU, and exit, are killed, or call exec().
 *
 *	vforks CPU OTHER	until SIGTERM
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTSIDE		__attribute__((noinline, patchable_function_entry(0)))
#define TRACED		__attribute__((noinline))
#define RECORDERS	3
#define PARENTS		2
#define CALLS		100

static volatile sig_atomic_t is_over;
static int home, other;

TRACED void recorder_inner(void)
{
	__asm__ volatile("" ::: "memory");
}

TRACED void recorder_outer(void)
{
	recorder_inner();
	__asm__ volatile("" ::: "memory");
}

TRACED void child_inner(void)
{
	__asm__ volatile("" ::: "memory");
}

TRACED void child_outer(void)
{
	child_inner();
	__asm__ volatile("" ::: "memory");
}

static void (*volatile recorder_call)(void) = recorder_outer;
static void (*volatile child_call)(void) = child_outer;

OUTSIDE static void move_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		_exit(2);
}

OUTSIDE static void *records(void *arg)
{
	move_to(home);
	while (!is_over)
		recorder_call();
	return arg;
}

OUTSIDE static void die_soon(long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec at = { .it_value.tv_nsec = ns };
	int timer;

	syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer);
	syscall(SYS_timer_settime, timer, 0, &at, NULL);
}

OUTSIDE static void be_child(unsigned int turn, unsigned int *seed)
{
	char *argv[] = { "true", NULL }, *env[] = { NULL };

	if (turn % 3 == 0)
		die_soon(1 + rand_r(seed) % 300000);
	move_to(other);
	for (int i = 0; i < CALLS; i++)
		child_call();
	if (turn % 3 == 1)
		execve("/bin/true", argv, env);
	_exit(0);
}

OUTSIDE static void *vforks(void *arg)
{
	unsigned int seed = (unsigned int)(long)arg;
	int status;
	pid_t pid;

	move_to(home);
	for (unsigned int turn = 0; !is_over; turn++) {
		pid = vfork();
		if (!pid)
			be_child(turn, &seed);
		if (pid < 0 || waitpid(pid, &status, 0) != pid ||
		    (status && status != SIGKILL))
			_exit(3);
	}
	return arg;
}

OUTSIDE static void on_term(int signal)
{
	(void)signal;
	is_over = 1;
}

OUTSIDE int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_term, .sa_flags = SA_RESTART };
	pthread_t threads[RECORDERS + PARENTS];

	if (argc < 3)
		return 1;
	home = atoi(argv[1]);
	other = atoi(argv[2]);
	sigaction(SIGTERM, &action, NULL);
	for (long i = 0; i < RECORDERS + PARENTS; i++)
		if (pthread_create(&threads[i], NULL, i < RECORDERS ? records : vforks,
				   (void *)i))
			return 1;
	for (int i = 0; i < RECORDERS + PARENTS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
