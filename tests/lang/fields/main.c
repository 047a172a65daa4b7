/* SPDX-License-Identifier: MIT */
/* Every kind of field: the record, and the text of `format`. */
#include <unistd.h>

#include "fields_trace.h"
#include "formats.h"
#include <ulf/record.h>

#define SYSTEM	"lang-fields"

static struct driver d;
static struct trace trace;

static const char *const events[] = {
	"field_plain", "field_data", "field_rel", "field_print",
	"field_helpers", "field_scratch", "field_long",
};
#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

static const struct trace_record *find(const char *name, size_t nth)
{
	return trace_find(&d, &trace, SYSTEM, name, nth);
}

static void check_bytes(const struct trace_record *r, const char *field,
			const void *expect, uint32_t expect_bytes)
{
	uint32_t bytes;
	const void *is = trace_bytes(&d, r, field, &bytes);

	CHECK_EQ(bytes, expect_bytes);
	if (memcmp(is, expect, bytes))
		fail("%s is not what was recorded", field);
}

/* ---- plain fields ---- */

static const struct point here = { 5, -6 };

static void check_plain(void)
{
	const struct line line = { here, here };
	const struct trace_record *r = find("field_plain", 0);
	int matrix[6];

	memset(matrix, 3, sizeof(matrix));
	check_bytes(r, "at", &here, sizeof(here));
	check_bytes(r, "line", &line, sizeof(line));
	CHECK_EQ(trace_number(&d, r, "number"), 65535);
	CHECK_STR((const char *)(uintptr_t)trace_number(&d, r, "text"),
		  "constant");
	check_bytes(r, "three", "\1\1\1\1\1\1", 6);
	check_bytes(r, "name", "just twelve.", 12);
	check_bytes(r, "bytes", "\2\2\2\2\2\2\2\2", 8);
	check_bytes(r, "matrix", matrix, sizeof(matrix));
}

/* ---- dynamic fields ---- */

static unsigned long bits[64] = { 0xdeadbeef00ul, 0x3f, ~0ul };
static const struct sockaddr address = { .sa_family = AF_INET, .sa_data = "x" };

static __attribute__((format(printf, 3, 4))) void
hit_dynamic(const char *text, int len, const char *fmt, ...)
{
	va_list va;

	va_start(va, fmt);
	trace_field_data(text, len, bits, &address, fmt, &va);
	trace_field_rel(text, len, bits, &address, fmt, &va);
	va_end(va);
}

static void check_dynamic(const char *event, size_t nth, const char *text,
			  int len, const char *message)
{
	const struct trace_record *r = find(event, nth);
	size_t cpus_bytes = (d.control->nr_cpus + 63) / 64 * 8;
	struct sockaddr new_address = address;
	unsigned long new_bits[64];
	char some[64] = "";

	memcpy(new_bits, bits, sizeof(bits));
	memcpy(some, text, (size_t)len);
	check_bytes(r, "list", "\5\5\5\5\5\5\5\5\5\5\5\5", 4 * (uint32_t)len);
	CHECK_STR(trace_string(&d, r, "text"), text);
	CHECK_STR(trace_string(&d, r, "old"), text);
	CHECK_STR(trace_string(&d, r, "some"), some);
	CHECK_STR(trace_string(&d, r, "some_old"), some);
	CHECK_STR(trace_string(&d, r, "some_new"), some);
	CHECK_STR(trace_string(&d, r, "message"), message);
	new_bits[0] |= 1;
	check_bytes(r, "bits", new_bits, 16);
	new_bits[0] = bits[0] | 2;
	check_bytes(r, "cpus", new_bits, (uint32_t)cpus_bytes);
	new_address.sa_data[0] = 'd';
	check_bytes(r, "address", &new_address, sizeof(new_address));
}

static void check_dynamic_all(const char *event)
{
	uint32_t bytes;

	check_dynamic(event, 0, "hello", 3, "n=42 s");
	check_dynamic(event, 1, "", 0, "");
	/* Fields whose source is NULL contain as much of "(null)" as fits. */
	CHECK_STR(trace_string(&d, find(event, 2), "text"), "(null)");
	CHECK_STR(trace_string(&d, find(event, 2), "some_old"), "(null)");
	CHECK_STR(trace_string(&d, find(event, 2), "some_new"), "(null)");
	/* A formatted message that is too long is truncated, and ends with "...". */
	trace_bytes(&d, find(event, 3), "message", &bytes);
	CHECK_EQ(bytes, ULF_VSTRING_MAX);
	CHECK_STR(trace_string(&d, find(event, 3), "message") + 505, "   ...");
}

static void hit_dynamic_all(void)
{
	hit_dynamic("hello", 3, "n=%d %s", 42, "s");
	hit_dynamic("", 0, "%s", "");
	hit_dynamic(NULL, 1, "%d", 1);
	hit_dynamic("x", 1, "%1000d", 1);
}

/* ---- strings that are too long ---- */

static char huge[2][20000];

static void hit_long(void)
{
	char *two = strdup("ab");

	CHECK(two);
	memset(huge[0], 'a', sizeof(huge[0]) - 1);
	memset(huge[1], 'b', sizeof(huge[1]) - 1);
	trace_field_long(huge[0] + 19000, huge[1] + 19000, 3);	/* all fit */
	trace_field_long("short", huge[1], 3);
	trace_field_long(huge[0], huge[1], 10000);
	trace_field_long(huge[0] + 16000, "", 0);		/* 3999 bytes fit */
	trace_field_long(huge[0] + 15900, "", 0);		/* 4099 bytes do not fit */
	trace_field_long("", two, 10);		/* reads nothing after the NUL */
	free(two);
}

/* Check that the string has @len characters, of which the last three are dots. */
static void check_cut(size_t nth, const char *field, char c, size_t len)
{
	const char *s = trace_string(&d, find("field_long", nth), field);

	CHECK_EQ(strlen(s), len);
	CHECK_STR(s + len - 3, "...");
	for (size_t i = 0; i < len - 3; i++)
		CHECK_EQ(s[i], c);
}

static void check_long(void)
{
	/* The record has 8 bytes of trace_entry and four words. */
	size_t left = ULF_RECORD_MAX - 24, room;
	uint32_t bytes;

	CHECK_EQ(strlen(trace_string(&d, find("field_long", 0), "a")), 999);
	CHECK_EQ(strlen(trace_string(&d, find("field_long", 0), "b")), 999);
	CHECK_STR(trace_string(&d, find("field_long", 0), "c"), "bbb");

	CHECK_STR(trace_string(&d, find("field_long", 1), "a"), "short");
	room = left - 6 - (left - 6) / 8;
	check_cut(1, "b", 'b', room - 1);
	CHECK_STR(trace_string(&d, find("field_long", 1), "c"), "bbb");

	room = left - left / 8;
	check_cut(2, "a", 'a', room - 1);
	left -= room;
	room = left - left / 8;
	check_cut(2, "b", 'b', room - 1);
	left -= room;
	room = left - left / 8;
	check_cut(2, "c", 'b', room - 1);

	CHECK_EQ(strlen(trace_string(&d, find("field_long", 3), "a")), 3999);
	left = ULF_RECORD_MAX - 24;
	check_cut(4, "a", 'a', left - left / 8 - 1);
	trace_bytes(&d, find("field_long", 5), "c", &bytes);
	CHECK_EQ(bytes, 11);
	CHECK_STR(trace_string(&d, find("field_long", 5), "c"), "ab");
	for (size_t i = 0; i < 6; i++)
		CHECK_EQ(trace_number(&d, find("field_long", i), "end"), 4711);
}

/* Hits with a negative length are counted, and write no record. */
static void check_too_big(void)
{
	uint64_t before = trace_buffer(&d)->too_big;

	trace_field_long("", "b", -2);
	hit_dynamic("x", -1, "%d", 1);
	CHECK_EQ(trace_drain(&d, SYSTEM, "field_long"), 0);
	CHECK_EQ(trace_drain(&d, SYSTEM, "field_data"), 0);
	CHECK_EQ(trace_buffer(&d)->too_big, before + 3);
}

/* ---- all tests ---- */

static void hit_all(void)
{
	trace_field_plain(&here, "just twelve.");
	hit_dynamic_all();
	trace_field_print(COLOR_RED, 1234567890123ull);
	trace_field_helpers(COLOR_RED, 1);
	trace_field_scratch(COLOR_DARK_RED, 2);
	hit_long();
}

static void enable_all(bool on)
{
	for (size_t i = 0; i < NR_EVENTS; i++)
		CHECK_EQ(driver_enable(&d, SYSTEM, events[i], on), 0);
}

int main(void)
{
	trace_open(&d, getpid());
	check_formats(&d, SYSTEM, "fields.formats");
	enable_all(true);
	hit_all();
	trace_read(&d, &trace);
	CHECK_EQ(trace.lost, 0);
	check_plain();
	check_dynamic_all("field_data");
	check_dynamic_all("field_rel");
	CHECK_EQ(trace_number(&d, find("field_rel", 0), "between"), 200);
	CHECK_EQ(trace_number(&d, find("field_print", 0), "ns"), 1234567890123);
	CHECK_EQ(trace_number(&d, find("field_scratch", 0), "color"), -7);
	check_long();
	trace_free(&trace);
	check_too_big();
	enable_all(false);
	hit_all();
	CHECK_EQ(trace_drain(&d, SYSTEM, "field_plain"), 0);
	driver_close(&d);
	return 0;
}
