/* SPDX-License-Identifier: MIT */
/* Filter programs and records that are not trusted. */
#include "filter_run.h"

/* A program with a changed bit is refused or harmless. */
static void changed_programs(void **state)
{
	static const char text[] = "(i == 5 || comm ~ \"b*\") && name != \"x\" && "
		"mask & CPUS{0-1} && !(CPU & CPUS{0,1}) && str == \"a\"";
	const struct filter_context ctx = { .cpu = 1, .get_comm = test_comm };
	const uint32_t fixed = offsetof(struct rec, data);
	struct event_format *fmt = rec_format("");
	struct filter_program *program = must_compile(fmt, text), *copy;
	size_t bytes = filter_program_bytes(program), nr_refused = 0;
	struct rec *r = malloc(sizeof(*r));

	(void)state;
	assert_non_null(r);
	rec_init(r);
	copy = malloc(bytes);
	assert_non_null(copy);
	assert_int_equal(filter_verify(program, bytes, fixed), 0);
	for (size_t bit = 0; bit < bytes * 8; bit++) {
		memcpy(copy, program, bytes);
		((uint8_t *)copy)[bit / 8] ^= 1u << bit % 8;
		if (filter_verify(copy, bytes, fixed))
			nr_refused++;
		else
			filter_match(copy, r, sizeof(*r), &ctx);
	}
	/* at least the header, and the upper bits of operators and jumps */
	assert_true(nr_refused > 16 * 8 + program->nr_insns * 20);
	free(copy);
	free(program);
	free(r);
	event_format_free(fmt);
}

static void bad_programs(void **state)
{
	struct event_format *fmt = rec_format("");
	struct filter_program *p = must_compile(fmt, "i == 5 && comm == \"x\"");
	struct filter_insn *insn = p->insns, old;
	size_t bytes = filter_program_bytes(p);
	const uint32_t fixed = offsetof(struct rec, data);

	(void)state;
	assert_int_equal(filter_verify(p, bytes, fixed), 0);
	assert_int_equal(filter_verify(p, bytes - 1, fixed), -EINVAL);
	assert_int_equal(filter_verify(p, 8, fixed), -EINVAL);
	assert_int_equal(filter_verify((char *)p + 1, bytes, fixed), -EINVAL);
	assert_int_equal(filter_verify(p, bytes, p->record_bytes - 1), -EINVAL);

#define BAD(change) do {						\
		old = *insn;						\
		change;							\
		assert_int_equal(filter_verify(p, bytes, fixed), -EINVAL); \
		*insn = old;						\
		assert_int_equal(filter_verify(p, bytes, fixed), 0);	\
	} while (0)
	BAD(insn->yes = 0);
	BAD(insn->yes = p->nr_insns + 2);
	BAD(insn->no = p->nr_insns + 2);
	BAD(insn->offset = p->record_bytes - 3);
	BAD(insn->op = FILTER_OPS);
	BAD(insn->flags = 0x80);
	insn++;
	BAD(insn->yes = 1);
	BAD(insn->pool = 1);
	BAD(insn->bytes = 2);
	BAD(insn->size = UINT16_MAX);
#undef BAD
	free(p);
	event_format_free(fmt);
}

/* A record that is too short matches no filter, and nothing after its end is read. */
static void short_records(void **state)
{
	const struct filter_context ctx = { .cpu = 1 };
	struct event_format *fmt = rec_format("");
	struct filter_program *program = must_compile(fmt, "l != 0");
	struct rec r;

	(void)state;
	rec_init(&r);
	for (size_t bytes = 0; bytes < sizeof(r); bytes++) {
		char *copy = malloc(bytes ? bytes : 1);

		assert_non_null(copy);
		memcpy(copy, &r, bytes);
		assert_int_equal(filter_match(program, copy, bytes, &ctx),
				 bytes >= offsetof(struct rec, l) + sizeof(r.l));
		free(copy);
	}
	free(program);
	event_format_free(fmt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_programs),
		cmocka_unit_test(bad_programs),
		cmocka_unit_test(short_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
