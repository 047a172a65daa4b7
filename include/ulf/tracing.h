/* SPDX-License-Identifier: MIT */
/* Functions with which a program controls its own trace, with the kernel's names. */
#ifndef ULF_TRACING_H
#define ULF_TRACING_H

#include <ulf/event.h>
#include <ulf/printk.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * tracing_on() starts recording in the top buffer, tracing_off() stops it.
 * tracing_is_on() returns 1 while the top buffer is recording, else 0.
 *
 * These functions have the effect of the file tracing_on, for all processes of the
 * root, with or without a server.  The last change wins.  Any thread and any signal
 * handler may call these functions; errno is kept.  In a process that is not traced
 * nothing happens, and tracing_is_on() returns 0.
 */
ULF_EXPORT void tracing_on(void);
ULF_EXPORT void tracing_off(void);
ULF_EXPORT int tracing_is_on(void);
/* Stop recording after a warning.  A program calls this function from its equivalent
 * of WARN().  If the program was started with traceoff_on_warning (ulf(1)), the
 * function writes a line to the trace and calls tracing_off().  Otherwise the function
 * does nothing. */
ULF_EXPORT void disable_trace_on_warning(void);

/*
 * Take a snapshot, as the file snapshot does: the records of the top buffer become the
 * snapshot, and recording continues in the memory of the previous snapshot.  If no
 * snapshot was allocated, recording stops and the last lines of the trace report that.
 * Any thread and any signal handler may call this.
 */
ULF_EXPORT void tracing_snapshot(void);
/*
 * Ask the server to allocate a snapshot, and wait a few seconds at most for its
 * answer.  A signal handler must not call this.  Returns 0 (also if a snapshot was
 * allocated before), -ENODEV (the process is not traced, or no server answers),
 * -ENOMEM or another -errno of the server.
 */
ULF_EXPORT int tracing_alloc_snapshot(void);
/* Call tracing_alloc_snapshot(), then tracing_snapshot().  Does nothing if the allocation
 * fails. */
ULF_EXPORT void tracing_snapshot_alloc(void);

/* Write the stack of the caller to the top buffer, without the first @skip functions of the
 * stack. Any thread and any signal handler may call this. */
ULF_EXPORT void trace_dump_stack(int skip);

/*
 * Stop recording in the top buffer and print it to stderr: the records of all CPUs
 * (DUMP_ALL) or of the current CPU (DUMP_ORIG).  A child process runs `ulf dump`, which
 * prints.  The environment variable ULF_EXE has the path of the program ulf; without
 * ULF_EXE, PATH is searched.  Both variables count as they were when this program
 * started.
 * ftrace_dump() returns when the printing has ended.  Any thread and any signal handler
 * may call it.  The calling program gets no SIGCHLD for the child process, and wait()
 * does not report it.
 */
enum ftrace_dump_mode {
	DUMP_NONE,
	DUMP_ALL,
	DUMP_ORIG,
};
ULF_EXPORT void ftrace_dump(enum ftrace_dump_mode mode);

/*
 * Leave the root: unmap the memory that this process shares with its parent and its
 * siblings.  Until exec() nothing is traced any more in this process and in its children.
 * A worker process calls this before it drops its privileges.  With
 * ULF_UNMAP_ON_SETUID=1 in the environment, children that change their user id leave
 * the root automatically.  This function may wait for probes of other threads, one
 * second at most.  Neither a signal handler nor a child of vfork() may call this.
 */
ULF_EXPORT void ulf_leave(void);

#ifdef __cplusplus
}
#endif

#endif
