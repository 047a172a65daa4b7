/* SPDX-License-Identifier: MIT */
#include "cli/record_late.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "server/core/mapping.h"
#include "server/core/root_peek.h"
#include "server/core/shm.h"

#define SLOW_CYCLES	(1ull << 26)	/* age of a process's last round, in cycles of the TSC, at
					 * which the process is checked for its end; an agent
					 * that runs makes a round every 5 ms */
#define HUNG_CYCLES	5000000000u	/* age of a process's last round, in cycles of the TSC, at
					 * which the process is ignored */
#define GAP_CYCLES	(1ull << 21)	/* minimum distance of two marks, in cycles of the TSC: the
					 * array of marks covers more than the usual delay of
					 * late records */
#define WAIT_MS		100

/* ---- processes ---- */

int record_late_open(struct record_late *late, int fd, const struct abi_control *control)
{
	uint64_t skip = control->processes_off % ARCH_PAGE_BYTES;
	int r;

	if (late->map)
		return 0;
	r = mapping_new(fd, control->processes_off - skip,
			skip + ABI_PROCESSES * sizeof(struct abi_process), &late->map);
	if (!r)
		late->processes = (const void *)((const char *)late->map->addr + skip);
	return r;
}

void record_late_close(struct record_late *late)
{
	mapping_put(late->map);
	*late = (struct record_late){ .map = NULL };
}

uint64_t record_late_until(const struct record_late *late)
{
	uint64_t now = arch_tsc(), most = 0;

	for (uint32_t i = 0; late->map && i < ABI_PROCESSES; i++) {
		const struct abi_process *process = &late->processes[i];
		uint32_t stamp = shm_load(&process->late);	/* [late.until] */
		uint64_t age;

		if (stamp < ABI_LATE_FIRST)
			continue;
		age = abi_late_age(now, stamp);
		if (age > HUNG_CYCLES ||
		    (age > SLOW_CYCLES && root_peek_is_free(shm_load(&process->pid))))
			continue;
		most = max_u64(most, age + ABI_LATE_UNIT);
	}
	return most ? now - min_u64(most, now) : UINT64_MAX;
}

void record_late_wait(const struct record_late *late)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	uint64_t begin = arch_tsc();

	for (int i = 0; i < WAIT_MS && record_late_until(late) < begin; i++)
		nanosleep(&nap, NULL);
}

/* ---- marks ---- */

static void add_mark(struct record_marks *marks, struct record_mark newest)
{
	const struct record_mark *last = marks->nr ? &marks->marks[marks->nr - 1] : NULL;

	if (marks->nr == RECORD_LATE_MARKS ||
	    newest.time == (last ? last->time : marks->horizon) ||
	    (last && newest.tsc - last->tsc < GAP_CYCLES))
		return;
	marks->marks[marks->nr++] = newest;
}

uint64_t record_marks_horizon(struct record_marks *marks, struct record_mark newest,
			      uint64_t until)
{
	uint32_t nr = 0;

	add_mark(marks, newest);
	while (nr < marks->nr && marks->marks[nr].tsc <= until)
		marks->horizon = marks->marks[nr++].time;
	marks->nr -= nr;
	memmove(marks->marks, marks->marks + nr, marks->nr * sizeof(marks->marks[0]));
	if (until == UINT64_MAX)
		marks->horizon = newest.time;
	return marks->horizon;
}
