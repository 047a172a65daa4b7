/* SPDX-License-Identifier: MIT */
/* A program that is always in one of three functions. */
#define INSIDE	__attribute__((noinline))
#define OUTSIDE	__attribute__((noinline, patchable_function_entry(0)))

static volatile int sum;

INSIDE void leaf(void)
{
	sum++;
}

INSIDE void middle(void)
{
	for (int i = 0; i < 20; i++)
		leaf();
}

INSIDE void outer(void)
{
	for (int i = 0; i < 20; i++)
		middle();
}

OUTSIDE int main(void)
{
	for (;;)
		outer();
}
