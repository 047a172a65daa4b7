/* SPDX-License-Identifier: MIT */
/* Matching of filters: every operator on every type, strings, masks, logic. */
#include "filter_run.h"

#include <stdio.h>
#include <sys/mman.h>

#include <ulf/record.h>

struct match_case {
	const char *text;
	bool match;
};

static void run_cases(const struct rec *r, const struct match_case *cases,
		      size_t nr)
{
	struct event_format *fmt = rec_format("");

	for (size_t i = 0; i < nr; i++) {
		if (run_filter(fmt, cases[i].text, r, sizeof(*r)) != cases[i].match)
			fail_msg("%s: %d", cases[i].text, !cases[i].match);
	}
	event_format_free(fmt);
}

#define RUN(r, cases) run_cases(r, cases, sizeof(cases) / sizeof(cases[0]))

/* ---- numbers: compared with the compiler's results ---- */

static const int64_t numbers[] = {
	0, 1, 2, -1, -2, 5, 16, 100, 126, 127, 128, 129, -127, -128, -129, 254,
	255, 256, 32766, 32767, 32768, -32768, -32769, 65535, 65536, INT32_MAX,
	INT32_MAX - 1, INT32_MIN, INT32_MIN + 1, 1ll << 31, 0xffffffff,
	0x100000000, 0x123456789abcdef0, INT64_MAX, INT64_MAX - 1, INT64_MIN,
	INT64_MIN + 1, (int64_t)0xfffffffffffffffe,
};

enum { NR_NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };

/* Write a number in one of the possible forms. */
static void put_number(char *to, size_t size, bool is_signed, int64_t n)
{
	static int way;
	const char *sign = is_signed && n < 0 ? "-" : "";
	uint64_t magnitude = *sign ? -(uint64_t)n : (uint64_t)n;

	/* 24 characters are refused as too long, even if the number is right */
	switch (magnitude >> 60 ? way++ % 2 : way++ % 3) {
	case 0:
		snprintf(to, size, "%s%lu", sign, magnitude);
		break;
	case 1:
		snprintf(to, size, "%s0x%lX", sign, magnitude);
		break;
	case 2:
		snprintf(to, size, "%s0%lo", sign, magnitude);
		break;
	}
}

#define CHECK_NUMBERS(type, field)					\
static void check_##field(const struct event_format *fmt)		\
{									\
	struct rec r = { 0 };						\
									\
	for (int op = 0; op < 7; op++) {				\
		for (int i = 0; i < NR_NUMBERS * NR_NUMBERS; i++) {	\
			type a = (type)numbers[i % NR_NUMBERS];		\
			type b = (type)numbers[i / NR_NUMBERS];		\
			bool right[] = { a == b, a != b, a < b, a <= b,	\
					 a > b, a >= b, (a & b) != 0 };	\
			char number[32], text[64];			\
									\
			put_number(number, sizeof(number), (type)-1 < 1, \
				   numbers[i / NR_NUMBERS]);		\
			snprintf(text, sizeof(text), #field "%s%s",	\
				 ops[op], number);			\
			r.field = a;					\
			if (run_filter(fmt, text, &r, sizeof(r)) !=	\
			    right[op])					\
				fail_msg("%s: with %lld %d", text,	\
					 (long long)a, !right[op]);	\
		}							\
	}								\
}

CHECK_NUMBERS(s8, b)
CHECK_NUMBERS(u8, ub)
CHECK_NUMBERS(s16, h)
CHECK_NUMBERS(u16, uh)
CHECK_NUMBERS(int, i)
CHECK_NUMBERS(unsigned int, u)
CHECK_NUMBERS(long, l)
CHECK_NUMBERS(u64, ul)

static void every_number(void **state)
{
	struct event_format *fmt = rec_format("");

	(void)state;
	check_b(fmt);
	check_ub(fmt);
	check_h(fmt);
	check_uh(fmt);
	check_i(fmt);
	check_u(fmt);
	check_l(fmt);
	check_ul(fmt);
	event_format_free(fmt);
}

static void other_fields(void **state)
{
	static const struct match_case cases[] = {
		{ "common_pid == 4711", true }, { "common_type == 7", true },
		{ "common_flags & 1", false }, { "common_preempt_count < 1", true },
		{ "flag == 1", true }, { "c == 65", true },
		{ "ptr == 0xffffc90000012340", true },
		/* u8[4] has the size of a number: 192.168.1.20 */
		{ "ip4 == 0x1401a8c0", true },
		/* other arrays and structs never match, but a filter can negate that */
		{ "mac == 0", false }, { "mac != 0", false }, { "mac < 1", false },
		{ "mac >= 0", false }, { "arr & 1", false }, { "ts > 0", false },
		{ "!(mac == 0)", true }, { "odd != 0", false },
		/* the location word of a dynamic array */
		{ "list > 0", true },
		/* the CPU of the event */
		{ "CPU == 1", true }, { "cpu != 1", false }, { "CPU < 2", true },
		{ "CPU >= 1", true }, { "CPU > 1", false }, { "CPU <= 0", false },
		{ "CPU > -1", true }, { "CPU & 1", true }, { "CPU & 2", false },
		{ "common_cpu == 1", true }, { "common_cpu == 0", false },
	};
	struct rec r;

	(void)state;
	rec_init(&r);
	RUN(&r, cases);
}

/* ---- strings ---- */

static void strings(void **state)
{
	static const struct match_case cases[] = {
		/* comm[16] is "bash" */
		{ "comm == \"bash\"", true }, { "comm == 'bash'", true },
		{ "comm == \"bas\"", false }, { "comm == \"bash \"", false },
		{ "comm == \"\"", false }, { "comm != \"bash\"", false },
		{ "comm != \"zsh\"", true },
		{ "comm == \"b*\"", false }, { "comm ~ \"b*\"", true },
		{ "comm ~ \"*sh\"", true }, { "comm ~ \"*as*\"", true },
		{ "comm ~ \"b?sh\"", true }, { "comm ~ \"b??h\"", true },
		{ "comm ~ \"b?\"", false }, { "comm ~ \"*\"", true },
		{ "comm ~ \"**\"", true }, { "comm ~ \"?????\"", false },
		{ "comm ~ \"[a-c]ash\"", true }, { "comm ~ \"[!a-c]*\"", false },
		{ "comm ~ \"[^b]ash\"", true },
		{ "comm ~ \"b*s*\"", true }, { "comm ~ \"bash\"", true },
		{ "comm ~ \"ash\"", false }, { "comm ~ \"!ba*\"", false },
		{ "comm ~ \"!sh*\"", true }, { "comm ~ \"b\\ash\"", true },
		{ "comm == \"bash-is-longer-than-the-field\"", false },
		/* full[4] has no space for a NUL */
		{ "full == \"full\"", true }, { "full == \"ful\"", false },
		{ "full == \"fullx\"", false }, { "full ~ \"*l\"", true },
		{ "full ~ \"f*\"", true }, { "full ~ \"*ulln\"", false },
		/* strings found by location words */
		{ "name == \"eth0\"", true }, { "name ~ \"eth*\"", true },
		{ "name ~ \"*0\"", true }, { "name != \"eth0\"", false },
		{ "name == \"eth\"", false }, { "name ~ \"*th*\"", true },
		{ "rel == \"rel\"", true }, { "rel ~ \"r*\"", true },
		{ "rel != \"rel\"", false },
		{ "empty == \"\"", true }, { "empty ~ \"*\"", true },
		{ "empty == \"e\"", false }, { "empty != \"\"", false },
		/* a location outside of the record never matches */
		{ "bad == \"\"", false }, { "bad != \"\"", false },
		{ "bad ~ \"*\"", false }, { "!(bad == \"\")", true },
		/* the name of the thread */
		{ "COMM == \"worker/0\"", true }, { "COMM ~ \"*/0\"", true },
		{ "COMM != \"worker/0\"", false }, { "COMM == \"bash\"", false },
	};
	struct rec r;

	(void)state;
	rec_init(&r);
	RUN(&r, cases);
}

static void open_array(void **state)
{
	struct event_format *fmt = event_format_alloc("test", "print", 5, "");
	static const char rec[16] = "........text";

	(void)state;
	assert_non_null(fmt);
	assert_int_equal(event_format_add_field(fmt, "char[]", "buf", 8, 0,
						false), 0);
	assert_true(run_filter(fmt, "buf == \"text\"", rec, sizeof(rec)));
	assert_true(run_filter(fmt, "buf == \"text\"", rec, 12));
	assert_true(run_filter(fmt, "buf == \"te\"", rec, 10));
	assert_true(run_filter(fmt, "buf == \"\"", rec, 8));
	assert_false(run_filter(fmt, "buf == \"\"", rec, 7));
	event_format_free(fmt);
}

static void digits_first(void **state)
{
	static const struct match_case cases[] = {
		{ "comm ~ \"0*\"", true }, { "comm ~ \"!1*\"", true },
		{ "comm ~ \"0ab?\"", true },
	};
	struct rec r = { .comm = "0abc" };

	(void)state;
	RUN(&r, cases);
}

static void no_comm(void **state)
{
	struct event_format *fmt = event_format_alloc("test", "bare", 1, "");
	struct filter_program *program = must_compile(fmt, "comm != \"x\"");
	const struct filter_context ctx = { .cpu = 0 };
	char rec[8] = "";

	(void)state;
	assert_false(filter_match(program, rec, sizeof(rec), &ctx));
	free(program);
	event_format_free(fmt);
}

/* ---- pointers ---- */

static bool match_at(const char *text, const char *str)
{
	struct event_format *fmt = rec_format("");
	struct rec r = { .str = str };
	bool match = run_filter(fmt, text, &r, sizeof(r));

	event_format_free(fmt);
	return match;
}

static void pointers(void **state)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(map != MAP_FAILED);
	assert_true(match_at("str == \"constant\"", "constant"));
	assert_true(match_at("str.ustring ~ \"con*\"", "constant"));
	assert_false(match_at("str != \"constant\"", "constant"));
	assert_true(match_at("str != \"constant\"", ""));
	assert_true(match_at("str == \"\"", ""));
	/* across the end of a page, also if the next page cannot be read */
	memcpy(map + page - 3, "across", 7);
	assert_true(match_at("str == \"across\"", map + page - 3));
	assert_int_equal(mprotect(map + page, page, PROT_NONE), 0);
	assert_false(match_at("str == \"across\"", map + page - 3));
	assert_false(match_at("str ~ \"acr*\"", map + page - 3));
	map[page - 1] = '\0';
	assert_true(match_at("str == \"ac\"", map + page - 3));
	/* a pointer that cannot be read never matches */
	assert_false(match_at("str == \"\"", NULL));
	assert_false(match_at("str != \"x\"", NULL));
	assert_false(match_at("str != \"x\"", map + page));
	assert_false(match_at("str != \"x\"", (char *)UINTPTR_MAX));
	assert_false(match_at("str != \"x\"", (char *)0xffff800000000000));
	assert_true(match_at("!(str == \"x\")", NULL));
	/* a long string is truncated */
	memset(map, 'x', page);
	map[1023] = 'y';
	assert_true(match_at("str ~ \"*x\"", map));
	assert_true(match_at("str ~ \"*y\"", map + 1));
	munmap(map, 2 * page);
}

/* ---- functions, CPUs, masks ---- */

static void functions(void **state)
{
	static const struct { u64 addr; bool match; } cases[] = {
		{ 0, false }, { 0xfff, false }, { 0x1000, true }, { 0x10ff, true },
		{ 0x1100, false }, { UINT64_MAX, false },
	};
	struct event_format *fmt = rec_format("");
	struct rec r = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r.ptr = (void *)cases[i].addr;
		r.ul = cases[i].addr;
		r.i = 1;
		assert_int_equal(run_filter(fmt, "ptr.function == schedule", &r,
					    sizeof(r)), cases[i].match);
		assert_int_equal(run_filter(fmt, "ul.function != 0x1080", &r,
					    sizeof(r)), !cases[i].match);
		assert_int_equal(run_filter(fmt, "ul.function == schedule && i == 1",
					    &r, sizeof(r)), cases[i].match);
		assert_int_equal(run_filter(fmt, "!(ul.function == schedule )",
					    &r, sizeof(r)), !cases[i].match);
	}
	event_format_free(fmt);
}

/* Names of C++: blanks in brackets, quotes, and several functions of one name. */
static void written_functions(void **state)
{
	static const struct { const char *text; bool first, second; } cases[] = {
		{ "ul.function == A::f", true, true },
		{ "ul.function != A::f", false, false },
		{ "ul.function == \"A::f\"", true, true },
		{ "ul.function == 'A::f'", true, true },
		{ "ul.function == A::f && i == 1", true, true },
		{ "i == 2 || ul.function == A::f", true, true },
		{ "!(ul.function == A::f)", false, false },
		{ "(ul.function == A::f) && (i == 1)", true, true },
		{ "ul.function == A::f(int, char const*) const", false, true },
		{ "ul.function == A::f(int, char const*) const && i == 1", false, true },
		{ "(ul.function == A::f(int, char const*) const) && i == 1", false, true },
		{ "ul.function == \"A::f() &&\" && i == 1", true, false },
		{ "ul.function == \"A::f() &&\" || ul.function == schedule", true, false },
	};
	struct event_format *fmt = rec_format("");
	struct rec r = { .i = 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r.ul = 0x200f;
		assert_int_equal(run_filter(fmt, cases[i].text, &r, sizeof(r)), cases[i].first);
		r.ul = 0x3000;
		assert_int_equal(run_filter(fmt, cases[i].text, &r, sizeof(r)), cases[i].second);
		/* Between the two functions, and at the symbol without a size. */
		r.ul = 0x2800;
		assert_int_equal(run_filter(fmt, cases[i].text, &r, sizeof(r)),
				 strstr(cases[i].text, "!=") || *cases[i].text == '!');
	}
	event_format_free(fmt);
}

/* A wrong name: the position of the caret, and that the search for similar names sees this
 * name. */
static void wrong_functions(void **state)
{
	static const struct {
		const char *text, *name;
		uint32_t pos;
		enum filter_error_code code;
	} cases[] = {
		{ "ul.function == none", "none", 20, FILTER_ERR_NO_FUNCTION },
		{ "(ul.function == schedule)", "schedule)", 26, FILTER_ERR_NO_FUNCTION },
		{ "ul.function == none && i == 1", "none", 20, FILTER_ERR_NO_FUNCTION },
		{ "ul.function == A::g(int, int) && i == 1", "A::g(int, int)", 30,
		  FILTER_ERR_NO_FUNCTION },
		{ "(ul.function == A::g(int, int)) || i == 1", "A::g(int, int)", 31,
		  FILTER_ERR_NO_FUNCTION },
		{ "ul.function == \"A::g() &&\" && i == 1", "A::g() &&", 27,
		  FILTER_ERR_NO_FUNCTION },
		{ "ul.function == \"schedule\" && i == 1", "\"schedule\"", 26,
		  FILTER_ERR_NO_FUNCTION },
		{ "ul.function == A::operator<< && i == 1", "A::operator<<", 29,
		  FILTER_ERR_NO_FUNCTION },
		{ "ul.function == many", "many", 20, FILTER_ERR_TOO_MANY_FUNCTIONS },
	};
	struct event_format *fmt = rec_format("");
	struct filter_program *program;
	struct filter_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name;
		size_t at = 0, len;

		assert_int_equal(filter_compile(fmt, cases[i].text, &test_env, &program, &err),
				 -EINVAL);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(err.pos, cases[i].pos);
		assert_true(filter_next_function(cases[i].text, &at, &name, &len));
		assert_int_equal(at + 1, cases[i].pos);
		assert_int_equal(len, strlen(cases[i].name));
		assert_memory_equal(name, cases[i].name, len);
		assert_false(filter_next_function(cases[i].text, &at, &name, &len));
	}
	event_format_free(fmt);
}

static struct event_format *mask_format(void)
{
	struct event_format *fmt = event_format_alloc("test", "mask", 1, "");

	assert_non_null(fmt);
	assert_int_equal(event_format_add_field(fmt, "__data_loc cpumask_t",
						"mask", 8, 4, false), 0);
	assert_int_equal(event_format_add_field(fmt, "__rel_loc unsigned long[]",
						"rel", 12, 4, false), 0);
	assert_int_equal(event_format_add_field(fmt, "int", "n", 16, 4, true), 0);
	assert_int_equal(event_format_add_field(fmt, "u8", "small", 20, 1,
						false), 0);
	return fmt;
}

struct mask_rec {
	u64 common;
	u32 mask, rel;
	int n;
	u8 small;
	u64 bits[2];
};

static void cpu_masks(void **state)
{
	static const struct { const char *text; u64 bits; int n; bool match; } cases[] = {
		{ "mask & CPUS{0-1}", 1, 0, true },
		{ "mask & CPUS{0-1}", 4, 0, false },
		{ "mask & CPUS{0-1}", 6, 0, true },
		{ "mask & CPUS{1}", 2, 0, true },
		{ "mask & CPUS{1}", 1, 0, false },
		{ "mask == CPUS{1}", 2, 0, true },
		{ "mask == CPUS{1}", 3, 0, false },
		{ "mask == CPUS{0,1}", 3, 0, true },
		{ "mask == CPUS{0,1}", 7, 0, false },
		{ "mask == CPUS{,}", 0, 0, true },
		{ "mask != CPUS{1}", 2, 0, false },
		{ "mask != CPUS{1}", 6, 0, true },
		{ "mask == CPUS{0}", 1ull << 63 | 1, 0, false },
		{ "rel == CPUS{0,1}", 3, 0, true },
		{ "rel & CPUS{1}", 1, 0, false },
		{ "rel != CPUS{all}", 3, 0, false },
		{ "n & CPUS{0-1}", 0, 0, true },
		{ "n & CPUS{0-1}", 0, 1, true },
		{ "n & CPUS{0-1}", 0, 2, false },
		{ "n & CPUS{0-1}", 0, -1, false },
		{ "n & CPUS{1}", 0, 1, true },
		{ "n & CPUS{1}", 0, 3, false },
		{ "n == CPUS{1}", 0, 1, true },
		{ "n != CPUS{1}", 0, 1, false },
		{ "n != CPUS{1}", 0, 7, true },
		/* one number is not two CPUs; a number that is no CPU never matches */
		{ "n == CPUS{0-1}", 0, 1, false },
		{ "n != CPUS{0-1}", 0, 1, true },
		{ "n != CPUS{0-1}", 0, 2, false },
		{ "n != CPUS{,}", 0, 1, true },
		{ "n == CPUS{,}", 0, 1, false },
		{ "small & CPUS{0-N:1/2}", 0, 0, true },
		{ "small & CPUS{0-N:1/2}", 0, 1, false },
		/* the event is on CPU 1 */
		{ "CPU & CPUS{0-1}", 0, 0, true },
		{ "CPU & CPUS{0}", 0, 0, false },
		{ "CPU == CPUS{1}", 0, 0, true },
		{ "CPU == CPUS{0-1}", 0, 0, false },
		{ "CPU != CPUS{0-1}", 0, 0, true },
	};
	struct event_format *fmt = mask_format();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mask_rec r = {
			.mask = REC_LOC(offsetof(struct mask_rec, bits), 16),
			.rel = REC_LOC(offsetof(struct mask_rec, bits) - 16, 1),
			.n = cases[i].n, .small = (u8)cases[i].n,
			.bits = { cases[i].bits },
		};

		if (run_filter(fmt, cases[i].text, &r, sizeof(r)) != cases[i].match)
			fail_msg("%s: %d", cases[i].text, !cases[i].match);
	}
	event_format_free(fmt);
}

/* The type of filter of __field_ext() takes precedence over the field's type. */
static void said_by_field_ext(void **state)
{
	static const struct { uint8_t filter; const char *text; bool match; } cases[] = {
		{ FILTER_OTHER, "x == 0x6261", true },
		{ FILTER_STATIC_STRING, "x == \"ab\"", true },
		{ FILTER_COMM, "x == \"worker/0\"", true },
		{ FILTER_CPU, "x == 1", true },
		{ FILTER_PTR_STRING, "x == \"ab\"", false },
	};
	struct { u64 common; char x[8]; } rec = { 0, "ab" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_format *fmt = event_format_alloc("t", "t", 1, "");

		assert_int_equal(event_format_add_field(fmt, "u64", "x", 8, 8,
							false), 0);
		fmt->fields[0].filter = cases[i].filter;
		assert_int_equal(run_filter(fmt, cases[i].text, &rec, sizeof(rec)),
				 cases[i].match);
		event_format_free(fmt);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number),
		cmocka_unit_test(other_fields),
		cmocka_unit_test(strings),
		cmocka_unit_test(open_array),
		cmocka_unit_test(digits_first),
		cmocka_unit_test(no_comm),
		cmocka_unit_test(pointers),
		cmocka_unit_test(functions),
		cmocka_unit_test(written_functions),
		cmocka_unit_test(wrong_functions),
		cmocka_unit_test(cpu_masks),
		cmocka_unit_test(said_by_field_ext),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
