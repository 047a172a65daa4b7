/* SPDX-License-Identifier: MIT */
/* Functions that are called with the same arguments all the time. */
#include <unistd.h>

struct point { long x, y; };
enum colour { RED, GREEN };

/* They are called as the ABI says: nobody knows all their callers. */
#ifdef __clang__
#define FUNCTION	__attribute__((noinline))
#else
#define FUNCTION	__attribute__((noipa))
#endif
#define USE(x)		__asm__ volatile("" : : "m"(x))

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

FUNCTION void none(void)
{
	others((struct point) { 16, -1 }, 0.5, 1, 2, 3, 4, 5);
	__asm__ volatile("");
}

int main(void)
{
	for (;;) {
		none();
		usleep(1000);
	}
}
