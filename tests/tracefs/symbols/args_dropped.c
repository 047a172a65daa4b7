/* SPDX-License-Identifier: MIT */
/* Functions of which optimisers drop parameters, pass parts of them, or change them at once.
 * The name of a parameter contains its value: nDECIMAL, xHEXADECIMAL, or sHEXADECIMAL for a
 * struct whose first word has this value and whose second word has the value plus one. */
#include <stdbool.h>
#include <unistd.h>

struct pair { long x, y; };
struct three { long x, y, z; };

#define FUNCTION	__attribute__((noinline))
#define USE(value)	(sink = sink + (value))

static volatile long sink, zero;

FUNCTION long helper(long h, long i)
{
	USE(h ^ i);
	return sink;
}

FUNCTION static int dropped(int n1001, long n1002, int n9)
{
	USE(n9);
	USE(n1002);
	return (int)sink;
}

/* Callers in this file need not pass the parameters that the function does not use. */
FUNCTION int unused(int n1003, char *xbeef, unsigned x7, double real, short n1004,
		    long n1005, bool x1, int n1006)
{
	USE(n1003);
	return n1003;
}

FUNCTION static int all_unused(int n1007, long n1008)
{
	USE(1);
	return 0;
}

FUNCTION static int parts(struct pair *pair, int n1009)
{
	USE(pair->x);
	USE(pair->y);
	USE(n1009);
	return 0;
}

FUNCTION static long only_parts(struct three s20)
{
	USE(s20.y);
	return s20.z;
}

FUNCTION static int second(struct pair s10, int n1010)
{
	USE(s10.y);
	USE(n1010);
	return 0;
}

FUNCTION static int stored(int n1011, volatile int n1012, int n1013)
{
	USE(n1012);
	USE(n1013);
	return n1012;
}

FUNCTION static int changed(int n1014, int n1015, int n1016)
{
	n1014 = n1015;
	USE(n1014);
	USE(n1015 + n1016);
	return n1014;
}

FUNCTION int swapped(int n1017, int n1018)
{
	int was = n1017;

	n1017 = n1018;
	n1018 = was;
	helper(n1017, n1018);
	return n1017 - n1018;
}

FUNCTION int rotated(int n1019, int n1020, int n1021)
{
	n1019 = n1020;
	n1020 = n1021;
	n1021 = (int)sink;
	helper(n1021, n1019);
	return n1019 - n1020 + n1021;
}

FUNCTION static int narrow(char *xbeef, bool x1, short n1022)
{
	if (sink & 1)
		helper(x1, n1022);
	USE(x1);
	USE(n1022);
	return 0;
}

FUNCTION static void call(void)
{
	struct pair pair = { 16 + zero, 17 + zero };
	struct three three = { 32 + zero, 33 + zero, 34 + zero };

	dropped((int)(1001 + zero), 1002 + zero, 9);
	unused((int)(1003 + zero), (char *)(0xbeef + zero), (unsigned)(7 + zero), 2.0,
	       (short)(1004 + zero), 1005 + zero, !zero, (int)(1006 + zero));
	all_unused((int)(1007 + zero), 1008 + zero);
	parts(&pair, (int)(1009 + zero));
	only_parts(three);
	second(pair, (int)(1010 + zero));
	stored((int)(1011 + zero), (int)(1012 + zero), (int)(1013 + zero));
	changed((int)(1014 + zero), (int)(1015 + zero), (int)(1016 + zero));
	swapped((int)(1017 + zero), (int)(1018 + zero));
	rotated((int)(1019 + zero), (int)(1020 + zero), (int)(1021 + zero));
	narrow((char *)(0xbeef + zero), !zero, (short)(1022 + zero));
}

int main(void)
{
	for (;;) {
		call();
		usleep(1000);
	}
}
