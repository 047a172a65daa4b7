/* SPDX-License-Identifier: MIT */
/* Functions with which the program controls its own trace.  Signal handlers may call them,
 * except the functions that allocate a snapshot, because these may wait. */
#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"
#include <ulf/tracing.h>

#define ANSWER_SECONDS	5		/* maximum time to wait for the server's
					 * answer, s; the server checks for questions
					 * once a second */
#define MISSED_MAX	8u		/* number of unanswered questions after which
					 * the process does not ask again */

static void set_top(bool on)
{
	const struct buffer *top = buffer_top();

	if (!top || !ulf_probe_enter())
		return;
	buffer_set_recording(top, on);
	ulf_probe_exit();
}

void tracing_on(void)
{
	set_top(true);
}

void tracing_off(void)
{
	set_top(false);
}

int tracing_is_on(void)
{
	const struct buffer *top = buffer_top();

	return top && buffer_is_recording(top);
}

/* ---- take and allocate a snapshot of the top buffer ---- */

void tracing_snapshot(void)
{
	const struct buffer *top = buffer_top();

	if (!top || !ulf_probe_enter())
		return;
	buffer_snapshot(top);
	ulf_probe_exit();
}

static long now_seconds(void)
{
	struct timespec now = { 0, 0 };

	arch_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Ask the server for a spare side, and sleep until it has answered.  Returns 0; the
 * server's -errno; or -ENODEV if there is no answer. */
static int ask_for_spare(struct abi_buffer *shared)
{
	static uint32_t nr_missed;
	long until = now_seconds() + ANSWER_SECONDS;
	struct timespec second = { 1, 0 };

	/* Limit the number of waits without an answer.  Another process of the root may set
	 * @spare_asked again and again.  Then this process never sees an answer, and each call
	 * would wait without this limit. */
	if (__atomic_load_n(&nr_missed, __ATOMIC_RELAXED) >= MISSED_MAX)
		return -ENODEV;
	__atomic_store_n(&shared->spare_asked, 1, __ATOMIC_RELEASE);
	/* acquire: @spare_error was stored before @spare_asked became 0; mate:
	 * instance_answer_spare() [switch.spare] */
	while (__atomic_load_n(&shared->spare_asked, __ATOMIC_ACQUIRE)) {
		if (now_seconds() > until) {
			__atomic_add_fetch(&nr_missed, 1, __ATOMIC_RELAXED);
			return -ENODEV;
		}
		arch_syscall4(SYS_futex, &shared->spare_asked, FUTEX_WAIT, 1,
			      &second);
	}
	return -(int)shared->spare_error;
}

int tracing_alloc_snapshot(void)
{
	const struct buffer *top = buffer_top();

	if (!top)
		return -ENODEV;
	if (__atomic_load_n(&top->shared->spare, __ATOMIC_ACQUIRE) &	/* [switch.spare] */
	    ABI_SPARE_THERE)
		return 0;
	return ask_for_spare(top->shared);
}

void tracing_snapshot_alloc(void)
{
	if (!tracing_alloc_snapshot())
		tracing_snapshot();
}
