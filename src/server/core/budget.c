/* SPDX-License-Identifier: MIT */
/* A limit of CPU time for work whose amount a traced program decides; see budget.h. */
#include "server/core/budget.h"

#include <time.h>

#include "event/clock.h"

#define REFILL_PART	2u		/* divisor: while time T passes, a budget grows by
					 * T / REFILL_PART */

static uint64_t used_ns(const struct budget *budget)
{
	return clock_posix_ns(CLOCK_THREAD_CPUTIME_ID) - budget->cpu_ns;
}

void budget_start(struct budget *budget)
{
	uint64_t now = clock_posix_ns(CLOCK_MONOTONIC);
	uint64_t passed = now - budget->refilled_ns;

	budget->left_ns += passed / REFILL_PART;
	if (budget->left_ns > BUDGET_NS)
		budget->left_ns = BUDGET_NS;
	budget->refilled_ns = now;
	budget->cpu_ns = clock_posix_ns(CLOCK_THREAD_CPUTIME_ID);
}

bool budget_is_spent(const struct budget *budget)
{
	return used_ns(budget) >= budget->left_ns;
}

void budget_stop(struct budget *budget)
{
	uint64_t used = used_ns(budget);

	budget->left_ns -= used < budget->left_ns ? used : budget->left_ns;
}
