/* SPDX-License-Identifier: MIT */
/*
 * A limit of CPU time for work whose amount a traced program decides.  A root may spend
 * BUDGET_NS at once, and then half of the time that passes.  Work that is not finished is
 * continued on the next tick.  The budget is CPU time and not elapsed time, because a
 * server that waits for a CPU does no work for the root.
 *
 * Example: a root uses 20 ms in one scan and is stopped. 10 ms later it has 5 ms again.
 */
#ifndef ULF_SERVER_BUDGET_H
#define ULF_SERVER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_NS	20000000u

/* A budget of CPU time.  A struct of zeroes is a full budget, so it needs no
 * initialisation. */
struct budget {
	uint64_t left_ns;		/* CPU time that the budget had left at the last
					 * budget_start() or budget_stop(), ns */
	uint64_t refilled_ns;		/* time when budget_start() was last called,
					 * CLOCK_MONOTONIC */
	uint64_t cpu_ns;		/* CPU time that the server's thread had used at
					 * the last budget_start(), ns */
};

/* Begin work that the budget limits.  Calls for one budget must not be nested. */
void budget_start(struct budget *budget);
/* Return true if the work must stop now.  The call makes one system call, which takes
 * about 0.2 us. */
bool budget_is_spent(const struct budget *budget);
/* End the work, or interrupt it.  Subtracts the CPU time since budget_start() from the
 * budget. */
void budget_stop(struct budget *budget);

#endif
