/* SPDX-License-Identifier: MIT */
/*
 * Names for numbers in filters: names of the program's constants, and texts that a field
 * prints.  Numbers, strings and lists keep their meaning.
 */
#include "filter_run.h"

#include "base/bits.h"
#include "base/nearest.h"
#include "event/print.h"

#define PRINT_FMT \
	"\"op=%s level=%s flags=%s some=%s\", " \
	"__print_symbolic(REC->op, { OP_GET, \"get\" }, { 2, \"set\" }, { 3, \"a b\" }, " \
		"{ 4, \"twice\" }, { 5, \"twice\" }, { (OP_LAST), \"last\" }, { 7, \"LEVEL\" }), " \
	"__print_symbolic(REC->level, { -1, \"low\" }, { 1, \"get\" }, { 2, \"LEVEL_TOP\" }), " \
	"__print_flags(REC->flags, \"|\", { 0x1, \"R\" }, { 0x2, \"W\" }), " \
	"__print_flags(REC->flags & 0xf0, \"|\", { BIT_HIGH, \"H\" })"

struct rec_names {
	uint8_t common[8];
	int32_t op;
	int16_t level;
	uint8_t flags, pad;
	char name[8];
};

static const int64_t values[] = { 1, 2, 3, 4, 5, 6, 7, -1, 1, 2, 1, 2, 0x80 };

static struct event_format *make_format(void)
{
	static const struct {
		const char *type, *name;
		uint32_t offset, size;
		bool is_signed;
	} fields[] = {
		{ "int", "op", 8, 4, true }, { "short", "level", 12, 2, true },
		{ "u8", "flags", 14, 1, false }, { "char[8]", "name", 16, 8, false },
	};
	struct event_format *fmt = event_format_alloc("test", "names", 1, PRINT_FMT);

	assert_non_null(fmt);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		assert_int_equal(event_format_add_field(fmt, fields[i].type, fields[i].name,
							fields[i].offset, fields[i].size,
							fields[i].is_signed), 0);
	fmt->values = malloc(sizeof(values));
	assert_non_null(fmt->values);
	memcpy(fmt->values, values, sizeof(values));
	fmt->nr_values = ARRAY_SIZE(values);
	return fmt;
}

static void names(void *ctx, const struct event_format *fmt, uint32_t offset,
		  filter_name_fn *each, void *arg)
{
	(void)fmt;
	/* names as TRACE_DEFINE_ENUM() records them */
	each(arg, "LEVEL", 5, 9, true);
	each(arg, "CPUS", 4, 9, true);
	each(arg, "CPUS_ALL", 8, 2, true);
	each(arg, "NEGATIVE", 8, (uint64_t)-1, true);
	print_each_symbol(ctx, offset, each, arg);
}

static const struct {
	const char *text;
	int code;			/* -1: the filter is right */
	uint32_t pos;			/* position of the caret */
	const char *near;
	int op, level, flags;		/* values of a record, and whether it matches */
	bool passes;
} cases[] = {
	/* identifiers of the program: from TRACE_DEFINE_ENUM(), and in the tables */
	{ "op == LEVEL", -1, 0, NULL, 9, 0, 0, true },
	{ "op == LEVEL", -1, 0, NULL, 7, 0, 0, false },	/* the text of another row */
	{ "op == OP_GET", -1, 0, NULL, 1, 0, 0, true },
	{ "level == OP_GET", -1, 0, NULL, 0, 1, 0, true },
	{ "op==OP_GET||op==CPUS_ALL", -1, 0, NULL, 2, 0, 0, true },
	{ "op >= OP_GET && op < CPUS_ALL", -1, 0, NULL, 1, 0, 0, true },
	{ "(op != OP_GET)", -1, 0, NULL, 1, 0, 0, false },
	{ "level == NEGATIVE", -1, 0, NULL, 0, -1, 0, true },
	{ "op > NEGATIVE", -1, 0, NULL, 0, 0, 0, true },
	{ "op == \"OP_GET\"", -1, 0, NULL, 1, 0, 0, true },
	/* texts of the field's own table */
	{ "op == \"set\"", -1, 0, NULL, 2, 0, 0, true },
	{ "op == 'set' && op != \"a b\"", -1, 0, NULL, 2, 0, 0, true },
	{ "op == set", -1, 0, NULL, 2, 0, 0, true },
	{ "op == \"a b\"", -1, 0, NULL, 3, 0, 0, true },
	{ "op != \"a b\"", -1, 0, NULL, 3, 0, 0, false },
	{ "op == get", -1, 0, NULL, 1, 0, 0, true },
	{ "level == get || level == low", -1, 0, NULL, 0, -1, 0, true },
	{ "level == LEVEL_TOP", -1, 0, NULL, 0, 2, 0, true },
	{ "op == last", -1, 0, NULL, 6, 0, 0, true },
	/* flags */
	{ "flags & W", -1, 0, NULL, 0, 0, 3, true },
	{ "flags & \"W\"", -1, 0, NULL, 0, 0, 1, false },
	{ "flags & H && !(flags & R)", -1, 0, NULL, 0, 0, 0x80, true },
	{ "flags & BIT_HIGH", -1, 0, NULL, 0, 0, 0x81, true },
	{ "flags == R", -1, 0, NULL, 0, 0, 3, false },
	/* other texts keep their meaning */
	{ "op == 2", -1, 0, NULL, 2, 0, 0, true },
	{ "name == \"set\"", -1, 0, NULL, 0, 0, 0, true },
	{ "CPU & CPUS{0-1}", -1, 0, NULL, 0, 0, 0, true },
	{ "name == set", FILTER_ERR_INVALID_VALUE, 9, NULL, 0, 0, 0, false },
	{ "op ~ \"set\"", FILTER_ERR_EXPECT_DIGIT, 6, "set", 0, 0, 0, false },
	{ "op < \"set\"", FILTER_ERR_ILLEGAL_FIELD_OP, 6, NULL, 0, 0, 0, false },
	{ "op == low", FILTER_ERR_INVALID_VALUE, 7, NULL, 0, 0, 0, false },
	{ "op == OP_LAST", FILTER_ERR_INVALID_VALUE, 7, NULL, 0, 0, 0, false },
	{ "op == \"low\"", FILTER_ERR_EXPECT_DIGIT, 7, NULL, 0, 0, 0, false },
	{ "op == twice", FILTER_ERR_AMBIGUOUS_NAME, 7, NULL, 0, 0, 0, false },
	{ "op == OP_GET2 && op == 1", FILTER_ERR_INVALID_VALUE, 7, "OP_GET", 0, 0, 0, false },
	{ "op==OPGET", FILTER_ERR_INVALID_VALUE, 5, "OP_GET", 0, 0, 0, false },
	{ "op != op_get", FILTER_ERR_INVALID_VALUE, 7, "OP_GET", 0, 0, 0, false },
	{ "op == \"stte\"", FILTER_ERR_EXPECT_DIGIT, 7, NULL, 0, 0, 0, false },
	{ "op == \"ste\"", FILTER_ERR_EXPECT_DIGIT, 7, "set", 0, 0, 0, false },
	{ "flags & BIT_HIHG", FILTER_ERR_INVALID_VALUE, 9, "BIT_HIGH", 0, 0, 0, false },
	{ "op == ", FILTER_ERR_INVALID_VALUE, 7, NULL, 0, 0, 0, false },
	{ "levl == 1", FILTER_ERR_FIELD_NOT_FOUND, 5, "level", 0, 0, 0, false },
	{ "op == 1 && common_pdi == 1", FILTER_ERR_FIELD_NOT_FOUND, 22, "common_pid",
	  0, 0, 0, false },
	{ "Cpu == 1", FILTER_ERR_FIELD_NOT_FOUND, 4, "CPU", 0, 0, 0, false },
	{ "quite_another == 1", FILTER_ERR_FIELD_NOT_FOUND, 14, NULL, 0, 0, 0, false },
};

static void check_right(size_t i, const struct filter_program *program)
{
	struct rec_names rec = {
		.op = cases[i].op, .level = (int16_t)cases[i].level,
		.flags = (uint8_t)cases[i].flags, .name = "set",
	};
	struct filter_context ctx = { .cpu = 1, .tid = (uint32_t)getpid() };

	assert_int_equal(filter_verify(program, filter_program_bytes(program), sizeof(rec)),
			 0);
	if (filter_match(program, &rec, sizeof(rec), &ctx) != cases[i].passes)
		fail_msg("%s: %s", cases[i].text, cases[i].passes ? "dropped" : "kept");
}

static void check_wrong(size_t i, const struct event_format *fmt,
			const struct filter_env *env, const struct filter_error *error)
{
	struct nearest near;
	const char *name = filter_error_near(fmt, cases[i].text, env, error, &near);

	if ((int)error->code != cases[i].code || error->pos != cases[i].pos)
		fail_msg("%s: %s at %u", cases[i].text, filter_error_text(error->code),
			 error->pos);
	if (!name != !cases[i].near || (name && strcmp(name, cases[i].near)))
		fail_msg("%s: near is %s", cases[i].text, name ? name : "nothing");
}

static void compares_names(void **state)
{
	struct filter_env env = { .nr_cpus = TEST_CPUS, .names = names };
	struct event_format *fmt = make_format();
	struct print_program *print;

	(void)state;
	assert_int_equal(print_compile(fmt, &print), 0);
	env.ctx = print;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct filter_program *program = NULL;
		struct filter_error error;
		int r = filter_compile(fmt, cases[i].text, &env, &program, &error);

		if ((r == 0) != (cases[i].code < 0))
			fail_msg("%s: %d", cases[i].text, r);
		if (r)
			check_wrong(i, fmt, &env, &error);
		else
			check_right(i, program);
		free(program);
	}
	print_program_free(print);
	event_format_free(fmt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
