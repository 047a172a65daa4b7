/* SPDX-License-Identifier: MIT */
/*
 * A program whose functions can be traced, and that uses a given amount of stack.  It reads
 * commands, and answers each with a line when it is done:
 *
 *	use BYTES		the main thread: outer has BYTES on its stack, calls inner
 *	recurse NR		inner calls itself NR times
 *	dive BYTES		dive calls itself 700 times before outer; 400, if there are
 *				BYTES
 *	thread SIZE BYTES	`use' in a new thread with a stack of SIZE, which stays
 *	short SIZE BYTES	`use' in a new thread, which ends
 *	handler BYTES		`use' on a signal stack
 *	coroutine BYTES		`use' on the stack of a coroutine
 *	overflow SIZE NR	a new thread with such a stack needs more than that; the
 *				program's handler for that ends it with 42
 *	fork BYTES		`use' in a new process, which then ends
 *	forks SIZE BYTES	`fork' in a new thread
 *	others SIZE BYTES	a new thread uses a signal stack and a coroutine's, then
 *				some of its own
 *
 * The answer is the id of the thread that used the stack.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define OTHER_BYTES	(1ul << 20)	/* size of stacks that belong to no thread */

int inner(int nr);
int outer(size_t bytes, int nr);
int dive(int nr, size_t bytes);

__attribute__((noinline)) int inner(int nr)
{
	int r = nr ? inner(nr - 1) : 0;

	__asm__ volatile("" : "+r"(r));
	return r + 1;
}

__attribute__((noinline)) int outer(size_t bytes, int nr)
{
	char *room = alloca(bytes);
	int r;

	__asm__ volatile("" : : "r"(room) : "memory");
	r = inner(nr);
	__asm__ volatile("" : : "r"(room) : "memory");
	return r;
}

/* ---- threads ---- */

struct job {
	size_t bytes;
	void (*run)(size_t bytes);
	int has_to_stay;
	int tid;			/* 0: not done */
};

static void *run_job(void *arg)
{
	struct job *job = arg;
	int has_to_stay = job->has_to_stay;

	job->run(job->bytes);
	__atomic_store_n(&job->tid, gettid(), __ATOMIC_RELEASE);
	while (has_to_stay)
		pause();
	return NULL;
}

static int in_thread(size_t stack, struct job job)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, stack) ||
	    pthread_create(&thread, &attr, run_job, &job))
		exit(1);
	if (!job.has_to_stay)
		pthread_join(thread, NULL);
	while (!__atomic_load_n(&job.tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	return job.tid;
}

/* ---- other stacks ---- */

static size_t handler_bytes;

static void on_signal(int signal)
{
	(void)signal;
	outer(handler_bytes, 0);
}

static void use_handler(size_t bytes)
{
	stack_t stack = { .ss_sp = malloc(OTHER_BYTES), .ss_size = OTHER_BYTES };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	handler_bytes = bytes;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

static ucontext_t back, there;

static void enter_coroutine(int bytes)
{
	outer((size_t)bytes, 0);
	swapcontext(&there, &back);
}

static void use_coroutine(size_t bytes)
{
	getcontext(&there);
	there.uc_stack.ss_size = OTHER_BYTES;
	there.uc_stack.ss_sp = mmap(NULL, OTHER_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	makecontext(&there, (void (*)(void))enter_coroutine, 1, (int)bytes);
	swapcontext(&back, &there);
}

static void use(size_t bytes)
{
	outer(bytes, 0);
}

static void use_both(size_t bytes)
{
	use_handler(bytes);
	use_coroutine(bytes);
	outer(1000, 0);
}

static void use_forked(size_t bytes)
{
	pid_t pid = fork();

	if (!pid) {
		outer(bytes, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void recurse(size_t nr)
{
	outer(0, (int)nr);
}

static void on_overflow(int signal)
{
	_exit(signal == SIGSEGV ? 42 : 1);
}

static void overflow(size_t nr)
{
	static char room[65536];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = {
		.sa_handler = on_overflow, .sa_flags = SA_ONSTACK,
	};

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	recurse(nr);
}

__attribute__((noinline)) int dive(int nr, size_t bytes)
{
	int r = nr == (bytes ? 300 : 0) ? outer(bytes, 0) : dive(nr - 1, bytes);

	__asm__ volatile("" : "+r"(r));
	return r + 1;
}

static void start_dive(size_t bytes)
{
	dive(700, bytes);
}

static const struct {
	const char *name;
	void (*run)(size_t bytes);
	int has_thread, has_to_stay;
} commands[] = {
	{ "use", use, 0, 0 },
	{ "recurse", recurse, 0, 0 },
	{ "dive", start_dive, 0, 0 },
	{ "thread", use, 1, 1 },
	{ "short", use, 1, 0 },
	{ "handler", use_handler, 0, 0 },
	{ "coroutine", use_coroutine, 0, 0 },
	{ "others", use_both, 1, 1 },
	{ "fork", use_forked, 0, 0 },
	{ "forks", use_forked, 1, 0 },
	{ "overflow", overflow, 1, 0 },
};

static int perform(const char *name, size_t first, size_t second)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(name, commands[i].name))
			continue;
		if (commands[i].has_thread)
			return in_thread(first, (struct job){
				.bytes = second, .run = commands[i].run,
				.has_to_stay = commands[i].has_to_stay });
		commands[i].run(first);
		return gettid();
	}
	exit(1);
}

int main(void)
{
	char line[100], name[20];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		size_t first = 0, second = 0;

		if (sscanf(line, "%19s %zu %zu", name, &first, &second) < 2)
			return 1;
		printf("%d\n", perform(name, first, second));
	}
	return 0;
}
