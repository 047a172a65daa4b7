/* SPDX-License-Identifier: MIT */
/*
 * Signals, and calls of their handlers.  Each line of stdin names one case; the program
 * answers each with "done".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define INSIDE	__attribute__((noinline))
#define OUTSIDE	__attribute__((noinline, patchable_function_entry(0)))
#define BEHIND	__asm__ volatile("")	/* prevents that the call before it is a tail call */
#define STACK	65536

static volatile int sum;
static sigjmp_buf back;

INSIDE void leaf(void)
{
	sum++;
}

INSIDE void inner(void)
{
	leaf();
	BEHIND;
}

INSIDE void on_usr1(int sig)
{
	(void)sig;
	inner();
	leaf();
	BEHIND;
}

INSIDE void on_usr2(int sig)
{
	(void)sig;
	leaf();
	raise(SIGUSR1);
	BEHIND;
}

INSIDE void on_hup(int sig)
{
	(void)sig;
	sum++;
}

/* A tail call: inner() returns to where the handler would return. */
INSIDE void on_int(int sig)
{
	(void)sig;
	inner();
}

INSIDE void on_term(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* Restores the stack pointer that loses() has destroyed. */
INSIDE void on_segv(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	(void)info;
	leaf();
	regs[REG_RSP] = regs[REG_RBX];
}

OUTSIDE static void on_quit(int sig)
{
	(void)sig;
	inner();
	BEHIND;
}

/* Each call uses a page of the stack. */
INSIDE void sinks(int depth)
{
	volatile char page[4096];

	page[0] = 0;
	if (depth)
		sinks(depth - 1);
	else
		leaf();
	BEHIND;
}

/* ---- cases ---- */

OUTSIDE static void at_once(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGHUP);
	raise(SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

INSIDE void outer(int sig)
{
	leaf();
	if (sig)
		raise(sig);
	else
		at_once();
	leaf();
	BEHIND;
}

INSIDE void jumps(int sig)
{
	if (!sigsetjmp(back, 1))
		raise(sig);
	inner();
	BEHIND;
}

/* A push with the stack pointer @sp fails. */
INSIDE void loses(uint64_t sp)
{
	__asm__ volatile("mov %%rsp, %%rbx\n\tmov %0, %%rsp\n\tpush %%rax\n\t"
			 "add $8, %%rsp" : : "r"(sp) : "rbx", "memory");
	leaf();
	BEHIND;
}

OUTSIDE static void *run_thread(void *arg)
{
	(void)arg;
	outer(SIGUSR1);
	return NULL;
}

OUTSIDE static void use_stack(void *stack)
{
	stack_t other = { .ss_sp = stack, .ss_size = STACK,
			  .ss_flags = stack ? 0 : SS_DISABLE };

	if (sigaltstack(&other, NULL))
		abort();
}

/* The alternate signal stack is @arg, above the thread's own stack. */
OUTSIDE static void *run_below(void *arg)
{
	use_stack(arg);
	outer(SIGABRT);
	jumps(SIGALRM);
	/* This signal stack belongs to another case: no function that was on it has
	 * returned. */
	outer(SIGABRT);
	return NULL;
}

/* After a jump out of a handler, the thread has no alternate signal stack for a while. */
OUTSIDE static void *run_changed(void *arg)
{
	use_stack(arg);
	if (!sigsetjmp(back, 1))
		outer(SIGALRM);
	use_stack(NULL);
	raise(SIGABRT);
	outer(SIGHUP);
	use_stack(arg);
	raise(SIGABRT);
	outer(SIGHUP);
	return NULL;
}

/* For a while the alternate signal stack is a part of the thread's own stack. */
OUTSIDE static void get_inside(void)
{
	char stack[STACK];

	use_stack(stack);
	raise(SIGABRT);
	use_stack(NULL);
}

OUTSIDE static void *run_inside(void *arg)
{
	get_inside();
	sinks(20);
	return arg;
}

OUTSIDE static void run_threads(void *(*fn)(void *))
{
	char *stacks = mmap(NULL, 4 * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	if (stacks == MAP_FAILED || pthread_attr_init(&attr) ||
	    pthread_attr_setstack(&attr, stacks, 3 * STACK) ||
	    pthread_create(&thread, &attr, fn, stacks + 3 * STACK) ||
	    pthread_join(thread, NULL) || munmap(stacks, 4 * STACK))
		abort();
}

/* Cases in which outer() gets a signal. */
static const struct {
	const char *way;
	int sig;
} ways[] = {
	{ "plain", SIGUSR1 }, { "nested", SIGUSR2 }, { "leaf", SIGHUP },
	{ "last", SIGINT }, { "outside", SIGQUIT }, { "stack", SIGABRT },
	{ "pending", 0 },
};

static const uint64_t nowhere[] = { 0, 8, 4096, INT64_MAX, 0xdeadbeefdeadbeef, -8ull };

OUTSIDE static void run(const char *way)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(way, ways[i].way))
			outer(ways[i].sig);
	if (!strcmp(way, "call"))
		on_usr1(0);
	if (!strcmp(way, "jump"))
		jumps(SIGTERM);
	if (!strcmp(way, "thread"))
		run_threads(run_thread);
	if (!strcmp(way, "below"))
		run_threads(run_below);
	if (!strcmp(way, "changed"))
		run_threads(run_changed);
	if (!strcmp(way, "inside"))
		run_threads(run_inside);
	if (!strcmp(way, "lost"))
		for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
			loses(nowhere[i]);
}

OUTSIDE static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(sig, &action, NULL);
}

OUTSIDE int main(void)
{
	struct sigaction lost = { .sa_sigaction = on_segv, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char line[64];

	if (stack == MAP_FAILED)
		return 1;
	use_stack(stack);	/* below the stack of main() */
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		/* Set the handlers after tracing was switched on the first time, so libulf
		 * has not seen them before. */
		handle(SIGUSR1, on_usr1, SA_SIGINFO);
		handle(SIGUSR2, on_usr2, 0);
		handle(SIGHUP, on_hup, SA_NODEFER);
		handle(SIGINT, on_int, 0);
		handle(SIGTERM, on_term, 0);
		handle(SIGQUIT, on_quit, 0);
		handle(SIGABRT, on_usr1, SA_ONSTACK);
		handle(SIGALRM, on_term, SA_ONSTACK);
		sigaction(SIGSEGV, &lost, NULL);
		sigaction(SIGBUS, &lost, NULL);
		run(line);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
