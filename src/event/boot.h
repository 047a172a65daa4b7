/* SPDX-License-Identifier: MIT */
/*
 * Boot settings: parameters for tracing that are in force before a program's first event.
 * Their names are those of the kernel's command line.  They are in the program's environment
 * variable ULF_TRACE, or in a file (base/config.h):
 *
 *	trace_event=sched:*,irq trace_buf_size=4M trace_clock=mono
 *
 * Blanks separate settings, commas separate the items of a value, and "" encloses a value
 * with blanks.  In a setting's name - and _ are the same, as in the kernel.  The
 * runtime stores the text (abi_control.boot), and enables the events that it names.
 * The server applies all other settings.  `ulf run` has an option for each setting.
 * boot.c depends on libc alone.
 */
#ifndef EVENT_BOOT_H
#define EVENT_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `follow` is the setting of `ulf run --follow`.  With it the settings apply to many
 * programs.  So it is no mistake if a program lacks a function that a setting names. */
/* The boot settings: X(enumerator, name, placeholder).  The placeholder stands for the
 * value in help texts.  NULL: the setting takes no value.  A placeholder in [] means
 * that the value is optional. */
#define BOOT_WORDS(X)							\
	X(EVENT, "trace_event", "EVENTS")				\
	X(BUF_SIZE, "trace_buf_size", "SIZE")				\
	X(CLOCK, "trace_clock", "CLOCK")				\
	X(OPTIONS, "trace_options", "OPTIONS")				\
	X(INSTANCE, "trace_instance", "NAME[,EVENTS]")			\
	X(TRIGGER, "trace_trigger", "EVENT.TRIGGER[ if FILTER]")	\
	X(EVENT_FILTER, "trace_filter", "EVENTS FILTER")		\
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
	X(TP_PRINTK, "tp_printk", NULL)					\
	X(SYSCALLS, "syscalls", NULL)					\
	X(USDT, "usdt", NULL)						\
	X(FOLLOW, "follow", NULL)

enum boot_id {
#define BOOT_ID(id, name, value)	BOOT_##id,
	BOOT_WORDS(BOOT_ID)
#undef BOOT_ID
	BOOT_UNKNOWN,
};

/* A row of the table of boot settings. */
struct boot_row {
	const char *name;
	const char *value;		/* placeholder of the value; NULL if the setting
					 * takes no value */
};

extern const struct boot_row boot_table[BOOT_UNKNOWN];

/* A part of a longer text: @len bytes at @text, without a NUL at the end. */
struct boot_token {
	const char *text;
	size_t len;
};

/* One boot setting, as it was written: NAME or NAME=VALUE. */
struct boot_word {
	enum boot_id id;
	struct boot_token whole;	/* text of the whole setting: NAME or NAME=VALUE */
	struct boot_token value;	/* the value without its quotes; value.text is
					 * NULL if the setting has no value */
};

/*
 * Parse the setting at *@text, and move *@text to the end of that setting.
 * Returns false if *@text contains no further setting.
 */
bool boot_next(const char **text, struct boot_word *ret_word);
/*
 * Find the setting @id in @text, a text of boot settings.  If @text contains it several
 * times, the last one counts.
 * Returns false if @text does not contain it.
 */
bool boot_find(const char *text, enum boot_id id, struct boot_word *ret_word);
/* Returns true if @text, a text of boot settings, contains the setting @id. */
bool boot_has(const char *text, enum boot_id id);
/*
 * Remove the first item of *@list, a value whose items are separated by commas.  Store the
 * item in *@ret_item.  Returns false if the list is empty.
 */
bool boot_item(struct boot_token *list, struct boot_token *ret_item);

/* Returns true if @item, an item of a list of events, names the event @system:@name.
 * Items are written as in set_event, with globs; a leading ! is ignored. */
bool boot_fits(const struct boot_token *item, const char *system, const char *name);

/* Returns true if @item, an item of a list of events, names a system of libulf's own
 * (abi/own_systems.h).  Items for all events, or without a system, mean the program's events. */
bool boot_names_own(const struct boot_token *item);
/* Returns true if a setting in @words, a text of boot settings, names events of libulf's own. */
bool boot_has_own(const char *words);

/* A value of the setting trace_instance, in the form NAME[^traceoff][,EVENTS] */
struct boot_instance {
	struct boot_token name, events;
	bool is_off;			/* true: the value contains ^traceoff, so the new
					 * instance does not record at first */
};
/*
 * Parse a value of trace_instance.
 * Returns NULL if the value is correct; or a message that says what is wrong, with the
 * position of the mistake in *@ret_at.
 */
const char *boot_instance(const struct boot_token *value,
			  struct boot_instance *ret_instance, const char **ret_at);

/* An item of the setting trace_trigger, in the form EVENT.TRIGGER */
struct boot_trigger {
	struct boot_token event, command;
};
/*
 * Parse an item of trace_trigger.
 * Returns false if the event or the trigger is missing.
 */
bool boot_trigger(const struct boot_token *item, struct boot_trigger *ret_trigger);
/* Returns true if @trigger is for the event @name of @system: it has NAME or SYSTEM:NAME. */
bool boot_trigger_fits(const struct boot_trigger *trigger, const char *system, const char *name);

/* A value of the setting trace_filter, in the form EVENTS FILTER.  EVENTS is a list of
 * events. */
struct boot_filter {
	struct boot_token events, filter;
};
/*
 * Parse a value of trace_filter.
 * Returns false if the events or the filter are missing.
 */
bool boot_filter(const struct boot_token *value, struct boot_filter *ret_filter);
/* Returns true if an item of @list, a list of events, names the event @system:@name. */
bool boot_list_fits(struct boot_token list, const char *system, const char *name);
/* Returns true if @token is equal to the string @text. */
bool boot_token_is(const struct boot_token *token, const char *text);

/* ---- boot_check.c, which the runtime does not link ---- */

/*
 * Check a boot setting.  Does not check whether the events that it names exist: the
 * server does not know them before the program has started.
 * Returns NULL if the setting is correct; or a message that says what is wrong, with
 * the position of the mistake in *@ret_at.
 */
const char *boot_check(const struct boot_word *word, const char **ret_at);
/*
 * Parse a number of bytes, which may end with one of the kernel's suffixes K, M, G, T,
 * P, E. Returns 0, -EINVAL or -ERANGE.
 */
int boot_size(const struct boot_token *value, uint64_t *ret_bytes);

#endif
