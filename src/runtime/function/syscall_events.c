/* SPDX-License-Identifier: MIT */
/*
 * The events of system calls, which libulf.so itself defines.  Otherwise they are ordinary
 * events of a module: filters, triggers, histograms and lists of threads apply to them.
 */
#include <stddef.h>
#include <ulf/event.h>

#define CREATE_TRACE_POINTS
#include "runtime/function/raw_syscalls.h"
#include "runtime/function/syscall_named.h"
#include "runtime/function/syscalls.h"

/* The sections with the rows of these events (ulf/module.h, which libulf.so does not include,
 * because its events are registered only if the boot settings ask for them). */
extern struct ulf_site __start___ulf_sites[] ULF_HIDDEN, __stop___ulf_sites[] ULF_HIDDEN;
extern struct ulf_event *__start___ulf_events[] ULF_HIDDEN, *__stop___ulf_events[] ULF_HIDDEN;
extern struct tracepoint *__start___ulf_tracepoints[] ULF_HIDDEN;
extern struct tracepoint *__stop___ulf_tracepoints[] ULF_HIDDEN;

static struct ulf_module module = {
	.version = ULF_ABI_VERSION,
	.sites = __start___ulf_sites, .sites_end = __stop___ulf_sites,
	.events = __start___ulf_events, .events_end = __stop___ulf_events,
	.tracepoints = __start___ulf_tracepoints, .tracepoints_end = __stop___ulf_tracepoints,
};

static void hit_enter(const unsigned long *args, long nr)
{
	trace_sys_enter(args, nr);
}

static void hit_exit(long nr, long ret)
{
	trace_sys_exit(nr, ret);
}

const struct syscall_events syscall_events = {
	.module = &module,
	.enter = &__tracepoint_sys_enter, .exit = &__tracepoint_sys_exit,
	.hit_enter = hit_enter, .hit_exit = hit_exit,
	.pairs = syscall_pairs, .init_named = syscall_named_init, .hit_named = syscall_named_hit,
};
