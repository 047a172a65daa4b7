/* SPDX-License-Identifier: MIT */
/*
 * A hostile root makes the server work for it, next to a good root.  The server has one
 * thread, so a client of the good root waits as long as the longest call for the hostile one
 * takes.  This is measured in CPU time, so that a busy machine does not matter.  The budget
 * is 100 ms; comments say what a root cost before there was a budget.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <cmocka.h>

#include "daemon/loop.h"
#include "daemon/parts.h"
#include "abi/rules.h"
#include "event/command.h"
#include "abi/stack_tracer.h"
#include "server/core/server.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define MAPPINGS	32000u
#ifdef __SANITIZE_ADDRESS__
#define LIMIT_MS	4000u
#define MEMORY_KB	4000000u
#define MEMORY_MAX	RLIM_INFINITY	/* the sanitizer's tables count, too */
#else
#define LIMIT_MS	400u
#define MEMORY_KB	400000u		/* memory that one root may make the server use */
#define MEMORY_MAX	(2ull << 30)
#endif
#define ROUNDS		25

static time_t ahead;			/* added to the time, in seconds: a round is one tick
					 * of the server */

int clock_gettime(clockid_t id, struct timespec *ret_now)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret_now);

	if (id == CLOCK_MONOTONIC)
		ret_now->tv_sec += ahead;
	return r;
}

static uint64_t cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Fail this process.  cmocka's functions cannot be used, because each attack is a process of
 * its own. */
static void require(bool is_true, const char *what)
{
	if (is_true)
		return;
	print_error("%s: %s\n", what, strerror(errno));
	_exit(1);
}

static uint64_t longest_ms;
static const char *longest = "nothing";

static void note(const char *what, uint64_t started_ms)
{
	uint64_t ms = cpu_ms() - started_ms;

	if (ms <= longest_ms)
		return;
	longest_ms = ms;
	longest = what;
}

/* ---- processes with many mappings ---- */

/* Map pages one by one; neighbours have different rights, so that the kernel does not merge
 * them. */
static void be_large(int ready)
{
	size_t bytes = (size_t)MAPPINGS * 4096;
	char *pages = mmap(NULL, bytes, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint32_t i = 0; pages != MAP_FAILED && i < MAPPINGS; i += 2)
		if (mprotect(pages + (size_t)i * 4096, 4096, PROT_READ))
			_exit(1);
	if (pages == MAP_FAILED || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Start a process with many mappings.  @root: it maps this root's memory; NULL: none. */
static pid_t make_large(struct fake_root *root)
{
	int ready[2];
	pid_t pid;
	char c;

	require(!pipe(ready), "pipe");
	pid = fork();
	if (!pid) {
		if (root)
			munmap(root->mem, FAKE_MAP_BYTES);
		be_large(ready[1]);
	}
	close(ready[1]);
	require(read(ready[0], &c, 1) == 1, "a process with many mappings");
	close(ready[0]);
	return pid;
}

static void nothing(struct fake_root *root)
{
	(void)root;
}

static void name_process(struct fake_root *root, pid_t pid)
{
	for (uint32_t slot = 1; slot < ABI_PROCESSES; slot++)
		root->processes[slot].pid = (uint32_t)pid;
}

/* Took 57 s. */
static void name_stranger(struct fake_root *root)
{
	name_process(root, make_large(root));
}

static void name_own(struct fake_root *root)
{
	name_process(root, make_large(NULL));
}

/* The slots were claimed one after another: the last one counts. */
static void name_in_order(struct fake_root *root)
{
	name_stranger(root);
	for (uint32_t slot = 1; slot < ABI_PROCESSES; slot++)
		root->processes[slot].claimed_ns = slot;
}

/* Name several processes in turns. */
static void name_some(struct fake_root *root)
{
	pid_t pids[4];

	for (int i = 0; i < 4; i++)
		pids[i] = make_large(root);
	for (uint32_t slot = 1; slot < ABI_PROCESSES; slot++)
		root->processes[slot].pid = (uint32_t)pids[slot % 4];
}

/* ---- tables ---- */

/* Change the counter, so that the tables seem new each time that the server looks. */
static void change_tables(struct fake_root *root)
{
	__atomic_add_fetch(&root->control->tables_changed, 1, __ATOMIC_RELEASE);
}

/* Each event has a system of its own, and a trigger from the start. */
static void name_systems(struct fake_root *root)
{
	char system[32];

	for (uint32_t row = ABI_DYNAMIC; row < ABI_EVENTS; row++) {
		snprintf(system, sizeof(system), "system%u", row);
		fake_event_n(root, 0, system, "tick");
	}
	strcpy(root->control->boot, "trace_trigger=tick.traceoff");
	root->control->boot_state = ABI_BOOT_WANTED;
}

/* Many events of one name, which appear and disappear. */
static void name_alike(struct fake_root *root)
{
	for (uint32_t row = ABI_DYNAMIC; row < ABI_EVENTS; row++)
		fake_event_n(root, 0, "system", "tick");
	strcpy(root->control->boot, "trace_trigger=tick.traceoff");
	root->control->boot_state = ABI_BOOT_WANTED;
}

static void come_and_go(struct fake_root *root)
{
	for (uint32_t row = 0; row < ABI_EVENTS; row++)
		root->events[row].module ^= 1;
	change_tables(root);
}

/* All rows name one blob, and all fields one long text. */
static void share_format(struct fake_root *root)
{
	uint32_t nr = 4096, bytes = 1000000;
	uint32_t end = sizeof(struct abi_format) + nr * sizeof(struct abi_field);
	uint64_t off = root->control->heap_off;
	struct abi_format *format = (void *)(root->mem + off);
	struct abi_field *fields = (void *)(format + 1);
	char *blob = root->mem + off;

	format->nr_fields = nr;
	format->system = format->name = fake_string(blob, &end, "tick");
	format->print_fmt = end;
	memset(blob + end, 'x', bytes - end);
	for (uint32_t i = 0; i < nr; i++)
		fields[i] = (struct abi_field){ .type = end, .name = end, .size = 4 };
	for (uint32_t row = 0; row < ABI_EVENTS; row++) {
		root->events[row].blob = off;
		root->events[row].blob_bytes = bytes;
	}
	root->control->nr_events = ABI_EVENTS;
}

/* As many short fields as possible. */
static void have_fields(struct fake_root *root)
{
	uint32_t nr = 4000;
	uint32_t end = sizeof(struct abi_format) + nr * sizeof(struct abi_field);
	uint64_t off = root->control->heap_off;
	struct abi_format *format = (void *)(root->mem + off);
	struct abi_field *fields = (void *)(format + 1);
	char *blob = root->mem + off;

	format->nr_fields = nr;
	format->system = format->name = fake_string(blob, &end, "tick");
	format->print_fmt = fake_string(blob, &end, "\"\"");
	for (uint32_t i = 0; i < nr; i++)
		fields[i] = (struct abi_field){
			.type = format->name, .name = format->name, .size = 4,
		};
	for (uint32_t row = 0; row < ABI_EVENTS; row++) {
		root->events[row].blob = off;
		root->events[row].blob_bytes = end;
	}
	root->control->nr_events = ABI_EVENTS;
}

/* Rings in every possible place, in all instances. */
static void have_rings(struct fake_root *root)
{
	uint64_t bytes = ring_bytes(ABI_PAGE_BYTES_MIN, 2);
	char path[256];

	root->control->nr_cpus = ABI_CPUS;
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		struct abi_buffer *buffer = &root->buffer[i];

		buffer->used = 1;
		buffer->page_bytes = ABI_PAGE_BYTES_MIN;
		if (i)
			snprintf(buffer->name, sizeof(buffer->name), "i%u", i);
		for (uint32_t cpu = 0; cpu < ABI_CPUS; cpu++)
			for (int kind = 0; kind < ABI_RING_KINDS * 4; kind++) {
				struct abi_side *side = &buffer->side[kind / 4];
				struct abi_ring_ref *ref = kind % 4 < 2 ?
					&side->ring[cpu][kind % 2] :
					&side->prev[cpu][kind % 2];

				*ref = (struct abi_ring_ref){
					ABI_ARENA_OFF + cpu * ABI_PAGE_ALIGN(bytes),
					ABI_PAGE_ALIGN(bytes),
				};
			}
	}
	snprintf(path, sizeof(path), "%s/memory", root->path);
	require(!truncate(path, ABI_ARENA_OFF + (64u << 20)), "truncate");
	for (uint32_t cpu = 0; cpu < ABI_CPUS; cpu++) {
		struct ring_config config = {
			.page_bytes = ABI_PAGE_BYTES_MIN, .nr_pages = 2, .cpu = cpu,
		};

		require(!ring_init(root->mem + ABI_ARENA_OFF +
				   cpu * ABI_PAGE_ALIGN(bytes), &config), "ring");
	}
}

/* Let the rings move. */
static void move_rings(struct fake_root *root)
{
	for (uint32_t i = 0; i < ABI_BUFFERS; i++)
		for (uint32_t cpu = 0; cpu < ABI_CPUS; cpu++)
			root->buffer[i].side[0].ring[cpu][0].bytes ^= 4096;
}

/* Many formats of trace_printk(), and the program always says that there are more. */
static void have_formats(struct fake_root *root)
{
	char text[400];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (uint32_t i = 0; i < 60000; i++)
		fake_format(root, text);
}

static void *change_on(void *arg)
{
	for (;;)
		change_tables(arg);
	return NULL;
}

/* Records with formats that are not in the list. */
static void record_printk(struct server *server, struct fake_root *root)
{
	struct {
		uint64_t headroom;
		uint32_t type, pid;
		uint64_t ip, format;
	} record = { .type = ABI_EVENT_ID_BPUTS, .pid = 1, .format = FAKE_MAP_ADDR + 8 };
	struct abi_ring *ring = fake_ring(root, 0, ABI_RING_SLOW);
	pthread_t thread;

	(void)server;
	require(ring, "a ring");
	for (uint32_t i = 0; i < 4000; i++)
		ring_write_locked(ring, &record.type, 24, 1, (uint32_t)syscall(SYS_gettid));
	require(!pthread_create(&thread, NULL, change_on, root), "thread");
}

/* A print format that takes long to compile: all its arguments are the field that is found
 * last. */
static void have_long_print(struct fake_root *root)
{
	static struct fake_field fields[2000];
	static char names[2000][16], text[900000];
	size_t len = 1;

	text[0] = '"';
	for (uint32_t i = 0; i < 2000; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		fields[i] = (struct fake_field){ "int", names[i], 8, 4, 1 };
	}
	for (uint32_t i = 0; i < 60000; i++)
		len += (size_t)sprintf(text + len, "%%d");
	len += (size_t)sprintf(text + len, "\"");
	for (uint32_t i = 0; i < 60000; i++)
		len += (size_t)sprintf(text + len, ", REC->f1999");
	fake_event(root, 0, "system", "tick", text, fields, 2000);
}

/* Numbers with very many digits, most of which are not printed.  Took 8.6 s per line. */
static void have_digits(struct fake_root *root)
{
	static char text[900000];
	size_t len = 1;

	text[0] = '"';
	for (uint32_t i = 0; i < 20000; i++)
		len += (size_t)sprintf(text + len, "%%.32767g");
	len += (size_t)sprintf(text + len, "\"");
	for (uint32_t i = 0; i < 20000; i++)
		len += (size_t)sprintf(text + len, ", 0.5");
	fake_event(root, 0, "system", "tick", text, NULL, 0);
}

/* Unknown threads, which are looked up in /proc, and many processes to look in. */
static void have_threads(struct fake_root *root)
{
	fake_event_n(root, 0, "system", "tick");
	name_process(root, getpid());
}

static void record(struct server *server, struct fake_root *root)
{
	require(!tree_echo(server, "hostile.1/events/enable", "1"), "enable");
	for (uint32_t i = 0; i < 4000; i++)
		fake_record(root, 0, ABI_RING_SLOW, ABI_EVENT_ID_FIRST + ABI_DYNAMIC,
			    100000 + i * 1024, 1, 1);
}

/* A block of rules as an earlier server may have left it: 1,024 triggers for each of 16,384
 * rows, in each instance. */
static void have_rules(struct fake_root *root)
{
	struct abi_rules *rules = (void *)(root->mem + ABI_ARENA_OFF);
	struct abi_triggers *list = (void *)&rules->rules[1];
	char *text = (char *)&list->triggers[1024];
	char path[256];

	snprintf(path, sizeof(path), "%s/memory", root->path);
	require(!truncate(path, ABI_ARENA_OFF + (1u << 20)), "truncate");
	for (uint32_t row = ABI_DYNAMIC; row < ABI_EVENTS; row++)
		fake_event_n(root, 0, "system", "tick");
	rules->magic = ABI_RULES_MAGIC;
	rules->bytes = 1u << 20;
	rules->nr_rules = 1;
	rules->rules[0] = (struct abi_rule){
		.row = ABI_DYNAMIC, .soft = 1, .triggers = (uint32_t)((char *)list - (char *)rules),
		.triggers_bytes = 1u << 19,
	};
	list->nr = 1024;
	for (uint32_t i = 0; i < 1024; i++, text += 32) {
		strcpy(text, "n == 1 && n != 2 && n < 3");
		list->triggers[i] = (struct abi_trigger){
			.command = COMMAND_TRACEOFF,
			.text = (uint32_t)(text - (char *)list), .text_bytes = 26,
		};
	}
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		root->buffer[i].used = 1;
		root->buffer[i].rules = ABI_ARENA_OFF;
		if (i)
			snprintf(root->buffer[i].name, sizeof(root->buffer[i].name), "i%u", i);
	}
}

/* As many dynamic events as there are rows, each with as many fields as there can be; event probes
 * are on in each instance. */
static void have_dynamic(struct fake_root *root)
{
	const uint32_t bytes = 32768, head = 4096;
	char path[256], *text;

	name_systems(root);
	root->control->boot_state = 0;
	snprintf(path, sizeof(path), "%s/memory", root->path);
	require(!truncate(path, ABI_ARENA_OFF + ABI_DYNAMIC * (uint64_t)bytes), "truncate");
	for (uint32_t row = 0; row < ABI_DYNAMIC; row++) {
		uint64_t off = ABI_ARENA_OFF + row * (uint64_t)bytes;

		text = root->mem + off + head;
		if (row % 2)
			text += sprintf(text, "e:eprobes/name%u system%u.tick", row,
					ABI_DYNAMIC + row);
		else
			text += sprintf(text, "s:synthetic/name%u\t", row);
		for (int i = 0; i < 64; i++)
			text += row % 2 ? sprintf(text, " a%d=$n:b3@3/32", i) :
				sprintf(text, "%s char[99] a%d", i ? ";" : "", i);
		root->events[row] = (struct abi_event){
			.blob = off, .blob_bytes = 64, .module = ABI_MODULE_DYNAMIC,
			.names = off + head, .order = row, .wanted = 0xffff,
			.names_bytes = (uint32_t)(text - (root->mem + off + head)) + 1,
		};
	}
	for (uint32_t i = 1; i < ABI_BUFFERS; i++)
		snprintf(root->buffer[i].name, sizeof(root->buffer[i].name), "i%u", i);
}

/* The files and stacks of processes are read, too. */
static void trace_functions(struct fake_root *root)
{
	name_own(root);
	strcpy(root->control->boot, "ftrace=function stacktrace");
	root->control->boot_state = ABI_BOOT_WANTED;
}

static void have_stacks(struct fake_root *root)
{
	struct abi_stack *stack = (void *)(root->mem + root->control->stack);

	require(root->control->stack, "a stack tracer");
	for (uint32_t i = 0; i < ABI_STACK_THREADS; i++)
		stack->threads[i] = (struct abi_stack_thread){
			.pid = root->processes[1].pid, .tid = i + 1, .deepest = 4096,
			.top = UINT64_MAX / 2,
		};
	change_tables(root);
}

/* ---- the runs ---- */

static const struct attack {
	const char *what;
	void (*prepare)(struct fake_root *root);
	void (*each_round)(struct fake_root *root);
	const char *file;		/* file that a client of the hostile root reads */
	void (*begin)(struct server *server, struct fake_root *root);	/* NULL: nothing */
} attacks[] = {
	{ "nothing", nothing, nothing, "tracing_on", NULL },
	{ "a process of others in all slots", name_stranger, change_tables, "tracing_on", NULL },
	{ "a process in all slots", name_own, change_tables, "tracing_on", NULL },
	{ "a process in all slots, in order", name_in_order, change_tables, "tracing_on", NULL },
	{ "processes in turns", name_some, change_tables, "tracing_on", NULL },
	{ "functions and stacks", trace_functions, have_stacks, "tracing_on", NULL },
	{ "many systems", name_systems, change_tables, "set_event", NULL },
	{ "rules of the last server", have_rules, change_tables, "set_event", NULL },
	{ "many dynamic events", have_dynamic, change_tables, "dynamic_events", NULL },
	{ "many events of a name", name_alike, come_and_go, "set_event", NULL },
	{ "a format for all events", share_format, change_tables, "set_event", NULL },
	{ "many fields", have_fields, change_tables, "set_event", NULL },
	{ "many rings", have_rings, nothing, "tracing_on", NULL },
	{ "rings that move", have_rings, move_rings, "tracing_on", NULL },
	{ "many formats of trace_printk()", have_formats, nothing, "trace", record_printk },
	{ "a long print fmt", have_long_print, nothing, "trace", record },
	{ "numbers of many digits", have_digits, nothing, "trace", record },
	{ "threads without names", have_threads, nothing, "trace", record },
};

static int see(void *arg, const struct server_root_info *info)
{
	if (!strcmp(info->name, "good.1") && info->state == SERVER_ROOT_ALIVE)
		(*(int *)arg)++;
	return 0;
}

static void drain(struct server *server, const char *path)
{
	static char text[65536];
	struct tracefs_file *file;
	off_t len = 0;
	ssize_t n;
	int r = tree_open(server, path, O_RDONLY | O_NONBLOCK, &file);

	for (int i = 0; !r && i < 3; i++) {
		uint64_t now = cpu_ms();

		n = tracefs_read(file, text, sizeof(text), len);
		note("read", now);
		if (n <= 0)
			break;
		len += n;
	}
	if (!r)
		tracefs_close(file);
}

/* Run the server's loop, and clients of both roots. */
static void run_rounds(struct server *server, struct fake_root *root,
		       const struct attack *attack)
{
	char path[128];

	snprintf(path, sizeof(path), "hostile.1/%s", attack->file);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t now = cpu_ms();
		int nr = 0;

		attack->each_round(root);
		now = cpu_ms();
		server_dispatch(server);
		note("dispatch", now);
		now = cpu_ms();
		server_tick(server);
		note("tick", now);
		now = cpu_ms();
		server_root_list(server, see, &nr);
		note("list", now);
		now = cpu_ms();
		drain(server, path);
		require(nr == 1, "the good root is listed");
		require(!tree_echo(server, "good.1/tracing_on", "1") &&
			!strcmp(tree_cat(server, "good.1/tracing_on"), "1\n"),
			"the good root is served");
		ahead += 2;
	}
}

static uint64_t memory_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss;
}

static const struct attack *attack;

static void run_attack(const char *dir)
{
	struct rlimit limit = { MEMORY_MAX, MEMORY_MAX };
	struct fake_root good, root;
	struct server *server;
	uint64_t now, before_kb, kb;

	fake_root_make(&good, dir, "good.1");
	fake_event_n(&good, 0, "sched", "tick");
	fake_root_show(&good, "good.1");
	fake_root_make(&root, dir, "hostile.1");
	attack->prepare(&root);
	fake_root_show(&root, "hostile.1");
	before_kb = memory_kb();
	setrlimit(RLIMIT_DATA, &limit);	/* limit memory before the machine runs out of it */
	loop_allow_descriptors();
	now = cpu_ms();
	require(!server_new(dir, &server), "server");
	note("start", now);
	if (attack->begin)
		attack->begin(server, &root);
	run_rounds(server, &root, attack);
	kb = memory_kb() - before_kb;
	print_message("%s: %lu ms (%s), %lu kB\n", attack->what, longest_ms, longest, kb);
	fflush(stdout);
	require(longest_ms <= LIMIT_MS && kb <= MEMORY_KB, attack->what);
	_exit(0);
}

static void others_are_served(void **state)
{
	const char *only = getenv("ATTACK");	/* to run one attack by hand */
	int failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		attack = &attacks[i];
		if (!only || !strcmp(only, attack->what))
			failed += fake_dir_run(run_attack) != 0;
	}
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_are_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
