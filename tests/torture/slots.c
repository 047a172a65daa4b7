/* SPDX-License-Identifier: MIT */
/*
 * A thread has a slot only for a vfork(), returns the slot and ends.  Another thread takes
 * the slot just when the slots of dead threads are freed.  The slot must stay with the second
 * thread.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/testpoint.h"
#include "lib/check.h"
#include "runtime/base/thread.h"
#include <ulf/event.h>

#define SLOTS	64		/* number of slots that exist at first */

void (*testpoint_hook)(const char *name);

static struct ulf_thread *of_lender, *of_heir;
static pid_t lender_tid, heir_tid;
static pthread_t lender;
static bool is_to_end;

static void wait_for(bool *word)
{
	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void *lend(void *arg)
{
	thread_lend();
	of_lender = ulf_this_thread;
	lender_tid = gettid();
	__atomic_store_n((bool *)arg, true, __ATOMIC_RELEASE);
	wait_for(&is_to_end);
	thread_take_back();
	return arg;
}

static void *inherit(void *arg)
{
	of_heir = ulf_thread_attach();
	heir_tid = gettid();
	__atomic_store_n((bool *)arg, true, __ATOMIC_RELEASE);
	pause();
	return arg;
}

static int is_lenders(struct thread_slot *slot, void *arg)
{
	(void)arg;
	return &slot->thread == of_lender;
}

/* Called when the search for dead threads is at the slot of the lender, which is the first
 * one. */
static void in_sweep(const char *name)
{
	bool is_there = false;
	pthread_t heir;

	if (strcmp(name, "thread.sweep"))
		return;
	testpoint_hook = NULL;
	is_to_end = true;
	CHECK_EQ(pthread_join(lender, NULL), 0);
	while (syscall(SYS_tgkill, getpid(), lender_tid, 0) == 0 || errno != ESRCH)
		sched_yield();
	CHECK_EQ(pthread_create(&heir, NULL, inherit, &is_there), 0);
	wait_for(&is_there);
}

int main(void)
{
	bool is_there = false;

	CHECK_EQ(pthread_create(&lender, NULL, lend, &is_there), 0);
	wait_for(&is_there);
	CHECK_EQ(thread_for_each(is_lenders, NULL), 1);
	for (int i = 1; i < SLOTS; i++)
		CHECK(ulf_thread_attach());
	testpoint_hook = in_sweep;
	CHECK(ulf_thread_attach() != of_lender);
	CHECK(!testpoint_hook);
	CHECK(of_heir == of_lender);
	CHECK_EQ(of_heir->tid, heir_tid);
	return 0;
}
