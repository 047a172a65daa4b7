/* SPDX-License-Identifier: MIT */
/*
 * Expressions of print formats: the printer must compute the value that the C compiler
 * computes for the text.
 */
#include "event_rec.h"

#include <stdio.h>
#include <stdlib.h>

#define min(x, y) ({ \
	__typeof__(x) _a = (x); __typeof__(y) _b = (y); \
	(void)(&_a == (void *)&_b); _a < _b ? _a : _b; })

#define STRINGIFY_(...) #__VA_ARGS__
#define STRINGIFY(...) STRINGIFY_(__VA_ARGS__)

static void check(const char *expr, long long expected, const struct rec *r)
{
	char *print_fmt, value[32];
	struct text out;

	assert_true(asprintf(&print_fmt, "\"%%lld\", %s", expr) > 0);
	snprintf(value, sizeof(value), "%lld", expected);
	rec_print(print_fmt, r, NULL, &out);
	if (strcmp(text_str(&out), value) != 0)
		fail_msg("%s: %s, but C says %s", expr, text_str(&out), value);
	text_done(&out);
	free(print_fmt);
}

/* Check the text of the arguments against their value. */
#define C(...) check(STRINGIFY(__VA_ARGS__), (long long)(__VA_ARGS__), REC)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Woverflow"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wconstant-conversion"
#pragma GCC diagnostic ignored "-Wconstant-logical-operand"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wbitwise-op-parentheses"
#pragma GCC diagnostic ignored "-Wlogical-op-parentheses"
#pragma GCC diagnostic ignored "-Wshift-op-parentheses"
#pragma GCC diagnostic ignored "-Winteger-overflow"
#pragma GCC diagnostic ignored "-Wpointer-bool-conversion"
#else
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wint-to-pointer-cast"
#pragma GCC diagnostic ignored "-Wduplicated-branches"
#pragma GCC diagnostic ignored "-Waddress"
#endif

static void literals(void **state)
{
	const struct rec *REC = *state;

	C(0); C(42); C(-1); C(0x7fffffff); C(0x80000000); C(0xffffffff);
	C(4294967295); C(4294967296); C(2147483648); C(-2147483648);
	C(0777); C(0b101); C(1U); C(-1U); C(-1L); C(-1UL); C(1ULL << 63);
	C(0xffffffffffffffff); C(9223372036854775807); C(07);
	C('a'); C('\n'); C('\0'); C('\''); C('\\'); C('\x41'); C('\101');
	C('\xff'); C(10u); C(10lu); C(10LLU); C(true); C(false);
}

static void precedence(void **state)
{
	const struct rec *REC = *state;

	C(1 + 2 * 3); C((1 + 2) * 3); C(10 - 4 - 3); C(100 / 10 / 5);
	C(7 % 4 * 2); C(1 << 2 + 1); C(1 | 2 ^ 3 & 4); C(6 & 3 == 3);
	C(1 || 0 && 0); C(1 < 2 == 1); C(5 > 3 > 1); C(1 ? 2 : 3 ? 4 : 5);
	C(0 ? 2 : 0 ? 4 : 5); C(!0 + 1); C(~0 & 0xff); C(-2 - -3); C(- - 4);
	C(2 + 3 << 1 | 1); C(8 >> 1 >> 1); C(1 == 1 != 0); C((1, 2, 3));
	C(REC->i ?: 3); C(0 ?: 3); C(REC->i + 5 ?: REC->i);
	C(0 ? 1 : -1 ? 2 : 3);
}

static void signs_and_sizes(void **state)
{
	const struct rec *REC = *state;

	C(-1 < 0U); C(-1 < 0); C(-1L < 0U); C(-1 < 0UL); C(-1 > 1UL);
	C(REC->i < REC->u); C(REC->i > REC->u); C(REC->b < REC->ub);
	C(REC->h < REC->uh); C(REC->i / 2); C(REC->i % 3); C(REC->i / 2U);
	C(REC->i >> 1); C(REC->u >> 1); C(REC->b >> 1); C(REC->l >> 10);
	C(REC->ul >> 60); C(REC->ul >> 20 << 20); C(REC->u + 1); C(REC->u * 16);
	C(REC->u + REC->u); C(REC->uh * 2); C(REC->ub << 4); C(REC->i * REC->i);
	C(REC->u * 1UL * 16); C(-REC->u); C(-REC->ub); C(~REC->ub); C(~REC->u);
	C(!REC->i); C(!!REC->u); C(-REC->l); C(REC->l / REC->i);
	C(REC->l % 1000); C(REC->ul % 1000); C(REC->ul / 7); C(REC->l * 3);
	C(REC->i == -5); C(REC->u == 0xdeadbeef); C(REC->i == 4294967291);
	C(REC->i == 4294967291U); C(REC->flag + 1); C(REC->c + 1);
	C(1 ? -1 : 0U); C(REC->flag ? REC->i : REC->u);
	C(REC->flag ? REC->i : REC->l); C(REC->flag ? REC->b : REC->u);
	C(2147483647 + 0U + 1); C(0x80000000 + 0x80000000);
	C(REC->common_pid); C(REC->common_type + 1);
}

static void casts(void **state)
{
	const struct rec *REC = *state;

	C((unsigned char)REC->i); C((signed char)REC->u); C((char)200);
	C((short)REC->u); C((unsigned short)REC->i); C((int)REC->u);
	C((unsigned)REC->i); C((unsigned int)REC->l); C((long)REC->u);
	C((unsigned long)REC->i); C((long long)REC->b);
	C((unsigned long long)REC->h); C((u8)REC->ul); C((s8)REC->ub);
	C((u16)REC->l); C((s16)REC->uh); C((u32)REC->ul); C((s64)REC->i);
	C((u64)REC->i); C((bool)REC->i); C((bool)0); C((size_t)REC->i);
	C((int)(char)REC->ub); C((u8)REC->i + (u8)REC->i); C((u8)~0);
	C((foo_t)REC->l); C((foo_t)-1); C(sizeof(struct timespec)); C(sizeof(foo_t));
	C(REC->ts.tv_sec); C(REC->ts.tv_nsec / 1000);
	C(((void)0, 1)); C(( unsigned long)(( u32)0x400u));
	C((unsigned int)((REC->u) >> 20)); C((REC->i)); C((REC->i) - 1);
	C(-(int)REC->u); C(!(long)REC->ul); C((int)REC->u < 0);
	C((const volatile unsigned int)REC->i); C((enum x *)0 == (void *)0);
	C((u32)-1 > 0); C((unsigned long)(void *)REC->ul); C((int)'A' + (char)1);
}

static void sizes(void **state)
{
	const struct rec *REC = *state;

	C(sizeof(int)); C(sizeof(u64)); C(sizeof(unsigned char));
	C(sizeof(void *)); C(sizeof(struct rec *)); C(sizeof REC->i);
	C(sizeof(REC->comm)); C(sizeof(REC->arr)); C(sizeof(REC->arr[0]));
	C(sizeof(REC->arr) / sizeof(REC->arr[0])); C(sizeof(REC->h + 1));
	C(sizeof(REC->l + 1)); C(sizeof("abc")); C(sizeof(int) * 2);
	C(sizeof(bool)); C(-1 < sizeof(int)); C(sizeof(REC->ub));
}

static void arrays_and_pointers(void **state)
{
	const struct rec *REC = *state;

	C(REC->arr[0]); C(REC->arr[2]); C(REC->arr[REC->flag]);
	C(REC->arr[1 + 2]); C(REC->comm[0]); C(REC->comm[3] - 'a');
	C(REC->shorts[0]); C(REC->shorts[1]); C(*REC->arr);
	C(*(REC->arr + 3)); C(*(3 + REC->arr)); C(*&REC->i); C(*&REC->arr[2]);
	C(*(u16 *)&REC->u); C(*((u8 *)&REC->u + 1)); C(((u8 *)&REC->u)[3]);
	C(*(s8 *)(REC->mac + 4)); C(*(unsigned long *)REC->arr);
	C(*(&REC->arr[3] - 1)); C((&REC->arr[1])[1]);
	C(*(u16 *)((char *)REC + 0)); C(((const struct rec *)REC) != 0);
	C((REC)->i); C(REC->ptr == 0); C(!REC->ptr); C(REC->ptr ? 1 : 2);
	C("abc"[1]); C(*"x"); C((unsigned long)REC->ptr >> 40);
	C((u64)REC->ptr + 1);
}

static void statement_expressions(void **state)
{
	const struct rec *REC = *state;

	C(({ 1; 2; })); C(({ int x = 3; x + 1; }));
	C(({ int x = 3; int y = x * x; y - x; }));
	C(({ unsigned char x = 300; x; })); C(({ long x = REC->u; x; }));
	C(({ const u16 x = REC->i; x; }));
	C(({ int x = 1; ({ int x = 2; x; }) + x; }));
	C(({ __typeof__(REC->b) t = 255; t; }));
	C(({ __auto_type z = REC->arr[2]; z; }));
	C(min(REC->i, REC->h)); C(min(REC->u, 128u));
	C(min(min(REC->i, 3), min(7, REC->i + 100)));
	C(__builtin_expect(!!(REC->i), 0)); C(__builtin_bswap32(REC->u));
	C(__builtin_bswap16(REC->uh) + 1); C(__builtin_bswap64(REC->ul));
}

static void random_operands(void **state)
{
	static const s64 values[] = { 0, 1, 2, 7, 31, 63, -1, -2, INT32_MAX,
		INT32_MIN, (s64)UINT32_MAX, INT64_MAX, INT64_MIN, 0x1234 };
	static struct rec r;
	const size_t nr = sizeof(values) / sizeof(values[0]);

	(void)state;
	for (size_t a = 0; a < nr; a++) {
		for (size_t b = 0; b < nr; b++) {
			const struct rec *REC = &r;

			rec_init(&r);
			r.l = values[a];
			r.ul = values[b];
			C(REC->l & REC->ul); C(REC->l ^ REC->ul);
			C(REC->l | REC->ul); C(REC->l < REC->ul);
			C((u64)REC->l + REC->ul); C((u64)REC->l - REC->ul);
			C((u64)REC->l * REC->ul); C(REC->l >= (s64)REC->ul);
			C((u32)REC->l >> (REC->ul & 31)); C((int)REC->l != 0);
			C(REC->l >> (REC->ul & 63)); C((u64)REC->l << (REC->ul & 63));
			C((int)REC->l >= (int)REC->ul); C((u32)REC->l <= (u32)REC->ul);
			C((int)REC->l >> 3 == (s64)REC->ul); C(REC->l && REC->ul);
			C(REC->l || REC->ul);
			if (REC->ul && !(REC->ul == UINT64_MAX && REC->l == INT64_MIN)) {
				C(REC->l / (s64)REC->ul);
				C(REC->l % (s64)REC->ul);
				C((u64)REC->l / REC->ul);
				C((u64)REC->l % REC->ul);
			}
		}
	}
}

int main(void)
{
	static struct rec rec;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(literals, &rec),
		cmocka_unit_test_prestate(precedence, &rec),
		cmocka_unit_test_prestate(signs_and_sizes, &rec),
		cmocka_unit_test_prestate(casts, &rec),
		cmocka_unit_test_prestate(sizes, &rec),
		cmocka_unit_test_prestate(arrays_and_pointers, &rec),
		cmocka_unit_test_prestate(statement_expressions, &rec),
		cmocka_unit_test(random_operands),
	};

	rec_init(&rec);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#pragma GCC diagnostic pop
