/* SPDX-License-Identifier: MIT */
/*
 * Make the events syscalls:sys_enter_NAME and sys_exit_NAME, and record them.
 *
 * The events are made only if the boot settings ask for system calls.  Until then the table
 * is text without pointers, so programs that do not trace system calls neither read nor
 * relocate a page of it.
 *
 * The module's address in the table of modules is 0, and its id is a constant.  So the processes of
 * a root share the rows of these events in the table of events, wherever libulf.so is loaded.
 */
#include "runtime/function/syscall_named.h"

#include <stdbool.h>
#include <string.h>

#include "base/bits.h"
#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/event/event.h"
#include "runtime/event/module.h"
#include "runtime/function/syscall_table.h"
#include "runtime/unwind/image.h"
#include "runtime/unwind/unwind.h"
#include <ulf/record.h>

#define MADE_ID		0x736c6c6163737973ull	/* number that identifies the module
						 * of these events in the table of
						 * modules */
#define NESTING_MAX	16u			/* maximum nesting depth of hits and
						 * probes in a thread; a deeper hit is
						 * not recorded */

struct syscall_pair *syscall_pairs[SYSCALL_NUMBERS];

/* ---- the table as text ---- */

/* Each row is a list of strings: the names of the two events, the print format of the first one,
 * a type and a name for each argument, and an empty string. */
#define HEX(n)		n ": 0x%08lx"
#define REC(n)		"((unsigned long)(REC->" n "))"
#define ARGS0()		"\0"
#define ARGS1(t1, n1)	HEX(n1) "\1" REC(n1) "\0" t1 "\0" n1 "\0"
#define ARGS2(t1, n1, t2, n2)							\
	HEX(n1) ", " HEX(n2) "\1" REC(n1) ", " REC(n2) "\0"			\
	t1 "\0" n1 "\0" t2 "\0" n2 "\0"
#define ARGS3(t1, n1, t2, n2, t3, n3)						\
	HEX(n1) ", " HEX(n2) ", " HEX(n3) "\1"					\
	REC(n1) ", " REC(n2) ", " REC(n3) "\0"					\
	t1 "\0" n1 "\0" t2 "\0" n2 "\0" t3 "\0" n3 "\0"
#define ARGS4(t1, n1, t2, n2, t3, n3, t4, n4)					\
	HEX(n1) ", " HEX(n2) ", " HEX(n3) ", " HEX(n4) "\1"			\
	REC(n1) ", " REC(n2) ", " REC(n3) ", " REC(n4) "\0"			\
	t1 "\0" n1 "\0" t2 "\0" n2 "\0" t3 "\0" n3 "\0" t4 "\0" n4 "\0"
#define ARGS5(t1, n1, t2, n2, t3, n3, t4, n4, t5, n5)				\
	HEX(n1) ", " HEX(n2) ", " HEX(n3) ", " HEX(n4) ", " HEX(n5) "\1"	\
	REC(n1) ", " REC(n2) ", " REC(n3) ", " REC(n4) ", " REC(n5) "\0"	\
	t1 "\0" n1 "\0" t2 "\0" n2 "\0" t3 "\0" n3 "\0" t4 "\0" n4 "\0"		\
	t5 "\0" n5 "\0"
#define ARGS6(t1, n1, t2, n2, t3, n3, t4, n4, t5, n5, t6, n6)			\
	HEX(n1) ", " HEX(n2) ", " HEX(n3) ", " HEX(n4) ", " HEX(n5) ", "	\
	HEX(n6) "\1"								\
	REC(n1) ", " REC(n2) ", " REC(n3) ", " REC(n4) ", " REC(n5) ", "	\
	REC(n6) "\0"								\
	t1 "\0" n1 "\0" t2 "\0" n2 "\0" t3 "\0" n3 "\0" t4 "\0" n4 "\0"		\
	t5 "\0" n5 "\0" t6 "\0" n6 "\0"
#define TABLE(ROW)	SYSCALL_TABLE(ROW, ARGS0, ARGS1, ARGS2, ARGS3, ARGS4, ARGS5, ARGS6)
#define TEXT(name, args)	"sys_enter_" name "\0sys_exit_" name "\0" args

#define NUMBER(nr, name, args)	nr,
static const uint16_t numbers[] = { TABLE(NUMBER) };

/* The text of all rows, one row after the other. */
#define MEMBER(nr, name, args)	char of_##nr[sizeof(TEXT(name, args))];
#define VALUE(nr, name, args)	TEXT(name, args),
static const struct {
	TABLE(MEMBER)
} rows = { TABLE(VALUE) };

/* Returns the string at *@at, and moves *@at after it. */
static const char *next_string(const char **at)
{
	const char *string = *at;

	*at += strlen(string) + 1;
	return string;
}

/* ---- make events ---- */

#define FIELD_NR								\
	{ .type = "int", .name = "__syscall_nr", .offset = sizeof(struct trace_entry),	\
	  .size = sizeof(int), .is_signed = 1 }

/* The record of sys_enter_NAME.  A record has as many arguments as the system call. */
struct record_enter {
	struct trace_entry entry;
	int nr;
	int reserved;
	unsigned long args[SYSCALL_ARGS_MAX];
};

struct record_exit {
	struct trace_entry entry;
	int nr;
	int reserved;
	long ret;
};

static const struct ulf_field *fields_exit(void)
{
	static const struct ulf_field fields[] = {
		FIELD_NR,
		{ .type = "long", .name = "ret", .offset = offsetof(struct record_exit, ret),
		  .size = sizeof(long), .is_signed = 1 },
		{ .size = sizeof(struct record_exit) },
	};

	return fields;
}

static const void *no_print(void)
{
	return NULL;
}

static size_t enter_bytes(const struct syscall_pair *pair)
{
	return offsetof(struct record_enter, args) + pair->nr_args * sizeof(unsigned long);
}

/* Make the fields of a system call's events.  *@text: the rest of its row,
 * after the print format. */
static void make_fields(struct syscall_pair *pair, const char **text)
{
	struct ulf_field *field = pair->fields;
	const char *type;

	*field++ = (struct ulf_field)FIELD_NR;
	while (*(type = next_string(text))) {
		*field++ = (struct ulf_field){
			.type = type, .name = next_string(text),
			.offset = (unsigned int)enter_bytes(pair),
			.size = sizeof(unsigned long),
		};
		pair->nr_args++;
	}
	*field = (struct ulf_field){ .size = (unsigned int)enter_bytes(pair) };
}

static void probe_enter(void *event, const struct syscall_hit *hit)
{
	const struct syscall_pair *pair = event;
	struct record_enter *record =
		(void *)ULF_RECORD_ALLOC(sizeof(struct record_enter));

	record->nr = hit->nr;
	record->reserved = 0;
	memcpy(record->args, hit->args, pair->nr_args * sizeof(unsigned long));
	ulf_event_commit(&pair->enter, record, enter_bytes(pair));
}

static void probe_exit(void *event, const struct syscall_hit *hit)
{
	struct record_exit *record = (void *)ULF_RECORD_ALLOC(sizeof(struct record_exit));

	record->nr = hit->nr;
	record->reserved = 0;
	record->ret = hit->ret;
	ulf_event_commit(event, record, sizeof(*record));
}

static void make_event(struct ulf_event *event, struct tracepoint *tp, const char *name)
{
	event->system = "syscalls";
	event->name = tp->name = name;
	event->tracepoint = tp;
	event->print = no_print;
	/* Nothing calls these two functions: they mark where the stack of a hit begins. */
	event->direct = tp->iter = (void (*)(void))syscall_named_hit;
}

/* Make the two events of the row that begins at *@text, and move *@text to the next
 * row. */
static void make_pair(struct syscall_pair *pair, const char **text)
{
	make_event(&pair->enter, &pair->enter_point, next_string(text));
	make_event(&pair->exit, &pair->exit_point, next_string(text));
	pair->enter.probe = (void *)probe_enter;
	pair->enter.print_fmt = next_string(text);
	make_fields(pair, text);
	pair->exit.probe = (void *)probe_exit;
	pair->exit.print_fmt = "0x%lx\1REC->ret";
	pair->exit.fields = fields_exit;
}

/* Returns an array with all events, or NULL. */
static struct ulf_event **make_events(void)
{
	const uint32_t nr = ARRAY_SIZE(numbers);
	struct syscall_pair *pairs = memory_alloc(nr * sizeof(*pairs));
	struct ulf_event **events = memory_alloc(2 * nr * sizeof(struct ulf_event *));
	const char *text = (const char *)&rows;

	if (!pairs || !events) {
		memory_free(pairs);
		memory_free(events);
		return NULL;
	}
	for (uint32_t i = 0; i < nr; i++) {
		make_pair(&pairs[i], &text);
		events[2 * i] = &pairs[i].enter;
		events[2 * i + 1] = &pairs[i].exit;
		syscall_pairs[numbers[i]] = &pairs[i];
	}
	return events;
}

void syscall_named_init(void)
{
	static struct ulf_module module = { .version = ULF_ABI_VERSION };
	struct table_object object = { .inside = &module, .made_id = MADE_ID };
	struct image image;

	if (!unwind_find((uint64_t)&module, &image))
		return;
	object.name = image.name;
	runtime_lock();
	module.events = make_events();
	if (module.events) {
		module.events_end = module.events + 2 * ARRAY_SIZE(numbers);
		module_add_made(&module, &object);
	}
	runtime_unlock();
}

/* ---- hits ---- */

void syscall_named_hit(const struct tracepoint *tp, const struct syscall_hit *hit)
{
	const struct ulf_thread *thread = ulf_probe_enter();
	const struct tracepoint_func *funcs;

	if (!thread)
		return;
	/* acquire: the list is complete; mate: publish_probes() [probe.publish] */
	funcs = __atomic_load_n(&tp->funcs, __ATOMIC_ACQUIRE);
	if ((thread->nesting & ULF_NESTING_MASK) <= NESTING_MAX)
		for (; funcs && funcs->func; funcs++)
			((__typeof__(&probe_enter))funcs->func)(funcs->data, hit);
	ulf_probe_exit();
}
