/* SPDX-License-Identifier: MIT */
/* Print records of dynamic events (event_print_fn), as the kernel does.  The kernel does not
 * use the events' print format for this: that format is only for tools. */
#ifndef ULF_SERVER_DYNAMIC_PRINT_H
#define ULF_SERVER_DYNAMIC_PRINT_H

#include <stdbool.h>
#include <stddef.h>

struct event;
struct print_env;
struct text;

/* Print a record of a synthetic event: "lat=200 pid=235 comm=sleep". */
int synth_print(const struct event *event, const void *rec, size_t bytes,
		const struct print_env *env, bool is_verbose, struct text *out);
/* Print a record of an event probe: "(sched.sched_switch) pid=0x5 comm="sh"". */
int eprobe_print(const struct event *event, const void *rec, size_t bytes,
		 const struct print_env *env, bool is_verbose, struct text *out);

#endif
