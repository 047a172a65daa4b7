/* SPDX-License-Identifier: MIT */
/*
 * Hostile shared memory.  A good root is corrupted at random places and then used through
 * every file of the tree.  The server must not crash or hang, and no other root may suffer.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdint.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "abi/pids.h"
#include "abi/stack_tracer.h"
#include "server/rules/pids.h"
#include "server/rules/triggers.h"
#include "server/core/root.h"
#include "server/core/server_roots.h"
#include "unit/fake_root.h"
#include "unit/harms_nobody.h"
#include "unit/spoil.h"
#include "unit/tree.h"

#define S	1000000000ull
enum { ROUNDS = 50, LONG_ROUNDS = 2000 };	/* LONG_ROUNDS: ULF_TORTURE=long */

static const struct fake_field fields[] = {
	{ "char[16]", "comm", 8, 16, 0 },
	{ "__data_loc char[]", "name", 24, 4, 0 },
	{ "__rel_loc u8[]", "data", 28, 4, 0 },
	{ "unsigned long", "state", 32, 8, 0 },
};

static uint64_t format;			/* a format of the bad root */

/* Spoil mostly the places where copies and rows begin. */
static void spoil_stack(struct fake_root *root)
{
	static const uint32_t parts[] = {
		0, offsetof(struct abi_stack, copies[0]),
		offsetof(struct abi_stack, copies[1]),
		offsetof(struct abi_stack, threads),
	};
	uint64_t off = root->control->stack;

	if (off >= ABI_ARENA_OFF && off % 4096 == 0 &&
	    off < ABI_ARENA_OFF + ARENA_USED)
		for (int i = 0; i < 8; i++)
			spoil(root, off + parts[rnd() % 4], 96);
}

static void spoil_something(struct fake_root *root)
{
	switch (rnd() % 15) {
	case 13:
	case 14:
		spoil_hist(root);
		break;
	case 0:
		spoil(root, 0, sizeof(struct abi_control));
		break;
	case 1:
		spoil(root, ABI_PROCESSES_OFF, 2 * sizeof(struct abi_process));
		break;
	case 2:
		spoil(root, ABI_COMMS_OFF, ABI_COMMS * sizeof(struct abi_comm));
		break;
	case 3:
		spoil(root, ABI_EVENTS_OFF + ABI_DYNAMIC * sizeof(struct abi_event), 512);
		break;
	case 4:
		spoil(root, ABI_BUFFERS_OFF, 256);
		break;
	case 5:
		spoil(root, ABI_BUFFERS_OFF + offsetof(struct abi_buffer, side),
		      FAKE_CPUS * sizeof(root->buffer->side[0].ring[0]));
		break;
	case 6:
		spoil(root, ABI_HEAP_OFF, 2048);
		break;
	case 7:
		spoil(root, ABI_MODULES_OFF, sizeof(struct abi_module));
		break;
	case 8:
		spoil_rules(root);
		break;
	case 9:
		spoil(root, ABI_BUFFERS_OFF + sizeof(struct abi_buffer), 512);
		break;
	case 10:
		spoil(root, ABI_OBJECTS_OFF, 4 * sizeof(struct abi_object));
		break;
	case 11:
		spoil_stack(root);
		break;
	default:
		spoil_ring(root);
		break;
	}
}

/* ---- use all files ---- */

static int use_entry(void *arg, const char *name, const struct stat *st)
{
	(void)name;
	(void)st;
	return ++*(int *)arg > 100;
}

static void list(struct server *server, const char *path)
{
	struct tracefs_node *node;
	int nr = 0;

	if (tracefs_walk(server, path, &node))
		return;
	tracefs_readdir(node, use_entry, &nr);
	tracefs_node_put(node);
}

/* Read only a part, because a corrupt ring may contain any amount. */
static void read_some(struct server *server, const char *path)
{
	static char buf[65536];
	struct tracefs_file *file;
	off_t at = 0;
	ssize_t n;

	if (tree_open(server, path, O_RDONLY | O_NONBLOCK, &file))
		return;
	for (int i = 0; i < 20; i++) {
		n = tracefs_read(file, buf, sizeof(buf), at);
		if (n <= 0)
			break;
		at += n;
	}
	tracefs_poll(file);
	tracefs_close(file);
}

/* Does not wait for an agent that will never follow. */
static void write_bytes(struct server *server, const char *path, int flags,
			const char *text, size_t len)
{
	struct tracefs_file *file;
	size_t taken;

	if (tree_open(server, path, O_WRONLY | flags, &file))
		return;
	tracefs_write(file, text, len, getpid(), &taken);
	tracefs_write_done(file);
	tracefs_close(file);
}

static void write_once(struct server *server, const char *path, const char *text)
{
	write_bytes(server, path, O_TRUNC, text, strlen(text));
}

/* Write text, a NUL, and much more: a copy that ends at the NUL is too short. */
static void write_nuls(struct server *server)
{
	static const char *const files[] = {
		"bad.1/set_event", "bad.1/set_ftrace_filter", "bad.1/set_graph_function",
		"bad.1/current_tracer", "bad.1/events/sched/first/filter",
		"bad.1/events/sched/first/trigger", "bad.1/events/ftrace/print/trigger",
	};
	char text[4000] = "nosuch";

	memset(text + 7, 'x', sizeof(text) - 7);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		write_bytes(server, files[i], O_TRUNC, text, sizeof(text));
}

static int no_info(void *arg, const struct server_root_info *info)
{
	(void)arg;
	(void)info;
	return 0;
}

/* Add histograms, change them, count in them, and read them. */
static void use_hists(struct server *server)
{
	static const struct {
		const char *path, *text;
	} writes[] = {
		{ "bad.1/synthetic_events", "synth u64 state; char text[]" },
		{ "bad.1/events/sched/first/trigger", "hist:keys=state.log2:vals=state:size=128" },
		{ "bad.1/events/sched/first/trigger", "hist:keys=comm,name:name=one" },
		{ "bad.1/events/sched/first/trigger",
		  "hist:keys=common_pid:x=state:m=state:onmax($m).save(state,comm)" },
		{ "bad.1/events/sched/second/trigger",
		  "hist:keys=common_pid:y=n-$x:onmatch(sched.first).trace(synth,$x,$y)" },
		{ "bad.1/events/sched/second/trigger", "enable_hist:sched:first" },
		{ "bad.1/events/ftrace/print/trigger", "hist:keys=ip,buf:size=128" },
		{ "bad.1/trace_marker", "a marker to count" },
		{ "bad.1/events/ftrace/print/trigger", "hist:keys=ip,buf:size=128:clear" },
		{ "bad.1/trace_marker", "another marker to count" },
		{ "bad.1/events/sched/first/trigger",
		  "hist:keys=state.log2:vals=state:size=128:pause" },
		{ "bad.1/events/sched/first/trigger",
		  "hist:keys=state.log2:vals=state:size=128:clear" },
	};
	static const char *const files[] = {
		"bad.1/events/sched/first/hist", "bad.1/events/sched/second/hist",
		"bad.1/events/sched/first/hist_debug", "bad.1/events/ftrace/print/hist",
		"bad.1/events/ftrace/print/trigger", "bad.1/synthetic_events",
	};

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		if (i < 7 || rnd() % 2)
			write_bytes(server, writes[i].path, O_APPEND, writes[i].text,
				    strlen(writes[i].text));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		read_some(server, files[i]);
}

/* An instance comes, and goes sometimes. */
static void use_instances(struct server *server)
{
	struct tracefs_node *node;

	if (tracefs_walk(server, "bad.1/instances", &node))
		return;
	if (rnd() % 4 == 0)
		tracefs_rmdir(node, "one");
	tracefs_mkdir(node, rnd() % 4 ? "one" : "two");
	tracefs_node_put(node);
}

static void use_all(struct server *server)
{
	static const char *const files[] = {
		"bad.1/available_events", "bad.1/trace", "bad.1/set_event",
		"bad.1/saved_cmdlines", "bad.1/buffer_size_kb",
		"bad.1/printk_formats",
		"bad.1/buffer_total_size_kb", "bad.1/trace_clock",
		"bad.1/events/enable", "bad.1/events/header_page",
		"bad.1/events/sched/first/format", "bad.1/events/sched/enable",
		"bad.1/per_cpu/cpu0/stats", "bad.1/per_cpu/cpu1/trace",
		"bad.1/per_cpu/cpu0/trace_pipe", "bad.1/trace_pipe",
		"bad.1/per_cpu/cpu1/trace_pipe_raw",
		"bad.1/events/sched/first/filter", "bad.1/error_log",
		"bad.1/instances/one/trace",
		"bad.1/instances/one/events/sched/second/filter",
		"bad.1/events/sched/first/trigger",
		"bad.1/events/sched/second/enable",
		"bad.1/instances/one/events/sched/first/trigger",
		"bad.1/events/ftrace/print/trigger",
		"bad.1/stack_trace", "bad.1/stack_trace_threads",
		"bad.1/stack_max_size", "bad.1/stack_tracer_enabled",
	};
	const struct {
		const char *path, *text;
	} writes[] = {
		{ "bad.1/events/enable", "0" },
		{ "bad.1/events/enable", "1" },
		{ "bad.1/trace_marker", "a marker" },
		{ "bad.1/set_event", "sched:first" },
		{ "bad.1/buffer_size_kb", "100" },
		{ "bad.1/per_cpu/cpu0/buffer_size_kb", "64" },
		{ "bad.1/options/sym-userobj", rnd() % 2 ? "1" : "0" },
		{ "bad.1/options/sym-offset", rnd() % 2 ? "1" : "0" },
		{ "bad.1/trace_clock", "boot" },
		{ "bad.1/trace", "" },
		{ "bad.1/trace_marker", "another" },
		{ "bad.1/events/sched/first/filter", "comm == \"five\" && state > 3" },
		{ "bad.1/events/sched/filter", "common_pid != 7" },
		{ "bad.1/events/sched/second/filter", "nosuch == 1" },
		{ "bad.1/events/sched/second/filter", "n == ONE && n != MINUS" },
		{ "bad.1/events/sched/second/filter", "n == ONEE" },
		{ "bad.1/set_event", "sched:secnd" },
		{ "bad.1/events/sched/second/trigger", "enable_event:shced:second" },
		{ "bad.1/instances/one/events/sched/filter", "common_pid == 5" },
		{ "bad.1/instances/one/events/enable", "1" },
		{ "bad.1/instances/one/buffer_size_kb", "64" },
		{ "bad.1/events/sched/first/trigger", "traceoff:3 if state > 3" },
		{ "bad.1/events/sched/first/trigger", "snapshot" },
		{ "bad.1/events/sched/first/trigger",
		  "enable_event:sched:second:5 if comm == \"five\"" },
		{ "bad.1/events/sched/second/trigger", "enable_event:sched:second" },
		{ "bad.1/events/sched/second/trigger", "!disable_event:sched:second" },
		{ "bad.1/instances/one/events/sched/first/trigger",
		  "disable_event:sched:second:1" },
		{ "bad.1/events/ftrace/print/trigger",
		  "enable_event:sched:second:2 if buf ~ \"a*\"" },
		{ "bad.1/events/ftrace/print/trigger", "snapshot:1" },
		{ "bad.1/trace_marker", "a third" },
		{ "bad.1/stack_max_size", "100" },
	};

	use_instances(server);
	list(server, "bad.1");
	list(server, "bad.1/events");
	list(server, "bad.1/events/sched");
	list(server, "bad.1/per_cpu");
	list(server, "bad.1/instances");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		read_some(server, files[i]);
	server_root_list(server, no_info, NULL);
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		write_once(server, writes[i].path, writes[i].text);
		read_some(server, "bad.1/trace");
	}
	write_nuls(server);
	use_hists(server);
	server_tick(server);
	server_dispatch(server);
}

/* Add names that TRACE_DEFINE_ENUM() would record for the event. */
static void add_names(struct fake_root *root, struct abi_event *event)
{
	static const char names[] = "\1\0\0\0\0\0\0\0ONE\0"
				    "\xff\xff\xff\xff\xff\xff\xff\xffMINUS";

	event->names = fake_heap(root, sizeof(names));
	event->names_bytes = sizeof(names);
	memcpy(root->mem + event->names, names, sizeof(names));
}

static void make_bad_root(struct fake_root *root, const char *dir)
{
	struct abi_module *module;
	struct abi_object *object;

	fake_root_make(root, dir, "bad.1");
	module = (void *)(root->mem + root->control->modules_off);
	object = (void *)(root->mem + root->control->objects_off);
	*object = (struct abi_object){
		.is_there = 1, .end = 1ull << 40, .path = "/proc/self/exe",
	};
	root->control->nr_objects = 1;
	fake_event(root, 0, "sched", "first", "\"comm=%s name=%s data=%s at %pS\", "
		   "REC->comm, __get_str(name), __print_hex(__get_rel_dynamic_array(data), "
		   "__get_rel_dynamic_array_len(data)), (void *)REC->state", fields, 4);
	fake_event_n(root, 0, "sched", "second");
	add_names(root, &root->events[ABI_DYNAMIC + 1]);
	format = fake_format(root, "%d %s %p %*d %c %ps %.*s\n");
	fake_format(root, "another \"%s\"\n");
	module->path = root->control->heap_off + root->control->heap_used;
	module->path_bytes = 15;
	strcpy(root->mem + module->path, "/proc/self/exe");
	root->control->heap_used += 16;
	fake_strings(root, module);
	fake_comm(root, 5, "five");
	fake_root_show(root, "bad.1");
}

static void record_some(struct fake_root *root)
{
	static const uint32_t types[] = {
		ABI_EVENT_ID_FIRST + ABI_DYNAMIC, ABI_EVENT_ID_FIRST + ABI_DYNAMIC + 1,
		ABI_EVENT_ID_PRINT, ABI_EVENT_ID_BPRINT, ABI_EVENT_ID_BPUTS, ABI_EVENT_ID_STACK,
	};

	for (int i = 0; i < 600; i++) {
		uint64_t record[] = {
			0, types[rnd() % (sizeof(types) / sizeof(types[0]))] |
			5ull << 32,
			rnd(), rnd() % 2 ? format + rnd() % 3 % 2 * 8 : rnd(),
			interesting(), interesting(), rnd(),
		};

		struct abi_ring *ring = fake_ring(root, (uint32_t)i % 2, rnd() % 2);

		if (ring)
			ring_write_locked(ring, record + 1, sizeof(record) - 8,
					  S + (uint64_t)i * 100, (uint32_t)getpid());
	}
}

/* End this process by SIGXCPU if it uses 30 seconds of CPU time.  A limit of elapsed time would end
 * it on a busy machine, too. */
static void limit_cpu(void)
{
	const struct rlimit limit = { 30, 31 };	/* { 30, 30 } would send SIGKILL */

	if (setrlimit(RLIMIT_CPU, &limit))
		_exit(2);
}

/* Runs in a child, so that a crash is only a status. */
static void round_trip(const char *dir, uint64_t start)
{
	struct fake_root good, bad;
	struct server *server;
	bool is_spoiled;

	limit_cpu();
	seed = start;
	fake_root_make(&good, dir, "good.1");
	fake_event_n(&good, 0, "sched", "tick");
	fake_root_show(&good, "good.1");
	make_bad_root(&bad, dir);
	/* bad before it is ever seen, or only later */
	is_spoiled = rnd() % 4 == 0;
	if (is_spoiled)
		spoil_something(&bad);
	if (server_new(dir, &server))
		_exit(2);
	if (!tree_echo(server, "bad.1/trace_clock", "mono") &&
	    !tree_echo(server, "bad.1/events/enable", "1") &&
	    fake_ring(&bad, 0, ABI_RING_FAST))
		record_some(&bad);
	use_hists(server);
	if (!find_table(&bad) && !is_spoiled)
		_exit(4);
	for (int i = 0; i < 4; i++) {
		count_in_tables(&bad);
		spoil_something(&bad);
		use_all(server);
		if (rnd() % 4 == 0) {
			server_free(server);
			if (server_new(dir, &server))
				_exit(2);
		}
	}
	if (strcmp(tree_cat(server, "good.1/available_events"), "sched:tick\n") ||
	    tree_echo(server, "good.1/events/enable", "1"))
		_exit(3);
	server_free(server);
	_exit(0);
}

static void corruption_harms_nobody_else(void **state)
{
	const char *rounds = getenv("ULF_HOSTILE_ROUNDS");
	const char *first = getenv("ULF_HOSTILE_SEED");
	int nr = rounds ? atoi(rounds) : getenv("ULF_TORTURE") ? LONG_ROUNDS : ROUNDS;
	uint64_t start = first ? strtoull(first, NULL, 0) : 1;

	(void)state;
	for (int i = 0; i < nr; i++, start++) {
		uint64_t mixed = start * 0x9e3779b97f4a7c15;
		char dir[128];
		int status;
		pid_t pid;

		fake_dir_make(dir);
		pid = fork();
		if (!pid)
			round_trip(dir, mixed);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		fake_dir_remove(dir);
		if (status)
			print_error("ULF_HOSTILE_SEED=%llu ULF_HOSTILE_ROUNDS=1\n",
				    (unsigned long long)start);
		assert_int_equal(status, 0);
	}
}

/* The part of the file with the rings is missing, and only the write of a marker finds it
 * out. */
static void mark_lost_ring(const char *dir)
{
	struct fake_root root;
	struct server *server;
	char path[256];

	fake_root_make(&root, dir, "bad.1");
	fake_event_n(&root, 0, "sched", "tick");
	fake_root_show(&root, "bad.1");
	if (server_new(dir, &server) ||
	    tree_echo(server, "bad.1/trace_marker", "before"))
		_exit(2);
	snprintf(path, sizeof(path), "%s/memory", root.path);
	if (truncate(path, ABI_ARENA_OFF))
		_exit(3);
	tree_echo(server, "bad.1/trace_marker", "after");
	server_free(server);
	_exit(0);
}

static void marker_survives_a_lost_ring(void **state)
{
	(void)state;
	harms_nobody(mark_lost_ring);
}

/* ---- counts that change while they are read ---- */

/* Names for numbers at wrong offsets, without an end, or too many. */
static void read_names(const char *dir)
{
	static const struct {
		uint64_t off;
		uint32_t bytes;
		int answer;
	} cases[] = {
		{ 0, 13, 0 },				/* unchanged */
		{ 0, 12, 0 }, { 0, 11, -EINVAL },	/* "ONE", "ON" */
		{ 0, 8, -EINVAL }, { 0, 1, -EINVAL }, { 0, 0, -EINVAL },
		{ 0, UINT32_MAX, -EINVAL }, { 0, ABI_NAMES_BYTES + 1, -EINVAL },
		{ UINT64_MAX, 13, -EINVAL }, { 1ull << 40, 13, -EINVAL },
		{ 64, 13, -EINVAL },
	};
	struct fake_root root;
	struct server *server;
	uint64_t off;

	make_bad_root(&root, dir);
	off = root.events[ABI_DYNAMIC + 1].names;
	if (server_new(dir, &server))
		_exit(3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		root.events[ABI_DYNAMIC + 1].names = cases[i].off ? cases[i].off : off;
		root.events[ABI_DYNAMIC + 1].names_bytes = cases[i].bytes;
		if (tree_echo(server, "bad.1/events/sched/second/filter", "n == ONE") !=
		    cases[i].answer)
			_exit(10 + (int)i);
	}
	server_free(server);
	_exit(0);
}

static void names_are_checked(void **state)
{
	(void)state;
	harms_nobody(read_names);
}

static void *change_counts(void *arg)
{
	struct abi_control *control = arg;

	for (uint32_t i = 0;; i++) {
		__atomic_store_n(&control->nr_modules, i % 2 ? 512 : 1,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&control->nr_objects, i % 3 ? 512 : 0,
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

static void look_for_symbols(const char *dir)
{
	struct fake_root root;
	struct server *server;
	pthread_t thread;

	limit_cpu();
	make_bad_root(&root, dir);
	if (server_new(dir, &server) ||
	    tree_echo(server, "bad.1/trace_marker", "there are rings") ||
	    pthread_create(&thread, NULL, change_counts, root.control))
		_exit(2);
	seed = 1;
	record_some(&root);
	for (int i = 0; i < 50; i++)
		read_some(server, "bad.1/trace");
	_exit(0);
}

static void *change_sizes(void *arg)
{
	struct fake_root *root = arg;

	for (uint32_t i = 0;; i++) {
		__atomic_store_n(&root->buffer->page_bytes, i % 2 ? 65536 : 4096,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&root->control->has_rseq, i % 3 ? 1 : 0,
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Records are copied from the old rings, whose size changes meanwhile, to new rings. */
static void carry_records(const char *dir)
{
	struct fake_root root;
	struct server *server;
	pthread_t thread;

	limit_cpu();
	make_bad_root(&root, dir);
	if (server_new(dir, &server) ||
	    tree_echo(server, "bad.1/trace_clock", "mono") ||
	    tree_echo(server, "bad.1/trace_marker", "there are rings") ||
	    pthread_create(&thread, NULL, change_sizes, &root))
		_exit(2);
	seed = 1;
	for (int i = 0; i < 80; i++) {
		for (int n = 0; n < 10; n++)
			record_some(&root);
		write_once(server, "bad.1/buffer_size_kb", i % 2 ? "64" : "100");
		fake_apply(&root);
	}
	_exit(0);
}

static void changing_sizes_are_not_believed(void **state)
{
	(void)state;
	harms_nobody(carry_records);
}

static void changing_counts_lead_nowhere(void **state)
{
	(void)state;
	harms_nobody(look_for_symbols);
}

/* ---- all possible threads ---- */

/* The list has a thread that does not exist, and which is looked up last. */
static void expire_all(const char *dir)
{
	const uint32_t last = ABI_PIDS - 1;
	struct fake_root root;
	struct abi_pids *pids;
	struct server *server;
	struct instance *top;
	int calls = 0;

	limit_cpu();
	make_bad_root(&root, dir);
	if (server_new(dir, &server) ||
	    tree_echo(server, "bad.1/options/event-fork", "1"))
		_exit(2);
	write_once(server, "bad.1/set_event_pid", "1");
	top = &server_find_root(server, "bad.1")->top;
	pids = (void *)(root.mem + root.buffer->pids[ABI_PIDS_TRACE]);
	memset(pids->bits, 0xff, sizeof(pids->bits));
	for (; abi_pids_has(pids, last); calls++)
		pids_expire(top);
	_exit(calls < 2 || abi_pids_has(pids, last) ||
	      !abi_pids_has(pids, (uint32_t)getpid()));
}

static void threads_are_looked_for_bit_by_bit(void **state)
{
	(void)state;
	harms_nobody(expire_all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marker_survives_a_lost_ring),
		cmocka_unit_test(names_are_checked),
		cmocka_unit_test(changing_counts_lead_nowhere),
		cmocka_unit_test(changing_sizes_are_not_believed),
		cmocka_unit_test(threads_are_looked_for_bit_by_bit),
		cmocka_unit_test(corruption_harms_nobody_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
