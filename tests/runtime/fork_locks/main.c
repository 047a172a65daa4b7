/* SPDX-License-Identifier: MIT */
/*
 * Calls fork() wherever libc holds a lock of its own: in a callback of dl_iterate_phdr(), in
 * a constructor or a resolver that dlopen() runs, in malloc(), with a locked stream, in a
 * handler of pthread_atfork().  Meanwhile another thread loads, unloads or searches objects.
 * Neither thread may wait for ever, and the child must be able to end by exit().
 *
 * no-sanitize: address it has a malloc() of its own, which takes locks around fork()
 * no-sanitize: thread it cannot follow fork() in a program with threads
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/ftrace.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hook.h"
#include "lib/asleep.h"
#include "lib/check.h"
#include "lib/command.h"
#include "lib/self.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define LIMIT_SECONDS	60		/* of a case; one that hangs never ends */

__attribute__((noinline, patchable_function_entry(5))) static int traced(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

/* ---- fork() ---- */

static void wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void fork_and_end(bool by_exit)
{
	pid_t pid = fork();

	if (!pid) {
		alarm(LIMIT_SECONDS / 2);
		trace_rt_hit(1, traced(1));
		if (by_exit)
			exit(0);
		_exit(0);
	}
	wait_for(pid);
}

/* ---- actions of the other thread ---- */

static sem_t may_go, is_there, may_return;

static void *open_module(void)
{
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/tests/runtime-fork_locks-mod_calls.so",
		 command_env("ULF_BUILD"));
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		fail("%s", dlerror());
	return handle;
}

static void meet(void)
{
	sem_post(&is_there);
	CHECK_EQ(sem_wait(&may_go), 0);
}

/* The module stays loaded, so dlclose() itself holds its lock only briefly.  libulf then
 * looks for unloaded objects. */
static void *close_one(void *arg)
{
	void *handle = open_module();

	CHECK(open_module() == handle);
	meet();
	CHECK_EQ(dlclose(handle), 0);
	return arg;
}

/* Load the module, and meet the first thread in its constructor, before libulf's. */
static void *register_one(void *arg)
{
	HOOKS->before_register = meet;
	open_module();
	return arg;
}

static void *set_filter(void *arg)
{
	static struct ftrace_ops ops;

	meet();
	CHECK_EQ(ftrace_set_filter(&ops, (unsigned char *)"traced*", 7, 0), 0);
	return arg;
}

static int stay_in(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	(void)info;
	(void)bytes;
	(void)arg;
	sem_post(&is_there);
	CHECK_EQ(sem_wait(&may_return), 0);
	return 1;
}

static void *iterate(void *arg)
{
	dl_iterate_phdr(stay_in, NULL);
	return arg;
}

static void *churn(void *arg)
{
	const volatile bool *is_done = arg;

	while (!*is_done)
		CHECK_EQ(dlclose(open_module()), 0);
	return NULL;
}

/* ---- fork() in a callback ---- */

static int is_registered_count;

static void count_tracepoint(struct tracepoint *tp, void *priv)
{
	(void)tp;
	(void)priv;
	is_registered_count++;
}

static void do_fork(void)
{
	fork_and_end(false);
}

static void do_walk(void)
{
	for_each_kernel_tracepoint(count_tracepoint, NULL);
	CHECK(is_registered_count > 0);
}

static int in_callback(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	void (*act)(void);

	(void)info;
	(void)bytes;
	*(void **)&act = arg;
	sem_post(&may_go);
	asleep_wait_for_others();	/* the other thread waits for the lock */
	act();
	return 1;
}

/* This thread calls @act in a callback.  By then @other waits for libc's lock. */
static void against(void *(*other)(void *arg), void (*act)(void))
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, other, NULL), 0);
	CHECK_EQ(sem_wait(&is_there), 0);
	dl_iterate_phdr(in_callback, *(void **)&act);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static int callback_close(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	against(close_one, do_fork);
	return 0;
}

static int callback_open(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	against(register_one, do_fork);
	return 0;
}

static int callback_filter(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	against(set_filter, do_fork);
	return 0;
}

static int walk_open(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	against(register_one, do_walk);
	return 0;
}

static int fork_here(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	(void)info;
	(void)bytes;
	(void)arg;
	fork_and_end(true);
	return 1;
}

static int callback_exit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	dl_iterate_phdr(fork_here, NULL);
	return 0;
}

/* In the child, libc's lock is as another thread held it. */
static int other_exit(int argc, char **argv)
{
	pthread_t thread;

	(void)argc;
	(void)argv;
	CHECK_EQ(pthread_create(&thread, NULL, iterate, NULL), 0);
	CHECK_EQ(sem_wait(&is_there), 0);
	fork_and_end(true);
	sem_post(&may_return);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	return 0;
}

/* ---- fork() elsewhere, while another thread loads and unloads ---- */

static volatile bool is_done;

static void fork_by_exit(void)
{
	fork_and_end(true);
}

static int in_constructor(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	HOOKS->in_constructor = fork_by_exit;
	for (int i = 0; i < 10; i++)
		CHECK_EQ(dlclose(open_module()), 0);
	return 0;
}

static int in_resolver(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	HOOKS->in_resolver = do_fork;
	for (int i = 0; i < 10; i++)
		CHECK_EQ(dlclose(open_module()), 0);
	return 0;
}

static void while_churning(void (*act)(void))
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, churn, (void *)&is_done), 0);
	for (int i = 0; i < 100; i++)
		act();
	is_done = true;
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void fork_locked(void)
{
	flockfile(stdout);
	do_fork();
	funlockfile(stdout);
}

static int with_stream(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	while_churning(fork_locked);
	return 0;
}

static __thread bool is_nested;

static void fork_nested(void)
{
	if (is_nested)
		return;
	is_nested = true;
	do_fork();
	is_nested = false;
}

static int in_handlers(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	CHECK_EQ(pthread_atfork(fork_nested, fork_nested, fork_nested), 0);
	while_churning(do_fork);
	return 0;
}

/* malloc() of the thread that is in dlopen() and holds libc's lock. */
static __thread bool forks_in_malloc;
extern void *__libc_malloc(size_t bytes);

void *malloc(size_t bytes)
{
	if (forks_in_malloc) {
		forks_in_malloc = false;
		do_fork();
	}
	return __libc_malloc(bytes);
}

static int in_malloc(int argc, char **argv)
{
	pthread_t thread;

	(void)argc;
	(void)argv;
	CHECK_EQ(pthread_create(&thread, NULL, churn, (void *)&is_done), 0);
	for (int i = 0; i < 100; i++) {
		forks_in_malloc = true;
		CHECK_EQ(dlclose(open_module()), 0);
	}
	is_done = true;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	return 0;
}

/* ---- all cases ---- */

static const struct self_role roles[] = {
	{ "callback_close", callback_close },
	{ "callback_open", callback_open },
	{ "callback_filter", callback_filter },
	{ "callback_exit", callback_exit },
	{ "walk_open", walk_open },
	{ "other_exit", other_exit },
	{ "in_constructor", in_constructor },
	{ "in_resolver", in_resolver },
	{ "with_stream", with_stream },
	{ "in_handlers", in_handlers },
	{ "in_malloc", in_malloc },
	{ NULL, NULL },
};

static void callback(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		     struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent;
	(void)ops;
	(void)regs;
}

/* Let libulf know an object with functions, and register hooks that it must keep. */
static void prepare_role(void)
{
	static struct ftrace_ops ops = { .func = callback };

	CHECK(mmap((void *)HOOK_PAGE, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		   MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (void *)HOOK_PAGE);
	sem_init(&may_go, 0, 0);
	sem_init(&is_there, 0, 0);
	sem_init(&may_return, 0, 0);
	CHECK_EQ(register_ftrace_function(&ops), 0);
	traced(1);
	alarm(LIMIT_SECONDS);
}

int main(int argc, char **argv)
{
	int nr_failed = 0;

	if (argc > 1) {
		prepare_role();
		self_role(argc, argv, roles);
	}
	for (const struct self_role *role = roles; role->name; role++) {
		struct self self = self_start(role->name, NULL);
		int status = self_wait(&self);

		if (!status)
			continue;
		printf("%s: %s %d\n", role->name, status > 128 ? "signal" : "exit status",
		       status > 128 ? status - 128 : status);
		nr_failed++;
	}
	return nr_failed != 0;
}
