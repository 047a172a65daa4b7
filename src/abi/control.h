/* SPDX-License-Identifier: MIT */
/*
 * A root's memory: one file, DIR/roots/NAME/memory, mapped by every process
 * of the root at the same address (fork keeps it) and by the server.
 *
 *	0		struct abi_control
 *	processes_off	struct abi_process [ABI_PROCESSES]
 *	modules_off	struct abi_module [ABI_MODULES]
 *	comms_off	struct abi_comm [ABI_COMMS]
 *	events_off	struct abi_event [ABI_EVENTS]
 *	buffers_off	struct abi_buffer [ABI_BUFFERS]
 *	objects_off	struct abi_object [ABI_OBJECTS]
 *	heap_off	blobs: module paths, event formats, formats of
 *			trace_printk() (never freed)
 *	arena_off	rings, rules, lists of threads, placed by the server
 *
 * Who writes what: the runtime writes identity (processes, modules, events,
 * blobs, comms); the server writes wishes (abi_event.wanted, abi_buffer) and
 * then bumps `generation`; agents follow and answer in abi_process.applied.
 * What of an abi_buffer both may write is said there.
 * Everything is little endian and of fixed width.  All offsets are from the
 * start of the file.  The server trusts none of it.
 */
#ifndef ULF_ABI_CONTROL_H
#define ULF_ABI_CONTROL_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_MAGIC		0x31746f6f72666c75ull	/* "ulfroot1" */
#define ABI_VERSION		4u

#define ABI_CPUS		1024u
#define ABI_PROCESSES		1024u
#define ABI_MODULES		512u
#define ABI_OBJECTS		512u
#define ABI_EVENTS		16384u
#define ABI_COMMS		4096u
#define ABI_BUFFERS		16u	/* 0: the top one; the rest: instances */
#define ABI_SLOTS		16384u	/* of a buffer's triggers */
#define ABI_COMM_LEN		16u
#define ABI_BOOT_BYTES		1024u
#define ABI_EVENT_ID_FIRST	32768u	/* id = first + row, <= 65535 */
#define ABI_EVENT_ID_FUNCTION	1u	/* ftrace:function, as in the kernel */
#define ABI_EVENT_ID_STACK	4u	/* ftrace:kernel_stack, the same */
#define ABI_EVENT_ID_PRINT	5u	/* ftrace:print */
#define ABI_EVENT_ID_BPRINT	6u	/* ftrace:bprint */
#define ABI_EVENT_ID_GRAPH_EXIT	10u	/* ftrace:funcgraph_exit */
#define ABI_EVENT_ID_GRAPH_ENTRY 11u	/* ftrace:funcgraph_entry */
#define ABI_EVENT_ID_GRAPH_RETADDR 12u	/* ftrace:fgraph_retaddr_entry */
#define ABI_EVENT_ID_BPUTS	15u	/* ftrace:bputs */
#define ABI_EVENT_ID_RAW_DATA	19u	/* ftrace:raw_data */
#define ABI_EVENT_ID_FUNC_REPEATS 20u	/* ftrace:func_repeats */

/* Signal handlers are a program's interrupts: the flag of what the graph tracer records
 * in one, as the kernel's of a hardware interrupt, and a word behind the fields of
 * the record (of an entry: behind the depth, of an exit at the end; it may be missing). */
#define ABI_FLAG_HANDLER	0x08u
#define ABI_GRAPH_HANDLER	1u	/* it is of the handler itself */
#define ABI_GRAPH_TAIL		2u	/* of an exit: into a tail call, so with no value */

/* Addresses of ftrace:print that stand for code of ulf, which no module has. */
enum abi_ip {
	ABI_IP_MARKER,			/* tracing_mark_write */
	ABI_IP_SNAPSHOT,		/* tracing_snapshot */
	ABI_IPS,
};

/* Words of the default clock: ns = ns0 + ((tsc - tsc0) * mult >> 32). */
struct abi_clock {
	uint64_t tsc0;
	uint64_t ns0;			/* CLOCK_MONOTONIC at tsc0 */
	uint64_t mult;			/* 0: no usable TSC, or not known yet */
};

struct abi_control {
	uint64_t magic;			/* written last when made */
	uint32_t version;
	uint32_t control_bytes;		/* sizeof(struct abi_control) */
	uint64_t processes_off, modules_off, comms_off;
	uint64_t events_off, buffers_off, heap_off, arena_off;
	uint64_t map_bytes;		/* what the processes have mapped */
	uint32_t nr_cpus;		/* configured CPUs, <= ABI_CPUS */
	uint32_t pid;			/* of the process that made the root */
	uint32_t uid;
	uint32_t has_rseq;		/* that process could use rseq */
	uint64_t started_ns;		/* CLOCK_BOOTTIME */
	char comm[ABI_COMM_LEN];
	char exe[256];			/* cut if longer */
	char boot[ABI_BOOT_BYTES];	/* words of event/boot.h */

	/* runtime: registration */
	uint32_t table_lock;		/* thread id of the holder, or 0 */
	uint32_t next_process;		/* where a slot may be had; a hint */
	uint32_t nr_modules;		/* rows in use, only grows */
	uint32_t nr_events;		/* rows in use, only grows */
	uint64_t heap_used;		/* bytes */
	uint32_t tables_changed;	/* bumped after each change of rows */
	uint32_t table_errors;		/* modules or events that found no room */

	/* clock: set once by an agent, then fixed */
	struct abi_clock clock;

	/* server -> agents */
	uint32_t generation;		/* futex; bumped after wishes changed */
	uint32_t hold;			/* futex; 1: the program waits in its
					 * constructor for the server's 0 */
	uint32_t run_id;		/* of the `ulf run` that started it */
	uint32_t boot_state;		/* enum abi_boot_state */
	uint64_t counter;		/* writers': the clock `counter` */
	uint64_t map_addr;		/* where the processes have it mapped */
	uint64_t printk;		/* struct abi_printk_table; 0: none */
	uint64_t objects_off;		/* 0: there is no such table */
	uint64_t functions;		/* struct abi_functions; 0: none */
	uint32_t nr_objects;		/* rows taken, only grows */
	uint32_t wants_objects;		/* 1: who loads an object asks the server,
					 * as functions of it may be wanted */
	uint64_t perf_ns;		/* server: perf's time less that of
					 * CLOCK_MONOTONIC_RAW; 0: not known */
	uint64_t stack;			/* struct abi_stack; 0: none */
	uint64_t profile;		/* struct abi_profile; 0: none */

	/* a process that waits for what the server has to do about something new:
	 * it takes the next number, and is answered when that is reached */
	uint32_t asked;
	uint32_t answered;		/* futex; the server's */

	/* children that have no slot yet are told by the difference */
	uint32_t forks;			/* counted before fork() */
	uint32_t forks_done;		/* by the child, when it has a slot or gives up */
};

/* What the server has to do about the words in abi_control.boot. */
enum abi_boot_state {
	ABI_BOOT_DONE,			/* nothing (more) */
	ABI_BOOT_WANTED,		/* apply them */
	ABI_BOOT_TOO_LONG,		/* say so: there is no room for them */
	ABI_BOOT_NO_CONFIG,		/* apply them, and say that there are none
					 * of the file that ULF_CONFIG names */
	ABI_BOOT_LATER,			/* nothing yet: the program has nothing to trace, and
					 * asks when a module brings it */
};

/* A process of the root.  Slot free: pid == 0. */
struct abi_process {
	uint32_t pid;
	uint32_t applied;		/* futex; generation that is in force */
	uint32_t error;			/* errno of the last attempt, or 0; without
					 * an agent: of starting that */
	uint32_t flags;			/* enum abi_process_flags */
	uint64_t modules[ABI_MODULES / 64];	/* which ones it has loaded */
	uint32_t unloads;		/* of objects with traced functions */
	uint32_t agent;			/* its thread id; 0: not told */
	uint64_t claimed_ns;		/* CLOCK_BOOTTIME when it took the slot; 0: not
					 * told */
	uint64_t reserved[4];
};

enum abi_process_flags {
	ABI_PROCESS_AGENT	= 1,	/* its agent thread runs */
	ABI_PROCESS_UNSETTLED	= 2,	/* writers may still use old rings */
};

/* A shared object, or the program, that brought tracepoints. */
struct abi_module {
	uint64_t base;			/* load address */
	uint64_t path;			/* blob, NUL terminated */
	uint32_t path_bytes;		/* with the NUL */
	uint32_t build_id_bytes;
	uint8_t build_id[32];
	uint64_t strings;		/* struct abi_strings; 0: none */
};

/* Strings of one module that are listed by their addresses (tracepoint_string()). */
struct abi_strings {
	uint32_t nr;
	uint32_t bytes;			/* of all texts, with their NULs */
	/* uint64_t address[nr]; then the texts, in the same order */
};

/*
 * An object that the program started with or that was seen on a stack, whether it
 * brought tracepoints or not, for its symbols and functions.  Whoever sees it takes a
 * row, fills it and then says so, in any context and without a lock; what is newer
 * comes later.
 */
struct abi_object {
	uint32_t is_there;		/* written last */
	uint32_t build_id_bytes;
	uint64_t start, end;		/* where it is loaded */
	uint8_t build_id[32];
	char path[448];			/* NUL terminated */
	uint64_t since;			/* the TSC when it was told; 0: it was always
					 * there */
};

/* thread id -> name, like the kernel's saved_cmdlines. */
struct abi_comm {
	uint32_t sequence;		/* odd while it is written */
	uint32_t tid;			/* 0: free */
	uint32_t tgid;
	uint32_t stamp;			/* order of writing, for replacement */
	char comm[ABI_COMM_LEN];
};

/* A thread's entry is one of ABI_COMM_PROBES from here on, around the end. */
#define ABI_COMM_PROBES		16u

static inline uint32_t abi_comm_first(uint32_t tid)
{
	return tid * 2654435761u % ABI_COMMS;
}

/* An event.  Rows are never reused; the same event of a reloaded module
 * gets its old row and id back. */
struct abi_event {
	uint64_t blob;			/* struct abi_format */
	uint32_t blob_bytes;
	uint32_t module;		/* row of the module that brings it */
	uint32_t wanted;		/* server: bit n = on in buffer n */
	uint32_t hash;			/* of the blob, for the runtime */
	uint32_t failed;		/* runtime: errno of its regfunc; the event
					 * is off, until the server's next wish */
	uint32_t twin;			/* row + 1 of an older one of the same
					 * bytes, whose rules hold for this one
					 * while it has none; 0: there is none */
	uint32_t name_hash;		/* of system and name, for the runtime */
	uint32_t names_bytes;
	uint64_t names;			/* enum names of its system (TRACE_DEFINE_ENUM()),
					 * shared by many events; for each an int64_t
					 * value, the name and a NUL, unaligned */
	uint32_t reserved[4];
};
#define ABI_NAMES_BYTES		65536u	/* names_bytes is no more */

/* The blob of an event; all offsets from the blob's start. */
struct abi_format {
	uint32_t nr_fields;
	uint32_t system;		/* string */
	uint32_t name;			/* string */
	uint32_t print_fmt;		/* string */
	uint32_t entry_bytes;		/* sizeof the fixed part */
	uint32_t nr_values;
	/* struct abi_field fields[nr_fields]; then int64_t values[nr_values],
	 * those in the tables of print_fmt, all in a row; then strings */
};

struct abi_field {
	uint32_t type;			/* string: int, char[16], __data_loc char[] */
	uint32_t name;			/* string */
	uint32_t offset;		/* in the record, common fields are 8 */
	uint32_t size;			/* bytes in the fixed part */
	uint8_t is_signed;
	uint8_t filter;			/* FILTER_OTHER..., of __field_ext() */
	uint8_t reserved[2];
};

/* A format of trace_printk().  What a record has of it is the address of its text
 * in the program; the text ends in a NUL. */
struct abi_printk {
	uint32_t next;			/* in its list, an older one; 0: none */
	uint32_t hash;			/* of the text */
	uint32_t text_bytes;		/* with the NUL */
	uint32_t reserved;
	/* char text[text_bytes] */
};

#define ABI_PRINTK_LISTS	256u

/* In lists by hash; each text is there once, and stays. */
struct abi_printk_table {
	uint32_t first[ABI_PRINTK_LISTS];	/* struct abi_printk; 0: none */
};

/* Where a ring is: off 0 means that there is none. */
struct abi_ring_ref {
	uint64_t off;
	uint64_t bytes;
};

enum abi_ring_kind {
	ABI_RING_FAST,			/* rseq writers of this CPU */
	ABI_RING_SLOW,			/* the others: lock; server's markers */
	ABI_RING_KINDS,
};

enum abi_pids_list {
	ABI_PIDS_TRACE,			/* only these threads' events are recorded */
	ABI_PIDS_NOTRACE,		/* these are not */
	ABI_PIDS_FUNCTION,		/* the same of functions */
	ABI_PIDS_FUNCTION_NOTRACE,
	ABI_PIDS_LISTS,
};

/* A buffer has its rings twice if snapshots are taken of it. */
#define ABI_SIDES		2u

struct abi_side {
	struct abi_ring_ref ring[ABI_CPUS][ABI_RING_KINDS];
	/* rings of before the last resize, until drained or overtaken */
	struct abi_ring_ref prev[ABI_CPUS][ABI_RING_KINDS];
};

/* One word, so that nobody swaps what has just been given up. */
enum abi_spare {
	ABI_SPARE_THERE		= 1,	/* the server's: both sides have rings */
	ABI_SPARE_SWAP		= 2,	/* added for each swap of all CPUs */
};

enum abi_tracer {
	ABI_TRACER_NOP,
	ABI_TRACER_FUNCTION,
	ABI_TRACER_GRAPH,		/* function_graph */
	ABI_TRACERS,
};

/* What a buffer was needed for.  The runtime removes a root at exit() if no buffer has
 * anything that somebody asked for. */
enum abi_used {
	ABI_USED_NOT,
	ABI_USED,			/* it has, or had, rings, rules or lists of threads */
	ABI_USED_PRINTK,		/* it has rings for trace_printk(), but nobody has
					 * opened a file of the root or set anything */
};

struct abi_buffer {
	uint32_t used;			/* enum abi_used */
	uint32_t stopped;		/* 1: tracing_on is 0; anybody's */
	uint32_t paused;		/* 1: the server records nothing while
					 * somebody has `trace` open */
	uint32_t clock;			/* row of the clock table */
	uint32_t page_bytes;
	uint32_t percent;		/* of it must be full for poll() */
	uint64_t too_big;		/* records that could never fit */
	uint64_t lock_lost;		/* gave up on a LOCKED ring's lock */
	uint64_t no_ring;		/* hit while there was no ring */
	uint64_t reserved_lost;
	uint64_t options;		/* enum option_bit; 1: not the default */
	uint64_t time_start;		/* when it was emptied, by its clock */
	uint64_t rules;			/* struct abi_rules; 0: none */
	uint64_t pids[ABI_PIDS_LISTS];	/* struct abi_pids; 0: none */
	uint32_t spare;			/* enum abi_spare; anybody swaps */
	uint32_t spare_asked;		/* futex; 1: a program wants one; 0: the
					 * server has answered */
	uint32_t spare_error;		/* by this errno, or 0 */
	uint32_t tracer;		/* enum abi_tracer; the server's wish */
	uint64_t reserved;
	uint64_t cpus_off[ABI_CPUS / 64];	/* not in tracing_cpumask */
	uint64_t cpus_swapped[ABI_CPUS / 64];	/* an odd number of times by
						 * itself; see abi_main_side() */
	char name[256];			/* instance; "" for the top one, and if
					 * there is none */
	uint64_t cpu_kb[ABI_CPUS];	/* size asked for, each CPU */
	struct abi_side side[ABI_SIDES];
	uint64_t slots[ABI_SLOTS];	/* see abi/rules.h */
};

/* The side that is recorded to on this CPU.  The other one, if it has rings, is
 * the snapshot. */
static inline uint32_t abi_main_side(const struct abi_buffer *buffer,
				     uint32_t cpu)
{
	uint32_t swaps = __atomic_load_n(&buffer->spare, __ATOMIC_RELAXED) /
			 ABI_SPARE_SWAP;
	uint64_t swapped = __atomic_load_n(&buffer->cpus_swapped[cpu / 64],
					   __ATOMIC_RELAXED) >> cpu % 64;

	return (swaps ^ (uint32_t)swapped) & 1;
}

static_assert(sizeof(struct abi_process) == 128, "ABI");
static_assert(sizeof(struct abi_module) == 64, "ABI");
static_assert(sizeof(struct abi_strings) == 8, "ABI");
static_assert(sizeof(struct abi_object) == 512, "ABI");
static_assert(sizeof(struct abi_comm) == 32, "ABI");
static_assert(sizeof(struct abi_event) == 64, "ABI");
static_assert(sizeof(struct abi_format) == 24, "ABI");
static_assert(sizeof(struct abi_field) == 20, "ABI");
static_assert(sizeof(struct abi_printk) == 16, "ABI");
static_assert(sizeof(struct abi_printk_table) == 1024, "ABI");
static_assert(sizeof(struct abi_ring_ref) == 16, "ABI");
static_assert(offsetof(struct abi_control, comm) == 104, "ABI");
static_assert(offsetof(struct abi_control, table_lock) == 1400, "ABI");
static_assert(offsetof(struct abi_control, clock) == 1432, "ABI");
static_assert(offsetof(struct abi_control, generation) == 1456, "ABI");
static_assert(offsetof(struct abi_control, map_addr) == 1480, "ABI");
static_assert(sizeof(struct abi_control) == 1560, "ABI");
static_assert(sizeof(struct abi_buffer) == 270984, "ABI");

/* The default layout.  A reader takes the offsets from the header. */
#define ABI_PAGE_ALIGN(x)	(((x) + 4095ull) & ~4095ull)
#define ABI_PROCESSES_OFF	2048ull	/* the first ones share the control's page */
#define ABI_MODULES_OFF \
	ABI_PAGE_ALIGN(ABI_PROCESSES_OFF + ABI_PROCESSES * sizeof(struct abi_process))
#define ABI_COMMS_OFF \
	ABI_PAGE_ALIGN(ABI_MODULES_OFF + ABI_MODULES * sizeof(struct abi_module))
#define ABI_EVENTS_OFF \
	ABI_PAGE_ALIGN(ABI_COMMS_OFF + ABI_COMMS * sizeof(struct abi_comm))
#define ABI_BUFFERS_OFF \
	ABI_PAGE_ALIGN(ABI_EVENTS_OFF + ABI_EVENTS * sizeof(struct abi_event))
#define ABI_OBJECTS_OFF \
	ABI_PAGE_ALIGN(ABI_BUFFERS_OFF + ABI_BUFFERS * sizeof(struct abi_buffer))
#define ABI_HEAP_OFF \
	ABI_PAGE_ALIGN(ABI_OBJECTS_OFF + ABI_OBJECTS * sizeof(struct abi_object))
#define ABI_HEAP_BYTES		(32ull << 20)
#define ABI_ARENA_OFF		ABI_PAGE_ALIGN(ABI_HEAP_OFF + ABI_HEAP_BYTES)

#endif
