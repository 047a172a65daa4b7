/* SPDX-License-Identifier: MIT */
/*
 * The commands of triggers and of functions (`trigger` files, set_ftrace_filter): one
 * row each.  A row names methods of the server and of the runtime.  The server
 * (server/rules) uses the columns that parse, check and print a command, or run it for
 * a marker; the runtime (runtime/event/trigger.c) uses the columns that run a command.
 * Depends on libc alone.
 */
#ifndef EVENT_COMMAND_H
#define EVENT_COMMAND_H

#include <stddef.h>

/* The files in which a command may be written: `trigger` files, set_ftrace_filter, or both. */
enum command_scope {
	CMD_EVENT	= 1,		/* a trigger of an event */
	CMD_FUNCTION	= 2,		/* the command can be written as FUNCTION:COMMAND
					 * in set_ftrace_filter */
	CMD_ANY		= CMD_EVENT | CMD_FUNCTION,
};

/* The kind of a trigger.  An event can have one trigger of each kind.  If the commands
 * of a kind have targets (CMD_TARGET), the event can have one such trigger for each
 * target. */
enum command_kind {
	CMD_KIND_ONOFF, CMD_KIND_SNAPSHOT, CMD_KIND_STACKTRACE, CMD_KIND_ENABLE, CMD_KIND_DUMP,
	CMD_KIND_HIST, CMD_KIND_ENABLE_HIST, CMD_KIND_EVENT_PROBE,
};

enum command_flags {
	CMD_PLAIN	= 0,
	CMD_TARGET	= 1,		/* after the command the user must write SYSTEM:EVENT,
					 * the event on which the command acts */
	/* The flags CMD_CONDITIONAL to CMD_FIRST say whether a trigger runs before or
	 * after its event's record is written. */
	CMD_CONDITIONAL	= 2,		/* the command makes its event conditional: the
					 * event's triggers see the record
					 * (runtime/event/trigger.c) */
	CMD_AFTER	= 4,		/* if the event is conditional, the command runs after
					 * the record is written */
	CMD_FIRST	= 8,		/* the command runs before all other commands that
					 * have CMD_AFTER */
	/* The flags CMD_SIGNED to CMD_NO_COUNT say how the count in
	 * FUNCTION:COMMAND:COUNT limits the command. */
	CMD_SIGNED	= 16,		/* if the count is negative, the command does nothing,
					 * as in the kernel */
	CMD_RECORDING	= 32,		/* a command with a count does nothing while recording
					 * is off */
	CMD_ONCE	= 64,		/* the command runs only once, no matter what count is
					 * written */
	CMD_NO_COUNT	= 128,		/* the command runs at each hit, no matter what count
					 * is written */
	CMD_DATA	= 256,		/* a trigger with this command has data
					 * (abi_trigger.data): a struct hist_program
					 * (abi/hist.h); or, with CMD_TARGET, an array of rule
					 * word numbers plus 1, 4 bytes each */
	CMD_HIDDEN	= 512,		/* hidden command: users cannot write it, and files do
					 * not show it */
	CMD_IN_THREAD	= 1024,		/* the command must run in the thread that hits the
					 * event, so a late event cannot have it */
};

/*
 * X(enumerator, number, name, kind, scope, flags, help, need, mark, is_due, act)
 *
 * number: abi_trigger.command holds it, so a number must never change or be used again
 * kind, scope, flags: enum command_kind, enum command_scope, enum command_flags
 * help: text that the file README shows
 *
 * Methods of the server, in its thread; they must not block:
 *	need: prepare @instance before the command is added (struct trigger_cmd); NULL: nothing
 *		to do
 *	mark: run the command for a marker, which the server writes
 *		(server/rules/print_triggers.c); NULL: ftrace:print cannot have the command
 * Methods of the runtime, in the thread that hits the event or function, also in signal
 * handlers (struct command in runtime/event/trigger.c):
 *	is_due: returns true if the command would change anything; NULL: it always would
 *	act: run the command
 *
 * Files show the commands in the order of these rows.
 */
#define COMMANDS(X)							\
	X(TRACEON, 0, "traceon", CMD_KIND_ONOFF, CMD_ANY, CMD_SIGNED,	\
	  "tracing_on becomes 1",					\
	  NULL, mark_trace_on, is_off, trace_on)			\
	X(TRACEOFF, 1, "traceoff", CMD_KIND_ONOFF, CMD_ANY,		\
	  CMD_SIGNED | CMD_CONDITIONAL | CMD_AFTER,			\
	  "tracing_on becomes 0, after the record",			\
	  NULL, mark_trace_off, is_on, trace_off)			\
	X(SNAPSHOT, 2, "snapshot", CMD_KIND_SNAPSHOT, CMD_ANY,		\
	  CMD_SIGNED | CMD_AFTER | CMD_FIRST,				\
	  "a snapshot is taken",					\
	  instance_need_spare, mark_snapshot, NULL, take_snapshot)	\
	X(STACKTRACE, 3, "stacktrace", CMD_KIND_STACKTRACE, CMD_ANY,	\
	  CMD_RECORDING | CMD_CONDITIONAL | CMD_AFTER | CMD_IN_THREAD,	\
	  "the stack is recorded, after the record",			\
	  /* stacktrace has no method mark, because the server cannot read the stack of the
	   * thread that writes the marker */ \
	  NULL, NULL, NULL, record_stack)				\
	X(ENABLE_EVENT, 4, "enable_event", CMD_KIND_ENABLE, CMD_ANY, CMD_TARGET, \
	  "that event is recorded from then on",			\
	  NULL, mark_enable, is_disabled, enable_event)		\
	X(DISABLE_EVENT, 5, "disable_event", CMD_KIND_ENABLE, CMD_ANY, CMD_TARGET, \
	  "that event is not recorded any more",			\
	  NULL, mark_disable, is_enabled, disable_event)			\
	X(ENABLE_HIST, 9, "enable_hist", CMD_KIND_ENABLE_HIST, CMD_EVENT, \
	  CMD_TARGET | CMD_DATA,						\
	  "histograms of that event count its hits from then on",	\
	  NULL, mark_lang, NULL, enable_hist)				\
	X(DISABLE_HIST, 10, "disable_hist", CMD_KIND_ENABLE_HIST, CMD_EVENT, \
	  CMD_TARGET | CMD_DATA,						\
	  "histograms of that event pause",				\
	  NULL, mark_lang, NULL, disable_hist)				\
	X(HIST, 8, "hist", CMD_KIND_HIST, CMD_EVENT,			\
	  CMD_CONDITIONAL | CMD_DATA,					\
	  "hits are counted in a histogram",				\
	  NULL, mark_lang, NULL, run_hist)				\
	X(EVENT_PROBE, 11, "event_probe", CMD_KIND_EVENT_PROBE, CMD_EVENT, \
	  CMD_CONDITIONAL | CMD_DATA | CMD_HIDDEN,			\
	  "an event probe is recorded",					\
	  NULL, mark_lang, NULL, run_hist)				\
	X(DUMP, 6, "dump", CMD_KIND_DUMP, CMD_FUNCTION, CMD_ONCE,	\
	  "the trace is printed to stderr, once",			\
	  NULL, NULL, NULL, dump_all)					\
	X(CPUDUMP, 7, "cpudump", CMD_KIND_DUMP, CMD_FUNCTION, CMD_NO_COUNT, \
	  "the same of this CPU, each time",				\
	  NULL, NULL, NULL, dump_cpu)

enum command_number {
#define COMMAND_NUMBER(id, number, ...)	COMMAND_##id = (number),
	COMMANDS(COMMAND_NUMBER)
#undef COMMAND_NUMBER
};

/* The number of commands, and masks of commands: bit n stands for the command with
 * number n. */
enum {
#define COMMAND_ONE(...)	+1
	NR_COMMANDS = COMMANDS(COMMAND_ONE),
#undef COMMAND_ONE
#define COMMAND_EVENT(id, number, name, kind, scope, ...)	\
	((scope) & CMD_EVENT ? 1 << (number) : 0) |
	COMMANDS_OF_EVENTS = COMMANDS(COMMAND_EVENT) 0,
#undef COMMAND_EVENT
#define COMMAND_FUNCTION(id, number, name, kind, scope, ...)	\
	((scope) & CMD_FUNCTION ? 1 << (number) : 0) |
	COMMANDS_OF_FUNCTIONS = COMMANDS(COMMAND_FUNCTION) 0,
#undef COMMAND_FUNCTION
#define COMMAND_FIRST(id, number, name, kind, scope, flags, ...)	\
	((flags) & CMD_FIRST ? 1 << (number) : 0) |
	COMMANDS_FIRST = COMMANDS(COMMAND_FIRST) 0,
#undef COMMAND_FIRST
#define COMMAND_SIGNED(id, number, name, kind, scope, flags, ...)	\
	((flags) & CMD_SIGNED ? 1 << (number) : 0) |
	COMMANDS_SIGNED = COMMANDS(COMMAND_SIGNED) 0,
#undef COMMAND_SIGNED
#define COMMAND_RECORDING(id, number, name, kind, scope, flags, ...)	\
	((flags) & CMD_RECORDING ? 1 << (number) : 0) |
	COMMANDS_RECORDING = COMMANDS(COMMAND_RECORDING) 0,
#undef COMMAND_RECORDING
};

#endif
