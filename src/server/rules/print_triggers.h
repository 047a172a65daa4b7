/* SPDX-License-Identifier: MIT */
/*
 * Run the triggers of the event ftrace:print.  They run in the server, because the
 * server records the markers.
 */
#ifndef ULF_SERVER_PRINT_TRIGGERS_H
#define ULF_SERVER_PRINT_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/rules.h"
#include "event/command.h"

struct event;
struct instance;

/* The event ftrace:print.  Like other events it can have triggers, but it is not in the
 * table of events of any root. */
extern const struct event print_event;

/* Return true if a trigger of ftrace:print may have @command. */
bool print_has_command(enum command_number command);
/*
 * Run the triggers of ftrace:print.  Must be called after the marker was recorded.
 * @rec, @bytes: the record of the marker, and its length.
 * @tid, @cpu: the thread that has written the marker, and the CPU on which it runs.
 */
void print_triggers_run(struct instance *instance, const void *rec, size_t bytes,
			pid_t tid, uint32_t cpu);

#endif
