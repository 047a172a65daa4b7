/* SPDX-License-Identifier: MIT */
/*
 * Late records: the agent records what happened in another thread some time ago.
 *
 * While the agent does this, it stands for the other thread: ulf_this_thread points to a
 * struct late_thread, and thread_is_late() returns true.  Filters, triggers and
 * histograms then see the other thread's id, name, CPU and time.  Records go to the late
 * rings, in which each record has the time of its event.  Only the agent calls these
 * functions, with the runtime's lock held, which keeps plans and rings from being freed.
 */
#ifndef ULF_RUNTIME_BUFFER_LATE_H
#define ULF_RUNTIME_BUFFER_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "runtime/base/thread.h"

struct buffer;

/* The thread, the CPU and the time of a late event. */
struct late_source {
	uint32_t tid;
	uint32_t cpu;
	uint64_t raw_ns;		/* time of the event, CLOCK_MONOTONIC_RAW */
	char comm[ABI_COMM_LEN];	/* name of the thread at the time of the
					 * event */
};

/* Prepare this thread, which is the agent, for recording.  Returns false if it
 * cannot record. */
bool late_prepare(void);
/*
 * late_round_begin - measure the clocks of all buffers, from which the times of the next
 * records are computed.  The caller calls it again at least once in 100 ms. late_round_end
 * - remember which buffers have stopped recording.  Called when the records of everything
 * that happened before are written.
 */
void late_round_begin(void);
void late_round_end(void);
/* Let this thread stand for the thread of @source, until late_leave(). */
void late_enter(const struct late_source *source);
void late_leave(void);

/* ---- functions to call while thread_is_late() returns true ---- */

/* Write a record as buffer_write() does.  Returns false if @buffer does not record. */
bool late_write(const struct buffer *buffer, void *entry, size_t bytes);
/* Returns the time of the late event by the clock of @buffer. */
uint64_t late_now(const struct buffer *buffer);
/* Count @nr records as lost in the late ring of the late event's CPU. */
void late_count_lost(const struct buffer *buffer, uint64_t nr);

#endif
