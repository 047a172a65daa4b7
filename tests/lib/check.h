/* SPDX-License-Identifier: MIT */
/* Messages of a test program: why it failed, or why it cannot run here. */
#ifndef ULF_TESTS_CHECK_H
#define ULF_TESTS_CHECK_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIPPED 77			/* exit status of a skipped test (tests/run) */

__attribute__((format(printf, 1, 2), noreturn, unused))
static inline void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	fflush(NULL);
	_Exit(1);
}

/* Skip the test.  tests/run shows the last line of output as the reason. */
__attribute__((format(printf, 1, 2), noreturn, unused))
static inline void skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(NULL);
	_Exit(SKIPPED);
}

#define CHECK(condition)						\
	do {								\
		if (!(condition))					\
			fail("%s:%d: %s: not true: %s", __FILE__,	\
			     __LINE__, __func__, #condition);		\
	} while (0)

#define CHECK_EQ(left, right)						\
	do {								\
		long long left_ = (long long)(left);			\
		long long right_ = (long long)(right);			\
									\
		if (left_ != right_)					\
			fail("%s:%d: %s: %s is %lld, %s is %lld",	\
			     __FILE__, __LINE__, __func__, #left,	\
			     left_, #right, right_);			\
	} while (0)

#define CHECK_STR(left, right)						\
	do {								\
		const char *left_ = (left), *right_ = (right);		\
									\
		if (strcmp(left_, right_))				\
			fail("%s:%d: %s: %s is\n%s\nand not\n%s",	\
			     __FILE__, __LINE__, __func__, #left,	\
			     left_, right_);				\
	} while (0)

#endif
