/* SPDX-License-Identifier: MIT */
/*
 * Make the events of the system ulf_libc, and record them.  They belong to a module that libulf
 * makes.  In every process the address of this module in the table of modules is 0 (as that of
 * the module for system calls is), so all processes of a root share the rows of these events.
 */
#include "runtime/function/libcalls.h"

#include <assert.h>
#include <stddef.h>

#include "abi/control.h"
#include "abi/own_systems.h"
#include "runtime/base/lock.h"
#include "runtime/base/root.h"
#include "runtime/event/event.h"
#include "runtime/event/module.h"
#include "runtime/unwind/unwind.h"
#include <ulf/record.h>

#define MADE_ID		0x736c6c616362696cull	/* number that identifies the module of
						 * these events */
#define NESTING_MAX	16u			/* maximum nesting depth of hits and
						 * probes in a thread; a deeper hit is
						 * not recorded */

static_assert(LIBCALL_NR <= ABI_LIBCALLS_MAX, "ABI");

typedef void (*any_fn)(void);

/* ---- the records ---- */

struct record_malloc {
	struct trace_entry entry;
	unsigned long call_site;
	const void *ptr;
	size_t bytes_req;
};

struct record_free {
	struct trace_entry entry;
	unsigned long call_site;
	const void *ptr;
};

struct record_calloc {
	struct trace_entry entry;
	unsigned long call_site;
	const void *ptr;
	size_t bytes_req, nmemb, size;
};

struct record_realloc {
	struct trace_entry entry;
	unsigned long call_site;
	const void *ptr;
	size_t bytes_req;
	const void *old;
};

struct record_memalign {
	struct trace_entry entry;
	unsigned long call_site;
	const void *ptr;
	size_t bytes_req, alignment;
};

struct record_mutex_contended {
	struct trace_entry entry;
	unsigned long call_site;
	const void *lock;
	uint64_t wait_ns;
	pid_t owner;
	int ret;
};

struct record_thread_create {
	struct trace_entry entry;
	unsigned long call_site;
	unsigned long thread;
	const void *start_routine;
	const void *arg;
	int ret;
};

/* The record of thread_start and thread_end. */
struct record_thread {
	struct trace_entry entry;
	unsigned long call_site;
	unsigned long thread;
};

/* Space for the record of any of these events. */
union record {
	struct trace_entry entry;
	struct record_malloc malloc;
	struct record_free free;
	struct record_calloc calloc;
	struct record_realloc realloc;
	struct record_memalign memalign;
	struct record_mutex_contended mutex_contended;
	struct record_thread_create thread_create;
	struct record_thread thread;
};

#define FIELD(record, text, item)						\
	{ .type = #text, .name = #item, .offset = offsetof(struct record, item),	\
	  .size = sizeof(((struct record *)0)->item) }
#define FIELD_SIGNED(record, text, item)					\
	{ .type = #text, .name = #item, .offset = offsetof(struct record, item),	\
	  .size = sizeof(((struct record *)0)->item), .is_signed = 1 }
#define FIELDS(record, ...)							\
	static const struct ulf_field *fields_of_##record(void)			\
	{									\
		static const struct ulf_field fields[] = {			\
			FIELD(record, unsigned long, call_site), __VA_ARGS__,	\
			{ .size = sizeof(struct record) },			\
		};								\
										\
		return fields;							\
	}

FIELDS(record_malloc, FIELD(record_malloc, const void *, ptr),
       FIELD(record_malloc, size_t, bytes_req))
FIELDS(record_free, FIELD(record_free, const void *, ptr))
FIELDS(record_calloc, FIELD(record_calloc, const void *, ptr),
       FIELD(record_calloc, size_t, bytes_req), FIELD(record_calloc, size_t, nmemb),
       FIELD(record_calloc, size_t, size))
FIELDS(record_realloc, FIELD(record_realloc, const void *, ptr),
       FIELD(record_realloc, size_t, bytes_req), FIELD(record_realloc, const void *, old))
FIELDS(record_memalign, FIELD(record_memalign, const void *, ptr),
       FIELD(record_memalign, size_t, bytes_req), FIELD(record_memalign, size_t, alignment))

FIELDS(record_mutex_contended, FIELD(record_mutex_contended, const void *, lock),
       FIELD(record_mutex_contended, u64, wait_ns),
       FIELD_SIGNED(record_mutex_contended, pid_t, owner),
       FIELD_SIGNED(record_mutex_contended, int, ret))

FIELDS(record_thread_create, FIELD(record_thread_create, unsigned long, thread),
       FIELD(record_thread_create, const void *, start_routine),
       FIELD(record_thread_create, const void *, arg),
       FIELD_SIGNED(record_thread_create, int, ret))
FIELDS(record_thread, FIELD(record_thread, unsigned long, thread))

/* ---- fill records ---- */

/* Each of these functions fills @record for @hit, and returns the size of the record. */

static size_t fill_malloc(union record *record, const struct libcall_hit *hit)
{
	record->malloc.ptr = (const void *)hit->value;
	record->malloc.bytes_req = hit->args[0];
	return sizeof(record->malloc);
}

static size_t fill_free(union record *record, const struct libcall_hit *hit)
{
	record->free.ptr = (const void *)hit->args[0];
	return sizeof(record->free);
}

static size_t fill_calloc(union record *record, const struct libcall_hit *hit)
{
	record->calloc.ptr = (const void *)hit->value;
	record->calloc.nmemb = hit->args[0];
	record->calloc.size = hit->args[1];
	if (__builtin_mul_overflow(hit->args[0], hit->args[1], &record->calloc.bytes_req))
		record->calloc.bytes_req = SIZE_MAX;
	return sizeof(record->calloc);
}

static size_t fill_realloc(union record *record, const struct libcall_hit *hit)
{
	record->realloc.ptr = (const void *)hit->value;
	record->realloc.old = (const void *)hit->args[0];
	record->realloc.bytes_req = hit->args[1];
	return sizeof(record->realloc);
}

static size_t fill_memalign(union record *record, const struct libcall_hit *hit)
{
	record->memalign.ptr = (const void *)hit->value;
	record->memalign.alignment = hit->args[0];
	record->memalign.bytes_req = hit->args[1];
	if (hit->number == LIBCALL_POSIX_MEMALIGN) {
		/* If posix_memalign() has returned 0, it has stored the address of the new
		 * memory where its first argument points to. */
		record->memalign.ptr = (int)hit->value ? NULL : *(void **)hit->args[0];
		record->memalign.alignment = hit->args[1];
		record->memalign.bytes_req = hit->args[2];
	} else if (hit->number == LIBCALL_VALLOC || hit->number == LIBCALL_PVALLOC) {
		record->memalign.alignment = ARCH_PAGE_BYTES;
		record->memalign.bytes_req = hit->args[0];
	}
	return sizeof(record->memalign);
}

static size_t fill_mutex_contended(union record *record, const struct libcall_hit *hit)
{
	record->mutex_contended.lock = (const void *)hit->args[0];
	record->mutex_contended.wait_ns = hit->now_ns - hit->args[LIBCALL_ARG_START];
	record->mutex_contended.owner = (pid_t)hit->args[LIBCALL_ARG_OWNER];
	record->mutex_contended.ret = (int)hit->value;
	return sizeof(record->mutex_contended);
}

static size_t fill_thread_create(union record *record, const struct libcall_hit *hit)
{
	record->thread_create.start_routine = (const void *)hit->args[2];
	record->thread_create.arg = (const void *)hit->args[3];
	record->thread_create.ret = (int)hit->value;
	/* If pthread_create() has returned 0, it has stored the new thread's pthread_t where
	 * its first argument points to.  The new thread runs since then, and has possibly freed
	 * or unmapped this memory, as detached threads do.  So the kernel reads it: an address
	 * that is not mapped any more gives 0, not a SIGSEGV. */
	record->thread_create.thread = 0;
	if (!(int)hit->value)
		arch_read_memory(ulf_this_thread->tid, hit->args[0],
				 &record->thread_create.thread,
				 sizeof(record->thread_create.thread));
	return sizeof(record->thread_create);
}

static size_t fill_thread(union record *record, const struct libcall_hit *hit)
{
	(void)hit;
	/* In glibc, pthread_self() returns the thread pointer. */
	record->thread.thread = (unsigned long)__builtin_thread_pointer();
	return sizeof(record->thread);
}

/* ---- the events ---- */

/* Addresses of the program are no secret, so they are printed as they are, and not hashed. */
#define FORMAT		"call_site=%pS ptr=0x%lx"
#define ARGS		"(void *)REC->call_site, (unsigned long)REC->ptr"
#define ALLOC_FORMAT	FORMAT " bytes_req=%zu"
#define ALLOC_ARGS	ARGS ", REC->bytes_req"

struct kind {
	size_t (*fill)(union record *record, const struct libcall_hit *hit);
	const struct ulf_field *(*fields)(void);
	const char *name, *print_fmt;
};

static const struct kind kinds[LIBCALL_NR_EVENTS] = {
#define KIND(id, name, fmt) [LIBCALL_EVENT_##id] = {				\
	fill_##name, fields_of_record_##name, #name, fmt }
	KIND(MALLOC, malloc, ALLOC_FORMAT "\1" ALLOC_ARGS),
	KIND(FREE, free, FORMAT "\1" ARGS),
	KIND(CALLOC, calloc, ALLOC_FORMAT " nmemb=%zu size=%zu\1" ALLOC_ARGS
	     ", REC->nmemb, REC->size"),
	KIND(REALLOC, realloc, ALLOC_FORMAT " old=0x%lx\1" ALLOC_ARGS
	     ", (unsigned long)REC->old"),
	KIND(THREAD_CREATE, thread_create,
	     "call_site=%pS thread=0x%lx start_routine=%ps arg=0x%lx ret=%d\1"
	     "(void *)REC->call_site, REC->thread, REC->start_routine, "
	     "(unsigned long)REC->arg, REC->ret"),
	[LIBCALL_EVENT_THREAD_START] = { fill_thread, fields_of_record_thread, "thread_start",
		"thread=0x%lx\1REC->thread" },
	[LIBCALL_EVENT_THREAD_END] = { fill_thread, fields_of_record_thread, "thread_end",
		"thread=0x%lx\1REC->thread" },
	KIND(MUTEX_CONTENDED, mutex_contended,
	     "call_site=%pS lock=0x%lx owner=%d wait_ns=%llu ret=%d\1(void *)REC->call_site, "
	     "(unsigned long)REC->lock, REC->owner, REC->wait_ns, REC->ret"),
	KIND(MEMALIGN, memalign, ALLOC_FORMAT " alignment=%zu\1" ALLOC_ARGS ", REC->alignment"),
};

/* ---- hits ---- */

struct tracepoint libcall_tracepoints[LIBCALL_NR_EVENTS];

static void probe(void *event, const struct libcall_hit *hit)
{
	union record *record = (void *)ULF_RECORD_ALLOC(sizeof(union record));
	size_t bytes;

	bytes = kinds[libcall_event_of[hit->number]].fill(record, hit);
	record->malloc.call_site = hit->call_site;
	ulf_event_commit(event, record, bytes);
}

uint64_t libcall_record(uint64_t arg, uint64_t b, uint64_t c)
{
	const struct libcall_hit *hit = (const struct libcall_hit *)arg;
	const struct tracepoint *tp = &libcall_tracepoints[libcall_event_of[hit->number]];
	const struct ulf_thread *thread = ulf_probe_enter();
	const struct tracepoint_func *funcs;

	(void)b;
	(void)c;
	if (!thread)
		return 0;
	/* acquire: the list is complete; mate: publish_probes() [probe.publish] */
	funcs = __atomic_load_n(&tp->funcs, __ATOMIC_ACQUIRE);
	if ((thread->nesting & ULF_NESTING_MASK) <= NESTING_MAX)
		for (; funcs && funcs->func; funcs++)
			((__typeof__(&probe))funcs->func)(funcs->data, hit);
	ulf_probe_exit();
	return 0;
}

/* ---- start ---- */

static const void *no_print(void)
{
	return NULL;
}

static void make_events(struct ulf_event events[LIBCALL_NR_EVENTS],
			struct ulf_event *rows[LIBCALL_NR_EVENTS])
{
	for (uint32_t i = 0; i < LIBCALL_NR_EVENTS; i++) {
		struct tracepoint *tp = &libcall_tracepoints[i];

		tp->name = kinds[i].name;
		/* Nothing calls the function in @direct and @iter: by it stack_save() knows
		 * after which function the stack of a hit begins. */
		tp->iter = (any_fn)libcall_record;
		events[i] = (struct ulf_event){
			.system = ABI_LIBC_SYSTEM, .name = kinds[i].name, .tracepoint = tp,
			.probe = (void *)probe, .direct = (any_fn)libcall_record,
			.fields = kinds[i].fields, .print_fmt = kinds[i].print_fmt,
			.print = no_print,
		};
		rows[i] = &events[i];
	}
}

void libcalls_init(void)
{
	static struct ulf_event events[LIBCALL_NR_EVENTS], *rows[LIBCALL_NR_EVENTS];
	static struct ulf_module module = {
		.version = ULF_ABI_VERSION, .events = rows, .events_end = rows + LIBCALL_NR_EVENTS,
	};
	struct table_object object = { .inside = &module, .made_id = MADE_ID };
	struct image image;

	if (libcalls_find)
		libcalls_find(libcall_addresses);
	for (uint32_t i = 0; i < LIBCALL_NR; i++)
		root_control->libcalls[i] = libcall_addresses[i];
	if (!unwind_find((uint64_t)&module, &image))
		return;
	object.name = image.name;
	make_events(events, rows);
	runtime_lock();
	module_add_made(&module, &object);
	runtime_unlock();
}
