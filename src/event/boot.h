/* SPDX-License-Identifier: MIT */
/*
 * Settings from the start: the words of the kernel's command line that are about
 * tracing, in the environment variable ULF_TRACE of a program, or in a file
 * (base/config.h):
 *
 *	trace_event=sched:*,irq trace_buf_size=4M trace_clock=mono
 *
 * Blanks between words, commas between the items of a value, "" around a value with
 * blanks; in a word's name - and _ are the same, all as for the kernel.  The runtime
 * keeps the words (abi_control.boot) and knows which events they name; the server
 * applies the rest; `ulf run` has an option for each.  boot.c depends on libc alone.
 */
#ifndef EVENT_BOOT_H
#define EVENT_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(enumerator, name, what its value is; NULL: it has none; []: it may have) */
#define BOOT_WORDS(X)							\
	X(EVENT, "trace_event", "EVENTS")				\
	X(BUF_SIZE, "trace_buf_size", "SIZE")				\
	X(CLOCK, "trace_clock", "CLOCK")				\
	X(OPTIONS, "trace_options", "OPTIONS")				\
	X(INSTANCE, "trace_instance", "NAME[,EVENTS]")			\
	X(TRIGGER, "trace_trigger", "EVENT.TRIGGER[ if FILTER]")	\
	X(TRACER, "ftrace", "TRACER")					\
	X(FILTER, "ftrace_filter", "FUNCTIONS")				\
	X(NOTRACE, "ftrace_notrace", "FUNCTIONS")			\
	X(GRAPH_FILTER, "ftrace_graph_filter", "FUNCTIONS")		\
	X(GRAPH_NOTRACE, "ftrace_graph_notrace", "FUNCTIONS")		\
	X(GRAPH_DEPTH, "ftrace_graph_max_depth", "DEPTH")		\
	X(SNAPSHOT, "alloc_snapshot", NULL)				\
	X(STACK, "stacktrace", NULL)					\
	X(STACK_FILTER, "stacktrace_filter", "FUNCTIONS")		\
	X(WARNING, "traceoff_on_warning", NULL)				\
	X(DUMP, "ftrace_dump_on_oops", "[orig_cpu]")			\
	X(TP_PRINTK, "tp_printk", NULL)

enum boot_id {
#define BOOT_ID(id, name, value)	BOOT_##id,
	BOOT_WORDS(BOOT_ID)
#undef BOOT_ID
	BOOT_UNKNOWN,
};

struct boot_row {
	const char *name;
	const char *value;
};

extern const struct boot_row boot_table[BOOT_UNKNOWN];

/* A piece of a text, without a NUL. */
struct boot_piece {
	const char *text;
	size_t len;
};

struct boot_word {
	enum boot_id id;
	struct boot_piece whole;
	struct boot_piece value;	/* text NULL: it has none */
};

/* The next word from *@text on, which moves behind it. */
bool boot_next(const char **text, struct boot_word *ret_word);
/* Is there such a word?  The last one. */
bool boot_find(const char *text, enum boot_id id, struct boot_word *ret_word);
bool boot_has(const char *text, enum boot_id id);
/* The next item of *@list, which loses it. */
bool boot_item(struct boot_piece *list, struct boot_piece *ret_item);

/* Does an item of EVENTS name it?  set_event's spellings and globs; a ! before it
 * is passed over. */
bool boot_fits(const struct boot_piece *item, const char *system, const char *name);

/* NAME[^traceoff][,EVENTS] */
struct boot_instance {
	struct boot_piece name, events;
	bool is_off;
};
/* NULL, or what is wrong with it, and where. */
const char *boot_instance(const struct boot_piece *value,
			  struct boot_instance *ret_instance, const char **ret_at);

/* EVENT.TRIGGER, an item of trace_trigger. */
struct boot_trigger {
	struct boot_piece event, command;
};
bool boot_trigger(const struct boot_piece *item, struct boot_trigger *ret_trigger);
bool boot_piece_is(const struct boot_piece *piece, const char *text);

/* ---- boot_check.c: not for the runtime ---- */

/* NULL, or what is wrong with the word, and where.  That its events exist nobody
 * can know before the program has told. */
const char *boot_check(const struct boot_word *word, const char **ret_at);
/* Bytes, with the kernel's K, M, G ...; -EINVAL, -ERANGE. */
int boot_size(const struct boot_piece *value, uint64_t *ret_bytes);

#endif
