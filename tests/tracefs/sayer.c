/* SPDX-License-Identifier: MIT */
/*
 * A program with trace_printk() and without events.  For each line of its input it prints
 * texts with trace_printk(), and then writes to stdout what must be in the trace.
 *
 *	all	the texts below
 *	more	also texts that libtraceevent does not understand
 *	N	N texts with their number
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/tracepoint.h>
#include <ulf/tracing.h>

/* printk_formats lists this string by its address. */
static const char *listed __tracepoint_string = "a listed string";

#define SAY(fmt, ...)							\
	do {								\
		trace_printk(fmt, __VA_ARGS__);				\
		printf("%s: " fmt, __func__, __VA_ARGS__);		\
	} while (0)

static __attribute__((noinline)) void say_constant(void)
{
	SAY("%d %u %x %i\n", -1, 4000000000u, 0xabcdu, 77);
	SAY("%s and %s\n", "one", "another");
	SAY("%ld %lu %lx %lld %llu\n", -5l, 5ul, 0x123456789abcul, -7ll, 7ull);
	SAY("%s %d %s %ld\n", "odd", 1, "even", 2l);
	SAY("%5d|%05d|%8s|%.2s|%*d\n", 5, 5, "right", "cut", 4, 5);
	SAY("%zu bytes \"quoted\"\tand \\ more\n", (size_t)12345);
	SAY("%d%%\n", 100);
	trace_puts("a text: 100%\n");
	printf("%s: a text: 100%%\n", __func__);
	trace_printk("a pointer %px\n", (void *)0x123456);
	if (tracepoint_string("another one") == listed)
		abort();
	printf("%s: a pointer 0000000000123456\n", __func__);
}

static __attribute__((noinline)) void say_variable(void)
{
	const char *volatile variable = "variable %d %s\n";
	const char *fmt = variable;

	trace_printk(fmt, 5, "text");
	printf("%s: variable 5 text\n", __func__);
	trace_puts(fmt);
	printf("%s: %s", __func__, fmt);
}

static __attribute__((noinline)) void say_more(void)
{
	SAY("%c%c %hd %hhu %X %o\n", 'a', 'b', (short)-5, (unsigned char)200, 0xABu,
	    8u);
	SAY("%f %g %.2e %a\n", 1.5, 0.1, 12345.678, 2.0);
	SAY("%-5d|%+d|%#x|%-6s|\n", 5, 5, 5u, "ab");
	trace_printk("%ps %pS\n", (void *)say_more, (void *)NULL);
	printf("%s: say_more 0x0\n", __func__);
	trace_printk("%s %s\n", (char *)0, (char *)4711);
	printf("%s: (null) (efault)\n", __func__);
}

static __attribute__((noinline)) void say_numbers(int nr)
{
	for (int i = 0; i < nr; i++)
		SAY("number %d\n", i);
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "all") || !strcmp(line, "more")) {
			say_constant();
			say_variable();
		}
		if (!strcmp(line, "more"))
			say_more();
		else
			say_numbers(atoi(line));
		printf("end\n");
		fflush(stdout);
	}
	return 0;
}
