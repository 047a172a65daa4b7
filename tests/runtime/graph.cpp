// SPDX-License-Identifier: MIT
// Functions whose returns are traced work as before: values in every kind of register and on
// the stack, exceptions, jumps, other stacks, threads that end in the middle of a call.  Each
// test also checks the calls of the callbacks.
//
// no-sanitize: thread it allows no threads in a child of a process with threads
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <linux/ftrace.h>

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			std::fprintf(stderr, "%d: not true: %s\n",	\
				     __LINE__, #condition);		\
			std::_Exit(1);					\
		}							\
	} while (0)

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))
// Keeps the compiler from merging two calls.
#define COUNTS	__asm__ volatile("" ::: "memory")

static volatile int entries, exits, deepest;
static volatile unsigned long last_func, last_value;

static int on_entry(struct ftrace_graph_ent *ent, struct fgraph_ops *)
{
	__atomic_add_fetch(&entries, 1, __ATOMIC_RELAXED);
	if (ent->depth > deepest)
		deepest = ent->depth;
	return 1;
}

static void on_exit(struct ftrace_graph_ret *ret, struct fgraph_ops *)
{
	__atomic_add_fetch(&exits, 1, __ATOMIC_RELAXED);
	CHECK(ret->rettime >= ret->calltime);
	last_func = ret->func;
	last_value = ret->retval;
}

static struct fgraph_ops gops;

static void on(void)
{
	gops.entryfunc = on_entry;
	gops.retfunc = on_exit;
	CHECK(!register_ftrace_graph(&gops));
	entries = exits = deepest = 0;
}

static void off(void)
{
	unregister_ftrace_graph(&gops);
}

// ---- values ----

struct big {
	long a[6];
};

struct mixed {
	double x;
	long y;
};

TRACED int add(int a, int b) { COUNTS; return a + b; }
TRACED double half(double x) { COUNTS; return x / 2; }
TRACED long double third(long double x) { COUNTS; return x / 3; }
TRACED __int128 wide(long a) { COUNTS; return (__int128)a << 70; }
TRACED big make_big(long a) { COUNTS; return big{ { a, a + 1, a + 2, a + 3, a + 4, a + 5 } }; }
TRACED mixed make_mixed(double x, long y) { COUNTS; return mixed{ x * 2, y * 2 }; }
TRACED long many(long a, long b, long c, long d, long e, long f, long g, long h,
		 double i, double j, double k, double l, double m, double n,
		 double o, double p, double q, big r)
{
	COUNTS;
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h +
	       (long)(i + j + k + l + m + n + o + p + q) + r.a[5];
}
TRACED int sum(int nr, ...)
{
	va_list args;
	double total = 0;

	COUNTS;
	va_start(args, nr);
	while (nr--)
		total += va_arg(args, double);
	va_end(args);
	return (int)total;
}

static void test_values(void)
{
	on();
	for (int i = 0; i < 100; i++) {
		CHECK(add(i, 2) == i + 2);
		CHECK(half(i) == i / 2.0);
		CHECK(third(i) == (long double)i / 3);
		CHECK(wide(i) == (__int128)i << 70);
		CHECK(make_big(i).a[5] == i + 5);
		CHECK(make_mixed(i, i).x == 2.0 * i && make_mixed(i, i).y == 2 * i);
		CHECK(many(1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9,
			   big{ { 0, 0, 0, 0, 0, i } }) == 204 + 45 + i);
		CHECK(sum(3, 1.5, 2.5, 3.0) == 7);
	}
	CHECK(entries == 900 && exits == 900 && deepest == 0);
	CHECK(add(20, 22) == 42);
	CHECK(last_value == 42 && last_func == (unsigned long)add);
	off();
	CHECK(add(1, 2) == 3 && entries == 901);
}

// ---- exceptions ----

static int destroyed;

struct guard {
	~guard() { destroyed++; }
};

TRACED int thrower(int x)
{
	if (x > 2)
		throw std::runtime_error("thrown");
	return x;
}

TRACED int between(int depth, int x)
{
	guard g;

	return depth ? between(depth - 1, x) + 1 : thrower(x);
}

TRACED int catcher(int depth, int x)
{
	try {
		return between(depth, x);
	} catch (std::exception &e) {
		CHECK(!std::strcmp(e.what(), "thrown"));
		return -1;
	}
}

TRACED int rethrower(int depth, int x)
{
	try {
		return between(depth, x);
	} catch (...) {
		guard g;
		throw;
	}
}

static void test_exceptions(void)
{
	on();
	for (int depth = 0; depth < 50; depth++) {
		destroyed = 0;
		CHECK(catcher(depth, 1) == depth + 1 && destroyed == depth + 1);
		CHECK(catcher(depth, 3) == -1 && destroyed == 2 * depth + 2);
		destroyed = 0;
		try {
			rethrower(depth, 3);
			CHECK(false);
		} catch (std::runtime_error &) {
			CHECK(destroyed == depth + 2);
		}
		// Later calls have the same depth as before.
		deepest = 0;
		CHECK(add(1, 1) == 2 && deepest == 0);
	}
	off();
}

TRACED void never(void) noexcept { thrower(3); }

static void test_noexcept(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		std::set_terminate([] { _exit(42); });
		on();
		never();
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 42);
	pid = fork();
	if (!pid) {
		std::set_terminate([] { _exit(43); });
		on();
		thrower(3);	// no frame catches it
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 43);
}

// ---- jumps ----

static volatile long turns;
static jmp_buf there;
static sigjmp_buf there_too;

TRACED int jumper(int depth)
{
	if (!depth && turns >= 0)
		longjmp(there, 1);
	return depth ? jumper(depth - 1) + 1 : 0;
}

TRACED void handler(int)
{
	siglongjmp(there_too, 1);
}

TRACED void waits_for_signal(void)
{
	raise(SIGUSR1);
	CHECK(false);
}

static void test_jumps(void)
{
	signal(SIGUSR1, handler);
	on();
	for (int i = 0; i < 100; i++) {
		if (!setjmp(there))
			jumper(i);
		if (!sigsetjmp(there_too, 1))
			waits_for_signal();
		deepest = 0;
		CHECK(add(i, i) == 2 * i && deepest == 0);
	}
	off();
}

// ---- threads that end in the middle of a call ----

TRACED void *exits_thread(void *arg)
{
	guard g;

	pthread_exit(arg);
}

static bool is_running;

TRACED void *is_cancelled(void *)
{
	guard g;

	__atomic_store_n(&is_running, true, __ATOMIC_RELEASE);
	for (;;)
		usleep(1000);
}

TRACED void spin(volatile int *word) { ++*word; }

TRACED void *is_cancelled_anywhere(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		spin((volatile int *)arg);
	return NULL;
}

static void test_threads(void)
{
	volatile int word = 0;
	pthread_t thread;
	void *result;

	on();
	destroyed = 0;
	pthread_create(&thread, NULL, exits_thread, (void *)7);
	CHECK(!pthread_join(thread, &result) && result == (void *)7);
	pthread_create(&thread, NULL, is_cancelled, NULL);
	while (!__atomic_load_n(&is_running, __ATOMIC_ACQUIRE))
		sched_yield();
	pthread_cancel(thread);
	CHECK(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
	CHECK(destroyed == 2);
	for (int i = 0; i < 200; i++) {
		pthread_create(&thread, NULL, is_cancelled_anywhere, (void *)&word);
		usleep(i * 7);
		pthread_cancel(thread);
		CHECK(!pthread_join(thread, &result));
	}
	off();
}

// ---- other stacks ----

static ucontext_t here, other;
static char stack[256 * 1024];

TRACED int inner(int x)
{
	swapcontext(&other, &here);
	return x + 1;
}

TRACED void coroutine(void)
{
	for (int i = 0; ; i++)
		CHECK(inner(i) == i + 1);
}

static void *resume(void *)
{
	swapcontext(&here, &other);
	return NULL;
}

static void test_contexts(void)
{
	pthread_t thread;

	on();
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	makecontext(&other, coroutine, 0);
	for (int i = 0; i < 50; i++) {
		swapcontext(&here, &other);
		// The coroutine continues in another thread.
		pthread_create(&thread, NULL, resume, NULL);
		pthread_join(thread, NULL);
	}
	off();
	CHECK(entries > 100 && exits >= 99);
}

// Stacks that have the same home in the table of shadow stacks, and that are all in use at
// the same time.  (overrun.tc tests the hooks that do not use C.)
#define FAR_NR	5
#define FAR	(256ul * 1024 * 1024)
static char *far_stacks;
static ucontext_t far_ones[FAR_NR];
static int far_left;

TRACED int visit(int nr)
{
	int low = catcher(nr, 3), was = destroyed;

	if (nr + 1 < FAR_NR) {
		ucontext_t context;

		getcontext(&context);
		context.uc_stack.ss_sp = far_stacks + FAR * nr;
		context.uc_stack.ss_size = sizeof(stack);
		context.uc_link = &far_ones[nr];
		makecontext(&context, (void (*)())visit, 1, nr + 1);
		swapcontext(&far_ones[nr], &context);
	}
	CHECK(low == -1 && was && catcher(nr, 3) == -1);
	return ++far_left;
}

static void test_far_stacks(void)
{
	size_t bytes = FAR * (FAR_NR - 2) + sizeof(stack);

	far_stacks = (char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE |
				  MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(far_stacks != MAP_FAILED);
	destroyed = 0;
	on();
	CHECK(visit(0) == FAR_NR);
	off();
	CHECK(exits >= FAR_NR);
	munmap(far_stacks, bytes);
}

// Stacks of libc's threads, 32 threads apart, have almost the same home, too.  All of their
// pages must get an entry.
#define MANY		40
#define MANY_FRAMES	500
static pthread_barrier_t many_are_deep;

TRACED int descend(int nr)
{
	volatile char frame[1000];
	int below;

	frame[0] = 0;
	if (!nr) {
		pthread_barrier_wait(&many_are_deep);
		return 0;
	}
	below = descend(nr - 1);
	return below + 1 + frame[0];
}

static void *descends(void *)
{
	CHECK(descend(MANY_FRAMES) == MANY_FRAMES);
	return NULL;
}

static void test_many_stacks(void)
{
	pthread_t threads[MANY];

	CHECK(!pthread_barrier_init(&many_are_deep, NULL, MANY));
	on();
	for (int i = 0; i < MANY; i++)
		CHECK(!pthread_create(&threads[i], NULL, descends, NULL));
	for (int i = 0; i < MANY; i++)
		CHECK(!pthread_join(threads[i], NULL));
	off();
	CHECK(entries == MANY * (MANY_FRAMES + 1) && exits == entries);
}

TRACED void on_other_stack(int)
{
	char here_now;

	CHECK(&here_now > stack && &here_now < stack + sizeof(stack));
	CHECK(catcher(3, 3) == -1);
}

static void test_signal_stack(void)
{
	struct sigaction action = {};
	stack_t alternate = {};

	alternate.ss_sp = stack;
	alternate.ss_size = sizeof(stack);
	action.sa_handler = on_other_stack;
	action.sa_flags = SA_ONSTACK;
	CHECK(!sigaltstack(&alternate, NULL));
	CHECK(!sigaction(SIGUSR2, &action, NULL));
	on();
	for (int i = 0; i < 100; i++)
		raise(SIGUSR2);
	off();
}

// ---- calls of other kinds ----

TRACED long pong(long n);
TRACED long ping(long n)
{
	turns++;
	if (!n)
		return 17;
	return pong(n - 1);
}

TRACED long pong(long n)
{
	turns++;
	if (!n)
		return 18;
	return ping(n - 1);
}

TRACED long deep(long n)
{
	volatile long local = n;

	return n ? deep(n - 1) + (local - n) + 1 : 0;
}

static void *run_deep(void *)
{
	CHECK(deep(100000) == 100000);
	return NULL;
}

static void test_calls(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	on();
	CHECK(ping(10001) == 18 && turns == 10002);
	CHECK(entries == 10002 && exits == entries);
	entries = exits = 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 20);
	CHECK(!pthread_create(&thread, &attr, run_deep, NULL));
	pthread_join(thread, NULL);
	// 100000 calls, and one of the thread's own function
	CHECK(entries == 100001 && exits == 100001 && deepest == 100000);
	off();
}

// ---- processes ----

TRACED int forks(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		return 5;
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5);
	return 6;
}

TRACED int vforks(void)
{
	pid_t pid = vfork();
	int status;

	if (!pid)
		_exit(add(3, 4));
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
	return add(4, 4);
}

static void test_processes(void)
{
	on();
	if (forks() == 5)
		_exit(5);
	CHECK(vforks() == 8);
	off();
}

// ---- switched off in the middle of calls ----

TRACED int goes_off(int depth)
{
	volatile int result = 0;

	if (depth)
		result = goes_off(depth - 1) + 1;
	else
		off();
	return result;
}

TRACED int has_no_shadow(int x) { COUNTS; return x * 3; }

static void test_off(void)
{
	for (int i = 0; i < 20; i++) {
		on();
		CHECK(goes_off(i) == i);
		CHECK(entries == i + 1 && !exits);
		CHECK(has_no_shadow(i) == 3 * i);
	}
}

// ---- switched off while many threads wait in the middle of calls ----

#define WAITERS		100

static pthread_barrier_t inside, outside;

TRACED int waits(int depth)
{
	volatile int result = 0;

	if (depth) {
		result = waits(depth - 1) + 1;
	} else {
		pthread_barrier_wait(&inside);
		pthread_barrier_wait(&outside);
	}
	return result;
}

static void *waits_inside(void *)
{
	CHECK(waits(10) == 10);
	return NULL;
}

static void test_drain(void)
{
	pthread_t threads[WAITERS];

	pthread_barrier_init(&inside, NULL, WAITERS + 1);
	pthread_barrier_init(&outside, NULL, WAITERS + 1);
	on();
	for (int i = 0; i < WAITERS; i++)
		CHECK(!pthread_create(&threads[i], NULL, waits_inside, NULL));
	pthread_barrier_wait(&inside);
	off();
	CHECK(entries == 11 * WAITERS);
	pthread_barrier_wait(&outside);
	for (int i = 0; i < WAITERS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK(entries == 11 * WAITERS && !exits);
}

// ---- return addresses as backtrace() and others see them ----

static void *seen[32];
static int nr_seen;

TRACED void looks(void)
{
	nr_seen = backtrace(seen, 32);
	__asm__ volatile("");
}

TRACED void calls_looks(void)
{
	looks();
	__asm__ volatile("");
}

static bool is_in(const void *addr, void (*fn)(void))
{
	return (const char *)addr > (const char *)fn &&
	       (const char *)addr < (const char *)fn + 64;
}

static void test_backtrace(void)
{
	bool has_looks = false, has_caller = false;

	on();
	calls_looks();
	off();
	for (int i = 0; i < nr_seen; i++) {
		has_looks |= is_in(seen[i], looks);
		has_caller |= is_in(seen[i], calls_looks);
	}
	CHECK(has_looks && has_caller && nr_seen > 6);
}

// Repeat all tests in a process that has no root.
static void test_without_root(char *const *argv)
{
	int status = 0;
	pid_t child;

	if (std::getenv("ULF_DISABLE"))
		return;
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		setenv("ULF_DISABLE", "1", 1);
		execv("/proc/self/exe", argv);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
}

int main(int, char **argv)
{
	test_values();
	test_exceptions();
	test_noexcept();
	test_jumps();
	test_threads();
	test_contexts();
	test_far_stacks();
	test_many_stacks();
	test_signal_stack();
	test_calls();
	test_processes();
	test_off();
	test_drain();
	test_backtrace();
	test_without_root(argv);
	return 0;
}
