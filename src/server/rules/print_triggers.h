/* SPDX-License-Identifier: MIT */
/*
 * Run the triggers of records that the server itself writes.  These are markers, which
 * are records of the event ftrace:print, and records of events that users inject.
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
struct trigger_mark;

/* The event ftrace:print.  Like other events it can have triggers, but it is not in the
 * table of events of any root. */
extern const struct event print_event;

/* Return true if a trigger of ftrace:print may have @command. */
bool print_has_command(enum command_number command);
/*
 * Run the triggers of @event for the record @mark, but skip triggers with a command that the
 * server cannot run.  mark->row and mark->comm need not be set.
 */
void triggers_mark(struct instance *instance, const struct event *event,
		   struct trigger_mark *mark);
/*
 * Run the triggers of ftrace:print.  Must be called after the marker was recorded.
 * @rec, @bytes: the record of the marker, and its length.
 * @tid, @cpu: the thread that has written the marker, and the CPU on which it runs.
 * @time: time of the record, by the clock of @instance.
 */
void print_triggers_run(struct instance *instance, const void *rec, size_t bytes,
			pid_t tid, uint32_t cpu, uint64_t time);

#endif
