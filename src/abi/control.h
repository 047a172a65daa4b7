/* SPDX-License-Identifier: MIT */
/*
 * A root's memory: one file, DIR/roots/NAME/memory.  Every process of the root maps it at
 * the same address (fork keeps that), and the server maps it, too.
 *
 *	0		struct abi_control
 *	processes_off	struct abi_process [ABI_PROCESSES]
 *	modules_off	struct abi_module [ABI_MODULES]
 *	comms_off	struct abi_comm [ABI_COMMS]
 *	events_off	struct abi_event [ABI_EVENTS]
 *	buffers_off	struct abi_buffer [ABI_BUFFERS]
 *	objects_off	struct abi_object [ABI_OBJECTS]
 *	heap_off	the heap: module paths, event formats, formats of
 *			trace_printk() (never freed)
 *	arena_off	the arena: rings, rules, lists of threads, placed by the server
 *
 * The runtime writes what describes the program: processes, modules, events, heap, comms.
 * The server writes settings (abi_event.wanted, abi_buffer) and then raises `generation`.
 * Agents apply the settings and store the generation in abi_process.applied.  Members of
 * abi_buffer that both sides write say so.
 *
 * All values are little endian and of fixed width.  All offsets are in bytes from the
 * start of the file.  The server checks every value that it loads.
 */
#ifndef ULF_ABI_CONTROL_H
#define ULF_ABI_CONTROL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_MAGIC		0x31746f6f72666c75ull	/* the bytes "ulfroot1" */
#define ABI_VERSION		9u
#define ABI_LIBCALLS_MAX	24	/* size of abi_control.libcalls */

#define ABI_CPUS		1024u
#define ABI_PROCESSES		1024u
#define ABI_MODULES		512u
#define ABI_OBJECTS		512u
#define ABI_EVENTS		16384u
#define ABI_DYNAMIC		512u	/* number of rows for dynamic events: the
					 * first rows of the table of events, which
					 * the server writes */
#define ABI_COMMS		4096u
#define ABI_BUFFERS		16u	/* buffer 0 belongs to the top instance */
#define ABI_SLOTS		16384u	/* number of rule words in each buffer */
#define ABI_COMM_LEN		16u
#define ABI_BOOT_BYTES		1024u
#define ABI_EVENT_ID_FIRST	32768u	/* an event's id is this number plus the event's
					 * row in the table of events; ids are at most
					 * 65535 */
#define ABI_EVENT_ID_FUNCTION	1u	/* id of ftrace:function, as in the kernel */
#define ABI_EVENT_ID_STACK	4u	/* id of ftrace:kernel_stack, as in the kernel */
#define ABI_EVENT_ID_PRINT	5u	/* ftrace:print */
#define ABI_EVENT_ID_BPRINT	6u	/* ftrace:bprint */
#define ABI_EVENT_ID_GRAPH_EXIT	10u	/* ftrace:funcgraph_exit */
#define ABI_EVENT_ID_GRAPH_ENTRY 11u	/* ftrace:funcgraph_entry */
#define ABI_EVENT_ID_GRAPH_RETADDR 12u	/* id of ftrace:fgraph_retaddr_entry */
#define ABI_EVENT_ID_BPUTS	15u	/* ftrace:bputs */
#define ABI_EVENT_ID_RAW_DATA	19u	/* ftrace:raw_data */
#define ABI_EVENT_ID_FUNC_REPEATS 20u	/* ftrace:func_repeats */

/*
 * Signal handlers of a program correspond to interrupts in the kernel.  So for calls
 * inside of a handler, the graph tracer sets ABI_FLAG_HANDLER in the common flags of the
 * records.  In the kernel this flag stands for a hardware interrupt.  The record of such
 * a call may also have one more word with ABI_GRAPH_... marks: after the depth in an
 * entry record, at the end of an exit record.
 */
#define ABI_FLAG_HANDLER	0x08u
#define ABI_GRAPH_HANDLER	1u	/* mark of a graph record: the called function is
					 * the signal handler itself */
#define ABI_GRAPH_TAIL		2u	/* mark of an exit record: the function ended in
					 * a tail call, so there is no return value */

/* Values of the field ip in records of ftrace:print that no call site of the program wrote.
 * They stand for code of ulf, which belongs to no module. */
enum abi_ip {
	ABI_IP_MARKER,			/* `trace` shows this ip as tracing_mark_write */
	ABI_IP_SNAPSHOT,		/* `trace` shows this ip as tracing_snapshot */
	ABI_IPS,
};

/* The default clock: ns = ns0 + ((tsc - tsc0) * mult >> 32). */
struct abi_clock {
	uint64_t tsc0;			/* the TSC at time ns0 */
	uint64_t ns0;			/* CLOCK_MONOTONIC when the TSC was tsc0, ns */
	uint64_t mult;			/* length of a TSC cycle in ns, times 2^32; 0:
					 * there is no usable TSC, or its speed is not
					 * measured yet */
};

/* The control block.  The process that creates the root writes the members up to @boot, and
 * they do not change afterwards.  The comments of the members after @boot name their
 * writers. */
struct abi_control {
	uint64_t magic;			/* ABI_MAGIC; written last */
	uint32_t version;		/* ABI_VERSION */
	uint32_t control_bytes;		/* sizeof(struct abi_control) */
	uint64_t processes_off, modules_off, comms_off;
	uint64_t events_off, buffers_off, heap_off, arena_off;
	uint64_t map_bytes;		/* size of the memory that the processes have
					 * mapped, in bytes */
	uint32_t nr_cpus;		/* number of configured CPUs, at most ABI_CPUS */
	uint32_t pid;			/* pid of the process that created the root */
	uint32_t uid;			/* user id of the process that created the root */
	uint32_t has_rseq;		/* is 1 if the process that created the root can
					 * use rseq */
	uint64_t started_ns;		/* time when the root was created,
					 * CLOCK_BOOTTIME, ns */
	char comm[ABI_COMM_LEN];	/* name of the program */
	char exe[256];			/* path of the program, cut if it is longer
					 * than this array */
	char boot[ABI_BOOT_BYTES];	/* boot settings (event/boot.h); "" if there are none */

	/* The runtime writes the members from @table_lock to @table_errors when it registers
	 * processes, modules and events. */
	uint32_t table_lock;		/* lock of the tables: thread id of the thread
					 * that holds it; 0: the lock is free */
	uint32_t next_process;		/* number of the process slot at which the
					 * search for a free slot begins */
	uint32_t nr_modules;		/* number of used rows of the table of
					 * modules; only grows */
	uint32_t nr_events;		/* number of used rows of the table of events;
					 * only grows */
	uint64_t heap_used;		/* number of used bytes of the heap */
	uint32_t tables_changed;	/* number that the runtime raises after each
					 * change of a row of a table */
	uint32_t table_errors;		/* number of modules, events, strings and formats
					 * that could not be stored, because there was no
					 * space */

	/* The server sets the clock once, and stores its member mult last.  The clock never
	 * changes afterwards. */
	struct abi_clock clock;

	/* The server writes the members from here on, and agents read them, unless a
	 * member's comment names another writer. */
	uint32_t generation;		/* futex on which agents wait; the server raises
					 * the number after it has changed settings */
	uint32_t hold;			/* futex; 1 while the program must wait in its
					 * constructor; the server stores 0 to let the
					 * program continue */
	uint32_t run_id;		/* number of the `ulf run` that started the
					 * program, written by the runtime; 0: none */
	uint32_t boot_state;		/* enum abi_boot_state; the runtime stores the
					 * first state, the server the later ones */
	uint64_t counter;		/* value of the clock `counter`; each read of
					 * this clock raises the value */
	uint64_t map_addr;		/* address at which the processes have mapped
					 * the root's memory, written by the runtime */
	uint64_t printk;		/* offset of struct abi_printk_table, written
					 * by the runtime; 0: the program has no such
					 * table */
	uint64_t objects_off;		/* offset of the table of objects, written by the
					 * runtime; 0: there is no such table */
	uint64_t functions;		/* offset of struct abi_functions; 0 if no
					 * function is traced */
	uint32_t nr_objects;		/* number of used rows of the table of
					 * objects, written by the runtime; only
					 * grows */
	uint32_t wants_objects;		/* enum abi_wants: the reasons for which a process that
					 * loads an object must ask the server; 0: none */
	uint64_t perf_ns;		/* perf's clock minus CLOCK_MONOTONIC_RAW, ns; 0:
					 * not known */
	uint64_t stack;			/* offset of struct abi_stack; 0 if the stack
					 * tracer was never used */
	uint64_t profile;		/* offset of the first struct abi_profile; 0 if
					 * there is no profile */

	/* Questions to the server.  A process may have to wait until the server has
	 * handled a change, such as a new module or object.  Such a process adds 1 to
	 * @asked, and waits until @answered has reached the new value. */
	uint32_t asked;			/* number of the newest question; a process
					 * that asks adds 1 */
	uint32_t answered;		/* futex; number of the newest question that the
					 * server has handled */

	/* The difference @forks - @forks_done is the number of children that have not claimed a
	 * process slot yet. */
	uint32_t forks;			/* number of forks; the parent adds 1 before fork() */
	uint32_t forks_done;		/* number of forks whose child has claimed a
					 * process slot or failed to; the child adds 1 */
	uint64_t usdt;			/* offset of struct abi_usdt; 0: no process
					 * needs to look for USDT probes (usdt.h) */
	uint64_t libcalls[ABI_LIBCALLS_MAX];	/* addresses of functions of libc, by the numbers
						 * of libc_events.h, written by the runtime when it
						 * makes the root; 0: there is no such function */
};

/* Why a process that loads an object must ask the server. */
enum abi_wants {
	ABI_WANTS_FUNCTIONS	= 1,	/* functions of the object may have to be traced */
	ABI_WANTS_USDT		= 2,	/* the object may have USDT probes */
};

/* The state of the boot settings in abi_control.boot.  The comment of each state says
 * what the server must do. */
enum abi_boot_state {
	ABI_BOOT_DONE,			/* the server must do nothing, because
					 * there are no boot settings or it has
					 * applied them */
	ABI_BOOT_WANTED,		/* the server must apply the boot settings */
	ABI_BOOT_TOO_LONG,		/* the server must report that the boot settings
					 * did not fit into abi_control.boot */
	ABI_BOOT_NO_CONFIG,		/* the program could not read the file that
					 * ULF_CONFIG names: the server must report
					 * this, and apply the other boot settings */
	ABI_BOOT_LATER,			/* the server must wait: the program has no
					 * object that can be traced yet, and asks the
					 * server when it loads such an object */
};

/*
 * A process slot.  The process that has claimed the slot writes all members.  A slot
 * with pid 0 is free.
 */
struct abi_process {
	uint32_t pid;
	uint32_t applied;		/* futex; generation whose settings are in force
					 * in this process */
	uint32_t error;			/* errno of the last attempt to apply
					 * settings, or, in a process without an
					 * agent, of the attempt to start the agent;
					 * 0: no error */
	uint32_t flags;			/* enum abi_process_flags */
	uint64_t modules[ABI_MODULES / 64];	/* bit n is 1 if the process has loaded
						 * module n, a row of the table of
						 * modules */
	uint32_t unloads;		/* number of objects with traced functions that
					 * the process has unloaded */
	uint32_t agent;			/* thread id of the agent; 0: the agent has not
					 * stored its id yet */
	uint64_t claimed_ns;		/* time when the process claimed the slot,
					 * CLOCK_BOOTTIME, ns; 0: the time is not
					 * known */
	uint32_t refused;		/* ULF_ABI_VERSION of the last module whose
					 * version libulf did not accept; 0: none */
	/* is 1 if event probes may read any memory of the process, because the environment
	 * variable ULF_READ_MEMORY is set.  Only the server uses this member, for its error
	 * messages; the process itself uses a private copy */
	uint32_t reads_memory;
	uint32_t stop_wanted;		/* futex; id of a thread that asks for a stop
					 * of all other threads of this process; it
					 * stores 0 when it needs no stop any more */
	/* futex; answer to @stop_wanted: 0 while there is no answer;
	 * ABI_STOP_COMING (stop.h) when the server has seen the request; the
	 * value of @stop_wanted when the stopper has stopped the other threads,
	 * or -errno */
	uint32_t stop_given;
	uint32_t left;			/* number of functions that could not be
					 * switched on or off when their users changed
					 * last */
	uint32_t left_error;		/* errno: why not */
	uint32_t left_changes;		/* number of times that the process has stored
					 * the count in @left */
	/* time (abi_late_stamp()) up to which the process has written all of its
	 * late records; 0: the process writes none; a number below ABI_LATE_FIRST
	 * is the errno because of which the process cannot write late records */
	uint32_t late;
};

/*
 * A time stamp of 32 bits, for abi_process.late and abi_buffer.stopped: the TSC in units of
 * 2^ABI_LATE_SHIFT, and never below ABI_LATE_FIRST.  Two stamps can be compared if they are
 * less than half a day apart.
 */
#define ABI_LATE_SHIFT		16
#define ABI_LATE_UNIT		(1ull << ABI_LATE_SHIFT)
#define ABI_LATE_FIRST		4096u

static inline uint32_t abi_late_stamp(uint64_t tsc)
{
	uint32_t stamp = (uint32_t)(tsc >> ABI_LATE_SHIFT);

	return stamp < ABI_LATE_FIRST ? ABI_LATE_FIRST : stamp;
}

/* Returns the age of the time @stamp at the time @tsc, in TSC cycles; 0 if @stamp is
 * later. */
static inline uint64_t abi_late_age(uint64_t tsc, uint32_t stamp)
{
	int32_t units = (int32_t)((uint32_t)(tsc >> ABI_LATE_SHIFT) - stamp);

	return units > 0 ? (uint64_t)units << ABI_LATE_SHIFT : 0;
}

enum abi_process_flags {
	ABI_PROCESS_AGENT	= 1,	/* the process has an agent that runs */
	ABI_PROCESS_UNSETTLED	= 2,	/* threads of this process may still write to
					 * rings that are already replaced */
	ABI_PROCESS_TABLES	= 4,	/* the program looks for functions by name, so the block of
					 * functions must have the tables of all objects */
};

/*
 * A module: the program, or a shared object, that has tracepoints.  The runtime writes the
 * row.
 */
struct abi_module {
	uint64_t base;			/* address at which the module is loaded */
	uint64_t path;			/* offset of the module's path in the root's
					 * memory; the path ends in a NUL */
	uint32_t path_bytes;		/* bytes of the path, including the NUL */
	uint32_t build_id_bytes;	/* bytes of the build id; 0: the module has no
					 * build id */
	uint8_t build_id[32];
	uint64_t strings;		/* offset of the module's struct abi_strings; 0:
					 * the module has declared no strings */
};

/* The strings of one module that the program has declared with tracepoint_string().
 * The file printk_formats lists the strings with their addresses. */
struct abi_strings {
	uint32_t nr;			/* number of strings */
	uint32_t bytes;			/* bytes of all strings, including their NULs */
	/* After this struct follow the array uint64_t address[nr], and then the strings in
	 * the same order. */
};

/*
 * A row of the table of objects: a mapped file with code.  The runtime adds the objects
 * that are loaded when the program starts, and other objects when an address in a stack
 * leads to them.  The object need not have tracepoints; the server needs the row for
 * symbols and functions.  A thread that finds a new object takes a row, fills it in and
 * then stores @is_there.  The thread takes no lock, and may be in a signal handler.
 * Newer objects have higher rows.
 */
struct abi_object {
	uint32_t is_there;		/* is 1 when the row is filled in; the runtime
					 * stores this member last */
	uint32_t build_id_bytes;	/* bytes of the build id; 0: the object has no
					 * build id */
	uint64_t start, end;		/* first address of the object's mapping, and the
					 * address after its end */
	uint8_t build_id[32];
	char path[448];			/* path of the object's file, NUL terminated */
	uint64_t since;			/* TSC when the row was filled in; 0 if the
					 * object was loaded when the program started */
};

/* The name of a thread, as in the kernel's saved_cmdlines.  The runtime writes the row.
 * If the server has found the thread by itself, the server writes the row. */
struct abi_comm {
	uint32_t sequence;		/* sequence number of this row; it is odd
					 * while a thread writes the row */
	uint32_t tid;			/* id of the thread that has this name; 0: the
					 * row is free */
	uint32_t tgid;			/* pid of the process of the thread */
	uint32_t stamp;			/* the number of writes to the table at the
					 * last write of this row; a new thread
					 * replaces the row with the lowest stamp */
	char comm[ABI_COMM_LEN];
};

/* Number of rows in which the name of a thread may be stored.  They are consecutive rows
 * of the table of thread names, from abi_comm_first() on; row 0 follows the last row of
 * the table. */
#define ABI_COMM_PROBES		16u

static inline uint32_t abi_comm_first(uint32_t tid)
{
	return tid * 2654435761u % ABI_COMMS;
}

/* A row of the table of events.  The runtime writes the row, except for @wanted.  Rows of
 * modules are never reused: if a module is loaded again, its events get their old rows and ids
 * back.  Rows of dynamic events are reused (ABI_MODULE_DYNAMIC). */
struct abi_event {
	uint64_t blob;			/* offset of the event's struct abi_format in
					 * the root's memory */
	uint32_t blob_bytes;		/* size of struct abi_format with the arrays and
					 * strings that follow it, bytes */
	uint32_t module;		/* row of the module that defines the event, in
					 * the table of modules */
	uint32_t wanted;		/* bit n is 1 if the event is on in buffer n; the
					 * server writes it */
	uint32_t hash;			/* hash of the bytes at @blob; the server does
					 * not use it */
	uint32_t failed;		/* errno that the event's regfunc returned; the
					 * event then stays off until the server changes
					 * @wanted; 0: no error */
	uint32_t twin;			/* 1 + row of an older event with the same
					 * format; 0: there is none.  The rules of the
					 * older event also apply to this event, until
					 * this event gets its own */
	uint32_t name_hash;		/* hash of the event's system and name; the
					 * server does not use it */
	uint32_t names_bytes;		/* size of all enum names at @names, bytes */
	uint64_t names;			/* offset of the enum names (TRACE_DEFINE_ENUM())
					 * of the event's system, which many events
					 * share; each entry is an int64_t value, the
					 * name and a NUL, without alignment.  In the row of
					 * a dynamic event: offset of the text that defined
					 * the event, with a NUL */
	/* The members from here on, except for @flags, are 0 unless the row is
	 * for a dynamic event. */
	uint32_t was_wanted;		/* bit n is 1 if buffer n may have records of
					 * this row: the present event of the row, or an
					 * earlier one, was on in buffer n */
	uint32_t order;			/* number that rises with each new dynamic event; files
					 * list the events in this order */
	uint32_t flags;			/* enum abi_event_flags; unlike its neighbours,
					 * this member is used in the rows of all
					 * events */
	uint32_t reserved;
};

enum abi_event_flags {
	ABI_EVENT_LATE		= 1,	/* a late event: the agent records the event
					 * some time after it has happened */
	ABI_EVENT_OWN		= 2,	/* the event is one of libulf's own (own_systems.h) */
};

/*
 * Value of abi_event.module in the row of a dynamic event: a synthetic event or an event
 * probe.  No module defines such an event.  The rows below ABI_DYNAMIC are for dynamic events;
 * only the server writes these rows.  @blob is the start of a block of the arena, which has the
 * format and after it the definition.  The row of a dynamic event that was removed has blob 0
 * until the server uses the row again.
 */
#define ABI_MODULE_DYNAMIC	UINT32_MAX
#define ABI_NAMES_BYTES		65536u	/* maximum value of abi_event.names_bytes, the
					 * size of an event's enum names */

/* The format of an event, in the heap.  All offsets in it are from the start of this struct. */
struct abi_format {
	uint32_t nr_fields;
	uint32_t system;		/* offset of the name of the event's system */
	uint32_t name;			/* offset of the name of the event */
	uint32_t print_fmt;		/* offset of the text of the print format */
	uint32_t entry_bytes;		/* size of the fixed part of a record, bytes */
	uint32_t nr_values;		/* number of rows { value, "name" } in all calls
					 * of __print_flags() and __print_symbolic() in
					 * @print_fmt */
	/* The arrays struct abi_field fields[nr_fields] and int64_t values[nr_values]
	 * follow this struct, then the strings.  values[] has the values of the first
	 * __print_flags() or __print_symbolic() in print_fmt, then those of the next
	 * one, and so on. */
};

struct abi_field {
	uint32_t type;			/* offset of the name of the field's type,
					 * such as int, char[16] or __data_loc char[] */
	uint32_t name;			/* offset of the field's name */
	uint32_t offset;		/* offset of the field in the record, bytes; the
					 * common fields take the first 8 bytes */
	uint32_t size;			/* size of the field in the record's fixed part, bytes */
	uint8_t is_signed;
	uint8_t filter;			/* how a filter treats the field: FILTER_OTHER
					 * ..., as set by __field_ext() */
	uint8_t reserved[2];
};

/* A format of trace_printk(), in the heap.  The text ends in a NUL.  Records refer to
 * the text by the address at which the processes have mapped it. */
struct abi_printk {
	uint32_t next;			/* offset of the next older format in the same
					 * list; 0: end of the list */
	uint32_t hash;			/* hash of the text */
	uint32_t text_bytes;		/* bytes of the text, including the NUL */
	uint32_t reserved;
	/* The text, char text[text_bytes], follows this struct. */
};

#define ABI_PRINTK_LISTS	256u

/* All formats of trace_printk(), in lists.  The hash of a text selects its list.  No
 * text is in a list twice, and no text is ever removed. */
struct abi_printk_table {
	uint32_t first[ABI_PRINTK_LISTS];	/* offset of the newest struct abi_printk
						 * of each list; 0: the list is empty */
};

/* The offset of a ring in the root's memory, and the ring's size in bytes.  The
 * offset is 0 if there is no ring. */
struct abi_ring_ref {
	uint64_t off;
	uint64_t bytes;
};

enum abi_ring_kind {
	ABI_RING_FAST,			/* fast ring: threads on the ring's CPU write to
					 * it in rseq sections */
	ABI_RING_SLOW,			/* slow ring: threads that cannot use the fast
					 * ring write to this ring under a lock; the
					 * server writes texts of trace_marker to it */
	ABI_RING_LATE,			/* late ring: agents write late records to
					 * this ring under a lock; only a buffer that
					 * needs late rings has them */
	ABI_RING_KINDS,
};

enum abi_pids_list {
	ABI_PIDS_TRACE,			/* set_event_pid: record events of the listed
					 * threads only */
	ABI_PIDS_NOTRACE,		/* set_event_notrace_pid: record no events of
					 * the listed threads */
	ABI_PIDS_FUNCTION,		/* set_ftrace_pid: record functions of the
					 * listed threads only */
	ABI_PIDS_FUNCTION_NOTRACE,	/* set_ftrace_notrace_pid: record no functions
					 * of the listed threads */
	ABI_PIDS_LISTS,
};

/* A buffer that takes snapshots has two sets of rings, which are called its sides. */
#define ABI_SIDES		2u

/* One side of a buffer: a set of rings.  The server writes all members. */
struct abi_side {
	struct abi_ring_ref ring[ABI_CPUS][ABI_RING_KINDS];
	/* the rings that each CPU had before the last resize; the server keeps such
	 * a ring until its records were read or overwritten */
	struct abi_ring_ref prev[ABI_CPUS][ABI_RING_KINDS];
};

/* The bits of abi_buffer.spare.  One word has all of these bits, so that no process
 * can swap to a side whose rings the server has just freed. */
enum abi_spare {
	ABI_SPARE_THERE		= 1,	/* the server sets this bit while both sides have rings */
	ABI_SPARE_SWAP		= 2,	/* each swap of the sides of all CPUs adds
					 * this number, so the bits above bit 0 count
					 * the swaps */
};

/* Whether a buffer was used.  When the program exits, the runtime removes the root unless
 * some buffer has something that a user asked for. */
enum abi_used {
	ABI_USED_NOT,			/* never used */
	ABI_USED,			/* the buffer has or had rings, rules or lists
					 * of threads */
	ABI_USED_UNASKED,		/* the buffer has rings for trace_printk(),
					 * but no user has asked for them: no user has
					 * opened a file of the root or changed a
					 * setting */
};

/*
 * The longest latency that a latency tracer has found in a buffer (docs/design/latency.md).
 *
 *	word			writer
 *	abi_latency.longest	a process that has found a longer latency; the server: a write to
 *				tracing_max_latency, or a new tracer
 *	abi_latency.next	processes: each takes a row by adding 1
 *	a row			the process that has taken it
 *
 * @longest has the latency, and the serial of the row that says in which thread it was.  One
 * store publishes both.
 */
#define ABI_LATENCY_ROWS	16u

/* The number of bits of abi_latency.longest that have the serial of a row.  The upper bits have
 * the latency in us, at most half a year. */
#define ABI_LATENCY_SERIAL_BITS	20
#define ABI_LATENCY_SERIAL_MASK	((1u << ABI_LATENCY_SERIAL_BITS) - 1)

/* A row: the thread that had a latency, and where it ran. */
struct abi_latency_row {
	uint32_t serial;		/* serial of the latency to which the row
					 * belongs; 0 while a process writes the row */
	uint32_t tid;
	uint32_t cpu;			/* CPU on which the thread was when the latency ended */
	uint32_t reserved;
	char comm[ABI_COMM_LEN];	/* name of the thread */
};

struct abi_latency {
	uint64_t longest;		/* abi_latency_word(); 0: no latency was found so far */
	uint64_t thresh_us;		/* tracing_thresh in us.  0: only a latency that
					 * is longer than @longest counts.  Else: each
					 * latency of at least this length counts, and
					 * replaces @longest.  The server writes this
					 * member */
	uint64_t saved_options;		/* the options of the buffer before the latency tracer
					 * changed some; the server writes and reads it */
	uint32_t owns_spare;		/* is 1 while a latency tracer uses the spare side, so that
					 * nothing else may take a snapshot; the server writes it */
	uint32_t next;			/* serial of the row that was taken last */
	struct abi_latency_row rows[ABI_LATENCY_ROWS];
};

static inline uint64_t abi_latency_word(uint64_t us, uint32_t serial)
{
	uint64_t max = UINT64_MAX >> ABI_LATENCY_SERIAL_BITS;

	return (us < max ? us : max) << ABI_LATENCY_SERIAL_BITS |
	       (serial & ABI_LATENCY_SERIAL_MASK);
}

static inline uint64_t abi_latency_us(uint64_t word)
{
	return word >> ABI_LATENCY_SERIAL_BITS;
}

/* A buffer.  The server writes it, unless a comment names another writer. */
struct abi_buffer {
	uint32_t used;			/* enum abi_used */
	uint32_t stopped;		/* 0 while tracing_on is 1; else the time when recording
					 * was stopped (abi_late_stamp()); the server and
					 * processes write it */
	uint32_t paused;		/* is 1 while recording is paused, because a user
					 * has `trace` open */
	uint32_t clock;			/* row of the buffer's clock in the table of
					 * clocks (event/clock.h) */
	uint32_t page_bytes;		/* size of a page of the buffer's rings, bytes */
	uint32_t percent;		/* poll() reports data when this percentage of
					 * the buffer is full */
	uint64_t too_big;		/* number of records that were too big for any
					 * page; the runtime counts them */
	uint64_t lock_lost;		/* number of records lost because a slow ring's
					 * lock was not free; the runtime counts them */
	uint64_t no_ring;		/* number of records lost because there was no
					 * ring; the runtime counts them */
	uint64_t reserved_lost;
	uint64_t options;		/* one bit for each option (enum option_bit);
					 * a bit is 1 if the user has changed the
					 * option from its default */
	uint64_t time_start;		/* time when the buffer was last emptied, by the
					 * buffer's clock */
	uint64_t rules;			/* offset of the buffer's struct abi_rules; 0: none */
	uint64_t pids[ABI_PIDS_LISTS];	/* for each list of threads (enum
					 * abi_pids_list), the offset of its struct
					 * abi_pids; 0: there is no such list */
	uint32_t spare;			/* bits of enum abi_spare; processes and the
					 * server write them when they swap sides */
	uint32_t spare_asked;		/* futex; a process stores 1 to ask for the rings
					 * of a snapshot, and the server stores 0 when it
					 * has answered */
	uint32_t spare_error;		/* the server's answer to @spare_asked: an
					 * errno, or 0 if there is a snapshot now */
	uint32_t tracer;		/* number of the tracer (event/tracer.h) */
	struct abi_latency latency;	/* the longest latency that a latency tracer has found */
	uint64_t cpus_off[ABI_CPUS / 64];	/* bit n is 1 if CPU n is excluded by
						 * tracing_cpumask */
	uint64_t cpus_swapped[ABI_CPUS / 64];	/* bit n is 1 if the sides of CPU n alone
						 * were swapped an odd number of times
						 * (see abi_main_side()) */
	char name[256];			/* name of the instance; "" for the top instance
					 * or an unused buffer */
	uint64_t cpu_kb[ABI_CPUS];	/* requested size of each CPU's rings, KiB */
	struct abi_side side[ABI_SIDES];
	uint64_t slots[ABI_SLOTS];	/* rule words (abi/rules.h), which processes and
					 * the server write */
};

/* Returns true if the root has figures that are in no ring: those of the profiler or of the
 * stack tracer. */
static inline bool abi_has_figures(const struct abi_control *control)
{
	return control->stack || control->profile;
}

/* Returns the main side of @cpu, to which its records go.  The other side, if it has rings,
 * is the snapshot. */
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
static_assert(sizeof(struct abi_control) == 1760, "ABI");
static_assert(sizeof(struct abi_latency_row) == 32, "ABI");
static_assert(sizeof(struct abi_latency) == 544, "ABI");
static_assert(sizeof(struct abi_buffer) == 337056, "ABI");

/* Tables, blocks and rings begin at multiples of this many bytes.  Processes map,
 * populate and protect them by memory pages, so ABI_ALIGN is a multiple of the size of
 * a memory page (runtime/base/root.c). */
#define ABI_ALIGN		4096ull

/*
 * The layout that the runtime creates.  Code that reads the memory must take the offsets
 * from struct abi_control instead.
 */
#define ABI_PAGE_ALIGN(x)	(((x) + (ABI_ALIGN - 1)) & ~(ABI_ALIGN - 1))
#define ABI_PROCESSES_OFF	2048ull	/* offset of the process slots: the first
					 * ones share a memory page with struct
					 * abi_control */
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
