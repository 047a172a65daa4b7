/* SPDX-License-Identifier: MIT */
/*
 * The stack tracer under load: threads of several processes, and their signal handlers,
 * descend to random depths, with delays between the steps of storing a stack.  Processes are
 * killed at each of these steps, and the maximum is reset all the time.  The stack that is
 * shown must be one single stack at any time.  After the death of a process the tracer must
 * not miss deeper stacks for ever.
 *
 * timeout: 300
 * no-sanitize: address its allocator stays locked in a child of many threads
 * no-sanitize: thread it takes the copies of a seqlock for a race
 */
#include <alloca.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/stack_tracer.h"
#include "base/testpoint.h"
#include "lib/check.h"
#include "lib/record.h"
#include "runtime/function/ftrace.h"
#include <ulf/event.h>

#define SURVIVORS	2
#define LEVELS		30u
#define LEVEL_BYTES	2000u
#define SHORT_KILLS	40
#define LONG_KILLS	1500
#define PATIENCE	60000		/* time after which the test fails because something
					 * hangs, ms */

void (*testpoint_hook)(const char *name);

static struct abi_stack *stack;

static __thread uint64_t dice;

static uint32_t roll(uint32_t sides)
{
	if (!dice)
		dice = (uint64_t)gettid() * 0x9e3779b97f4a7c15ull;
	return random_below(&dice, sides);
}

/* ---- descend ---- */

static const uint64_t *place_of(const void *frame)
{
	return (const uint64_t *)frame + 1;
}

static __attribute__((noinline)) void descend(uint32_t levels)
{
	char *room = alloca(roll(LEVEL_BYTES));

	__asm__ volatile("" : : "r"(room) : "memory");
	/* Attach the thread, as hit.c does before it calls ftrace_check_stack(). */
	CHECK(ulf_this_thread || ulf_thread_attach());
	ftrace_check_stack((uint64_t)descend,
			   (uint64_t)place_of(__builtin_frame_address(0)), 0);
	if (levels)
		descend(levels - 1);
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void on_alarm(int signal)
{
	(void)signal;
	descend(roll(5));
}

static void *go_down(void *arg)
{
	(void)arg;
	for (;;)
		descend(roll(LEVELS));
	return NULL;
}

static void be_slow(const char *name)
{
	(void)name;
	if (!roll(4))
		usleep(roll(100));
	else if (!roll(4))
		sched_yield();
}

/* ---- die ---- */

static const char *deadly_point;
static uint32_t deadly_passes;

static void die_here(const char *name)
{
	be_slow(name);
	if (!strcmp(name, deadly_point) &&
	    !__atomic_sub_fetch(&deadly_passes, 1, __ATOMIC_RELAXED))
		kill(getpid(), SIGKILL);
}

static pid_t start(void (*hook)(const char *name))
{
	struct itimerval often = { { 0, 900 }, { 0, 900 } };
	pthread_t thread;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	testpoint_hook = hook;
	signal(SIGALRM, on_alarm);
	CHECK(!setitimer(ITIMER_REAL, &often, NULL));
	CHECK(!pthread_create(&thread, NULL, go_down, NULL));
	go_down(NULL);
	_exit(1);
}

/* ---- read the stack ---- */

static void check_copy(const struct abi_stack_copy *copy)
{
	const struct abi_stack_frame *frame = copy->frames;

	CHECK(copy->nr > 1 && copy->nr < ABI_STACK_FRAMES && copy->tid);
	CHECK_EQ(frame->ip, (uint64_t)descend + FSITE_BYTES);
	for (uint32_t i = 1; i < copy->nr; i++) {
		CHECK(frame[i].depth < frame[i - 1].depth);
		CHECK(frame[i].ip && frame[i].depth % 8 == 0);
		/* A larger frame would belong to another stack. */
		if (i < copy->nr - 1)
			CHECK(frame[i - 1].depth - frame[i].depth < LEVEL_BYTES + 10000);
	}
}

/* Read the deepest stack and check it.  Returns its depth, or 0 if there is none yet. */
static uint64_t look(void)
{
	uint64_t max = __atomic_load_n(&stack->max, __ATOMIC_ACQUIRE);
	struct abi_stack_copy copy;

	if (!abi_stack_read(stack, &copy))
		return 0;
	if (copy.nr)
		check_copy(&copy);
	if (max != __atomic_load_n(&stack->max, __ATOMIC_ACQUIRE) ||
	    !abi_stack_depth(max))
		return 0;
	CHECK_EQ(abi_stack_depth(max), copy.frames[0].depth);
	return abi_stack_depth(max);
}

static void look_at_rows(void)
{
	for (uint32_t i = 0; i < ABI_STACK_THREADS; i++) {
		const struct abi_stack_thread *row = &stack->threads[i];
		uint64_t deepest = __atomic_load_n(&row->deepest, __ATOMIC_ACQUIRE);

		if (deepest)
			CHECK(row->tid && row->pid && row->top > row->low);
	}
}

/* After a reset a thread must store the deepest stack again, even if a dead process has the
 * lock. */
static void check_life_goes_on(void)
{
	abi_stack_reset(stack, 0);
	for (int ms = 0; !look(); ms++) {
		CHECK(ms < PATIENCE);
		usleep(1000);
	}
	look_at_rows();
}

static void kill_one(const char *point, bool is_zombie)
{
	siginfo_t info = { 0 };
	pid_t pid;

	deadly_point = point;
	deadly_passes = 1 + roll(20);
	pid = start(die_here);
	while (!info.si_pid) {
		look();
		if (!roll(5))
			abi_stack_reset(stack, 0);
		usleep(200);
		CHECK(!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT));
	}
	CHECK_EQ(info.si_status, SIGKILL);
	if (!is_zombie)
		waitpid(pid, NULL, 0);
	check_life_goes_on();
	if (is_zombie)
		waitpid(pid, NULL, 0);
}

int main(void)
{
	static const char *const points[] = {
		"stack.locked", "stack.row", "stack.begun", "stack.filled",
		"stack.written",
	};
	const char *form = getenv("ULF_TORTURE");
	int kills = form && !strcmp(form, "long") ? LONG_KILLS : SHORT_KILLS;
	pid_t survivors[SURVIVORS];

	stack = mmap(NULL, sizeof(*stack), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED);
	ftrace_state.stack = stack;
	for (int i = 0; i < SURVIVORS; i++)
		survivors[i] = start(be_slow);
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		for (int nr = 0; nr < kills; nr++)
			kill_one(points[i], nr % 2);
		printf("%-16s %d killed\n", points[i], kills);
		fflush(stdout);
	}
	for (int i = 0; i < SURVIVORS; i++) {
		CHECK(!waitpid(survivors[i], NULL, WNOHANG));
		kill(survivors[i], SIGKILL);
		waitpid(survivors[i], NULL, 0);
	}
	return 0;
}
