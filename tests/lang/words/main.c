/* SPDX-License-Identifier: MIT */
/* The language in C, C++ and libraries: the records, and the texts of `format`.
 * tests/lang/fields has every kind of field, tests/lang/kinds every kind of event. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "formats.h"
#include <trace/events/words.h>
#include <ulf/record.h>
#include "library_trace.h"
#include "rel/rel.h"
#include "sub/sub_trace.h"
#include "use.h"

static struct driver d;
static struct trace trace;

static const char *const events[][2] = {
	{ "words", "word_fields" }, { "words", "word_arrays" },
	{ "words", "word_strings" }, { "words", "word_strings_new" },
	{ "words", "word_dynamic" }, { "words", "word_first" },
	{ "words", "word_second" }, { "words", "word_third" },
	{ "words", "word_condition" }, { "words", "word_empty" },
	{ "sub", "sub_hit" }, { "rel", "rel_hit" },
	{ "library", "library_hit" }, { "cpp", "cpp_first" },
	{ "cpp", "cpp_second" },
};
#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

static void enable_all(bool on)
{
	for (size_t i = 0; i < NR_EVENTS; i++)
		CHECK_EQ(driver_enable(&d, events[i][0], events[i][1], on), 0);
}

static const struct trace_record *find(const char *system, const char *name,
				       size_t nth)
{
	return trace_find(&d, &trace, system, name, nth);
}

/* ---- one function per word: the hits, and the expected records ---- */

static const struct words_numbers numbers = {
	.s8 = -8, .u8 = 200, .s16 = -1600, .u16 = 65000, .s32 = -320000,
	.u32 = 4000000000u, .s64 = INT64_MIN + 1, .u64 = UINT64_MAX - 1,
	.pointer = &numbers, .color = WORDS_GREEN, .flag = true,
};

static void hit_fields(void)
{
	trace_word_fields(&numbers, 'x');
}

static void check_fields(void)
{
	const struct trace_record *r = find("words", "word_fields", 0);

	CHECK_EQ(r->pid, getpid());
	CHECK_EQ(trace_number(&d, r, "c"), 'x');
	CHECK_EQ(trace_number(&d, r, "s8"), numbers.s8);
	CHECK_EQ(trace_number(&d, r, "u8"), numbers.u8);
	CHECK_EQ(trace_number(&d, r, "s16"), numbers.s16);
	CHECK_EQ(trace_number(&d, r, "u16"), numbers.u16);
	CHECK_EQ(trace_number(&d, r, "s32"), numbers.s32);
	CHECK_EQ(trace_number(&d, r, "u32"), numbers.u32);
	CHECK_EQ(trace_number(&d, r, "s64"), numbers.s64);
	CHECK_EQ(trace_number(&d, r, "u64"), numbers.u64);
	CHECK_EQ(trace_number(&d, r, "pointer"), (uintptr_t)&numbers);
	CHECK_EQ(trace_number(&d, r, "color"), WORDS_GREEN);
	CHECK_EQ(trace_number(&d, r, "flag"), 1);
	CHECK_EQ(trace_number(&d, r, "pid"), 4711);
	CHECK_EQ(trace_number(&d, r, "errno"), -5);
}

static void hit_arrays(void)
{
	const int three[3] = { 1, -2, 3 };

	trace_word_arrays(three, "a name that is too long");
}

static void check_arrays(void)
{
	const struct trace_record *r = find("words", "word_arrays", 0);
	const int three[3] = { 1, -2, 3 };
	uint32_t bytes;

	CHECK(!memcmp(trace_bytes(&d, r, "three", &bytes), three, 12));
	CHECK_EQ(bytes, 12);
	CHECK_STR(trace_string(&d, r, "name"), "a name that is ");
	CHECK(!memcmp(trace_bytes(&d, r, "odd", &bytes), "\1\2\3", 3));
	CHECK_EQ(bytes, 3);
}

static void hit_strings(void)
{
	trace_word_strings("first", "second", NULL);
	trace_word_strings("", NULL, NULL);
	trace_word_strings("x", "measured", "longer than measured");
	trace_word_strings("x", "measured", "short");
	trace_word_strings_new("xyz", "");
	trace_word_strings_new(NULL, "abc");
}

static void check_string(const char *event, size_t nth, const char *a,
			 const char *b)
{
	const struct trace_record *r = find("words", event, nth);
	uint32_t bytes;

	CHECK_STR(trace_string(&d, r, "a"), a);
	CHECK_STR(trace_string(&d, r, "b"), b);
	trace_bytes(&d, r, "a", &bytes);
	CHECK_EQ(bytes, strlen(a) + 1);
}

static void check_strings(void)
{
	check_string("word_strings", 0, "first", "second");
	CHECK_EQ(trace_number(&d, find("words", "word_strings", 0), "between"),
		 42);
	check_string("word_strings", 1, "", "(null)");
	check_string("word_strings", 2, "x", "longe...");
	check_string("word_strings", 3, "x", "short");
	check_string("word_strings_new", 0, "Xyz", "");
	check_string("word_strings_new", 1, "(null)", "abc");
}

static unsigned short list[3000];

static void hit_dynamic(void)
{
	for (int i = 0; i < 3000; i++)
		list[i] = (unsigned short)(i * 7);
	trace_word_dynamic(list, 5, "tail");
	trace_word_dynamic(list, 0, "");
	trace_word_dynamic(list, 0, "only a tail");
	/* The largest record that fits: 8 bytes of trace_entry, 4, 4, 4, and the data. */
	trace_word_dynamic(list, (ULF_RECORD_MAX - 20) / 2, "");
}

static void check_dynamic_one(size_t nth, uint32_t nr, const char *tail)
{
	const struct trace_record *r = find("words", "word_dynamic", nth);
	uint32_t bytes;

	CHECK(!memcmp(trace_bytes(&d, r, "list", &bytes), list, nr * 2));
	CHECK_EQ(bytes, nr * 2);
	CHECK_EQ(trace_number(&d, r, "bytes"), bytes);
	CHECK(!memcmp(trace_bytes(&d, r, "tail", &bytes), tail, strlen(tail)));
	CHECK_EQ(bytes, strlen(tail));
}

static void check_dynamic(void)
{
	check_dynamic_one(0, 5, "tail");
	check_dynamic_one(1, 0, "");
	check_dynamic_one(2, 0, "only a tail");
	check_dynamic_one(3, (ULF_RECORD_MAX - 20) / 2, "");
	CHECK_EQ(trace_count(&d, &trace, "words", "word_dynamic", 0), 4);
}

static void hit_classes(void)
{
	trace_word_first(1, 10);
	trace_word_second(2, 20);
	trace_word_third(3, 30);
	trace_word_condition(10);
	trace_word_condition(11);
	trace_word_empty(0);
	trace_sub_hit(44);
	trace_rel_hit(1l << 40);
}

static void check_classes(void)
{
	CHECK_EQ(trace_number(&d, find("words", "word_first", 0), "value"), 1);
	CHECK_EQ(trace_number(&d, find("words", "word_second", 0), "flags"), 20);
	CHECK_EQ(trace_number(&d, find("words", "word_third", 0), "value"), 3);
	CHECK_EQ(trace_count(&d, &trace, "words", "word_condition", 0), 1);
	CHECK_EQ(trace_number(&d, find("words", "word_condition", 0), "value"),
		 11);
	CHECK_EQ(find("words", "word_empty", 0)->bytes, 8);
	CHECK_EQ(trace_number(&d, find("sub", "sub_hit", 0), "value"), 44);
	CHECK_EQ(trace_number(&d, find("rel", "rel_hit", 0), "value"), 1l << 40);
}

static void hit_files(void)
{
	use_in_c(100);
	use_in_cpp(200);
	use_inline_again(-300);
	use_in_library(400);
	trace_library_hit("program", 401);
}

static void check_cpp(const char *event, size_t nth, const char *name,
		      int value)
{
	const struct trace_record *r = find("cpp", event, nth);
	const int pair[] = { value, -value };
	uint32_t bytes;
	const void *list = trace_bytes(&d, r, "list", &bytes);

	CHECK_STR(trace_string(&d, r, "name"), name);
	CHECK_EQ(trace_number(&d, r, "value"), value);
	CHECK_EQ(trace_number(&d, r, "positive"), value > 0);
	CHECK_STR(trace_string(&d, r, "text"), "c++text");
	CHECK_EQ(bytes, value > 0 ? sizeof(pair) : 0);
	CHECK(!memcmp(list, pair, bytes));
}

static void check_files(void)
{
	const struct trace_record *r = find("library", "library_hit", 0);

	CHECK_EQ(trace_number(&d, find("words", "word_first", 1), "value"), 100);
	CHECK_EQ(trace_number(&d, find("words", "word_second", 1), "value"),
		 200);
	CHECK_EQ(trace_number(&d, find("sub", "sub_hit", 1), "value"), 100);
	check_cpp("cpp_first", 0, "from use_cpp", 200);
	check_cpp("cpp_first", 1, "from create", -300);
	check_cpp("cpp_second", 0, "from use_cpp", 200);
	check_cpp("cpp_second", 1, "from create", -300);
	CHECK_STR(trace_string(&d, r, "who"), "library");
	CHECK_EQ(trace_number(&d, r, "value"), 400);
	r = find("library", "library_hit", 1);
	CHECK_STR(trace_string(&d, r, "who"), "program");
	CHECK_EQ(trace_number(&d, r, "value"), 401);
}

static void hit_bare(void)
{
	int value = 0;

	trace_word_bare(&value);
	CHECK_EQ(value, 0);
}

/* A length that is too large for any record is counted, and nothing is recorded.  A negative
 * length counts as too large. */
static void check_too_big(void)
{
	uint64_t before = trace_buffer(&d)->too_big;

	trace_word_dynamic(list, (ULF_RECORD_MAX - 20) / 2 + 1, "");
	trace_word_dynamic(list, 3000, "");
	trace_word_dynamic(list, 1l << 40, "");
	trace_word_dynamic(list, -1, "");
	CHECK_EQ(trace_drain(&d, "words", "word_dynamic"), 0);
	CHECK_EQ(trace_buffer(&d)->too_big, before + 4);
}

/* Check that the event's module is the object that contains @address. */
static void check_module(const char *system, const char *name,
			 const void *address)
{
	struct abi_event *rows = (void *)(d.mem + d.control->events_off);
	struct abi_module *modules = (void *)(d.mem + d.control->modules_off);
	const struct abi_module *module =
		&modules[rows[driver_find_event(&d, system, name)].module];
	char expect[PATH_MAX], path[PATH_MAX];
	Dl_info info;

	CHECK(dladdr(address, &info));
	CHECK(realpath(d.mem + module->path, path));
	CHECK(realpath(info.dli_fname, expect));
	CHECK_STR(path, expect);
	CHECK_EQ(module->base, (uintptr_t)info.dli_fbase);
}

static void check_modules(void)
{
	check_module("words", "word_fields", (const void *)use_in_c);
	check_module("library", "library_hit", library_address());
}

static void hit_all(void)
{
	hit_fields();
	hit_arrays();
	hit_strings();
	hit_dynamic();
	hit_classes();
	hit_files();
	hit_bare();
}

int main(void)
{
	trace_open(&d, getpid());
	hit_all();
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 0);
	enable_all(true);
	hit_all();
	trace_read(&d, &trace);
	CHECK_EQ(trace.lost, 0);
	check_fields();
	check_arrays();
	check_strings();
	check_dynamic();
	check_classes();
	check_files();
	trace_free(&trace);
	check_too_big();
	check_formats(&d, "words", "words.formats");
	check_formats(&d, "cpp", "cpp.formats");
	check_formats(&d, "library", "library.formats");
	check_modules();
	enable_all(false);
	hit_all();
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 0);
	trace_free(&trace);
	driver_close(&d);
	return 0;
}
