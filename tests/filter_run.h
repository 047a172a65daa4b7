/* SPDX-License-Identifier: MIT */
/* Compiling and running filters, for tests of src/filter. */
#ifndef TESTS_FILTER_RUN_H
#define TESTS_FILTER_RUN_H

#include "event_rec.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "filter/filter.h"
#include "filter/run.h"

enum { TEST_CPUS = 2 };

/* There is one function: schedule(), at 0x1000, 0x100 bytes long. */
static inline int test_function_at(void *ctx, uint64_t addr,
				   uint64_t *ret_start, uint64_t *ret_end)
{
	(void)ctx;
	if (addr < 0x1000 || addr >= 0x1100)
		return -ENOENT;
	*ret_start = 0x1000;
	*ret_end = 0x1100;
	return 0;
}

static inline int test_function(void *ctx, const char *name, size_t len,
				uint64_t *ret_start, uint64_t *ret_end)
{
	if (len != 8 || memcmp(name, "schedule", 8) != 0)
		return -ENOENT;
	return test_function_at(ctx, 0x1000, ret_start, ret_end);
}

static const struct filter_env test_env = {
	.nr_cpus = TEST_CPUS,
	.function = test_function,
	.function_at = test_function_at,
};

static inline void test_comm(char ret_comm[FILTER_COMM_LEN])
{
	memset(ret_comm, 0, FILTER_COMM_LEN);
	strcpy(ret_comm, "worker/0");
}

/* Compile a filter that must be right. */
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
