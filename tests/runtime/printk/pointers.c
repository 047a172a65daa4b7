/* SPDX-License-Identifier: MIT */
/* %s with invalid pointers: the text says so, and the program survives. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/control.h"
#include "lib/record.h"
#include "lib/said.h"
#include "parts.h"
#include <ulf/tracing.h>

#define PAGE		4096
#define RANDOM		20000

static void expect(const char *s, const char *text)
{
	const char *volatile variable = "%s\n";
	char want[2 * PAGE];

	snprintf(want, sizeof(want), "%s\n", text);
	trace_printk("%s\n", s);
	said_is(ABI_EVENT_ID_BPRINT, want);
	trace_printk(variable, s);
	said_is(ABI_EVENT_ID_PRINT, want);
}

static void test_nowhere(void)
{
	static const uintptr_t addresses[] = {
		1, 8, PAGE - 1, PAGE, (uintptr_t)-1, (uintptr_t)-4095,
		1ul << 47, 1ul << 63, 0xdeadbeefdeadbeef, 0xffff800000000000,
	};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		expect((const char *)addresses[i], "(efault)");
	expect(NULL, "(null)");
}

/* Strings that end at the edge of a mapping, and strings that cross it. */
static void test_edge(void)
{
	char *mem = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *edge = mem + PAGE;

	CHECK(mem != MAP_FAILED);
	memcpy(edge - 4, "left", 4);
	strcpy(edge, "right");
	expect(edge - 4, "leftright");
	CHECK(!mprotect(edge, PAGE, PROT_NONE));
	expect(edge - 4, "left");
	expect(edge - 1, "t");
	expect(edge, "(efault)");
	trace_printk("%.4s %.*s\n", edge - 4, 2, edge - 2);
	said_is(ABI_EVENT_ID_BPRINT, "left ft\n");
	CHECK(!munmap(mem, 3 * PAGE));
	expect(edge - 4, "(efault)");
}

/* The page is mapped, but beyond the end of its file: reading would raise SIGBUS. */
static void test_short_file(void)
{
	int fd = memfd_create("short", 0);
	char *mem = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	CHECK(fd >= 0 && mem != MAP_FAILED);
	expect(mem, "(efault)");
	CHECK(!ftruncate(fd, PAGE));
	expect(mem, "");
	close(fd);
	munmap(mem, PAGE);
}

static void test_random(void)
{
	uint64_t state = 1;
	struct said said;

	for (int i = 0; i < RANDOM; i++) {
		uint64_t bits = (uint64_t)random_next(&state) << 33 ^
				(uint64_t)random_next(&state) << 12 ^
				random_next(&state);

		trace_printk("%s %d %.9s\n", (char *)(bits >> i % 40), i,
			     (char *)bits);
		if (i % 1000 == 0)
			CHECK(said_take(&said));
	}
	said_take(&said);
}

void test_pointers(void)
{
	test_nowhere();
	test_edge();
	test_short_file();
	test_random();
}
