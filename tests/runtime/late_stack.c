/* SPDX-License-Identifier: MIT */
/*
 * A child that is late, and has functions to switch on before fork() returns, may be on a
 * small stack: that of a handler.
 *
 * no-sanitize: address it needs more stack than that itself
 * no-sanitize: thread it needs more stack than that itself
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/functions.h"
#include "lib/check.h"
#include "lib/driver.h"
#include "lib/rules.h"

#define STACK_BYTES	16384
#define GUARD_BYTES	65536

int one(int x);

__attribute__((noinline, patchable_function_entry(5))) int one(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x + 1;
}

/* The linker's. */
extern const char __executable_start[], etext[];
extern const uint64_t __start___patchable_function_entries[];
extern const uint64_t __stop___patchable_function_entries[];

static struct driver driver;

/* The agent is not woken: whoever is forked now is late. */
static void wish_for_functions(void)
{
	const uint64_t *table = __start___patchable_function_entries;
	uint32_t nr = (uint32_t)(__stop___patchable_function_entries - table);
	uint64_t off = rules_page_off(&driver, RULES_FREE_PAGE);
	struct abi_functions *functions = (void *)(driver.mem + off);
	uint32_t *users = (uint32_t *)&functions->objects[1];

	*functions = (struct abi_functions) {
		.magic = ABI_FUNCTIONS_MAGIC, .bytes = 4096, .serial = 1,
		.nr_objects = 1,
	};
	functions->objects[0] = (struct abi_function_object) {
		.text = (uint64_t)__executable_start, .text_end = (uint64_t)etext,
		.table = (uint64_t)table, .nr = nr,
		.users = (uint32_t)((char *)users - (char *)functions),
		/* any bytes of it will do */
		.id = (uint64_t)__executable_start, .build_id_bytes = 4,
	};
	memcpy(functions->objects[0].build_id, __executable_start, 4);
	for (uint32_t i = 0; i < nr; i++)
		users[i] = 1;		/* the function tracer of the top buffer */
	__atomic_store_n(&driver.control->functions, off, __ATOMIC_RELEASE);
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
	wish_for_functions();
	CHECK_EQ(raise(SIGUSR1), 0);
	CHECK_EQ(driver_nr_records(&driver), 1);
	return 0;
}
