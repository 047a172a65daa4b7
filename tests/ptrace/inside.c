/* SPDX-License-Identifier: MIT */
/*
 * threads_inside() finds the code that a stopped thread may still execute: where a thread
 * spins, where a signal handler has interrupted it, on whichever stack the handler runs, and
 * where a function that was called returns to.
 *
 * no-sanitize: thread it moves the functions of this file elsewhere
 */
#include <ucontext.h>

#include "child.h"

static _Atomic uint64_t *ready;		/* the target adds 1 when it is where it should be */

/* Each function is alone in its bytes.  spin_*() never return. */
#define SPIN(name)						\
	extern char name[], name##_end[];			\
	__asm__(".text\n"					\
		".balign 64\n"					\
		#name ":\n"					\
		"	nop\n"					\
		"1:	pause\n"				\
		"	jmp 1b\n"				\
		"	ud2\n"					\
		#name "_end:\n")
SPIN(spin_a);
SPIN(spin_b);
SPIN(spin_c);

/* Call the function in the first argument.  The call is within the first bytes. */
extern char calls[], calls_end[];
__asm__(".text\n"
	".balign 64\n"
	"calls:\n"
	"	push %rbx\n"
	"	call *%rdi\n"
	"	pop %rbx\n"
	"	ret\n"
	"	nop\n"
	"calls_end:\n");

static struct code_range ranges[4];	/* sorted by address */
static char *const starts[] = { spin_a, spin_b, spin_c, calls };
static char *const ends[] = { spin_a_end, spin_b_end, spin_c_end, calls_end };

/* Bit of the range of a function in the result of threads_inside(). */
static uint64_t bit_of(const char *function)
{
	for (int i = 0; i < 4; i++)
		if (ranges[i].start == (uint64_t)function + 1)
			return 1ull << i;
	fail("no range");
}

static int by_start(const void *a, const void *b)
{
	const struct code_range *one = a, *two = b;

	return one->start < two->start ? -1 : one->start > two->start;
}

static void set_ranges(void)
{
	for (int i = 0; i < 4; i++)
		ranges[i] = (struct code_range){ (uint64_t)starts[i] + 1, (uint64_t)ends[i] };
	qsort(ranges, 4, sizeof(ranges[0]), by_start);
}

static void run_at(char *function)
{
	atomic_fetch_add(ready, 1);
	((void (*)(void))(void *)function)();
}

static void sleep_for_ever(void)
{
	atomic_fetch_add(ready, 1);
	while (atomic_load(ready))
		pause();
}

static void handler_sleeps(int signal)
{
	(void)signal;
	sleep_for_ever();
}

static void handler_spins_b(int signal)
{
	(void)signal;
	run_at(spin_b);
}

static void set_handler(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags | SA_NODEFER };

	CHECK_EQ(sigaction(signal, &action, NULL), 0);
}

/* Let @bytes of memory, with a guard after it, be the signal stack of this thread. */
static void set_signal_stack(void)
{
	const size_t bytes = 256 << 10;
	char *mem = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = mem, .ss_size = bytes };

	CHECK(mem != MAP_FAILED);
	CHECK_EQ(mprotect(mem + bytes, bytes, PROT_NONE), 0);
	CHECK_EQ(sigaltstack(&stack, NULL), 0);
}

/* ---- what targets do ---- */

static void do_nothing(void *arg)
{
	(void)arg;
	sleep_for_ever();
}

static void do_spin(void *arg)
{
	(void)arg;
	run_at(spin_a);
}

static void *spin_c_in_thread(void *arg)
{
	(void)arg;
	run_at(spin_c);
	return NULL;
}

static void do_spin_in_thread(void *arg)
{
	pthread_t thread;

	(void)arg;
	CHECK_EQ(pthread_create(&thread, NULL, spin_c_in_thread, NULL), 0);
	sleep_for_ever();
}

static void do_handler(void *arg)
{
	(void)arg;
	set_handler(SIGUSR1, handler_sleeps, 0);
	run_at(spin_a);
}

static void do_handler_on_stack(void *arg)
{
	(void)arg;
	set_signal_stack();
	set_handler(SIGUSR1, handler_sleeps, SA_ONSTACK);
	run_at(spin_a);
}

/* SIGUSR1 interrupts spin_a and spins in spin_b on the thread's stack; SIGUSR2 interrupts it
 * on the signal stack. */
static void do_handlers(void *arg)
{
	(void)arg;
	set_signal_stack();
	set_handler(SIGUSR1, handler_spins_b, 0);
	set_handler(SIGUSR2, handler_sleeps, SA_ONSTACK);
	run_at(spin_a);
}

/* SIGUSR1 interrupts spin_a and spins in spin_b on the signal stack; SIGUSR2 interrupts it
 * there. */
static void do_handlers_on_stack(void *arg)
{
	(void)arg;
	set_signal_stack();
	set_handler(SIGUSR1, handler_spins_b, SA_ONSTACK);
	set_handler(SIGUSR2, handler_sleeps, SA_ONSTACK);
	run_at(spin_a);
}

static void do_call(void *arg)
{
	(void)arg;
	((void (*)(void (*)(void)))(void *)calls)(sleep_for_ever);
}

/* A stack of its own, from which a handler on a signal stack is entered. */
static ucontext_t own, back;

static void on_own_stack(void)
{
	run_at(spin_a);
}

static void do_handler_of_coroutine(void *arg)
{
	(void)arg;
	set_signal_stack();
	set_handler(SIGUSR1, handler_sleeps, SA_ONSTACK);
	CHECK_EQ(getcontext(&own), 0);
	own.uc_stack.ss_size = 256 << 10;
	own.uc_stack.ss_sp = malloc(own.uc_stack.ss_size);
	own.uc_link = &back;
	makecontext(&own, on_own_stack, 0);
	swapcontext(&back, &own);
}

static void add_deep(int depth)
{
	char buffer[4096];

	buffer[0] = (char)depth;
	__asm__ volatile("" : : "r"(buffer) : "memory");
	if (depth)
		add_deep(depth - 1);
	else
		sleep_for_ever();
	__asm__ volatile("" : : "r"(buffer) : "memory");
}

static void handler_goes_deep(int signal)
{
	(void)signal;
	add_deep(1000);
}

/* The handler uses 4 MB of stack, so that the frame is far away from the stack pointer. */
static void do_deep(void *arg)
{
	(void)arg;
	set_handler(SIGUSR1, handler_goes_deep, 0);
	run_at(spin_a);
}

/* A stack directly below 32 MB that cannot be written, as a library may be. */
static void do_stack_below_code(void *arg)
{
	const size_t bytes = 256 << 10, above = 32 << 20;
	char *mem = mmap(NULL, bytes + above, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)arg;
	CHECK(mem != MAP_FAILED);
	CHECK_EQ(mprotect(mem, bytes, PROT_READ | PROT_WRITE), 0);
	CHECK_EQ(getcontext(&own), 0);
	own.uc_stack.ss_size = bytes;
	own.uc_stack.ss_sp = mem;
	own.uc_link = &back;
	makecontext(&own, on_own_stack, 0);
	swapcontext(&back, &own);
}

/* A thread of libc directly below 32 MB of memory that can be written.  Its stack ends at
 * the control block of the thread. */
static void do_stack_below_heap(void *arg)
{
	const size_t bytes = 256 << 10, above = 32 << 20;
	char *mem = mmap(NULL, bytes + above, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	(void)arg;
	CHECK(mem != MAP_FAILED);
	CHECK_EQ(pthread_attr_init(&attr), 0);
	CHECK_EQ(pthread_attr_setstack(&attr, mem, bytes), 0);
	CHECK_EQ(pthread_create(&thread, &attr, spin_c_in_thread, NULL), 0);
	sleep_for_ever();
}

static const struct {
	const char *name;
	void (*run)(void *arg);
	int signals[2];			/* sent one after the other; 0: none */
	char *inside[2];		/* functions that must be found */
} cases[] = {
	{ "no code in use", do_nothing, { 0, 0 }, { NULL, NULL } },
	{ "a spinning thread", do_spin, { 0, 0 }, { spin_a, NULL } },
	{ "a second thread", do_spin_in_thread, { 0, 0 }, { spin_c, NULL } },
	{ "a handler", do_handler, { SIGUSR1, 0 }, { spin_a, NULL } },
	{ "a handler on a signal stack", do_handler_on_stack, { SIGUSR1, 0 }, { spin_a, NULL } },
	{ "a handler on both stacks", do_handlers, { SIGUSR1, SIGUSR2 }, { spin_a, spin_b } },
	{ "two handlers on a signal stack", do_handlers_on_stack, { SIGUSR1, SIGUSR2 },
	  { spin_a, spin_b } },
	{ "a handler above a coroutine", do_handler_of_coroutine, { SIGUSR1, 0 },
	  { spin_a, NULL } },
	{ "a handler that uses much stack", do_deep, { SIGUSR1, 0 }, { spin_a, NULL } },
	{ "a stack below code", do_stack_below_code, { 0, 0 }, { spin_a, NULL } },
	{ "a stack below a heap", do_stack_below_heap, { 0, 0 }, { spin_c, NULL } },
	{ "a function that was called", do_call, { 0, 0 }, { calls, NULL } },
};

/* Start the target of a case, and let it get its signals.  A target reports to @ready just
 * before it enters the function in which it stays. */
static pid_t start_case(size_t number)
{
	uint64_t reports = atomic_load(ready) + 1;
	pid_t pid = target_start(cases[number].run, NULL);

	/* Both threads of these report. */
	if (cases[number].run == do_spin_in_thread || cases[number].run == do_stack_below_heap)
		reports++;
	wait_for(ready, reports);
	return pid;
}

/* Stop the target until exactly the functions of @expected are in use: at the first stop it
 * has possibly not entered the last one yet. */
static void wait_for_inside(const char *name, pid_t pid, uint64_t expected)
{
	struct stopped *stopped;
	uint64_t inside;

	printf("%s\n", name);
	do {
		inside = 0;
		stopped = stop_or_fail(pid);
		CHECK_EQ(threads_inside(stopped, ranges, 4, &inside), __builtin_popcountll(inside));
		if (inside & ~expected)
			fail("found %#llx, expected %#llx", (unsigned long long)inside,
			     (unsigned long long)expected);
		/* Bits that are set stay set, and are not counted again. */
		CHECK_EQ(threads_inside(stopped, ranges, 4, &inside), 0);
		threads_continue(stopped);
	} while (inside != expected);
}

static void check_case(size_t number)
{
	char *const *functions = cases[number].inside;
	pid_t pid = start_case(number);
	uint64_t expected = 0;

	for (int i = 0; i < 2 && cases[number].signals[i]; i++) {
		uint64_t reports = atomic_load(ready) + 1;

		/* The handler must interrupt the function that comes first. */
		expected |= bit_of(functions[i]);
		wait_for_inside(cases[number].name, pid, expected);
		CHECK_EQ(kill(pid, cases[number].signals[i]), 0);
		wait_for(ready, reports);
	}
	for (int i = 0; i < 2 && functions[i]; i++)
		expected |= bit_of(functions[i]);
	wait_for_inside(cases[number].name, pid, expected);
	target_kill(pid);
}

int main(void)
{
	ready = map_shared(sizeof(*ready));
	set_ranges();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(i);
	printf("score: %zu cases\n", sizeof(cases) / sizeof(cases[0]));
	return 0;
}
