/* SPDX-License-Identifier: MIT */
/* Functions with the names that gcc and clang give to clones. */
#include <unistd.h>

#define NAMED(name)	__asm__(name) __attribute__((__noipa__))

int clone_of_execute(int x) NAMED("execute.constprop.0");
int other_clone_of_execute(int x) NAMED("execute.isra.0.part.1");
int cold_part_of_execute(int x) NAMED("execute.cold");
int execute_all(int x) NAMED("execute_all");
int parse(int x) NAMED("parse");
int clone_of_parse(int x) NAMED("parse.part.0");
int local(int x) NAMED("local.llvm.1234567");

#define BODY(name) \
	int name(int x) { __asm__ volatile("" : "+r"(x)); return x; }
BODY(clone_of_execute)
BODY(other_clone_of_execute)
BODY(cold_part_of_execute)
BODY(execute_all)
BODY(parse)
BODY(clone_of_parse)
BODY(local)

/* gcc itself makes a clone of this function. */
static __attribute__((__noinline__, __noclone__)) int sum(int *x)
{
	__asm__ volatile("" : : "r"(x) : "memory");
	return *x;
}

static __attribute__((__noinline__)) int scale(int *x, int by, int is_checked)
{
	if (is_checked && *x > 1000)
		return sum(x) * by;
	return sum(x) / by;
}

int main(void)
{
	volatile int x = 1;

	for (;; usleep(1000)) {
		int y = x;

		clone_of_execute(1);
		other_clone_of_execute(1);
		cold_part_of_execute(1);
		execute_all(1);
		parse(1);
		clone_of_parse(1);
		local(1);
		x = scale(&y, 3, 1) & 1;
	}
}
