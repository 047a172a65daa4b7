/* SPDX-License-Identifier: MIT */
/* Every conversion prints the text that printf() prints, except where the kernel's printf
 * differs.  Each is tested in a format that is a constant, and in one that is not. */
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "abi/control.h"
#include "lib/said.h"
#include "parts.h"
#include <ulf/tracing.h>

static char want[8192];

/* Print with a constant format and with a variable one, and compare both texts with @want. */
#define SAY_WANT(fmt, ...)						\
	do {								\
		const char *volatile variable = fmt;			\
									\
		trace_printk(fmt, __VA_ARGS__);				\
		said_is(ABI_EVENT_ID_BPRINT, want);			\
		trace_printk(variable, __VA_ARGS__);			\
		said_is(ABI_EVENT_ID_PRINT, want);			\
	} while (0)

#define SAY(fmt, ...)							\
	do {								\
		snprintf(want, sizeof(want), fmt, __VA_ARGS__);		\
		SAY_WANT(fmt, __VA_ARGS__);				\
	} while (0)

/* Print where the kernel's printf differs from printf(). */
#define SAY_TEXT(text, fmt, ...)					\
	do {								\
		strcpy(want, text);					\
		SAY_WANT(fmt, __VA_ARGS__);				\
	} while (0)

static void test_integers(void)
{
	static const long long values[] = {
		0, 1, -1, 7, 255, 256, -128, 65535, 65536, INT_MAX, INT_MIN,
		UINT_MAX, LONG_MAX, LONG_MIN, 0x123456789abcdef0,
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		long long v = values[i];

		SAY("%d %i %u %x %X %o\n", (int)v, (int)v, (unsigned int)v,
		    (unsigned int)v, (unsigned int)v, (unsigned int)v);
		SAY("%5d|%-5d|%05d|%+d|% d|%12d|%.3d\n", (int)v, (int)v, (int)v,
		    (int)v, (int)v, (int)v, (int)v);
		SAY("%hd %hu %hx %hhd %hhu %hhX\n", (short)v, (unsigned short)v,
		    (unsigned short)v, (signed char)v, (unsigned char)v,
		    (unsigned char)v);
		SAY("%hhd %d %hd %ld %hhd %lld\n", (signed char)v, (int)v,
		    (short)v, (long)v, (signed char)v, v);
		SAY("%ld %li %lu %lx %lX %lo\n", (long)v, (long)v,
		    (unsigned long)v, (unsigned long)v, (unsigned long)v,
		    (unsigned long)v);
		SAY("%lld %llu %llx\n", v, (unsigned long long)v,
		    (unsigned long long)v);
		SAY("%zu %zd %zx %td %jd %ju\n", (size_t)v, (ssize_t)v, (size_t)v,
		    (ptrdiff_t)v, (intmax_t)v, (uintmax_t)v);
		SAY("%#o %20lx|%-20lx|%020lx|%#llo\n", (unsigned int)v,
		    (unsigned long)v, (unsigned long)v, (unsigned long)v,
		    (unsigned long long)v);
		SAY("%*d|%-*d|%*.*d|%*d\n", 7, (int)v, 7, (int)v, 14, 12, (int)v,
		    -7, (int)v);
		if (v)
			SAY("%#x %#lx %#18lX\n", (unsigned int)v | 1,
			    (unsigned long)v, (unsigned long)v);
	}
	SAY("%" PRId64 " %" PRIu32 " %" PRIx16 "\n", (int64_t)-5, (uint32_t)5,
	    (uint16_t)5);
	SAY_TEXT("0x0 0\n", "%#x %.0d\n", 0, 0);
}

static void test_characters(void)
{
	SAY("%c%c%c|%3c|%-3c|\n", 'a', '%', '\t', 'b', 'c');
	SAY("%c%d%c%s%c\n", 'a', 5, 'b', "text", 'c');
	SAY("%d%% of 100%%\n", 7);
}

static void test_strings(void)
{
	char raw[4] = { 'a', 'b', 'c', 'd' };

	SAY("%s\n", "");
	SAY("%s %s\n", "one", "two");
	SAY("%10s|%-10s|%.3s|%10.3s|%-10.3s|%.0s|\n", "string", "string", "string",
	    "string", "string", "string");
	SAY("%*s|%-*s|%.*s|%*.*s|\n", 9, "string", 9, "string", 2, "string", 9, 4,
	    "string");
	SAY("%.4s%.*s\n", raw, 3, raw);
	SAY("%s %d %s %ld %s\n", "a", 1, "bcd", 2l, "efghi");
	SAY("%s\n", "\xc3\xa4\xff %d");
	SAY_TEXT("(null)  (null)|(nu\n", "%s %7s|%.3s\n", (char *)NULL, (char *)NULL,
		 (char *)NULL);
}

static void test_floats(void)
{
	static const double values[] = {
		0, -0.0, 1, -1.5, 0.1, 123456.789, 1e-300, 1e300, DBL_MAX,
		DBL_MIN, INFINITY, -INFINITY, NAN, 2.5, 0.5,
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		double v = values[i];

		SAY("%f %e %g %a\n", v, v, v, v);
		SAY("%E %G %A %F\n", v, v, v, v);
		SAY("%.2f %10.3e|%-12g|%+.0f\n", v, v, v, v);
		SAY("% f|%#g|%015.3f\n", v, v, v);
		SAY("%d %f %hhd %s %*.*f\n", 5, v, (signed char)5, "s", 9, 2, v);
		SAY("%.*f %lf %Lf %Lg\n", -1, v, v, (long double)v,
		    (long double)v);
	}
}

static void test_pointers_as_numbers(void)
{
	void *p = (void *)0x123456789abc;

	SAY_TEXT("0000123456789abc|  123456789abc|123456789abc  |\n",
		 "%p|%14p|%-14p|\n", p, p, p);
	SAY_TEXT("0000000000000000\n", "%p\n", NULL);
	SAY_TEXT("0000123456789abc.0000123456789abc,0000123456789abc\n",
		 "%px.%pK,%ps\n", p, p, p);
	/* libulf does not follow pointers that the kernel would follow. */
	SAY_TEXT("0000123456789abc 7\n", "%pI4 %d\n", p, 7);
}

/* The text before an invalid conversion is printed, and the rest of the line is not. */
static void test_invalid(void)
{
	static const char *const wrong[] = {
		"a %d %ls %d\n", "a %d %n %d\n", "a %d %y\n", "a %d %",
		"a %d %1$d\n", "a %d %'d\n", "a %d %lc\n",
	};
	const char *volatile variable;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		variable = wrong[i];
		trace_printk(variable, 5, NULL, 6);
		said_is(ABI_EVENT_ID_PRINT, "a 5 \n");
	}
	trace_printk("a %d %n %d\n", 5, (int *)NULL, 6);
	said_is(ABI_EVENT_ID_BPRINT, "a 5 ");
#pragma GCC diagnostic pop
}

static void test_texts(void)
{
	const char *volatile variable = "a variable %d\n";
	char longer[6000];

	trace_printk("a constant %%\n");
	said_is(ABI_EVENT_ID_BPUTS, "a constant %%\n");
	CHECK_EQ(trace_puts("a constant"), 1);
	said_is(ABI_EVENT_ID_BPUTS, "a constant");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
	trace_printk(variable);
#pragma GCC diagnostic pop
	said_is(ABI_EVENT_ID_PRINT, variable);
	CHECK_EQ(trace_puts(variable + 2), 12);
	said_is(ABI_EVENT_ID_PRINT, variable + 2);
	variable = "no newline";
	trace_puts(variable);
	said_is(ABI_EVENT_ID_PRINT, "no newline\n");
	CHECK_EQ(__trace_puts(1, "four", 0), 0);
	said_nothing();
	__trace_puts(1, "four", 2);
	said_is(ABI_EVENT_ID_PRINT, "fo\n");
	memset(longer, 'x', sizeof(longer));
	for (int len = 4020; len < 4060; len++) {
		struct said said;
		int room = len < 4040 ? len : 4040;

		__trace_puts(1, longer, len);
		CHECK_EQ(said_take(&said), 1);
		CHECK_EQ(strspn(said.text, "x"), room);
		CHECK_STR(said.text + room, "\n");
	}
}

/* A long string is truncated, and the text after it is still printed. */
static void test_long(void)
{
	char longer[3000];
	struct said said;
	size_t len;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	trace_printk("%s, %d, %s, %s.\n", longer, 7, "end", longer);
	CHECK_EQ(said_take(&said), 1);
	len = strspn(said.text, "x");
	CHECK(len > 800 && len < 1024);
	CHECK(!strncmp(said.text + len, "..., 7, end, xx", 15));
	CHECK_STR(said.text + strlen(said.text) - 6, "x....\n");
	trace_printk("%.700s %.5s\n", longer, longer);
	CHECK_EQ(said_take(&said), 1);
	CHECK_EQ(strlen(said.text), 707);
	/* The text of a variable format is truncated, too, and still ends with a newline. */
	for (int width = 1010; width < 1030; width++) {
		const char *volatile variable = "%*d|%s\n";

		trace_printk(variable, width, 5, "text");
		CHECK_EQ(said_take(&said), 1);
		CHECK(strlen(said.text) < 1024);
		CHECK_STR(strchr(said.text, '\0') - 1, "\n");
	}
}

#define SIX		"%d %d %d %d %d %d "
#define SIX_OF(n)	n, n, n, n, n, n
#define MANY(what)	what what what what what what what what what what

static void test_many(void)
{
	struct said said;

	SAY(SIX SIX SIX "%s\n", SIX_OF(1), SIX_OF(-1), SIX_OF(20), "end");
	SAY(SIX "%f %f %f %f %f %f %f %f %f %f %s\n", SIX_OF(1), 1., 2., 3., 4., 5.,
	    6., 7., 8., 9., 10., "end");
	/* 66 arguments */
	trace_printk(MANY(SIX) SIX "\n", SIX_OF(1), SIX_OF(1), SIX_OF(1), SIX_OF(1),
		     SIX_OF(1), SIX_OF(1), SIX_OF(1), SIX_OF(1), SIX_OF(1),
		     SIX_OF(1), SIX_OF(1));
	CHECK_EQ(said_take(&said), 1);
	CHECK_EQ(strspn(said.text, "1 "), 63 * 2);
}

void test_conversions(void)
{
	test_integers();
	test_characters();
	test_strings();
	test_floats();
	test_pointers_as_numbers();
	test_invalid();
	test_texts();
	test_long();
	test_many();
}
