/* SPDX-License-Identifier: MIT */
/* Calls one function after the other until the program is killed. */
#define FUNCTIONS	WITH(a) WITH(b) WITH(c) WITH(d) WITH(e) WITH(f) WITH(g) WITH(h)

#define WITH(name) __attribute__((noinline)) void joins_##name(void) { __asm__ volatile(""); }
FUNCTIONS
#undef WITH

__attribute__((noinline)) void all(void)
{
#define WITH(name) joins_##name();
	FUNCTIONS
	__asm__ volatile("");		/* the last function returns to here */
}

__attribute__((patchable_function_entry(0))) int main(void)
{
	for (;;)
		all();
}
