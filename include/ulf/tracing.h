/* SPDX-License-Identifier: MIT */
/* What a program may do to its own trace: the kernel's calls. */
#ifndef ULF_TRACING_H
#define ULF_TRACING_H

#include <ulf/event.h>
#include <ulf/printk.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The file tracing_on, from inside: recording in the top buffer goes on, stops,
 * and does it go on?  For all processes of the root, with a server or without;
 * the last word counts, whose ever it is.  Any thread, any signal handler; errno
 * stays as it is.  Not traced at all: nothing happens, and tracing_is_on() is 0.
 */
ULF_EXPORT void tracing_on(void);
ULF_EXPORT void tracing_off(void);
ULF_EXPORT int tracing_is_on(void);
/*
 * To be called by what a program has for WARN(): tracing_off(), and a line in the
 * trace that says so, if it was started with traceoff_on_warning (ulf(1)); else
 * nothing.
 */
ULF_EXPORT void disable_trace_on_warning(void);

/*
 * The file snapshot, from inside: what the top buffer has recorded so far
 * becomes the snapshot, and recording goes on in what was the snapshot before.
 * Any thread, any signal handler.  If no snapshot was allocated recording
 * stops, and the trace says so in its last lines.
 */
ULF_EXPORT void tracing_snapshot(void);
/*
 * Allocate one, which the server does: wait for it, for some seconds at most.
 * 0 (also if there is one), -ENODEV (nobody answers), -ENOMEM and the like.
 * Not from a signal handler.
 */
ULF_EXPORT int tracing_alloc_snapshot(void);
/* Both: nothing happens if it cannot be allocated. */
ULF_EXPORT void tracing_snapshot_alloc(void);

/*
 * Write the stack of the caller, without its first @skip functions, to the top
 * buffer.  Any thread, any signal handler.
 */
ULF_EXPORT void trace_dump_stack(int skip);

/*
 * Stop recording in the top buffer and print it to stderr: what all CPUs
 * recorded, or this one.  The program `ulf dump` does the printing: ULF_EXE,
 * else one in the PATH, both as they were at the start.  Returns when that is
 * done.  Any thread, any signal handler; the program does not see that it has a
 * child.
 */
enum ftrace_dump_mode {
	DUMP_NONE,
	DUMP_ALL,
	DUMP_ORIG,
};
ULF_EXPORT void ftrace_dump(enum ftrace_dump_mode mode);

/*
 * Leave the root: what this process has of the memory that it shares with its parent and
 * its siblings is given up.  Nothing is traced in it any more, nor in its children, until
 * exec().  For a worker that is about to give up its rights, before it does so; children
 * that change their user do it by themselves with ULF_UNMAP_ON_SETUID=1 in the environment.
 * May wait for probes of other threads, a second at most.  Not from a signal handler, nor
 * in a child of vfork().
 */
ULF_EXPORT void ulf_leave(void);

#ifdef __cplusplus
}
#endif

#endif
