/* SPDX-License-Identifier: MIT */
/*
 * A limit of CPU time for work whose amount a traced program decides.  A root may spend
 * BUDGET_NS at once, and then half of the time that passes.  Work that is not finished is
 * continued on the next tick.  The budget is CPU time, because a server that had to wait
 * for its CPU has done nothing for the root yet.
 *
 * Example: a root uses 20 ms in one scan and is stopped. 10 ms later it has 5 ms again.
 */
#ifndef ULF_SERVER_BUDGET_H
#define ULF_SERVER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_NS	20000000u

/* A budget of all zeroes is full. */
struct budget {
	uint64_t left_ns;		/* CPU time that was left at the last
					 * budget_start() */
	uint64_t refilled_ns;		/* CLOCK_MONOTONIC at the last budget_start() */
	uint64_t cpu_ns;		/* CLOCK_THREAD_CPUTIME_ID at the last
					 * budget_start() */
};

/* Begin the work.  Calls must not be nested for one budget. */
void budget_start(struct budget *budget);
/* Return true if the work must stop now.  Costs a system call of 0.2 us. */
bool budget_is_spent(const struct budget *budget);
/* End the work, or interrupt it.  Subtracts the CPU time since budget_start(). */
void budget_stop(struct budget *budget);

#endif
