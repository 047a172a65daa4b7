// SPDX-License-Identifier: MIT
// C++ exceptions pass functions with tracepoints, which are on or off, and destructors hit
// tracepoints meanwhile.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			std::fprintf(stderr, "%d: not true: %s\n",	\
				     __LINE__, #condition);		\
			std::exit(1);					\
		}							\
	} while (0)

static int hits, others;

static void on_hit(void *data, int who, long value)
{
	(void)data;
	(void)who;
	hits += value > 0;
}

static void on_other(void *data, int who, long value)
{
	(void)data;
	(void)who;
	(void)value;
	others++;
}

struct guard {
	int depth;

	~guard()
	{
		trace_rt_other(depth, 1);
	}
};

static __attribute__((noinline)) int dive(int depth)
{
	guard g = { depth };

	trace_rt_hit(depth, 1);
	if (!depth)
		throw std::runtime_error("bottom");
	return dive(depth - 1) + 1;
}

// A probe that throws, and catches its own exception.
static void on_long(void *data, const char *text)
{
	try {
		throw std::string(text);
	} catch (const std::string &s) {
		*static_cast<std::string *>(data) += s;
	}
}

static void dive_and_catch(int depth)
{
	bool is_caught = false;

	try {
		dive(depth);
	} catch (const std::runtime_error &e) {
		is_caught = std::string(e.what()) == "bottom";
	}
	CHECK(is_caught);
}

int main()
{
	std::string texts;

	dive_and_catch(50);
	CHECK(hits == 0 && others == 0);
	for (int i = 0; i < 100; i++) {
		CHECK(!register_trace_rt_hit(on_hit, nullptr));
		CHECK(!register_trace_rt_other(on_other, nullptr));
		dive_and_catch(49);
		CHECK(hits == 50 * (i + 1) && others == 50 * (i + 1));
		CHECK(!unregister_trace_rt_hit(on_hit, nullptr));
		CHECK(!unregister_trace_rt_other(on_other, nullptr));
		dive_and_catch(49);
		CHECK(hits == 50 * (i + 1) && others == 50 * (i + 1));
	}
	CHECK(!register_trace_rt_long(on_long, &texts));
	trace_rt_long("one ");
	trace_rt_long("two");
	CHECK(texts == "one two");
	CHECK(!unregister_trace_rt_long(on_long, &texts));
	// No thread may count as being inside a probe.
	tracepoint_synchronize_unregister();
	return 0;
}
