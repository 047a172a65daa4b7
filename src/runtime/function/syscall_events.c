/* SPDX-License-Identifier: MIT */
/*
 * Make the events of system calls, and record those that the hooks do not record by themselves.
 *
 * The events are made only if the boot settings ask for system calls.  Until then the table
 * is text without pointers, so programs that do not trace system calls neither read nor
 * relocate a page of it.
 *
 * The module's address in the table of modules is 0, and its id is a constant.  So the processes of
 * a root share the rows of these events in the table of events, wherever libulf.so is loaded.
 */
#include "runtime/function/syscall_events.h"

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

static struct syscall_pair *named[SCALL_NUMBERS];
static struct syscall_pair raw;

/* ---- the table of system calls as text ---- */

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
#define NR_EVENTS	(2 + 2 * ARRAY_SIZE(numbers))

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
	{ .type = "int", .name = "__syscall_nr", .is_signed = 1, .size = sizeof(int),	\
	  .offset = offsetof(struct scall_record, nr) }
#define FIELD_ID								\
	{ .type = "long", .name = "id", .is_signed = 1, .size = sizeof(long),		\
	  .offset = offsetof(struct scall_record, nr) }
#define FIELD_RET								\
	{ .type = "long", .name = "ret", .is_signed = 1, .size = sizeof(long),		\
	  .offset = offsetof(struct scall_record, ret) }
#define FIELD_END								\
	{ .size = offsetof(struct scall_record, ret) + sizeof(long) }

static const struct ulf_field *fields_exit(void)
{
	static const struct ulf_field fields[] = { FIELD_NR, FIELD_RET, FIELD_END };

	return fields;
}

static const struct ulf_field *fields_raw_exit(void)
{
	static const struct ulf_field fields[] = { FIELD_ID, FIELD_RET, FIELD_END };

	return fields;
}

static const void *no_print(void)
{
	return NULL;
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
			.offset = syscall_enter_bytes(pair),
			.size = sizeof(unsigned long),
		};
		pair->nr_args++;
	}
	*field = (struct ulf_field){ .size = syscall_enter_bytes(pair) };
}

/* Record a hit of @event.  A copy of the record @from is made, because a plan writes to the
 * bytes before the record.  The hook provides memory for all members of @from, even if @bytes
 * is smaller. */
static void record_hit(const struct ulf_event *event, const struct scall_record *from,
		       uint32_t bytes)
{
	struct scall_record *record = (void *)ULF_RECORD_ALLOC(sizeof(*record));

	*record = *from;
	ulf_event_commit(event, record, bytes);
}

static void probe_enter(void *event, const struct scall_record *record)
{
	record_hit(event, record, syscall_enter_bytes(event));
}

static void probe_exit(void *event, const struct scall_record *record)
{
	record_hit(event, record, syscall_exit_bytes());
}

/* @hook: the function after which the stack of a hit begins.  stack_save() finds it in the
 * members direct and iter; nothing calls it through these members. */
static void make_event(struct ulf_event *event, struct tracepoint *tp, const char *system,
		       const char *name, void (*hook)(void))
{
	event->system = system;
	event->name = tp->name = name;
	event->tracepoint = tp;
	event->print = no_print;
	event->direct = tp->iter = hook;
}

static void make_events_of(struct syscall_pair *pair, const char *system, const char *enter,
			   const char *exit)
{
	make_event(&pair->enter, &pair->enter_point, system, enter, scall_enter_hook);
	make_event(&pair->exit, &pair->exit_point, system, exit, scall_exit_hook);
	pair->enter.probe = (void *)probe_enter;
	pair->exit.probe = (void *)probe_exit;
}

/* Make the two events of the row that begins at *@text, and move *@text to the next
 * row. */
static void make_pair(struct syscall_pair *pair, const char **text)
{
	const char *enter = next_string(text);

	make_events_of(pair, "syscalls", enter, next_string(text));
	pair->enter.print_fmt = next_string(text);
	make_fields(pair, text);
	pair->exit.print_fmt = "0x%lx\1REC->ret";
	pair->exit.fields = fields_exit;
}

static void make_raw(void)
{
	make_events_of(&raw, "raw_syscalls", "sys_enter", "sys_exit");
	raw.nr_args = SCALL_ARGS;
	raw.fields[0] = (struct ulf_field)FIELD_ID;
	raw.fields[1] = (struct ulf_field){
		.type = "unsigned long[]", .name = "args", .len = SCALL_ARGS,
		.offset = offsetof(struct scall_record, args),
		.size = SCALL_ARGS * sizeof(unsigned long),
	};
	raw.fields[2] = (struct ulf_field){ .size = syscall_enter_bytes(&raw) };
	raw.enter.print_fmt = "NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\1REC->id, REC->args[0], "
			      "REC->args[1], REC->args[2], REC->args[3], REC->args[4], "
			      "REC->args[5]";
	raw.exit.fields = fields_raw_exit;
	raw.exit.print_fmt = "NR %ld = %ld\1REC->id, REC->ret";
}

/* Returns an array with all events, or NULL. */
static struct ulf_event **make_events(void)
{
	const uint32_t nr = ARRAY_SIZE(numbers);
	struct syscall_pair *pairs = memory_alloc(nr * sizeof(*pairs));
	struct ulf_event **events = memory_alloc(NR_EVENTS * sizeof(struct ulf_event *));
	const char *text = (const char *)&rows;

	if (!pairs || !events) {
		memory_free(pairs);
		memory_free(events);
		return NULL;
	}
	make_raw();
	events[0] = &raw.enter;
	events[1] = &raw.exit;
	for (uint32_t i = 0; i < nr; i++) {
		make_pair(&pairs[i], &text);
		events[2 * i + 2] = &pairs[i].enter;
		events[2 * i + 3] = &pairs[i].exit;
		named[numbers[i]] = &pairs[i];
	}
	return events;
}

static void init(void)
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
		module.events_end = module.events + NR_EVENTS;
		module_add_made(&module, &object);
	}
	runtime_unlock();
}

/* ---- hits ---- */

static uint64_t hit(uint64_t event, uint64_t record, uint64_t c)
{
	const struct tracepoint *tp = ((const struct ulf_event *)event)->tracepoint;
	const struct ulf_thread *thread = ulf_probe_enter();
	const struct tracepoint_func *funcs;

	(void)c;
	if (!thread)
		return 0;
	/* acquire: the list is complete; mate: publish_probes() [probe.publish] */
	funcs = __atomic_load_n(&tp->funcs, __ATOMIC_ACQUIRE);
	if ((thread->nesting & ULF_NESTING_MASK) <= NESTING_MAX)
		for (; funcs && funcs->func; funcs++)
			((__typeof__(&probe_enter))funcs->func)
				(funcs->data, (const struct scall_record *)record);
	ulf_probe_exit();
	return 0;
}

const struct syscall_events syscall_events = {
	.raw = &raw, .named = named, .init = init, .hit = hit,
};
