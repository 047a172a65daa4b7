/* SPDX-License-Identifier: MIT */
/*
 * A child that gets its slot late must switch functions on before fork() returns.  Its stack
 * may be small: that of a signal handler.
 *
 * no-sanitize: address it needs more stack than that itself
 * no-sanitize: thread it needs more stack than that itself
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/driver.h"
#include "lib/own_functions.h"
#include "lib/rules.h"

#define STACK_BYTES	16384
#define GUARD_BYTES	65536

int one(int x);

__attribute__((noinline, patchable_function_entry(5))) int one(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x + 1;
}

static struct driver driver;

/* Set functions without waking the agent, so that a child that is forked now has to apply
 * this. */
static void trace_functions(void)
{
	own_functions_set_users(&driver, 1);		/* the function tracer of the top buffer */
	__atomic_add_fetch(&driver.control->generation, 1, __ATOMIC_SEQ_CST);
}

static void fork_here(int sig)
{
	pid_t pid = fork();
	int status;

	(void)sig;
	CHECK(pid >= 0);
	if (!pid)
		_exit(one(1));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 2);
}

static void use_small_stack(void)
{
	struct sigaction action = { .sa_handler = fork_here, .sa_flags = SA_ONSTACK };
	char *mem = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = mem + GUARD_BYTES, .ss_size = STACK_BYTES };

	CHECK(mem != MAP_FAILED);
	CHECK_EQ(mprotect(stack.ss_sp, STACK_BYTES, PROT_READ | PROT_WRITE), 0);
	CHECK_EQ(sigaltstack(&stack, NULL), 0);
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

int main(void)
{
	rules_open(&driver);
	use_small_stack();
	trace_functions();
	CHECK_EQ(raise(SIGUSR1), 0);
	CHECK_EQ(driver_nr_records(&driver), 1);
	return 0;
}
