/* SPDX-License-Identifier: MIT */
/* Fields of type float and double: filters compare them as C does, and TP_printk prints them
 * as C does. */
#include "filter_run.h"

#include <math.h>
#include <stdio.h>

struct floats {
	char common[8];
	double d;
	float f;
	float list[2];
	int i;
	double limit;
	u32 dyn;
	float data[3];
};

#define FIELD(type, name)						\
	{ type, #name, offsetof(struct floats, name),			\
	  sizeof(((struct floats *)0)->name) }

static const struct {
	const char *type, *name;
	uint32_t offset, size;
} fields[] = {
	FIELD("double", d), FIELD("const float", f), FIELD("float[2]", list),
	FIELD("int", i), FIELD("double", limit), FIELD("__data_loc float[]", dyn),
};

static struct event_format *float_format(const char *print_fmt)
{
	struct event_format *fmt = event_format_alloc("test", "floats", 7, print_fmt);

	assert_non_null(fmt);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		assert_int_equal(event_format_add_field(fmt, fields[i].type,
			fields[i].name, fields[i].offset, fields[i].size, true), 0);
	return fmt;
}

/* ---- filters: compared with the compiler's results ---- */

static const double values[] = {
	0.0, -0.0, 1, -1, 1.5, -1.5, 0.1, -2.5e3, 1e-310, -1e-310, 1e-45, 3.5e38,
	-3.5e38, 1e300, -1e300, INFINITY, -INFINITY, NAN, -NAN, 16777217, 1.0000001,
};
static const double constants[] = {
	0.0, -0.0, 1, -1, 1.5, -1.5, 0.1, -2.5e3, 1e-310, -1e-310, 1e-45, 3e38, -3e38,
	16777217, 1.0000001,
};
#define NR(array) (sizeof(array) / sizeof(array[0]))

#define CHECK_FLOATS(type, field)					\
static bool is_true_##field(type a, int op, type b)			\
{									\
	switch (op) {							\
	case 0: return a == b;						\
	case 1: return a != b;						\
	case 2: return a < b;						\
	case 3: return a <= b;						\
	case 4: return a > b;						\
	default: return a >= b;						\
	}								\
}									\
									\
static void check_##field(double value, int op, double constant)	\
{									\
	static const char *const ops[] = {				\
		"==", "!=", "<", "<=", ">", ">=",			\
	};								\
	struct event_format *fmt = float_format("");			\
	struct floats r = { .field = (type)value };			\
	char text[64], not[72];						\
	bool right = is_true_##field((type)value, op, (type)constant);	\
									\
	snprintf(text, sizeof(text), #field " %s %.17g", ops[op], constant); \
	snprintf(not, sizeof(not), "!(%s)", text);			\
	if (run_filter(fmt, text, &r, sizeof(r)) != right ||		\
	    run_filter(fmt, not, &r, sizeof(r)) == right)		\
		fail_msg("%s of %g", text, value);			\
	event_format_free(fmt);						\
}

CHECK_FLOATS(double, d)
CHECK_FLOATS(float, f)

static void filters_compare_as_c_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(values); i++) {
		for (size_t k = 0; k < NR(constants); k++) {
			for (int op = 0; op < 6; op++) {
				check_d(values[i], op, constants[k]);
				check_f(values[i], op, constants[k]);
			}
		}
	}
}

static void filters_join_as_others(void **state)
{
	static const struct {
		const char *text;
		bool match;
	} cases[] = {
		{ "d > -2 && d < 2", true }, { "d < -2 || d > 1.25", true },
		{ "d == 1.5 && f == 0.1", true }, { "!(d > -2) || i == 7", true },
		{ "d < -2 || d > 2", false }, { "d == 0x1.8p0", true },
		{ "d > 15e-1", false }, { "d >= 1.", true },
		{ "!(d > -1 || i == 3) || f < 0", false },
	};
	struct floats r = { .d = 1.5, .f = 0.1f, .i = 7 };
	struct event_format *fmt = float_format("");

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		if (run_filter(fmt, cases[i].text, &r, sizeof(r)) != cases[i].match)
			fail_msg("%s", cases[i].text);
	}
	event_format_free(fmt);
}

static void wrong_numbers_are_refused(void **state)
{
	static const struct {
		const char *text;
		enum filter_error_code code;
		uint32_t pos;
	} cases[] = {
		{ "d > 1.5x", FILTER_ERR_ILLEGAL_FLOAT, 5 },
		{ "d > 1.2.3", FILTER_ERR_ILLEGAL_FLOAT, 5 },
		{ "d > -inf", FILTER_ERR_ILLEGAL_FLOAT, 5 },
		{ "d > 1e999", FILTER_ERR_ILLEGAL_FLOAT, 5 },
		{ "f > 1e39", FILTER_ERR_ILLEGAL_FLOAT, 5 },
		{ "d > 1e", FILTER_ERR_ILLEGAL_FLOAT, 5 },
		{ "d > +1", FILTER_ERR_INVALID_VALUE, 5 },
		{ "d > nan", FILTER_ERR_INVALID_VALUE, 5 },
		{ "d & 1", FILTER_ERR_ILLEGAL_FIELD_OP, 5 },
		{ "d ~ 1", FILTER_ERR_ILLEGAL_FIELD_OP, 5 },
		{ "d == \"1\"", FILTER_ERR_EXPECT_DIGIT, 6 },
		{ "i > 1.5", FILTER_ERR_INVALID_OP, 0 },
	};
	struct event_format *fmt = float_format("");

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		struct filter_program *program;
		struct filter_error err = { 0 };
		int r = filter_compile(fmt, cases[i].text, &test_env, &program, &err);

		if (!r)
			fail_msg("%s is taken", cases[i].text);
		if (cases[i].pos && (err.code != cases[i].code || err.pos != cases[i].pos))
			fail_msg("%s: %s at %u", cases[i].text,
				 filter_error_text(err.code), err.pos);
	}
	event_format_free(fmt);
}

/* ---- printing ---- */

static const struct floats sample = {
	.d = 1.5, .f = 0.1f, .list = { -2.25f, 3 }, .i = 7, .limit = -0.0,
	.dyn = (u32)offsetof(struct floats, data) | 12u << 16,
	.data = { 4.5f, 5, -6 },
};

static int print(const char *print_fmt, const struct floats *r, struct text *out)
{
	struct event_format *fmt = float_format(print_fmt);
	struct print_program *program;
	int error;

	text_init(out, 1 << 16);
	error = print_compile(fmt, &program);
	if (!error) {
		error = print_record(program, r, sizeof(*r), NULL, out);
		print_program_free(program);
	}
	event_format_free(fmt);
	return error;
}

static void printk_prints_as_c_does(void **state)
{
	static const struct {
		const char *print_fmt, *text;
	} cases[] = {
		{ "\"%f %g %e %.3f\", REC->d, REC->d, REC->d, REC->d",
		  "1.500000 1.5 1.500000e+00 1.500" },
		{ "\"%g %lf %a %G\", REC->f, REC->f, REC->d, REC->limit",
		  "0.1 0.100000 0x1.8p+0 -0" },
		{ "\"[%8.2f][%-8.1f][%+.0f][%08.3f][%*.*f]\", REC->d, REC->d, REC->d, "
		  "REC->d, 6, 1, REC->d", "[    1.50][1.5     ][+2][0001.500][   1.5]" },
		{ "\"%g %g\", REC->list[0], REC->list[1]", "-2.25 3" },
		{ "\"%g\", ((float *)__get_dynamic_array(dyn))[2]", "-6" },
		{ "\"%g %g %g %g\", REC->d * 2, REC->i / 2.0, REC->d - REC->i, -REC->d",
		  "3 3.5 -5.5 -1.5" },
		{ "\"%g %g\", (double)REC->i / 4, (float)REC->d", "1.75 1.5" },
		{ "\"%d %d %u\", (int)REC->d, (int)-REC->d, (unsigned char)REC->d",
		  "1 -1 1" },
		{ "\"%d%d%d%d\", REC->d > 1, REC->d == 1.5, REC->d != 1.5f, REC->i < 7.5",
		  "1101" },
		{ "\"%s %s\", REC->limit ? \"yes\" : \"no\", REC->d ? \"yes\" : \"no\"",
		  "no yes" },
		{ "\"%d %d %d\", !REC->limit, REC->d && REC->limit, REC->limit || REC->d",
		  "1 0 1" },
		{ "\"%g %g\", REC->i ? REC->d : 0, 1 ? 2 : 0.5", "1.5 2" },
		{ "\"%g %g %d\", 1e3, .5 + 1., 0x1e5", "1000 1.5 485" },
		{ "\"%lu %lu\", sizeof(double), sizeof(REC->f)", "8 4" },
	};
	struct text out;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		int r = print(cases[i].print_fmt, &sample, &out);

		if (r || strcmp(text_str(&out), cases[i].text) != 0)
			fail_msg("%s: %d '%s', expected '%s'", cases[i].print_fmt, r,
				 text_str(&out), cases[i].text);
		text_done(&out);
	}
}

/* Widths, flags and precisions together print as with printf(). */
static void printk_pads_as_c_does(void **state)
{
	static const char *const flags[] = {
		"", "-", "0", "+", " ", "#", "-0", "+0", " 0", "#0", "+#0", "-+", "+ ",
	};
	static const char *const widths[] = {
		"", "1", "9", "40", ".0", ".3", ".64", "9.2", "40.12", "500.64",
	};
	char conv[32], print_fmt[64], right[1024];
	struct text out;

	(void)state;
	for (size_t i = 0; i < NR(values) * NR(flags) * NR(widths) * 7; i++) {
		const char *flag = flags[i / NR(values) % NR(flags)];
		const char *width = widths[i / NR(values) / NR(flags) % NR(widths)];
		const struct floats r = { .d = values[i % NR(values)] };
		char letter = "feEgGaA"[i / NR(values) / NR(flags) / NR(widths)];

		snprintf(conv, sizeof(conv), "%%%s%s%c", flag, width, letter);
		snprintf(print_fmt, sizeof(print_fmt), "\"%s\", REC->d", conv);
		snprintf(right, sizeof(right), conv, r.d);
		if (print(print_fmt, &r, &out) || strcmp(text_str(&out), right) != 0)
			fail_msg("%s of %g: '%s', expected '%s'", conv, r.d,
				 text_str(&out), right);
		text_done(&out);
	}
}

/* At most 64 digits after the point are printed. */
static void printk_bounds_the_precision(void **state)
{
	struct text out;

	(void)state;
	assert_int_equal(print("\"%.32767f|%.*g|%.65e\", REC->d, 32767, REC->d, REC->d",
			       &sample, &out), 0);
	assert_int_equal(out.len, 2 + 64 + 1 + 3 + 1 + 2 + 64 + 4);
	assert_non_null(strstr(text_str(&out), "|1.5|1.5"));
	text_done(&out);
}

static void printk_that_c_would_get_wrong(void **state)
{
	static const char *const cases[] = {
		"\"%d\", REC->d", "\"%f\", REC->i", "\"%s\", REC->d", "\"%Lf\", REC->d",
		"\"%g\", REC->d % 2", "\"%g\", REC->d & 1", "\"%g\", ~REC->d",
		"\"%g\", REC->d << 1", "\"%s\", (char *)REC->d", "\"%g\", 1.5.5",
	};
	struct text out;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		if (!print(cases[i], &sample, &out))
			fail_msg("%s: '%s'", cases[i], text_str(&out));
		text_done(&out);
	}
}

static void fields_without_a_print_fmt(void **state)
{
	struct event_format *fmt = float_format("");
	struct text out;

	(void)state;
	text_init(&out, 1 << 16);
	assert_int_equal(print_record_fields(fmt, &sample, sizeof(sample), NULL, &out), 0);
	if (strncmp(text_str(&out), "d=1.5 f=0.1 list=", 17))
		fail_msg("%s", text_str(&out));
	text_done(&out);
	event_format_free(fmt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_compare_as_c_does),
		cmocka_unit_test(filters_join_as_others),
		cmocka_unit_test(wrong_numbers_are_refused),
		cmocka_unit_test(printk_prints_as_c_does),
		cmocka_unit_test(printk_pads_as_c_does),
		cmocka_unit_test(printk_bounds_the_precision),
		cmocka_unit_test(printk_that_c_would_get_wrong),
		cmocka_unit_test(fields_without_a_print_fmt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
