/* SPDX-License-Identifier: MIT */
/*
 * CPU time for work whose amount a program decides.  A root may spend BUDGET_NS at once
 * and then half of the time that passes; work that is not done by then is taken up again
 * on the next tick.  CPU time, because a server that had to wait for its CPU has done
 * nothing for the root yet.
 *
 * Example: a root takes 20 ms in one scan and is stopped.  10 ms later it has 5 ms again.
 */
#ifndef ULF_SERVER_BUDGET_H
#define ULF_SERVER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_NS	20000000u

/* All zeroes: full. */
struct budget {
	uint64_t left_ns;		/* when it was started last */
	uint64_t refilled_ns;		/* CLOCK_MONOTONIC, the same */
	uint64_t cpu_ns;		/* CLOCK_THREAD_CPUTIME_ID, the same */
};

/* Work begins.  Parts of it may not start the same budget. */
void budget_start(struct budget *budget);
/* Has the work since budget_start() to stop?  A system call of 0.2 us. */
bool budget_is_spent(const struct budget *budget);
/* The work has ended, or stops for now. */
void budget_stop(struct budget *budget);

#endif
