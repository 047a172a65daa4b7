/* SPDX-License-Identifier: MIT */
/* A program with static functions: their names are in .symtab only. */
#include <unistd.h>

static __attribute__((noinline)) int hidden_inner(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static __attribute__((noinline)) int hidden_outer(int x)
{
	int y = hidden_inner(x);

	usleep(1000);
	return y + hidden_inner(y);
}

int main(void)
{
	for (volatile int x = 0; ; )
		x = hidden_outer(x) & 1;
}
