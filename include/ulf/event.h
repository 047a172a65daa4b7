/* SPDX-License-Identifier: MIT */
/*
 * What the code made by TRACE_EVENT hands to libulf.  Not for use by hand:
 * the macros of <linux/tracepoint.h> and <trace/define_trace.h> fill these.
 * The layout is part of the ABI between programs and libulf.so.
 */
#ifndef ULF_EVENT_H
#define ULF_EVENT_H

#ifdef __cplusplus
#if __cplusplus < 201103L
#error "ulf: its headers need C++11 or later: compile with -std=c++17, say"
#endif
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L || \
	(__STDC_VERSION__ < 201112L && defined(__STRICT_ANSI__))
#error "ulf: its headers need C11, or GNU C99: compile with -std=gnu11 or later"
#endif

#include <stddef.h>
#include <string.h>

/* libulf is linked with glibc and could not be loaded.  musl has no macro of its own;
 * uClibc-ng defines __GLIBC__ as well. */
#if !defined(__GLIBC__)
#error "ulf: this C library is not glibc (musl?), which libulf needs: use a compiler for glibc"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ULF_EXPORT	__attribute__((__visibility__("default")))
#define ULF_HIDDEN	__attribute__((__visibility__("hidden")))
#define ULF_PROTECTED	__attribute__((__visibility__("protected")))
#define ULF_ABI_VERSION	4
#define ULF_ABI_VERSION_OLDEST 3	/* of a program that libulf.so takes */

/* Called through the GOT, which is filled at load time: the dynamic linker
 * must not be entered in the middle of an event, perhaps by a handler. */
#if defined(__has_attribute)
#if __has_attribute(__noplt__)
#define ULF_NOPLT	__attribute__((__noplt__))
#endif
#endif
#ifndef ULF_NOPLT
#define ULF_NOPLT
#endif

/* What ulf itself puts into a program is not among the functions that can be
 * traced there; as the kernel's notrace. */
#if defined(__clang__) && __has_attribute(__patchable_function_entry__)
#define ULF_NOTRACE	__attribute__((__no_instrument_function__, \
				       __xray_never_instrument__, \
				       __patchable_function_entry__(0, 0)))
#elif defined(__has_attribute)
#if __has_attribute(__patchable_function_entry__)
#define ULF_NOTRACE	__attribute__((__no_instrument_function__, \
				       __patchable_function_entry__(0, 0)))
#endif
#endif
#ifndef ULF_NOTRACE
#define ULF_NOTRACE	__attribute__((__no_instrument_function__))
#endif

/* Arrays lie in a record as the kernel has them there, wherever the last one ends:
 * for UBSan no reason to complain. */
#if defined(__has_attribute)
#if __has_attribute(__no_sanitize__)
#define ULF_UNALIGNED	__attribute__((__no_sanitize__("alignment")))
#endif
#endif
#ifndef ULF_UNALIGNED
#define ULF_UNALIGNED
#endif

/* Rows of a table that the linker puts together: to be kept, although only
 * the table's start and stop symbols are named anywhere. */
#if defined(__has_attribute)
#if __has_attribute(__retain__)
#define ULF_RETAIN	__attribute__((__retain__))
#endif
#endif
#ifndef ULF_RETAIN
#define ULF_RETAIN
#endif

/*
 * The same for rows that are written in assembly.  "?": the row belongs to the
 * section group of the code, if it has one, and the linker drops both where it
 * merges inline functions of C++.  "R": --gc-sections keeps it, though only the
 * table's start names it (binutils and compilers that do not know it keep what
 * is named so).
 */
#if defined(__has_attribute) && __has_attribute(__retain__)
#define __ULF_SECTION_FLAGS	"awR?"
#else
#define __ULF_SECTION_FLAGS	"aw?"
#endif

/* An address in the function that uses this macro: _THIS_IP_. */
#define __ULF_THIS_IP							\
	(__extension__ ({						\
		unsigned long __ulf_ip;					\
									\
		__asm__ ("661: leaq 661b(%%rip), %0" : "=r"(__ulf_ip));	\
		__ulf_ip;						\
	}))

/* ---- tracepoints ---- */

struct ulf_event;

struct tracepoint_func {
	void *func;
	void *data;
	int prio;
};

/* @funcs: sorted by priority, ended by a NULL func; replaced, never edited.
 * @enabled: the static key; 1 while there is a probe.
 * @call: what a hit calls: @iter, which walks @funcs, or the event's own
 * short cut while its recording is the only probe. */
struct tracepoint {
	const char *name;
	struct tracepoint_func *funcs;
	int (*regfunc)(void);
	void (*unregfunc)(void);
	unsigned int enabled;
	unsigned int lock;		/* libulf's, for regfunc and unregfunc */
	void (*call)(void);
	void (*iter)(void);
	struct ulf_event *event;
};

/* A place where trace_<name>() or trace_<name>_enabled() was compiled in. */
struct ulf_site {
	int code;			/* the NOP, from the address of this */
	int target;			/* where to jump when on, likewise */
	struct tracepoint *key;
};

/* ---- events ---- */

/* A table of them ends with one that has no name; its size is the size of
 * the fixed part of the record. */
struct ulf_field {
	const char *type;		/* int, char[], __data_loc char[] */
	const char *name;
	unsigned int offset;
	unsigned int size;
	unsigned int len;		/* of an array in the fixed part */
	unsigned char is_signed;
	unsigned char filter;		/* FILTER_OTHER... */
};

/* The head of every record, as in the kernel. */
struct trace_entry {
	unsigned short type;
	unsigned char flags;
	unsigned char preempt_count;
	int pid;
};

struct ulf_event {
	const char *system;
	const char *name;
	struct tracepoint *tracepoint;
	void *probe;			/* records into the buffer */
	void (*direct)(void);		/* the same, for tracepoint.call */
	const struct ulf_field *(*fields)(void);
	const char *print_fmt;		/* of TP_printk: format \1 arguments */
	const void *(*print)(void);	/* whose tables are its own */
	/* filled by libulf */
	void *set;			/* of rings; replaced [event.set] */
	unsigned int id;
	unsigned int row;
	unsigned int is_on;
	unsigned int order;		/* among those of @file */
	const char *file;		/* the source file that makes it; before
					 * version 4: NULL */
	void *plan;			/* where its records go [event.plan] */
};

/* TRACE_DEFINE_ENUM(), TRACE_DEFINE_SIZEOF(): what stands for a number in the
 * print formats of this system. */
struct ulf_eval {
	const char *system;
	const char *text;		/* NAME, or sizeof(type) */
	long value;
};

/* A row { value, text } of __print_flags() or __print_symbolic(). */
#ifdef __cplusplus
extern "C++" {
#endif
struct ulf_symbol {
	unsigned long value;
	const char *text;
#ifdef __cplusplus
	/* C++ would not take -1 for an unsigned long. */
	constexpr ulf_symbol() : value(), text() { }
	template <class T>
	constexpr ulf_symbol(T v, const char *t) :
		value(static_cast<unsigned long>(v)), text(t) { }
#endif
};
#ifdef __cplusplus
}
#endif

/* A table of them; those of one TP_printk have the same @print. */
struct ulf_table {
	const void *print;
	unsigned int number;		/* in the order of the text */
	unsigned int nr;
	const struct ulf_symbol *symbols;
};

/* A constant format, or text, of trace_printk() and the like. */
struct ulf_format {
	const char *text;
	unsigned long ip;		/* of the call */
	const void *shared;		/* what libulf made of it; NULL: nothing */
};

/* ---- one a program or shared object ---- */

struct ulf_module {
	unsigned int version;
	unsigned int is_registered;
	struct ulf_site *sites, *sites_end;
	struct ulf_event **events, **events_end;
	struct tracepoint **tracepoints, **tracepoints_end;
	const struct ulf_eval **evals, **evals_end;
	const struct ulf_table **tables, **tables_end;
	struct ulf_format *formats, *formats_end;
	struct ulf_module *next;	/* libulf's list */
	void *priv;			/* libulf's own */
	/* since version 4 */
	const char **strings, **strings_end;	/* __tracepoint_string */
};

ULF_EXPORT void ulf_module_register(struct ulf_module *module);
ULF_EXPORT void ulf_module_unregister(struct ulf_module *module);

/* For a custom event, which came with a tracepoint that nobody hits: the one
 * that it is for. */
ULF_EXPORT void ulf_event_attach(struct ulf_event *event,
				 struct tracepoint *tp);

/* ---- the event path ---- */

/*
 * Each thread that calls probes has a word that says so, which is what
 * tracepoint_synchronize_unregister() looks at: 16 bits of nesting, above
 * them the grace period in which the outermost call began.
 */
struct ulf_thread {
	unsigned long nesting;
	unsigned int tid;
	unsigned int reserved;
};

ULF_EXPORT extern __thread struct ulf_thread *ulf_this_thread
	__attribute__((__tls_model__("initial-exec")));
ULF_EXPORT extern unsigned long ulf_grace_period;
ULF_EXPORT ULF_NOPLT struct ulf_thread *ulf_thread_attach(void);

#define ULF_NESTING_MASK	0xfffful

/* Returns NULL if this thread cannot be followed: then no probe may run. */
ULF_NOTRACE
static inline struct ulf_thread *ulf_probe_enter(void)
{
	struct ulf_thread *thread = ulf_this_thread;
	unsigned long nesting;

	if (__builtin_expect(!thread, 0)) {
		thread = ulf_thread_attach();
		if (!thread)
			return NULL;
	}
	nesting = thread->nesting;
	if (nesting & ULF_NESTING_MASK)
		nesting++;
	else
		nesting = __atomic_load_n(&ulf_grace_period, __ATOMIC_RELAXED);
	__atomic_store_n(&thread->nesting, nesting, __ATOMIC_RELAXED);
	/* The other half is the membarrier() of grace.c: [grace.enter] */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return thread;
}

ULF_NOTRACE
static inline void ulf_probe_exit(void)
{
	struct ulf_thread *thread = ulf_this_thread;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);	/* [grace.exit] */
	__atomic_store_n(&thread->nesting, thread->nesting - 1,
			 __ATOMIC_RELEASE);
}

/* @bytes: a multiple of 4. */
ULF_EXPORT ULF_NOPLT void ulf_event_commit(const struct ulf_event *event,
					   void *entry, size_t bytes);
ULF_EXPORT ULF_NOPLT void ulf_event_too_big(const struct ulf_event *event);

#ifdef __cplusplus
}
#endif

#endif
