/* SPDX-License-Identifier: MIT */
/*
 * Record texts and data that users write to trace_marker and trace_marker_raw.
 *
 * Only the server's thread calls these functions.  The functions wait a short time for the
 * lock of a ring that a program holds.
 */
#ifndef ULF_SERVER_MARKER_H
#define ULF_SERVER_MARKER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct instance;

/* The common fields at the start of a record. */
struct marker_head {
	uint16_t type;			/* id of the event */
	uint8_t flags;
	uint8_t preempt_count;
	int32_t pid;			/* id of the thread */
};

/*
 * Record @text as a marker of thread @tid, and run the triggers of ftrace:print.  A
 * text that is too long is cut, as in the kernel.  Returns the number of bytes of @text
 * that were recorded; -EBADF while recording is off or paused, or if the ring cannot be
 * written; or an error of instance_need_rings().
 */
ssize_t marker_write(struct instance *instance, const char *text, size_t len,
		     pid_t tid);
/*
 * Record @len bytes at @data unchanged, as raw data of thread @tid.  The first four
 * bytes are the id of the data.  Runs no triggers.  Returns @len; -EINVAL if there are
 * fewer than four bytes or too many for a record; or another error of marker_write().
 */
ssize_t marker_write_raw(struct instance *instance, const char *data, size_t len,
			 pid_t tid);
/* Return the number of the CPU on which thread @tid runs.  The thread's markers go to a
 * ring of this CPU. */
uint32_t marker_cpu(const struct instance *instance, pid_t tid);
/* Return the current time by the clock of @instance. */
uint64_t marker_time(const struct instance *instance);
/*
 * Record the @bytes bytes at @rec, a record with its common fields, in the ring of
 * @cpu.  *@ret_time is set to the time of the record, by the instance's clock.
 * Returns 0; -E2BIG if no record can be so large; or an error of marker_write().
 */
int marker_write_record(struct instance *instance, const void *rec, size_t bytes, uint32_t cpu,
			uint64_t *ret_time);
/*
 * Record @text, a short message of the server itself, as a marker of thread @tid.  @ip is
 * one of ABI_IP_...  Runs no triggers.  A message that cannot be recorded is dropped.
 */
void marker_say(struct instance *instance, uint64_t ip, const char *text,
		pid_t tid);

#endif
