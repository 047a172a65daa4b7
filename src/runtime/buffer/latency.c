/* SPDX-License-Identifier: MIT */
/*
 * Publish the longest latency of a buffer, and keep its trace.
 *
 *	step				if the process is killed after it
 *	1 take a row			the row is unused until its turn comes again
 *	2 row.serial = 0, fill the row	as after 1
 *	3 row.serial = its serial	as after 1
 *	4 compare and exchange longest	the latency is known, and its trace is on the main side
 *	5 write a record		as after 4
 *	6 swap the sides		-
 *
 * Several threads may do this at once.  The word @longest only grows while there is no threshold,
 * so the longest latency wins; its swap may come before the swap of a shorter one, which then
 * brings back the main side.  So a thread swaps only if @longest is still its own word.  Between
 * this look and the swap another thread may publish a longer latency and swap: then there are two
 * swaps, and the trace kept is the older half.  docs/design/latency.md says what a user sees.
 *
 * A writer that is delayed between 2 and 3 while ABI_LATENCY_ROWS others take rows shares its row
 * with one of them.  The server compares the serial before and after it copies a row; if it is not
 * that of @longest, the thread is shown as unknown.
 */
#include "runtime/buffer/latency.h"

#include <string.h>

#include "abi/control.h"
#include "base/testpoint.h"
#include "runtime/base/comm.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"

uint32_t latency_buffers(uint32_t tracer)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		const struct buffer *buffer = buffer_if_used(i);

		if (buffer && __atomic_load_n(&buffer->shared->tracer, __ATOMIC_RELAXED) == tracer)
			mask |= buffer->bit;
	}
	return mask;
}

/* Returns true if a latency of @us microseconds must replace the longest one so far.  @word:
 * the value of abi_latency.longest. */
static bool is_kept(const struct abi_latency *latency, uint64_t us, uint64_t word)
{
	uint64_t thresh_us = __atomic_load_n(&latency->thresh_us, __ATOMIC_RELAXED);

	return thresh_us ? us >= thresh_us : us > abi_latency_us(word);
}

/* Take a row, and describe this thread in it.  Returns the row's serial. */
static uint32_t write_row(struct abi_latency *latency)
{
	uint32_t serial = 0;
	struct abi_latency_row *row;

	while (!(serial & ABI_LATENCY_SERIAL_MASK))	/* 0 stands for no row */
		serial = __atomic_add_fetch(&latency->next, 1, __ATOMIC_RELAXED);
	row = &latency->rows[serial % ABI_LATENCY_ROWS];
	__atomic_store_n(&row->serial, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);		/* [latency.row] */
	row->tid = thread_tid();
	row->cpu = thread_cpu();
	comm_get(row->comm);
	TESTPOINT("latency.row");
	__atomic_store_n(&row->serial, serial & ABI_LATENCY_SERIAL_MASK,
			 __ATOMIC_RELEASE);			/* [latency.serial] */
	return serial;
}

uint64_t latency_claim(const struct buffer *buffer, uint64_t ns)
{
	struct abi_latency *latency = &buffer->shared->latency;
	uint64_t word = __atomic_load_n(&latency->longest, __ATOMIC_RELAXED);
	uint64_t us = ns / 1000, new;

	if (!is_kept(latency, us, word) || !buffer_is_recording(buffer) ||
	    __atomic_load_n(&buffer->shared->paused, __ATOMIC_RELAXED))
		return 0;
	new = abi_latency_word(us, write_row(latency));
	while (!__atomic_compare_exchange_n(&latency->longest, &word, new, false,
					    __ATOMIC_RELEASE,	/* [latency.longest] */
					    __ATOMIC_RELAXED))
		if (!is_kept(latency, us, word))
			return 0;
	TESTPOINT("latency.claimed");
	return new;
}

void latency_keep(const struct buffer *buffer, uint64_t claim)
{
	if (__atomic_load_n(&buffer->shared->latency.longest, __ATOMIC_RELAXED) != claim)
		return;
	TESTPOINT("latency.keep");
	buffer_swap(buffer);
}
