/* SPDX-License-Identifier: MIT */
/* Functions that compile and run filters, for tests of src/filter. */
#ifndef TESTS_FILTER_RUN_H
#define TESTS_FILTER_RUN_H

#include "event_rec.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "filter/filter.h"
#include "filter/run.h"

enum { TEST_CPUS = 2 };

/* Functions of the tests: schedule(), 0x100 bytes at 0x1000, and two functions A::f(). */
static inline int test_function_at(void *ctx, uint64_t addr, struct filter_range *ret_range)
{
	(void)ctx;
	if (addr < 0x1000 || addr >= 0x1100)
		return -ENOENT;
	*ret_range = (struct filter_range){ 0x1000, 0x1100 };
	return 0;
}

static inline int test_functions(void *ctx, const char *name, size_t len,
				 struct filter_range *ret_ranges)
{
	static const struct {
		const char *name;
		int nr;
		struct filter_range ranges[3];
	} all[] = {
		{ "schedule", 1, { { 0x1000, 0x1100 } } },
		{ "A::f", 3, { { 0x2000, 0x2010 }, { 0x2800, 0x2800 }, { 0x3000, 0x3010 } } },
		{ "A::f(int, char const*) const", 1, { { 0x3000, 0x3010 } } },
		{ "A::f() &&", 1, { { 0x2000, 0x2010 } } },
		{ "many", -E2BIG, { { 0 } } },
	};

	(void)ctx;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strlen(all[i].name) == len && !memcmp(all[i].name, name, len)) {
			memcpy(ret_ranges, all[i].ranges, sizeof(all[i].ranges));
			return all[i].nr;
		}
	return -ENOENT;
}

static const struct filter_env test_env = {
	.nr_cpus = TEST_CPUS,
	.functions = test_functions,
	.function_at = test_function_at,
};

static inline void test_comm(char ret_comm[FILTER_COMM_LEN])
{
	memset(ret_comm, 0, FILTER_COMM_LEN);
	strcpy(ret_comm, "worker/0");
}

/* Compile a filter that is right.  Fails the test if it is refused. */
static inline struct filter_program *
must_compile(const struct event_format *fmt, const char *text)
{
	struct filter_program *program;
	struct filter_error err;
	int r = filter_compile(fmt, text, &test_env, &program, &err);

	if (r)
		fail_msg("%s: %s at %u", text, filter_error_text(err.code),
			 err.pos);
	r = filter_verify(program, filter_program_bytes(program), 65535);
	if (r)
		fail_msg("%s: refused", text);
	return program;
}

static inline bool run_filter(const struct event_format *fmt, const char *text,
			      const void *rec, size_t bytes)
{
	struct filter_program *program = must_compile(fmt, text);
	struct filter_context ctx = {
		.cpu = 1, .tid = (uint32_t)getpid(), .get_comm = test_comm,
	};
	bool match;

	errno = ENOTTY;
	match = filter_match(program, rec, bytes, &ctx);
	assert_int_equal(errno, ENOTTY);
	free(program);
	return match;
}

#endif
