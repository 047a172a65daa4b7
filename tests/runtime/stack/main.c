/* SPDX-License-Identifier: MIT */
/*
 * Stacks in the trace: with the option stacktrace, each record is followed by the callers
 * that backtrace() finds, beginning with the function that hit the event.  trace_dump_stack()
 * records such a stack, too.  The root lists the objects of all addresses.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "event/option.h"
#include "lib/backtrace.h"
#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"
#include "stack.h"
#include <linux/ftrace.h>
#include <ulf/tracing.h>

#define CALLERS_OFFSET	16
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ	51
#endif

static struct driver d;
static void *theirs[FRAMES];
static int nr_theirs;
static volatile int sink;

/* ---- checks of records ---- */

static const struct trace_record *find_stack(const struct trace *trace, size_t nth)
{
	for (size_t i = 0; i < trace->nr; i++) {
		uint16_t type;

		memcpy(&type, trace->records[i].data, sizeof(type));
		if (type == ABI_EVENT_ID_STACK && !nth--)
			return &trace->records[i];
	}
	return NULL;
}

/* Check that one stack was recorded: that of a call from @function, as backtrace() saw it
 * there, without the first @skip frames. */
static void check_stack(const void *function, int skip)
{
	const struct trace_record *record;
	struct trace trace;
	uint64_t ip;
	int32_t nr;

	trace_read(&d, &trace);
	record = find_stack(&trace, 0);
	CHECK(record);
	CHECK(!find_stack(&trace, 1));
	CHECK_EQ(record->pid, gettid());
	memcpy(&nr, record->data + 8, sizeof(nr));
	CHECK_EQ(record->bytes, CALLERS_OFFSET + 8 * (uint32_t)nr);
	CHECK_EQ(nr, nr_theirs - skip);
	for (int i = 0; i < nr; i++) {
		memcpy(&ip, record->data + CALLERS_OFFSET + 8 * i, sizeof(ip));
		if (i || skip)
			CHECK_EQ(ip, (uint64_t)theirs[i + skip]);
		else
			CHECK(ip - (uint64_t)function < 300);
	}
	trace_free(&trace);
}

/* Call backtrace(), and remove the frames that the graph tracer adds. */
static __attribute__((noinline)) void look_by_libc(void)
{
	void *all[FRAMES];
	int nr = libc_backtrace(all, FRAMES);
	Dl_info info;

	nr_theirs = 0;
	for (int i = 1; i < nr; i++) {
		if (!dladdr(all[i], &info) || !strstr(info.dli_fname, "libulf.so"))
			theirs[nr_theirs++] = all[i];
	}
}

/* ---- functions that hit ---- */

#define NOINLINE __attribute__((noinline))

/* backtrace() and the event have this function as their caller. */
static NOINLINE void hit(void)
{
	look_by_libc();
	errno = 1234;
	trace_rt_hit(1, 2);
	CHECK_EQ(errno, 1234);
	sink++;
}

static NOINLINE void hit_long(void)
{
	look_by_libc();
	trace_rt_long("longer than the short path takes");
	sink++;
}

static NOINLINE void dump(int skip)
{
	look_by_libc();
	errno = 1234;
	trace_dump_stack(skip);
	CHECK_EQ(errno, 1234);
	sink++;
}

static NOINLINE void deeper(int n, void (*fn)(void))
{
	if (n)
		deeper(n - 1, fn);
	else
		fn();
	sink++;
}

void hit_and_check(void)
{
	hit();
	check_stack(hit, 0);
}

static void *in_thread(void *arg)
{
	deeper(3, hit_and_check);
	return arg;
}

static void thread(void)
{
	pthread_t id;

	CHECK_EQ(pthread_create(&id, NULL, in_thread, NULL), 0);
	pthread_join(id, NULL);
}

static ucontext_t here, there;

static void in_context(void)
{
	deeper(3, hit_and_check);
}

static void context(void)
{
	static char stack[1 << 18];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, in_context, 0);
	swapcontext(&here, &there);
}

/* ---- signal handlers ---- */

static int nr_handled;

static void handler(int sig)
{
	(void)sig;
	hit_and_check();
	nr_handled++;
}

static void use_handler(int flags)
{
	struct sigaction action = { .sa_flags = flags };

	action.sa_handler = handler;
	sigaction(SIGUSR1, &action, NULL);
}

static void in_handler(void)
{
	static char room[1 << 16];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

	use_handler(0);
	raise(SIGUSR1);
	CHECK(!sigaltstack(&stack, NULL));
	use_handler(SA_ONSTACK);
	raise(SIGUSR1);
	CHECK_EQ(nr_handled, 2);
}

/* 5 KB are enough, besides the stack that the kernel needs. */
static void small_handler(int sig)
{
	(void)sig;
	trace_rt_hit(3, 4);
}

static void on_small_stack(void)
{
	struct sigaction action = { .sa_flags = SA_ONSTACK };
	char *room = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	stack_t stack = {
		.ss_sp = room + 4096, .ss_size = getauxval(AT_MINSIGSTKSZ) + 5120,
	};
	struct trace trace;

	CHECK(room != MAP_FAILED);
	CHECK_EQ(mprotect(stack.ss_sp, stack.ss_size, PROT_READ | PROT_WRITE), 0);
	CHECK_EQ(sigaltstack(&stack, NULL), 0);
	action.sa_handler = small_handler;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	trace_read(&d, &trace);
	CHECK(find_stack(&trace, 0));
	trace_free(&trace);
	stack.ss_flags = SS_DISABLE;
	CHECK_EQ(sigaltstack(&stack, NULL), 0);
	munmap(room, 1 << 20);
}

/* A probe of this tracepoint, so that all probes are called from a list.  A signal handler
 * interrupts the probe and hits the tracepoint. */
static bool is_interrupted;

static void forget_all(void)
{
	struct trace trace;

	trace_read(&d, &trace);
	trace_free(&trace);
}

static void probe(void *data, int who, long value)
{
	(void)data;
	(void)who;
	(void)value;
	if (!is_interrupted)
		return;
	is_interrupted = false;
	forget_all();			/* the hit has been recorded already */
	raise(SIGUSR1);
}

static void several_probes(void)
{
	int before = nr_handled;

	CHECK_EQ(register_trace_rt_hit(probe, NULL), 0);
	deeper(2, hit_and_check);
	is_interrupted = true;
	hit();
	CHECK_EQ(nr_handled, before + 1);
	CHECK_EQ(unregister_trace_rt_hit(probe, NULL), 0);
	tracepoint_synchronize_unregister();
}

/* ---- functions whose returns are traced ---- */

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))

/* Not static, because the compiler would make variants for its own calls. */
int followed(int n);
TRACED int followed(int n)
{
	if (n)
		followed(n - 1);
	else
		deeper(2, hit_and_check);
	return ++sink;
}

static int on_entry(struct ftrace_graph_ent *ent, struct fgraph_ops *ops)
{
	(void)ent;
	(void)ops;
	return 1;
}

static int nr_returns;

static void on_return(struct ftrace_graph_ret *ret, struct fgraph_ops *ops)
{
	(void)ret;
	(void)ops;
	nr_returns++;
}

static void graph(void)
{
	static struct fgraph_ops ops = {
		.entryfunc = on_entry, .retfunc = on_return,
	};

	CHECK_EQ(register_ftrace_graph(&ops), 0);
	followed(20);
	unregister_ftrace_graph(&ops);
	CHECK_EQ(nr_returns, 21);
}

/* ---- objects ---- */

static bool has_object(const char *end, const void *inside)
{
	const struct abi_object *rows = (const void *)
		(d.mem + d.control->objects_off);
	size_t len;

	for (uint32_t i = 0; i < d.control->nr_objects; i++) {
		len = strlen(rows[i].path);
		if (rows[i].is_there && (uint64_t)inside >= rows[i].start &&
		    (uint64_t)inside < rows[i].end && len >= strlen(end) &&
		    !strcmp(rows[i].path + len - strlen(end), end))
			return rows[i].path[0] == '/';
	}
	return false;
}

typedef void through_fn(void (*fn)(void));

static through_fn *load_through(void)
{
	char path[PATH_MAX + 32];
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX);
	through_fn *through;
	void *handle;

	CHECK(len > 0);
	strcpy(path + len, "-mod_through.so");
	handle = dlopen(path, RTLD_NOW);
	CHECK(handle);
	*(void **)&through = dlsym(handle, "through");
	CHECK(through);
	return through;
}

/* The first process of a pid namespace cannot add objects to the root. */
static void first_of_namespace(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (unshare(CLONE_NEWPID)) {
			printf("left out: a pid namespace: %s\n", strerror(errno));
			fflush(stdout);
			_exit(0);
		}
		pid = fork();
		if (!pid) {
			load_through()(hit);
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		_exit(status != 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void objects(void)
{
	through_fn *through;
	uint32_t nr;

	CHECK(has_object("/runtime-stack", hit));
	/* An object that is loaded later is added when one of its addresses is on a stack. */
	through = load_through();
	CHECK(!has_object("-mod_through.so", *(void **)&through));
	through(hit_and_check);
	CHECK(has_object("-mod_through.so", *(void **)&through));
	nr = d.control->nr_objects;
	through(hit_and_check);
	hit_and_check();
	CHECK_EQ(d.control->nr_objects, nr);	/* no object is there twice */
}

int main(void)
{
	struct trace trace;

	libc_backtrace_init();
	trace_open(&d, getpid());
	CHECK(has_object("/libc.so.6", getpid));	/* loaded at the start */
	trace_buffer(&d)->options ^= OPTION_STACKTRACE;
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_long", true), 0);
	hit_and_check();
	deeper(50, hit_and_check);
	hit_long();
	check_stack(hit_long, 0);
	thread();
	context();
	in_handler();
	on_small_stack();
	several_probes();
	hit_when_thrown();
	graph();

	dump(0);
	check_stack(dump, 0);
	dump(1);
	check_stack(dump, 1);
	dump(10000);
	nr_theirs = 10000;
	check_stack(dump, 10000);
	first_of_namespace();
	objects();

	trace_buffer(&d)->options ^= OPTION_STACKTRACE;
	CHECK_EQ(driver_apply(&d), 0);
	hit();
	trace_read(&d, &trace);
	CHECK(trace.nr && !find_stack(&trace, 0));
	trace_free(&trace);
	driver_close(&d);
	return 0;
}
