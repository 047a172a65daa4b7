/* SPDX-License-Identifier: MIT */
/* Functions that are always called with the same arguments. */
#include <unistd.h>

#include "args.h"

struct point { long x, y; };
enum colour { RED, GREEN };

static volatile int sink;

FUNCTION int numbers(int small, unsigned char byte, long large,
		     enum colour colour, const char *text, _Bool is_so)
{
	USE(small);
	USE(byte);
	USE(large);
	USE(colour);
	USE(text);
	USE(is_so);
	return 7;
}

FUNCTION void others(struct point point, double real, int a, int b, int c,
		     int d, int e)
{
	USE(point);
	USE(real);
	USE(a);
	USE(b);
	USE(c);
	USE(d);
	USE(e);
	numbers(-1, 200, -3, GREEN, 0, 1);
}

__attribute__((noinline, cold)) static void rare(int x)
{
	USE(x);
}

/* This function has two parts, because compilers move rare code to another place. */
FUNCTION void split(int x)
{
	USE(x);
	if (x < 0) {
		rare(x);
		rare(x + 1);
	}
}

/* The only caller is known, so optimisers do not pass this parameter. */
__attribute__((noinline)) static void constant(int x)
{
	sink = x;
}

/* The other object has functions of these names, too. */
FUNCTION static void twin(int x)
{
	USE(x);
}

FUNCTION static void alike(int x)
{
	USE(x);
}

FUNCTION void none(void)
{
	twin(21);
	alike(22);
	elsewhere(23);
	split(12);
	constant(3);
	others((struct point){ 16, -1 }, 0.5, 1, 2, 3, 4, 5);
	__asm__ volatile("");
}

int main(void)
{
	for (;;) {
		none();
		usleep(1000);
	}
}
