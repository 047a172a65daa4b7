/* SPDX-License-Identifier: MIT */
/* A program without tracepoints, whose functions can be traced: main calls
 * outer, outer twice middle, middle twice leaf, again and again. */
#include <unistd.h>

int leaf(int x);
int middle(int x);
int outer(int x);
void never_called(void);

__attribute__((noinline)) int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) int middle(int x)
{
	int once = leaf(x);

	return once + leaf(once) + 1;
}

__attribute__((noinline)) int outer(int x)
{
	int first = middle(x);

	usleep(1000);
	return first + middle(first);
}

void never_called(void)
{
	leaf(0);
	__asm__ volatile("");
}

int main(void)
{
	for (volatile int x = 0; ; )
		x = outer(x) & 1;
}
