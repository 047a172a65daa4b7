/* SPDX-License-Identifier: MIT */
/* A fake root with records of function calls.  The functions belong to this program. */
#ifndef TESTS_UNIT_FAKE_CALLS_H
#define TESTS_UNIT_FAKE_CALLS_H

#include "event/option.h"
#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

/* Keeps the compiler from merging two functions with equal code. */
#define FUNCTION(name) \
	static __attribute__((noinline)) void name(void) \
	{ \
		__asm__ volatile("# " #name); \
	}

/* A function with parameters as the ABI passes them, and which debuggers know. */
#ifdef __clang__
#define CALLED_WITH static __attribute__((noinline, used, \
					  no_sanitize("address", "thread", "undefined")))
#else
#define CALLED_WITH static __attribute__((noipa, used, \
					  no_sanitize("address", "thread", "undefined")))
#endif

struct calls {
	char dir[128];
	struct fake_root root;
	struct server *server;
	uint32_t tick;			/* id of sched:tick, n=... */
};

/* Write the module that contains all functions. */
static inline void calls_module(struct fake_root *root)
{
	extern const char __executable_start;
	struct abi_module *module =
		(struct abi_module *)(root->mem + root->control->modules_off);
	uint64_t off = root->control->heap_off + root->control->heap_used;
	ssize_t len = readlink("/proc/self/exe", root->mem + off, 4095);

	if (len <= 0)
		abort();
	root->control->heap_used += 4096;
	memcpy(root->control->exe, root->mem + off, 255);
	module->base = (uint64_t)&__executable_start;
	module->path = off;
	module->path_bytes = (uint32_t)len + 1;
}

/* Make the root with rings of the clock mono, so that a test can choose the times. */
static inline int calls_setup(void **state)
{
	struct calls *c = calloc(1, sizeof(*c));

	fake_dir_make(c->dir);
	fake_root_make(&c->root, c->dir, "fake.1");
	calls_module(&c->root);
	c->tick = fake_event_n(&c->root, 0, "sched", "tick");
	fake_root_show(&c->root, "fake.1");
	if (server_new(c->dir, &c->server) ||
	    tree_echo(c->server, "fake.1/trace_clock", "mono") ||
	    tree_echo(c->server, "fake.1/events/enable", "1"))
		return -1;
	*state = c;
	return 0;
}

static inline int calls_teardown(void **state)
{
	struct calls *c = *state;

	server_free(c->server);
	fake_root_done(&c->root);
	fake_dir_remove(c->dir);
	free(c);
	return 0;
}

static inline void calls_write(struct calls *c, uint32_t cpu,
			       enum abi_ring_kind kind, uint64_t time,
			       const void *data, uint32_t bytes)
{
	uint32_t buf[1024];

	memcpy(buf + 1, data, bytes);
	if (ring_write_locked(fake_ring(&c->root, cpu, kind), buf + 1, bytes, time,
			      (uint32_t)syscall(SYS_gettid)))
		abort();
}

struct calls_head {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
};

static inline void calls_function(struct calls *c, uint32_t cpu, int32_t pid,
				  uint64_t time, uint64_t ip, uint64_t parent_ip)
{
	struct {
		struct calls_head head;
		uint64_t ip, parent_ip;
	} record = { { ABI_EVENT_ID_FUNCTION, 0, 0, pid }, ip, parent_ip };

	calls_write(c, cpu, ABI_RING_FAST, time, &record, sizeof(record));
}

/* Record a call with the six registers of its arguments. */
static inline void calls_function_args(struct calls *c, uint32_t cpu, int32_t pid,
				       uint64_t time, uint64_t ip, uint64_t parent_ip,
				       const uint64_t *args)
{
	struct {
		struct calls_head head;
		uint64_t ip, parent_ip, args[6];
	} record = { { ABI_EVENT_ID_FUNCTION, 0, 0, pid }, ip, parent_ip, { 0 } };

	memcpy(record.args, args, sizeof(record.args));
	calls_write(c, cpu, ABI_RING_FAST, time, &record, sizeof(record));
}

static inline void calls_entry(struct calls *c, uint32_t cpu,
			       enum abi_ring_kind kind, int32_t pid, uint64_t time,
			       uint64_t func, int32_t depth)
{
	struct __attribute__((packed)) {
		struct calls_head head;
		uint64_t func;
		int32_t depth;
	} record = { { ABI_EVENT_ID_GRAPH_ENTRY, 0, 0, pid }, func, depth };

	calls_write(c, cpu, kind, time, &record, sizeof(record));
}

/* Record an entry with the data that options add: the return address if it is not 0, and the
 * arguments if they are not NULL. */
static inline void calls_entry_more(struct calls *c, uint32_t cpu, int32_t pid,
				    uint64_t time, uint64_t func, int32_t depth,
				    uint64_t retaddr, const uint64_t *args)
{
	struct {
		struct calls_head head;
		uint64_t func;
		int32_t depth;
		uint32_t marks;
		uint64_t more[7];
	} record = {
		{ retaddr ? ABI_EVENT_ID_GRAPH_RETADDR : ABI_EVENT_ID_GRAPH_ENTRY, 0, 0,
		  pid }, func, depth, 0, { retaddr },
	};
	uint32_t nr = retaddr ? 1 : 0;

	if (args)
		memcpy(record.more + nr, args, 6 * sizeof(*args));
	nr += args ? 6 : 0;
	calls_write(c, cpu, ABI_RING_FAST, time, &record,
		    (uint32_t)offsetof(typeof(record), more) + 8 * nr);
}

/* Record an entry during a signal handler.  @marks: ABI_GRAPH_HANDLER for the handler
 * itself. */
static inline void calls_handler_entry(struct calls *c, uint32_t cpu, int32_t pid,
				       uint64_t time, uint64_t func, int32_t depth,
				       uint32_t marks)
{
	struct __attribute__((packed)) {
		struct calls_head head;
		uint64_t func;
		int32_t depth;
		uint32_t marks;
	} record = {
		{ ABI_EVENT_ID_GRAPH_ENTRY, ABI_FLAG_HANDLER, 0, pid }, func, depth, marks,
	};

	calls_write(c, cpu, ABI_RING_FAST, time, &record,
		    sizeof(record) - (marks ? 0 : sizeof(marks)));
}

struct calls_exit {
	struct calls_head head;
	uint64_t func, retval;
	int32_t depth;
	uint32_t overrun;
	uint64_t calltime, rettime;
};

static inline void calls_exit(struct calls *c, uint32_t cpu,
			      enum abi_ring_kind kind, int32_t pid, uint64_t time,
			      uint64_t func, int32_t depth, uint64_t ns,
			      uint64_t retval)
{
	struct calls_exit record = {
		{ ABI_EVENT_ID_GRAPH_EXIT, 0, 0, pid },
		.func = func, .retval = retval, .depth = depth,
		.calltime = time - ns, .rettime = time,
	};

	calls_write(c, cpu, kind, time, &record, sizeof(record));
}

static inline void calls_handler_exit(struct calls *c, uint32_t cpu, int32_t pid,
				      uint64_t time, uint64_t func, int32_t depth,
				      uint64_t ns, uint32_t marks)
{
	struct __attribute__((packed)) {
		struct calls_exit exit;
		uint32_t marks;
	} record = {
		{ { ABI_EVENT_ID_GRAPH_EXIT, ABI_FLAG_HANDLER, 0, pid },
		  .func = func, .depth = depth, .calltime = time - ns, .rettime = time },
		marks,
	};

	calls_write(c, cpu, ABI_RING_FAST, time, &record,
		    sizeof(record) - (marks ? 0 : sizeof(marks)));
}

static inline void calls_option(struct calls *c, const char *option)
{
	if (tree_echo(c->server, "fake.1/trace_options", option))
		abort();
}

#endif
