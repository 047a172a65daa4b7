/* SPDX-License-Identifier: MIT */
/* Every macro that makes an event: which hits are recorded, with which values. */
#include <unistd.h>

#include "formats.h"
#include "kinds.h"
#include "kinds_trace.h"

static struct driver d;
static struct trace trace;
static int nr_reg, nr_unreg;

int kinds_reg(void)
{
	nr_reg++;
	return 0;
}

void kinds_unreg(void)
{
	nr_unreg++;
}

static const struct kind {
	const char *name;
	bool is_conditional;		/* records odd values only */
	bool has_functions;
} kinds[] = {
	{ "kind_plain", false, false },
	{ "kind_condition", true, false },
	{ "kind_fn", false, true },
	{ "kind_fn_cond", true, true },
	{ "kind_syscall", false, true },
	{ "kind_of_class", false, false },
	{ "kind_print", false, false },
	{ "kind_of_class_fn", false, true },
	{ "kind_of_class_cond", true, false },
	{ "kind_writable", false, false },
	{ "kind_of_syscall_class", false, false },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void hit_all(int value)
{
	trace_kind_plain(value);
	trace_kind_condition(value);
	trace_kind_fn(value);
	trace_kind_fn_cond(value);
	trace_kind_syscall(value);
	trace_kind_of_class(value);
	trace_kind_print(value);
	trace_kind_of_class_fn(value);
	trace_kind_of_class_cond(value);
	trace_kind_writable(value);
	trace_kind_of_syscall_class(value);
	trace_kind_nop(value);
	trace_kind_of_class_nop(value);
	trace_kind_nothing(value);
}

static void enable_all(bool on)
{
	for (size_t i = 0; i < NR_KINDS; i++)
		CHECK_EQ(driver_enable(&d, "kinds", kinds[i].name, on), 0);
}

static void test_records(void)
{
	int nr_functions = 0;

	for (size_t i = 0; i < NR_KINDS; i++)
		nr_functions += kinds[i].has_functions;
	enable_all(true);
	CHECK_EQ(nr_reg, nr_functions);
	CHECK_EQ(nr_unreg, 0);
	hit_all(20);
	hit_all(21);
	trace_read(&d, &trace);
	for (size_t i = 0; i < NR_KINDS; i++) {
		const struct kind *kind = &kinds[i];
		size_t nr = kind->is_conditional ? 1 : 2;

		CHECK_EQ(trace_count(&d, &trace, "kinds", kind->name, 0), nr);
		CHECK_EQ(trace_number(&d, trace_find(&d, &trace, "kinds",
						     kind->name, nr - 1),
				      "value"), 21);
	}
	trace_free(&trace);
	enable_all(false);
	CHECK_EQ(nr_unreg, nr_functions);
	hit_all(20);
	CHECK_EQ(trace_drain(&d, "kinds", "kind_plain"), 0);
}

static void test_none(void)
{
	CHECK(!trace_kind_nop_enabled());
	CHECK(!trace_kind_of_class_nop_enabled());
	CHECK(!trace_kind_nothing_enabled());
	CHECK_EQ(driver_find_event(&d, "kinds", "kind_nop"), -1);
	CHECK_EQ(driver_find_event(&d, "kinds", "kind_of_class_nop"), -1);
	CHECK_EQ(driver_find_event(&d, "kinds", "kind_bare"), -1);
}

static void add(void *data, int *value, int by)
{
	(void)data;
	*value += by;
}

static void test_bare(void)
{
	int value = 0, before = nr_reg;

	CHECK_EQ(register_trace_kind_bare(add, NULL), 0);
	CHECK_EQ(register_trace_kind_bare_cond(add, NULL), 0);
	CHECK_EQ(register_trace_kind_bare_writable(add, NULL), 0);
	CHECK(trace_kind_bare_enabled());
	trace_kind_bare(&value, 1);
	trace_kind_bare_cond(&value, 11);
	trace_kind_bare_cond(&value, 1000);
	trace_kind_bare_writable(&value, 100);
	CHECK_EQ(value, 112);
	CHECK_EQ(unregister_trace_kind_bare(add, NULL), 0);
	CHECK_EQ(unregister_trace_kind_bare_cond(add, NULL), 0);
	CHECK_EQ(unregister_trace_kind_bare_writable(add, NULL), 0);
	CHECK_EQ(hit_made_here(add), 11);
	CHECK_EQ(nr_reg, before + 1);
}

static void check_custom(const char *name, const char *field, size_t nr,
			 int64_t value)
{
	CHECK_EQ(trace_count(&d, &trace, "custom", name, 0), nr);
	if (nr)
		CHECK_EQ(trace_number(&d, trace_find(&d, &trace, "custom", name,
						     nr - 1), field), value);
}

static void hit_custom(int value)
{
	int unused = 0;

	trace_kind_plain(value);
	trace_kind_bare(&unused, value);
	trace_kind_bare_cond(&unused, value);
	trace_kind_bare_cond(&unused, value + 1);
}

/* Switch a custom event on before it is attached to its tracepoint, and use it later together
 * with the tracepoint's own event. */
static void test_custom(void)
{
	CHECK_EQ(driver_enable(&d, "custom", "kind_plain", true), 0);
	hit_custom(6);
	CHECK_EQ(trace_drain(&d, "custom", "kind_plain"), 0);
	CHECK_EQ(attach_custom(), 3);
	CHECK_EQ(driver_enable(&d, "custom", "kind_bare", true), 0);
	CHECK_EQ(driver_enable(&d, "custom", "kind_bare_cond", true), 0);
	hit_custom(6);
	CHECK_EQ(driver_enable(&d, "kinds", "kind_plain", true), 0);
	hit_custom(8);
	CHECK_EQ(driver_enable(&d, "custom", "kind_bare", false), 0);
	hit_custom(10);
	trace_read(&d, &trace);
	check_custom("kind_plain", "square", 3, 100);
	check_custom("kind_bare", "by", 2, 8);
	check_custom("kind_bare_cond", "by", 3, 11);
	CHECK_EQ(trace_count(&d, &trace, "kinds", "kind_plain", 0), 2);
	trace_free(&trace);
	CHECK_EQ(driver_enable(&d, "custom", "kind_plain", false), 0);
	CHECK_EQ(driver_enable(&d, "custom", "kind_bare_cond", false), 0);
	hit_custom(1);
	trace_read(&d, &trace);
	CHECK_EQ(trace.nr, 1);
	check_custom("kind_plain", "square", 0, 0);
	trace_free(&trace);
	/* Attaching the events again changes nothing. */
	CHECK_EQ(attach_custom(), 3);
}

int main(void)
{
	trace_open(&d, getpid());
	check_formats(&d, "kinds", "kinds.formats");
	check_formats(&d, "custom", "custom.formats");
	hit_all(21);
	test_records();
	test_none();
	test_bare();
	test_custom();
	driver_close(&d);
	return 0;
}
